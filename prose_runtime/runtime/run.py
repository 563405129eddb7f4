"""The state of one execution, fresh for every run. In: the plan and the host's clock, journal and listeners.
Out: the records from which the outcome is made."""

from __future__ import annotations

import asyncio
import os
import random
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from prose_runtime.diagnostics import report
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Asking
from prose_runtime.runtime.budget import Ledger
from prose_runtime.runtime.clauses.keeping import Contracts
from prose_runtime.runtime.errors import Stopped
from prose_runtime.runtime.events import Event, RunWarning, Stream
from prose_runtime.runtime.expecting import NO_USE, Use, uses_of
from prose_runtime.runtime.journaling import Journal, NotKept, Question
from prose_runtime.runtime.judging import JudgeAnswer
from prose_runtime.runtime.memory import InMemory, Memories
from prose_runtime.runtime.outcome import CallRecord, DecisionRecord
from prose_runtime.runtime.paths import Path, written
from prose_runtime.runtime.plan import Plan
from prose_runtime.runtime.port import Clock, MemoryStore, Usage
from prose_runtime.runtime.quiet import Quiet
from prose_runtime.runtime.strands import GRACE, Strand
from prose_runtime.runtime.values import Value
from prose_runtime.source import SourceText, Span

if TYPE_CHECKING:
    from prose_runtime.runtime.walk import Walk

PATIENCE = 0.02
"""Seconds of work without waiting after which others get a turn (signals, live view)."""
MOST_WARNINGS = 200


class Cancel(Protocol):
    """How a host asks a run to stop: an `asyncio.Event`, or what looks like one."""

    def is_set(self) -> bool: ...

    async def wait(self) -> object: ...


_REASONS = {
    "cancelled": "the run was cancelled",
    "loser": "another branch was first",
    "sibling": "another branch failed",
    "timeout": "its time was over",
    "waiting": "the run waits for a person",
}


class Busy:
    """How many things are going on that end by themselves: calls in flight, pauses. Entered and left around each."""

    __slots__ = ("_quiet", "count")

    def __init__(self, quiet: Quiet) -> None:
        self._quiet = quiet
        self.count = 0

    def __enter__(self) -> None:
        self.count += 1
        self._quiet.moved()

    def __exit__(self, *error: object) -> None:
        self.count -= 1
        self._quiet.moved()
        if not self.count:
            self._quiet.watch()


