"""What can go wrong while a pattern runs. In: facts. Out: `Failure`, which `catch` sees, `Stopped`, which it does not,
and `RunError`, the plain data that an outcome carries.

Names of errors that the interpreter itself raises: `service-failed`, `timeout`, `contract`, `bad-value`,
`loop-ceiling`, `too-deep`, `undecided`; `error` is what a `throw` without a name gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from prose_runtime.runtime.paths import Path, written
from prose_runtime.runtime.port import Usage
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Json
from prose_runtime.syntax.nodes import Node


@dataclass(frozen=True, slots=True)
class TraceFrame:
    """One body on the way to a failure: the statement, where it stands, and in which iterations of which loops.
    Lines and columns count from 1. `declared`: the declaration that a value given there does not keep."""

    definition: str
    file: str
    line: int
    column: int
    text: str
    iterations: tuple[str, ...] = ()
    key: str = ""
    declared: TraceFrame | None = None

    def to_json(self) -> dict[str, Json]:
        """Plain data."""
        more: dict[str, Json] = {"declared": self.declared.to_json()} if self.declared else {}
        return {
            **more,
            "definition": self.definition,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "text": self.text,
            "iterations": list(self.iterations),
            "key": self.key,
        }


@dataclass(frozen=True, slots=True)
class RunError:
    """An error that ended a run. `fields` is the error object as a script sees it; `frames` outermost first;
    `others` are the failures of branches that came after it; `python` is Python's own traceback; `help` is one thing to
    do, or ""."""

    name: str
    message: str
    fields: Mapping[str, Json]
    frames: tuple[TraceFrame, ...] = ()
    others: tuple[RunError, ...] = ()
    python: str = ""
    help: str = ""

    def to_json(self) -> dict[str, Json]:
        """The error object with `traceback` and `others` added."""
        data: dict[str, Json] = dict(self.fields)
        if self.help:
            data["help"] = self.help
        data["traceback"] = [frame.to_json() for frame in self.frames]
        if self.others:
            data["others"] = [item.to_json() for item in self.others]
        return data


class Failure(Exception):
    """An error of the pattern in flight. `value` is its error object; `frames` grow from the innermost outwards. Of a
    call, `usage` is what the attempt spent that gave no answer, `step` its key and number."""

    def __init__(
        self,
        name: str,
        message: str,
        *,
        service: str | None = None,
        attempt: int | None = None,
        cause: Any = None,
        fields: Mapping[str, Any] | None = None,
        transient: bool = True,
        node: Node | None = None,
        source: SourceText | None = None,
        help: str = "",
    ) -> None:
        super().__init__(message)
        own = dict(fields or {})
        own.update(name=name, message=message)
        for key, fact in (("service", service), ("attempt", attempt), ("cause", cause)):
            if fact is not None or key not in own:
                own[key] = fact
        self.value: dict[str, Any] = own
        self.transient = transient
        self.frames: list[TraceFrame] = []
        self.others: list[Failure] = []
        self.node = node
        self.source = source
        self.help = help
        self.seen: set[object] = set()
        self.usage = Usage()
        self.step: tuple[str, int] | None = None

    @property
    def name(self) -> str:
        """The error's name."""
        return str(self.value["name"])

    @property
    def message(self) -> str:
        """What happened, in a sentence."""
        return str(self.value["message"])

    def passed(self, body: object, definition: str, source: SourceText, node: Node, path: Path) -> None:
        """The failure leaves a statement of a body; the innermost statement of each body is kept."""
        if body in self.seen:
            return
        self.seen.add(body)
        own = self.node if self.source is source and not self.frames else None
        place = source.position((own or node).span.start)
        self.frames.append(
            TraceFrame(
                definition,
                source.name,
                place.line,
                place.column,
                source.line(place.line).strip(),
                iterations_of(path, source),
                written(path),
            )
        )

    def breaks(self, declared: Span, definition: str, source: SourceText) -> None:
        """The innermost place gave a value that is not as declared there."""
        place = source.position(declared.start)
        text = source.line(place.line).strip()
        self.frames[0] = replace(
            self.frames[0], declared=TraceFrame(definition, source.name, place.line, place.column, text)
        )


class Stopped(Exception):
    """The run (or a branch) ends: cancelled, out of budget or out of time. `catch` never sees it.

    `reason` is one of cancelled, loser, sibling, timeout, calls, tokens, cost, time, waiting, journal.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.others: list[Failure] = []


def iterations_of(path: Path, source: SourceText) -> tuple[str, ...]:
    """`repeat max_rounds as round (line 12), round 3` for each loop of this file around a step, outermost first."""
    found: list[str] = []
    step: Path | None = path
    while step is not None:
        outer, segment, number, node = step
        if segment.startswith(("call:", "do:")):
            break
        if number and node is not None:
            line = source.position(node.span.start).line
            head = source.line(line).strip()
            word = "branch" if segment.startswith("parallel") else "round"
            found.append(f"{word} {number} of `{head}` (line {line})")
        step = outer
    return tuple(reversed(found))


def as_run_error(failure: Failure, to_json: Any, python: str = "") -> RunError:
    """The plain data of a failure. `to_json` turns a runtime value into plain JSON."""
    fields: dict[str, Json] = {key: to_json(value) for key, value in failure.value.items()}
    return RunError(
        failure.name,
        failure.message,
        fields,
        tuple(reversed(failure.frames)),
        tuple(as_run_error(item, to_json) for item in failure.others),
        python,
        failure.help,
    )


def attach(first: Failure | Stopped, others: Iterable[Failure]) -> None:
    """List further failures under the first one, each once."""
    for other in others:
        if other is not first and other not in first.others:
            first.others.append(other)
