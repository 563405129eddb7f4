"""A run is told again what was done, in the order in which it was. In: the records of a journal, and strands that are
about to do what is written there. Out: each gets its answer when its turn comes.

Whoever is about to begin an attempt waits for its record; whoever has begun one waits for how it ended. An answer is
given when all that stands before it was told, so races end as they ended, whatever the machine does. When all is told
and nothing moves any more, who still waits goes on by itself.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from prose_runtime.journal.survey import Key, Survey
from prose_runtime.journal.values import Decoder
from prose_runtime.runtime.journaling import Host, NotKept, Told
from prose_runtime.runtime.port import Usage
from prose_runtime.runtime.quiet import Quiet

Record = Mapping[str, Any]


class Telling:
    """Tells the records to a run. `then` is called when all is told, with the attempts that were cut off."""

    def __init__(
        self, records: Iterator[Record], survey: Survey, host: Host, then: Callable[[list[Key]], None]
    ) -> None:
        self._records = records
        self._survey = survey
        self._host = host
        self._then = then
        self._decoder = Decoder()
        self._current: Record | None = None
        self._turns: dict[Key, asyncio.Future[None]] = {}
        self._waiting: dict[Key, asyncio.Future[Told | None]] = {}
        self._prints: dict[Key, str] = {}  # of attempts that began and did not end yet
        self._gone: set[Key] = set()
        self._passed_over: set[Key] = set()
        self._alarms: dict[str, Callable[[], object]] = {}
        self._noted: dict[tuple[str, ...], list[Record]] = {}  # made now, their records not come to yet
        self._passed: Counter[tuple[str, ...]] = Counter()  # records of notes that are not made yet
        self._quiet = Quiet(self._still, lambda: not self.over)
        self.exhausted = False
        self.over = False

    # ---- what strands do -----------------------------------------------------------------------------------

    async def turn(self, key: Key) -> None:
        """Wait until an attempt may begin."""
        self._turns[key] = waiter = asyncio.get_running_loop().create_future()
        self._go_on()
        try:
            await waiter
        finally:
            self._turns.pop(key, None)

    async def told(self, key: Key, asked: str) -> Told | None:
        """Wait for how an attempt ended; None if it is to be made. `asked`: the hash of what it asks."""
        if key not in self._prints:
            return None
        if self._prints[key] != asked:
            raise NotKept(
                f"`{key[0]}` is asked something else than when the run was kept: a service gave other values, or this "
                "version reads the pattern in another way; start a new run with `--reuse` to use its answers"
            )
        waiter: asyncio.Future[Told | None] = asyncio.get_running_loop().create_future()
        self._waiting[key] = waiter
        self._go_on()
        try:
            return await waiter
        finally:
            self._waiting.pop(key, None)

    def stopped(self, key: Key) -> None:
        """An attempt that began is not waited for any more."""
        if key in self._prints:
            self._gone.add(key)
            self._go_on()

    def alarm(self, key: str, ring: Callable[[], object]) -> Callable[[], object]:
        """`ring` when the time was over that began there."""
        self._alarms[key] = ring
        self._go_on()
        return lambda: self._alarms.pop(key, None)

    @property
    def alarms(self) -> Mapping[str, Callable[[], object]]:
        """Those that have not rung."""
        return self._alarms

    def noted(self, record: Record) -> None:
        """A decision was made, or a warning given, that may stand in the journal already."""
        kind = identity(record)
        if self._passed[kind] > 0:
            self._passed[kind] -= 1
        else:
            self._noted.setdefault(kind, []).append(record)

    @property
    def new_notes(self) -> list[Record]:
        """Those that do not."""
        return [record for records in self._noted.values() for record in records]

    # ---- the records ---------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Tell as much as there is somebody for."""
        self._quiet.moved()
        while not self.exhausted:
            if self._current is None:
                self._current = next(self._records, None)
                if self._current is None:
                    self.exhausted = True
                    break
            if not self._tell(self._current):
                break
            self._current = None
        self._quiet.watch()

    def _tell(self, record: Record) -> bool:
        """Whether it was told, or need not be."""
        match record["record"]:
            case "text" | "list":
                self._decoder.take(record)
            case "started":
                return self._begun(record, (record["step"], record["attempt"]))
            case "answered" | "failed":
                return self._ended(record, (record["step"], record["attempt"]))
            case "stopped":
                return self._left(record, (record["step"], record["attempt"]))
            case "decided" | "warned":
                self._pass(identity(record))
            case "late":
                ring = self._alarms.pop(record["step"], None)
                if ring is None:
                    return False
                ring()
            case "stopping" if self._survey.stop is not None and self._survey.stop[0] == record["n"]:
                if record["reason"] not in ("calls", "tokens", "cost", "waiting"):  # these come by themselves
                    self._host.stop(record["reason"])
        return True

    def _pass(self, kind: tuple[str, ...]) -> None:
        noted = self._noted.get(kind)
        if noted:
            noted.pop(0)
            if not noted:
                del self._noted[kind]
        else:
            self._passed[kind] += 1

    def _begun(self, record: Record, key: Key) -> bool:
        if record["n"] in self._survey.dropped or key in self._prints:  # made again after it was cut off
            self._lost(record, key)
            return True
        waiter = self._turns.pop(key, None)
        if waiter is None:
            return False
        if not waiter.done():
            waiter.set_result(None)
        self._prints[key] = record["print"]
        return True

    def _ended(self, record: Record, key: Key) -> bool:
        if record["n"] in self._survey.dropped or key in self._passed_over:
            self._passed_over.discard(key)
            self._host.lost(0, usage_of(record))
            return True
        waiter = self._waiting.pop(key, None)
        if waiter is None:
            if key in self._gone:  # it was stopped a moment earlier than then
                self._forget(key)
                self._host.lost(0, usage_of(record))
                return True
            return False
        self._forget(key)
        if not waiter.done():
            waiter.set_result(told_in(record, self._decoder))
        return True

    def _left(self, record: Record, key: Key) -> bool:
        if record["n"] in self._survey.dropped or key in self._passed_over:
            self._passed_over.discard(key)
            return True
        if key not in self._gone:
            return False
        self._forget(key)
        return True

    def _forget(self, key: Key) -> None:
        self._prints.pop(key, None)
        self._gone.discard(key)

    def _lost(self, record: Record, key: Key) -> None:
        if key not in self._survey.questions and record.get("kind") != "gate":
            self._host.lost(1, Usage())

    # ---- nothing moves -------------------------------------------------------------------------------------

    def _still(self) -> None:
        record = self._current
        if record is None or self.exhausted:
            self.finish()
        elif self._may_pass_over(record):
            key = (record["step"], record.get("attempt", 1))
            if record["record"] == "started":
                self._passed_over.add(key)
                self._lost(record, key)
            self._current = None
            self._go_on()
        else:
            self._fail(
                f"the run goes another way than its journal tells: `{record['step']}` was done then, and now it is not "
                "asked for; start a new run with `--reuse` to use its answers"
            )

    def _may_pass_over(self, record: Record) -> bool:
        """Whether it is no fault that nobody asks for it: it was cut off, or stands on a way out."""
        if record["record"] in ("stopped", "late") or self._survey.is_lenient(record["n"]):
            return True
        return record["record"] == "started" and self._ends_nowhere((record["step"], record["attempt"]))

    def _ends_nowhere(self, key: Key) -> bool:
        """Whether a step that began never gave anything. Reads on to the end: this is rare."""
        rest = list(self._records)
        self._records = iter(rest)
        return not any(
            record["record"] in ("answered", "failed") and (record["step"], record["attempt"]) == key for record in rest
        )

    def finish(self) -> None:
        """All is told, or the run has ended; everybody goes on by himself."""
        self.over = True
        cut_off = [key for key in self._prints if key not in self._gone]
        self._then(cut_off)
        for waiter in self._turns.values():
            if not waiter.done():
                waiter.set_result(None)
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result(None)

    def _fail(self, message: str) -> None:
        self.over = True
        waiters: list[asyncio.Future[Any]] = [*self._turns.values(), *self._waiting.values()]
        for waiter in waiters:
            if not waiter.done():
                waiter.set_exception(NotKept(message))


def identity(record: Record) -> tuple[str, ...]:
    """What tells one decision or warning from another."""
    if record["record"] == "decided":
        return (record["step"], record["text"])
    return (record["code"], record["file"], str(record["line"]), str(record["column"]))


def usage_of(record: Record) -> Usage:
    """What an attempt spent."""
    return Usage(**record["usage"]) if "usage" in record else Usage()


def told_in(record: Record, decoder: Decoder) -> Told:
    """How an attempt ended, from its record."""
    usage = usage_of(record)
    if record["record"] == "answered":
        return Told(decoder.decode(record.get("value")), usage, reused=bool(record.get("reused")))
    error = decoder.decode(record["error"])
    assert isinstance(error, dict)
    transient, refused = bool(record.get("transient", True)), bool(record.get("refused"))
    return Told(decoder.decode(record.get("answer")), usage, error, transient, refused)
