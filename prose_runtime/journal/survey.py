"""A journal at a glance, before it is told. In: its lines. Out: a `Survey`: how the run stands, and what of the records
counts no more because the process that wrote them was stopped or failed.

Most lines are only checked, not read; so a survey of a long journal costs little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from prose_runtime.journal.records import DamagedJournal, check_line, kind_of, read_line, whole_lines

Key: TypeAlias = "tuple[str, int]"

_ENDS_ALONE = frozenset(("loser", "sibling", "timeout"))
"""Why an attempt is stopped while the run goes on."""


@dataclass(slots=True)
class _Process:
    """What one process did on its way out."""

    cut: int | None = None
    stopped: list[tuple[int, str]] = field(default_factory=list)
    failed: list[tuple[int, Key]] = field(default_factory=list)
    unwinding: list[tuple[int, Key]] = field(default_factory=list)
    outcomes: list[tuple[int, Key]] = field(default_factory=list)


@dataclass(slots=True)
class Survey:
    """How a run stands.

    - `header`: the first record. `sources`, `bindings`: of the last `changed`, else of the header. `base`: where the
      records begin that are told in order. `records`: how many there are.
    - `dropped`: records that do not count; `lenient`: ranges of records whose steps need not be asked for again.
    - `budgets`, `memories`, `changes`, `questions`: what those records hold. `questions` are the open ones.
    - `ended`: the last record of the last process, or None if it was cut off. `stop`: the number of the record by which
      it was told to end, and why.
    """

    header: Mapping[str, Any] = field(default_factory=dict)
    sources: list[Any] = field(default_factory=list)
    bindings: Mapping[str, Any] = field(default_factory=dict)
    process: Mapping[str, Any] = field(default_factory=dict)
    processes: int = 0
    records: int = 0
    base: int = 0
    elapsed: float = 0.0
    dropped: set[int] = field(default_factory=set)
    lenient: list[tuple[int, int]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    budgets: dict[str, list[Any]] = field(default_factory=dict)
    memories: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    changes: dict[str, Any] = field(default_factory=dict)
    questions: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    ended: Mapping[str, Any] | None = None
    stop: tuple[int, str] | None = None

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.header.get("id", ""))

    def is_lenient(self, number: int) -> bool:
        """Whether that record stands where a process was on its way out."""
        return any(first <= number < last for first, last in self.lenient)


def survey(lines: Iterable[bytes], *, goes_on: bool) -> Survey:
    """Look through a journal. `goes_on`: the run is to go on, so that the way out of the last process counts no more.

    Raises `DamagedJournal` where a line is not as it was written.
    """
    found = Survey()
    process = _Process()
    last_timed = b""
    for number, line in enumerate(whole_lines(lines)):
        check_line(line, number)
        kind = kind_of(line)
        if kind == "process":
            _settle(found, process, number)
            process = _Process()
        _look(found, process, number, kind, line)
        if b',"time":' in line:
            last_timed = line
        found.records = number + 1
    if not found.header:
        raise DamagedJournal(1, "it does not begin with the record of a run")
    if last_timed:
        found.elapsed = float(read_line(last_timed).get("time", 0.0))
    if goes_on:
        _settle(found, process, found.records)
        found.stop = None
    return found


def _look(found: Survey, process: _Process, number: int, kind: str, line: bytes) -> None:
    match kind:
        case "started":
            if b',"unwinding":true' in line:
                process.unwinding.append((number, _key(read_line(line))))
        case "answered":
            if process.unwinding or found.questions:
                key = _key(read_line(line))
                process.outcomes.append((number, key))
                found.questions.pop(key, None)
        case "failed":
            key = _key(read_line(line))
            process.failed.append((number, key))
            process.outcomes.append((number, key))
            found.questions.pop(key, None)
        case "stopped":
            process.stopped.append((number, str(read_line(line).get("reason", ""))))
        case "text" | "list":
            found.known.add(line[line.index(b'"id":"') + 6 :].split(b'"', 1)[0].decode())
        case "decided" | "warned" | "late":
            pass
        case _:
            _look_at_rare(found, process, number, kind, read_line(line))


def _look_at_rare(found: Survey, process: _Process, number: int, kind: str, record: Mapping[str, Any]) -> None:
    match kind:
        case "run":
            found.header = record
            found.sources, found.bindings = record.get("sources", []), record.get("bindings", {})
        case "process":
            found.process = record
            found.processes += 1
            found.ended, found.stop = None, None
        case "changed":
            found.sources = record.get("sources", found.sources)
            found.bindings = record.get("bindings", found.bindings)
            found.base = number + 1
            found.dropped.clear()
            found.lenient.clear()
            found.budgets.clear()
        case "given":
            pass
        case "set":
            found.changes[record["step"]] = record["names"]
        case "budget":
            found.budgets.setdefault(record["step"], []).append(record["value"])
        case "memory":
            found.memories[record["scope"], record["name"]] = record["turns"]
        case "asked":
            found.questions[_key(record)] = record
        case "stopping":
            process.cut = number if process.cut is None else process.cut
            found.stop = found.stop or (number, str(record.get("reason", "")))
        case "ended":
            found.ended = record
            if process.cut is None and record.get("status") == "failed" and "step" in record:
                ended_by = [at for at, key in process.failed if key == _key(record)]
                if ended_by:
                    process.cut = ended_by[-1]


def _settle(found: Survey, process: _Process, end: int) -> None:
    """What a process did on its way out counts no more, now that the run goes on."""
    cut = process.cut
    found.dropped.update(
        number for number, reason in process.stopped if reason not in _ENDS_ALONE or (cut is not None and number > cut)
    )
    if cut is None:
        return
    found.lenient.append((cut, end))
    found.dropped.update(number for number, _ in process.failed if number == cut)
    for number, key in process.unwinding:
        if number > cut:
            found.dropped.add(number)
            found.dropped.update(at for at, ended in process.outcomes if ended == key and at > number)


def _key(record: Mapping[str, Any]) -> Key:
    return str(record["step"]), int(record.get("attempt", 1))