class Run:
    """What all steps of a run share."""

    def __init__(
        self,
        plan: Plan,
        walk: Walk,
        clock: Clock,
        journal: Journal | None,
        stream: Stream,
        cancel: Cancel | None,
        seed: int | None,
        keep_calls: int | None,
        memory: MemoryStore | None = None,
        run_id: str = "",
    ) -> None:
        self.plan = plan
        self.walk = walk
        self.clock = clock
        self.journal = journal
        self.stream = stream
        self.cancel = cancel
        self.random = random.Random(seed)
        self.began = clock.monotonic() - (journal.elapsed if journal is not None else 0.0)
        self.ledger = Ledger(plan.budget, self.seconds)
        self.permits = asyncio.Semaphore(plan.budget.max_parallel)
        self.calls: deque[CallRecord] = deque(maxlen=keep_calls)
        self.decisions: deque[DecisionRecord] = deque(maxlen=keep_calls)
        self.warnings: list[RunWarning] = []
        self.contracts = Contracts()
        self.judged: dict[str, JudgeAnswer] = {}
        self._uses: dict[Unit, dict[Asking, Use]] = {}
        self.warned: set[tuple[str, SourceText, Span]] = set()
        self.main = Strand(self)
        self.depths: dict[object, int] = {}
        self.stopped: Stopped | None = None
        self.changes = {} if journal is None else dict(journal.changes)
        self.waiting: list[Question] = []
        self.failed_at: tuple[str, int] | None = None
        self.quiet = Quiet(self._nobody_goes_on, lambda: bool(self.waiting) and not self.busy.count)
        self.busy = Busy(self.quiet)
        self.outside = False
        self._turn = self.began
        self.id = run_id
        self.memory_name = run_id or os.urandom(8).hex()
        self.memories = Memories(memory or InMemory(), self.memory_name, plan.program.units)

    def seconds(self) -> float:
        """Since the run began, by the run's own clock."""
        return self.clock.monotonic() - self.began

    def use_of(self, asking: Asking, unit: Unit) -> Use:
        """What the script of a definition does with the answer to a call; found when it makes its first one."""
        known = self._uses.get(unit)
        if known is None:
            known = self._uses[unit] = uses_of(unit)
        return known.get(asking, NO_USE)

    # ---- telling -------------------------------------------------------------------------------------------

    @property
    def listening(self) -> bool:
        """Whether anybody is told."""
        return bool(self.stream.subscribers)

    def tell(self, event: Event) -> None:
        """Pass an event on."""
        self.stream.send(event)

    def warn(self, code: str, source: SourceText, span: Span, facts: Mapping[str, object]) -> None:
        """A warning at a place of a script; each place warns once a run."""
        if (code, source, span) in self.warned or len(self.warned) >= MOST_WARNINGS:
            return
        self.warned.add((code, source, span))
        found = report(code, source, span, also=(), fixes=(), severity=None, **facts)
        place = source.position(span.start)
        self._add(RunWarning(code, found.message, source.name, place.line, place.column))

    def note(self, code: str, message: str, at: tuple[SourceText, Span] | None = None) -> None:
        """A warning about what happened in the run; one at a place of a script is said once for each place."""
        if at is None:
            self._add(RunWarning(code, message, "", 0, 0))
            return
        source, span = at
        if (code, source, span) in self.warned or len(self.warned) >= MOST_WARNINGS:
            return
        self.warned.add((code, source, span))
        place = source.position(span.start)
        self._add(RunWarning(code, message, source.name, place.line, place.column))

    def _add(self, warning: RunWarning) -> None:
        self.warnings.append(warning)
        if self.journal is not None:
            self.journal.warned(warning.to_json())
        if self.stream.subscribers:
            self.tell(warning)

    # ---- stopping ------------------------------------------------------------------------------------------

    def stop(self, reason: str) -> None:
        """End the run at the next safe point: `cancelled` or `time`."""
        if self.stopped is not None:
            return
        self.stopped = self.ledger.out_of_time() if reason == "time" else self.stop_error(reason)
        if self.journal is not None and reason != "journal":
            self.journal.stopping(reason)
        self.main.stop(reason)
        if reason == "cancelled":
            asyncio.get_running_loop().call_later(GRACE, self._stop_hard)

    def _stop_hard(self) -> None:
        if self.main.task is not None and not self.main.task.done():
            self.main.stop("cancelled", hard=True)

    def stop_error(self, reason: str) -> Stopped:
        """The exception for a reason."""
        if reason == "time":
            return self.ledger.out_of_time()
        return Stopped(reason, _REASONS.get(reason, reason))

    def cancelled_from_outside(self, strand: Strand) -> None:
        """Somebody cancelled the task of the run itself."""
        if strand is self.main and self.stopped is None:
            self.outside = True
            self.stopped = self.stop_error("cancelled")
            asyncio.get_running_loop().call_later(GRACE, self._stop_hard)

    # ---- the journal ---------------------------------------------------------------------------------------

    def refused(self, refusal: Stopped) -> None:
        """The budget is spent."""
        if self.journal is not None:
            self.journal.stopping(refusal.reason)

    def not_kept(self, error: NotKept) -> Stopped:
        """The journal failed: nothing goes on that would not be kept."""
        self.main.hard = True
        if self.stopped is None:
            self.stopped = Stopped("journal", error.message)
            self.main.stop("journal", hard=True)
        return Stopped("journal", error.message)

    def lost(self, attempts: int, usage: Usage) -> None:
        """Attempts of an earlier process that count, though nothing is told of them."""
        self.ledger.attempts += attempts
        self.ledger.spend(usage)

    def budget_at(self, path: Path) -> dict[str, Value]:
        """What a script reads as `budget`."""
        now: dict[str, Value] = {**self.ledger.as_value()}
        return now if self.journal is None else {**self.journal.budget(written(path), now)}

    async def wait_for(self, question: Question, strand: Strand) -> None:
        """Nobody is there to answer: the others go on, and when none of them does any more, the run ends, to go on
        later. Always raises `Stopped`."""
        self.waiting.append(question)
        self.quiet.moved()
        self.quiet.watch()
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            raise strand.caught() from None

    def _nobody_goes_on(self) -> None:
        self.stop("waiting")

    def abandoned(self, number: int) -> None:
        """Work that ignores its cancellation was left behind."""
        self.note("work-left-behind", f"{number} calls went on although they were cancelled; they were left behind")

    async def breathe(self, strand: Strand) -> None:
        """A safe point: take note of a cancellation, and let others have a turn now and then."""
        cancel = self.cancel
        if cancel is not None and self.stopped is None and cancel.is_set():
            self.stop("cancelled")
        now = self.clock.monotonic()  # the host's: where time is made up, no order hangs on the machine
        if now - self._turn > PATIENCE:
            self._turn = now
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                raise strand.caught() from None
            if cancel is not None and self.stopped is None and cancel.is_set():
                self.stop("cancelled")
        strand.check()
