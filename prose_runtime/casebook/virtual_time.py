"""Time that jumps: a loop whose clock goes straight to the next moment at which somebody wakes up.

In: work. Out: what it gives. Whatever waits in such a loop, scripted replies and the interpreter alike, sees the same
time, and no second of it takes a second: a case comes out the same on every machine.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


class _NeverWaiting(selectors.DefaultSelector):
    """A selector that lets the time pass instead of waiting."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            return super().select(None)  # something outside of the loop is at work
        self.passed += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in which waiting costs nothing."""

    def __init__(self) -> None:
        self._virtual = _NeverWaiting()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.passed


class LoopClock:
    """The clock of a run in such a loop."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def in_virtual_time(work: Callable[[], Awaitable[T]]) -> tuple[T, float]:
    """What the work gives, and how many seconds of its time that took."""

    async def timed() -> tuple[T, float]:
        loop = asyncio.get_running_loop()
        return await work(), loop.time()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(timed())
