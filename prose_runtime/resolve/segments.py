"""The part of a step's key that a node stands for.

In: a script. Out: `Unit.segments` (`call:critic`, the second one of the same body `call:critic~2`, `repeat`, `if`) and
`Unit.branch_segments`. A part is unique in the nearest loop, branch, block, pipeline stage or script around it; `if`,
`try`, `choice` and `do:` open nothing of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from prose_runtime.resolve.program import Unit
from prose_runtime.syntax import children
from prose_runtime.syntax.nodes import (
    Agent,
    Block,
    Call,
    Choice,
    Condition,
    Conditional,
    Constant,
    Do,
    For,
    Gate,
    If,
    Loop,
    Name,
    Node,
    Parallel,
    Property,
    Repeat,
    Resume,
    Session,
    Stage,
    Text,
)

_LEAVES = (Constant, Name, Property, Text, Agent)


class Segments:
    """Numbers the nodes of one script."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def script(self, node: Node) -> None:
        """Everything in the script."""
        self._body(children(node), Counter())

    def _body(self, nodes: Iterable[Node], used: Counter[str]) -> None:
        for node in nodes:
            self._node(node, used)

    def _name(self, node: Node, base: str, used: Counter[str]) -> None:
        used[base] += 1
        self.unit.segments[node] = base if used[base] == 1 else f"{base}~{used[base]}"

    def _node(self, node: Node, used: Counter[str]) -> None:
        if isinstance(node, _LEAVES):
            return
        if isinstance(node, (Repeat, For, Loop)):
            self._loop(node, used)
            return
        if isinstance(node, Parallel):
            self._parallel(node, used)
            return
        if isinstance(node, Block):
            self._body(node.body, Counter())
            return
        if isinstance(node, Stage):
            self._name(node, node.operation, used)
            self._body(node.body, Counter())
            return
        self._conditions(node, used)
        self._body(children(node), used)
        base = _effect(node)
        if base is not None:
            self._name(node, base, used)

    def _conditions(self, node: Node, used: Counter[str]) -> None:
        if isinstance(node, If):
            for arm in node.arms:
                self._name(arm.condition, "if", used)
        elif isinstance(node, Conditional):
            self._name(node.condition, "if", used)
        elif isinstance(node, Choice):
            self._name(node.criterion, "choice", used)

    def _loop(self, node: Repeat | For | Loop, used: Counter[str]) -> None:
        base = "loop" if isinstance(node, Loop) else "for" if isinstance(node, For) else "repeat"
        self._name(node, base, used)
        inside: Counter[str] = Counter()
        if isinstance(node, Loop) and node.condition is not None:
            self._name(node.condition, node.test or "if", inside)
        for child in children(node):
            if child not in node.body and not isinstance(child, Condition):
                self._node(child, used)
        self._body(node.body, inside)

    def _parallel(self, node: Parallel, used: Counter[str]) -> None:
        self._name(node, "parallel", used)
        names = self.unit.branch_names.get(node, ())
        taken: Counter[str] = Counter()
        parts: list[str] = []
        for number, branch in enumerate(node.branches, 1):
            bound = names[number - 1] if number <= len(names) else ()
            part = bound[0] if len(bound) == 1 else str(number)
            taken[part] += 1
            parts.append(part if taken[part] == 1 else f"{part}~{taken[part]}")
            self._body((branch,), Counter())
        self.unit.branch_segments[node] = tuple(parts)


def _effect(node: Node) -> str | None:
    match node:
        case Call():
            return f"call:{node.target}"
        case Session():
            label = node.label or node.agent
            return f"session:{label}" if label else "session"
        case Resume():
            return f"resume:{node.agent}"
        case Gate():
            return "gate"
        case Do():
            return f"do:{node.block}"
    return None
