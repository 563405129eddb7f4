"""A strand is one line of work: the run itself, a parallel branch, a body that needs its own task. In: coroutines.
Out: their results, with every strand ended before anyone goes on.

To stop a strand is to cancel its task once. The strand turns the cancellation into `Stopped` at the point where it
waits, so that every `finally` of the pattern on the way out can still make calls, for at most `GRACE` seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from prose_runtime.runtime.errors import Failure, Stopped

if TYPE_CHECKING:
    from prose_runtime.runtime.run import Run

GRACE = 5.0
"""Seconds that `finally` blocks have after a cancellation."""
ABANDON = 5.0
"""Further seconds after which work that ignores its cancellation is left behind, with a warning."""
ROOM = 280
"""Python frames that one task may stack up before deeper work moves to a task of its own."""

T = TypeVar("T")


class Strand:
    """`reason` is set when it was told to stop, `noticed` when it began to unwind, `hard` when nothing more may be
    called. `load` estimates the Python frames on its stack. `below`: the branches that it waits for right now."""

    __slots__ = ("below", "hard", "load", "noticed", "reason", "run", "task")

    def __init__(self, run: Run) -> None:
        self.run = run
        self.task: asyncio.Task[Any] | None = None
        self.reason: str | None = None
        self.noticed = False
        self.hard = False
        self.load = 0
        self.below: Siblings | None = None

    def announce(self, reason: str) -> None:
        """Say that it is going to be stopped: neither it nor what it waits for begins another call."""
        self.reason = self.reason or reason
        if self.below is not None:
            for child in self.below.pending:
                child.strand.announce(reason)

    def stop(self, reason: str, *, hard: bool = False) -> None:
        """Tell it to stop. `hard`: refuse the calls of its `finally` blocks too."""
        self.reason = self.reason or reason
        self.hard = self.hard or hard
        task = self.task
        if task is not None and not task.done() and task is not asyncio.current_task():
            task.cancel()

    def check(self) -> None:
        """Raise `Stopped` if it was told to stop and has not begun to."""
        if self.hard or (self.reason is not None and not self.noticed):
            self.noticed = True
            raise self.stopped()

    def caught(self) -> Stopped:
        """A cancellation arrived where the strand waits: what to raise instead."""
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            task.uncancel()
        if self.reason is None:
            self.reason = "cancelled"
            self.run.cancelled_from_outside(self)
        self.noticed = True
        return self.stopped()

    def stopped(self) -> Stopped:
        """The exception for its reason."""
        return self.run.stop_error(self.reason or "cancelled")


class Child:
    """A strand with its task and, later, its result: a value, a `Failure` or a `Stopped`."""

    __slots__ = ("failure", "index", "stopped", "strand", "task", "value")

    def __init__(self, index: int, strand: Strand, task: asyncio.Task[Any]) -> None:
        self.index = index
        self.strand = strand
        self.task = task
        self.value: Any = None
        self.failure: Failure | None = None
        self.stopped: Stopped | None = None

    @property
    def succeeded(self) -> bool:
        """Whether it ended with a value."""
        return self.task.done() and self.failure is None and self.stopped is None

    def settle(self) -> None:
        """Read the result of the finished task. A bug of the interpreter is raised as it is."""
        if self.task.cancelled():
            self.stopped = self.strand.stopped()
            return
        error = self.task.exception()
        if isinstance(error, Failure):
            self.failure = error
        elif isinstance(error, Stopped):
            self.stopped = error
        elif error is not None:
            raise error
        else:
            self.value = self.task.result()


def spawn(run: Run, index: int, work: Callable[[Strand], Awaitable[Any]]) -> Child:
    """Start a strand."""
    strand = Strand(run)

    async def whole() -> Any:
        return await work(strand)

    task = asyncio.ensure_future(whole())
    strand.task = task
    return Child(index, strand, task)


class Siblings:
    """Children that were started together: `pending` are those not given back yet, in order.

    Each tells once when it has ended, so that waiting for many costs the same for each of them.
    """

    __slots__ = ("_ended", "_parent", "_wake", "pending")

    def __init__(self, parent: Strand, children: Sequence[Child]) -> None:
        self.pending = dict.fromkeys(children)
        self._parent = parent
        self._ended: list[Child] = []
        self._wake: asyncio.Future[None] | None = None
        for child in children:
            child.task.add_done_callback(partial(self._note, child))

    def _note(self, child: Child, task: asyncio.Task[Any]) -> None:
        self._ended.append(child)
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def ended(self) -> list[Child]:
        """Wait until one of the pending has ended; those that have, settled, in order. Raises `Stopped` when the
        parent is stopped meanwhile, after the children have been."""
        if not self._ended:
            self._wake = asyncio.get_running_loop().create_future()
            try:
                await self._wake
            except asyncio.CancelledError:
                stopped = self._parent.caught()
                await drain(self._parent, tuple(self.pending), self._parent.reason or "cancelled")
                raise stopped from None
        ended, self._ended = sorted(self._ended, key=lambda child: child.index), []
        for child in ended:
            del self.pending[child]
            child.settle()
        return ended


async def drain(parent: Strand, children: Sequence[Child], reason: str) -> None:
    """Stop the children and wait until they have ended, their `finally` blocks included."""
    loop = asyncio.get_running_loop()
    for child in children:
        if not child.task.done():
            child.strand.stop(reason, hard=parent.hard)
    deadline = loop.time() + GRACE
    last = deadline + ABANDON
    interrupted = False
    while pending := [child for child in children if not child.task.done()]:
        now = loop.time()
        if now >= last:
            parent.run.abandoned(len(pending))
            break
        if now >= deadline:
            for child in pending:
                child.strand.stop(reason, hard=True)
            deadline = now + 1.0
        try:
            await asyncio.wait([child.task for child in pending], timeout=max(deadline - now, 0.01))
        except asyncio.CancelledError:
            interrupted = True
            parent.caught()
            if parent.hard:
                deadline = loop.time()
    for child in children:
        if child.task.done():
            child.settle()
    if interrupted:
        parent.noticed = False


async def alone(
    parent: Strand, work: Callable[[Strand], Awaitable[T]], seconds: float | None = None, key: str = ""
) -> T:
    """Run something in a task of its own and wait for it. Raises `TimeoutError` after `seconds`, when it has ended;
    `key` is where it stands."""
    child = spawn(parent.run, 0, work)
    try:
        await _within(child.task, seconds, key, parent.run)
    except asyncio.CancelledError:
        stopped = parent.caught()
        await drain(parent, [child], parent.reason or "cancelled")
        raise stopped from None
    if not child.task.done():
        if parent.run.journal is not None:
            parent.run.journal.rang(key)
        await drain(parent, [child], "timeout")
        raise TimeoutError
    child.settle()
    if child.failure is not None:
        raise child.failure
    if child.stopped is not None:
        raise child.stopped
    result: T = child.value
    return result


async def _within(task: asyncio.Task[Any], seconds: float | None, key: str, run: Run) -> None:
    """Wait for a task, at most so long. In a run that is told, the time is over when it was over then."""
    if run.journal is None or seconds is None:
        await asyncio.wait([task], timeout=seconds)
        return
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    end = run.journal.alarm(key, seconds, partial(_ring, over))
    try:
        await asyncio.wait([task, over], return_when=asyncio.FIRST_COMPLETED)
    finally:
        end()
        over.cancel()


def _ring(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


async def deeper(parent: Strand, frames: int, work: Callable[[Strand], Awaitable[T]]) -> T:
    """Run something that stacks up about so many Python frames, in a task of its own when this one's are used up."""
    if parent.load + frames > ROOM:
        return await alone(parent, work)
    parent.load += frames
    try:
        return await work(parent)
    finally:
        parent.load -= frames
