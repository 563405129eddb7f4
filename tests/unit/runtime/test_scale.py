"""What a run costs grows with what it does: counted in function calls, which no other process disturbs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from interpreting import Budget, Call, Fake, run


def counted(work: Callable[[], object]) -> int:
    """How many functions, Python's and C's, are called."""
    calls = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def recording(count: int) -> None:
    outcome = run(f"let xs = []\nrepeat {count} as i:\n  record i in xs\nreturn xs.length")
    assert outcome.result == count


def refining(count: int) -> None:
    script = f"let x = 0\nrepeat {count} as i:\n  x = call s\n    x: x\n  if x < 0:\n    break\nreturn x"
    outcome = run(script, {"s": Fake(lambda call: call.inputs["x"] + 1)})
    assert outcome.result == count


def fanning_out(count: int) -> None:
    """Branches that end in many different turns of the loop."""

    async def wait(call: Call) -> Any:
        for _ in range(call.inputs["x"] % 7):
            await asyncio.sleep(0)
        return call.inputs["x"]

    script = f"let xs = parallel repeat {count} as i:\n  call s\n    x: i\nreturn xs.length"
    outcome = run(script, {"s": Fake(wait)}, budget=Budget(max_parallel=5))
    assert outcome.result == count


@pytest.mark.parametrize("work", [recording, refining, fanning_out])
def test_eight_times_the_work_is_eight_times_the_calls(work: Callable[[int], None]) -> None:
    work(10)
    few, many = counted(lambda: work(100)), counted(lambda: work(800))
    assert many < 8 * few * 1.2
