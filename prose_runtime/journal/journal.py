"""The journal of one run, as the runtime's one door sees it (layer 5).

In: a store, and what a run does. Out: records in the store, each there before anything depends on it; and, for a run
that goes on or is replayed, what was done before.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from prose_runtime.journal.records import FORMAT, DamagedJournal, check_line, pack, read_line, whole_lines
from prose_runtime.journal.reuse import Reusable
from prose_runtime.journal.store import JournalFailed, Store
from prose_runtime.journal.survey import Key, Survey, survey
from prose_runtime.journal.telling import Record, Telling
from prose_runtime.journal.values import Decoder, Encoder, print_of
from prose_runtime.runtime.journaling import UNWINDING, Host, NotKept, Question, Step, Told
from prose_runtime.runtime.port import MemoryStore, Turn, Usage
from prose_runtime.runtime.values import Value, from_python, to_json
from prose_runtime.version import __version__

Mask = Callable[[str], str]


def now() -> str:
    """The time of day in UTC, as records write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class RunJournal:
    """Writes what a run does, and tells it what was done. `begin`, `go_on` and `replay` make one.

    `reusable`: answers of another run, or of this one before it was changed.
    """

    def __init__(self, store: Store, found: Survey | None, mask: Mask | None, *, reads_only: bool = False) -> None:
        self.store = store
        self.survey = found
        self.reusable: Reusable | None = None
        self.reused_count = 0
        self.saved = Usage()
        self.reads_only = reads_only
        self._number = found.records if found is not None else 0
        self._buffer: list[bytes] = []
        self._open: set[Key] = set()
        self._failed = ""
        self._host: Host | None = None
        self._telling: Telling | None = None
        self._encoder = Encoder(self._put, mask)
        self._lengths: dict[str, float] = {}
        self._budgets: dict[str, Iterator[Any]] = {}
        self._questions: dict[Key, Mapping[str, Any]] = {}
        if found is not None:
            self._budgets = {path: iter(values) for path, values in found.budgets.items()}
            self._questions = dict(found.questions)
            for known in found.known:
                self._encoder.known(known)

    # ---- beginning -----------------------------------------------------------------------------------------

    @classmethod
    def begin(
        cls, store: Store, header: Mapping[str, Any], given: Mapping[str, Value], budget: Any, mask: Mask | None = None
    ) -> RunJournal:
        """A new run. `header`: the fields of its first record; `given`: its inputs and config. Raises `NotKept`."""
        journal = cls(store, None, mask)
        journal._put({"record": "run", "journal": FORMAT, "prose": __version__, "at": now(), **header})
        journal._put({"record": "given", **{name: journal._encoder.encode(value) for name, value in given.items()}})
        journal._process(budget)
        return journal

    @classmethod
    def go_on(cls, store: Store, budget: Mapping[str, Any], mask: Mask | None = None) -> RunJournal:
        """A run that was kept goes on. The store is taken. Raises `DamagedJournal`, `RunInUse`."""
        found = survey(store.lines(), goes_on=True)
        journal = cls(store, found, mask)
        journal._process(budget)
        return journal

    @classmethod
    def replay(cls, store: Store) -> RunJournal:
        """A run that is told from its beginning to its end; nothing is written."""
        return cls(store, survey(store.lines(), goes_on=False), None, reads_only=True)

    def _process(self, budget: Any) -> None:
        self._put(
            {
                "record": "process",
                "at": now(),
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "prose": __version__,
                "budget": budget,
            }
        )
        self._flush()

    # ---- what the run asks of it ---------------------------------------------------------------------------

    @property
    def telling(self) -> bool:
        return self._telling is not None and not self._telling.over

    @property
    def elapsed(self) -> float:
        return self.survey.elapsed if self.survey is not None and not self.reads_only else 0.0

    @property
    def changes(self) -> Mapping[str, Mapping[str, Value]]:
        found = self.survey.changes if self.survey is not None else {}
        return {step: {name: from_python(value) for name, value in names.items()} for step, names in found.items()}

    def attach(self, host: Host) -> None:
        self._host = host
        if self.survey is not None:
            self._telling = Telling(self._records(), self.survey, host, self._told_all)

    def _records(self) -> Iterator[Record]:
        """Those that are told: of what stands before the last change, only values."""
        assert self.survey is not None
        base, end = self.survey.base, self.survey.records
        for number, line in enumerate(whole_lines(self.store.lines())):
            if number >= end:
                return
            if number >= base or b'"record":"text"' in line[:40] or b'"record":"list"' in line[:40]:
                yield read_line(line)

    def _told_all(self, cut_off: list[Key]) -> None:
        """Everything that was done has been told. What was in flight is made again."""
        assert self._host is not None
        assert self._telling is not None
        for note in self._telling.new_notes:
            self._put(note)
        again = [key for key in cut_off if key not in self._questions]
        self._open.update(cut_off)
        if again and not self.reads_only:
            self._host.lost(len(again), Usage())
            names = ", ".join(f"`{key}`" for key, _ in again[:5]) + (" …" if len(again) > 5 else "")
            calls = "1 call was" if len(again) == 1 else f"{len(again)} calls were"
            self._host.note("made-again", f"{calls} in flight when the run was cut off and may be made twice: {names}")
        loop = asyncio.get_running_loop()
        for where, ring in self._telling.alarms.items():
            loop.call_later(self._lengths[where], ring)

    async def turn(self, key: str, attempt: int) -> None:
        if self._telling is not None and not self._telling.over:
            await self._telling.turn((key, attempt))

    async def told(self, step: Step) -> Told | None:
        if self._telling is None:
            return None
        return await self._telling.told((step.key, step.attempt), self._print(step))

    def reused(self, step: Step) -> Told | None:
        if self.reusable is None or step.kind == "gate":
            return None
        told = self.reusable.take(step.key, self._print(step))
        if told is not None:
            self.reused_count += 1
            self.saved = _sum(self.saved, told.usage)
        return told

    # ---- what is written -----------------------------------------------------------------------------------

    def started(self, step: Step) -> None:
        key = (step.key, step.attempt)
        if self.reads_only:
            if key not in self._questions:
                raise NotKept(f"the journal ends before `{step.key}`: there the run was cut off")
            return
        if key in self._questions and key in self._open:
            return
        self._open.add(key)
        asked = self._encoder.encode(dict(step.inputs)), self._encoder.encode(_as_values(step.asked))
        record: dict[str, Any] = {
            "record": "started",
            "step": step.key,
            "attempt": step.attempt,
            "kind": step.kind,
            "service": step.service,
            "inputs": asked[0],
        }
        if step.asked is not None:
            record["asked"] = asked[1]
        record["print"] = print_of([step.service, *asked, step.unseen])
        if UNWINDING.get():
            record["unwinding"] = True
        record["time"] = self._time()
        self._write(record)

    def _print(self, step: Step) -> str:
        inputs, asked = self._encoder.encode(dict(step.inputs)), self._encoder.encode(_as_values(step.asked))
        return print_of([step.service, inputs, asked, step.unseen])

    def answered(self, step: Step, value: Value, usage: Usage, *, reused: bool = False) -> None:
        key = (step.key, step.attempt)
        self._open.discard(key)
        self._questions.pop(key, None)
        record = {"record": "answered", "step": step.key, "attempt": step.attempt, "value": self._encoder.encode(value)}
        self._write({**record, **_usage(usage), **({"reused": True} if reused else {}), "time": self._time()})

    def failed(self, step: Step, told: Told) -> None:
        self._open.discard((step.key, step.attempt))
        error: dict[str, Value] = {name: value for name, value in (told.error or {}).items() if value is not None}
        record: dict[str, Any] = {
            "record": "failed",
            "step": step.key,
            "attempt": step.attempt,
            "error": self._encoder.encode(error),
            **_usage(told.usage),
            "time": self._time(),
        }
        if told.refused:
            record["refused"] = True
            record["answer"] = self._encoder.encode(told.answer)
        if not told.transient:
            record["transient"] = False
        self._write(record)

    def stopped(self, step: Step, reason: str) -> None:
        key = (step.key, step.attempt)
        if self.telling:
            assert self._telling is not None
            self._telling.stopped(key)
        elif key in self._open and key not in self._questions:
            self._open.discard(key)
            self._put({"record": "stopped", "step": key[0], "attempt": key[1], "reason": reason, "time": self._time()})

    async def secured(self) -> None:
        try:
            await self.store.secured()
        except JournalFailed as error:
            raise self._broken(error) from error

    def alarm(self, key: str, seconds: float, ring: Callable[[], object]) -> Callable[[], object]:
        if self.telling:
            assert self._telling is not None
            self._lengths[key] = seconds
            return self._telling.alarm(key, ring)
        return asyncio.get_running_loop().call_later(seconds, ring).cancel

    def rang(self, key: str) -> None:
        if not self.telling:
            self._put({"record": "late", "step": key, "time": self._time()})

    def asks(self, question: Question) -> Question:
        known = self._questions.get((question.step, question.attempt))
        if known is not None:
            return _question_in(known)
        record = {"record": "asked", **question.to_json()}
        self._questions[question.step, question.attempt] = record
        self._write(record)
        return question

    def budget(self, path: str, value: Mapping[str, Value]) -> Mapping[str, Value]:
        kept = next(self._budgets.get(path, iter(())), None)
        if kept is not None:
            return {name: from_python(item) for name, item in kept.items()}
        plain = {name: to_json(item) for name, item in value.items()}
        self._put({"record": "budget", "step": path, "value": plain})
        return value

    def memory(self, scope: str, name: str) -> list[Turn] | None:
        """What an agent remembered when this run asked first, or None if it did not."""
        kept = self.survey.memories.get((scope, name)) if self.survey is not None else None
        return None if kept is None else [Turn(**turn) for turn in kept]

    def remembered(self, scope: str, name: str, turns: list[Turn]) -> None:
        """That is what it remembers."""
        names = ("asked", "answered", "context", "run", "key")
        kept = [{name: getattr(turn, name) for name in names} for turn in turns]
        self._put({"record": "memory", "scope": scope, "name": name, "turns": kept})

    def decided(self, decision: Mapping[str, Any]) -> None:
        named = {"step" if name == "key" else name: value for name, value in decision.items()}
        self._note({"record": "decided", **named})

    def warned(self, warning: Mapping[str, Any]) -> None:
        self._note({"record": "warned", **warning})

    def _note(self, record: Mapping[str, Any]) -> None:
        if self._telling is not None and not self._telling.over:
            self._telling.noted(record)
        else:
            self._put(record)

    def stopping(self, reason: str) -> None:
        if not self.telling:
            self._put({"record": "stopping", "reason": reason, "time": self._time()})

    def ended(self, ending: Mapping[str, Any], failed: tuple[str, int] | None) -> None:
        if self._telling is not None and not self._telling.over:
            self._telling.finish()
        record: dict[str, Any] = {"record": "ended"}
        for name, value in ending.items():
            if value not in (None, ""):
                has_values = name in ("result", "names", "error")
                record[name] = self._encoder.encode(from_python(value)) if has_values else value
        if failed is not None and ending["status"] == "failed":
            record["step"], record["attempt"] = failed
        self._write({**record, "time": self._time()})

    # ---- lines ---------------------------------------------------------------------------------------------

    def _time(self) -> float:
        return round(self._host.seconds(), 6) if self._host is not None else 0.0

    def _put(self, record: Mapping[str, Any]) -> None:
        """A record that goes out with the next one that matters."""
        if self.reads_only:
            return
        self._buffer.append(pack(self._number, record))
        self._number += 1

    def _write(self, record: Mapping[str, Any]) -> None:
        self._put(record)
        self._flush()

    def _flush(self) -> None:
        if self._failed:
            raise NotKept(self._failed)
        data, self._buffer = b"".join(self._buffer), []
        try:
            self.store.append(data)
        except JournalFailed as error:
            raise self._broken(error) from error

    def _broken(self, error: JournalFailed) -> NotKept:
        self._failed = str(error)
        return NotKept(self._failed)


