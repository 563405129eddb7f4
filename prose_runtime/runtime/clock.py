"""Time and chance, given by the host. In: nothing. Out: the clock and the random numbers that a run uses.

A test gives its own clock, so that waiting costs nothing; the seed makes the jitter of retries repeatable.
"""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds from an arbitrary point, never going back."""
        return time.perf_counter()

    async def sleep(self, seconds: float) -> None:
        """Wait that many seconds."""
        await asyncio.sleep(seconds)
