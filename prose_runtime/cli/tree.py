"""The picture of a run: rounds, calls and decisions as a tree that always fits its window.

In: step keys (`refine/repeat#3/call:critic`) with what happened there. Out: lines. A key is a path, so the tree needs
to know nothing else about the language. Finished rounds fold into one line when room runs out, and only the newest
children of a node are kept, so that a run of ten thousand rounds takes no more memory than one of a hundred.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from prose_runtime.diagnostics.visible import cut, visible_line

State = Literal["inner", "running", "done", "failed", "decided"]

MARKS: dict[State, str] = {"inner": "", "running": "▸", "done": "✓", "failed": "✗", "decided": "◇"}
KEPT = 100
"""How many finished children of a node are remembered one by one."""


@dataclass(slots=True)
class Node:
    """One segment of a key. `calls` counts the finished calls at and below it; `dropped` the children left out."""

    label: str
    state: State = "inner"
    note: str = ""
    began: float = 0.0
    seconds: float | None = None
    calls: int = 0
    dropped: int = 0
    children: dict[str, Node] = field(default_factory=dict)

    @property
    def busy(self) -> bool:
        """Whether something at or below it is still going on."""
        return self.state == "running" or any(child.busy for child in self.children.values())

    @property
    def failed(self) -> bool:
        """Whether something at or below it failed."""
        return self.state == "failed" or any(child.failed for child in self.children.values())


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the picture: the state gives it its colour."""

    state: State
    text: str


class RunTree:
    """The tree of one run. Times are seconds of one clock."""

    def __init__(self) -> None:
        self.root = Node("")

    def begin(self, key: str, now: float, more: str = "") -> None:
        """A call began; `more` is added to the label that its key gives it."""
        node = self._path(key)[-1]
        node.state, node.began, node.note = "running", now, ""
        node.label += visible_line(more)

    def note(self, key: str, note: str) -> None:
        """Something is to be said about a call that is going on."""
        self._path(key)[-1].note = note

    def end(self, key: str, note: str, seconds: float, *, failed: bool = False) -> None:
        """A call ended after that time; `note` is a short form of its answer or error."""
        path = self._path(key)
        node = path[-1]
        node.state, node.note = ("failed" if failed else "done"), note
        node.seconds = seconds
        for part in path:
            part.calls += 1
        self._forget(path)

    def decide(self, key: str, note: str) -> None:
        """A condition was decided."""
        path = self._path(key)
        node = path[-1]
        if node.state == "inner" and not node.children:
            node.state, node.label, node.note = "decided", "", note
            return
        number = sum(child.state == "decided" for child in node.children.values()) + node.dropped
        node.children[f"?{number}"] = Node("", "decided", note)

    def _path(self, key: str) -> list[Node]:
        path = [self.root]
        for segment in key.split("/"):
            children = path[-1].children
            if segment not in children:
                children[segment] = Node(_label(segment))
            path.append(children[segment])
        return path

    def _forget(self, path: list[Node]) -> None:
        for node in path:
            if len(node.children) <= KEPT:
                continue
            oldest = next((key for key, child in node.children.items() if not child.busy), None)
            if oldest is not None:
                del node.children[oldest]
                node.dropped += 1

    def lines(self, width: int, height: int, now: float) -> list[Line]:
        """At most `height` lines of at most `width` columns: all of it, else the newest part with the rest folded."""
        every = list(self._drawn(self.root, "", frozenset(), now))
        if len(every) > height:
            every = list(self._drawn(self.root, "", self._foldable(len(every) - height), now))
        if len(every) > height:
            hidden = len(every) - height + 1
            every = [Line("inner", f"… {hidden} earlier lines"), *every[hidden:]]
        return [Line(line.state, cut(line.text, width)) for line in every[-height:]]

    def _foldable(self, surplus: int) -> frozenset[int]:
        """The finished inner nodes, oldest and outermost first, whose folding takes away that many lines."""
        folded: set[int] = set()

        def visit(node: Node) -> None:
            nonlocal surplus
            for child in node.children.values():
                if surplus <= 0:
                    return
                if child.children and not child.busy and id(child) not in shown:
                    folded.add(id(child))
                    surplus -= _size(child) - 1
                else:
                    visit(child)

        shown = self._newest()
        visit(self.root)
        return frozenset(folded)

    def _newest(self) -> set[int]:
        """The nodes from the root to the newest leaf: what a person is looking at."""
        node, path = self.root, {id(self.root)}
        while node.children:
            node = next(reversed(node.children.values()))
            path.add(id(node))
        return path

    def _drawn(self, node: Node, prefix: str, folded: frozenset[int], now: float) -> Iterator[Line]:
        if node.dropped:
            yield Line("inner", f"{prefix}… {node.dropped} earlier")
        children = list(node.children.values())
        for index, child in enumerate(children):
            top = node is self.root
            last = index == len(children) - 1
            stem = "" if top else ("└─ " if last else "├─ ")
            fold = id(child) in folded
            yield Line(_state(child, fold), prefix + stem + _text(child, fold, now))
            if not fold:
                yield from self._drawn(child, prefix + ("" if top else ("   " if last else "│  ")), folded, now)


def _label(segment: str) -> str:
    name = segment.removeprefix("call:")
    if name.startswith(("session:", "resume:")):
        name = name.replace(":", " ", 1)
    return visible_line(name.replace("#", " "))


def _size(node: Node) -> int:
    return 1 + (1 if node.dropped else 0) + sum(_size(child) for child in node.children.values())


def _state(node: Node, folded: bool) -> State:
    return "failed" if folded and node.failed else node.state


def _last_decision(node: Node) -> str:
    """What was decided last directly inside a folded node."""
    return next((child.note for child in reversed(node.children.values()) if child.state == "decided"), "")


def _text(node: Node, folded: bool, now: float) -> str:
    parts = [MARKS[node.state], node.label]
    if folded:
        parts.append(f"({node.calls} call{'' if node.calls == 1 else 's'})")
    elif node.state == "running":
        parts.append(f"{now - node.began:.0f} s" if now - node.began >= 1 else "")
    elif node.seconds is not None and node.seconds >= 0.05:
        parts.append(f"{node.seconds:.1f} s")
    note = _last_decision(node) if folded else node.note
    if note:
        parts.append(note)
    return "  ".join(part for part in [" ".join(part for part in parts[:2] if part), *parts[2:]] if part)


def short(value: object, width: int = 60) -> str:
    """A value in a few words: objects as `{score: 0.4, issues: [2]}`, texts in one line, long ones cut."""
    return cut(_short(value, 0), width)


def _short(value: object, depth: int) -> str:
    if isinstance(value, str):
        return visible_line(value.strip()[:500]) if depth == 0 else visible_line(value[:100])
    if isinstance(value, list):
        return f"[{len(value)} item{'' if len(value) == 1 else 's'}]"
    if isinstance(value, dict):
        if depth:
            return "{…}" if value else "{}"
        return "{" + ", ".join(f"{visible_line(str(key))}: {_short(item, 1)}" for key, item in value.items()) + "}"
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)