class KeptMemory:
    """A store of memories behind the journal of a run: what was read once is the same for ever."""

    def __init__(self, inner: MemoryStore, journal: RunJournal) -> None:
        self._inner = inner
        self._journal = journal

    async def read(self, scope: str, name: str) -> Sequence[Turn]:
        """What was remembered when this run asked first."""
        known = self._journal.memory(scope, name)
        if known is None:
            known = list(await self._inner.read(scope, name))
            self._journal.remembered(scope, name, known)
        return known

    async def keep(self, scope: str, name: str, run: str, turns: Sequence[Turn]) -> int:
        """Keep what this run adds; of a run that is replayed nothing."""
        return 0 if self._journal.reads_only else await self._inner.keep(scope, name, run, turns)


def given_in(store: Store) -> tuple[dict[str, Value], dict[str, Value]]:
    """The inputs and config that a run was given. Raises `DamagedJournal`."""
    decoder = Decoder()
    for number, line in enumerate(whole_lines(store.lines())):
        check_line(line, number)
        record = read_line(line)
        if record["record"] in ("text", "list"):
            decoder.take(record)
        if record["record"] == "given":
            inputs, config = (decoder.decode(record.get(name, {})) for name in ("inputs", "config"))
            assert isinstance(inputs, dict)
            assert isinstance(config, dict)
            return inputs, config
    raise DamagedJournal(1, "it does not say what the run was given")


def _as_values(asked: Mapping[str, Any] | None) -> Value:
    return None if asked is None else {name: from_python(value) for name, value in asked.items()}


def _usage(usage: Usage) -> dict[str, Any]:
    known = {
        name: value for name in ("input_tokens", "output_tokens", "cost") if (value := getattr(usage, name)) is not None
    }
    return {"usage": known} if known else {}


def _sum(one: Usage, other: Usage) -> Usage:
    def both(left: Any, right: Any) -> Any:
        return right if left is None else left if right is None else left + right

    return Usage(
        both(one.input_tokens, other.input_tokens),
        both(one.output_tokens, other.output_tokens),
        both(one.cost, other.cost),
    )


def _question_in(record: Mapping[str, Any]) -> Question:
    names = ("step", "attempt", "service", "question", "schema", "default", "until")
    return Question(**{name: record.get(name) for name in names}, options=tuple(record.get("options", ())))  # type: ignore[arg-type]
