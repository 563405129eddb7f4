"""How long a race really takes: candidates that need 0.05 s, 0.5 s and 5 s, on the machine's own clock.

    python benchmarks/race.py

Prints the wall time of each run and what became of the losers. A run is as long as its quickest candidate, and as a
loser that does not stop at once needs to end.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import prose_runtime as prose  # noqa: E402

RACE = ROOT / "std" / "patterns" / "race.prose.md"
SECONDS = {"quick": 0.05, "slow": 0.5, "slowest": 5.0}
RUNS = 5


def main() -> None:
    """Measure both kinds of losers and print a line for each run."""
    pattern = prose.load(RACE)
    pattern.run(bind={"candidates": []}, inputs={"task_brief": "loads what a run needs"})
    for stubborn, what in ((0.0, "losers stop at once"), (0.2, "a loser takes 0.2 s to stop")):
        print(f"{what}:")
        for _ in range(RUNS):
            asyncio.run(measure(pattern, stubborn))


async def measure(pattern: prose.Loaded, stubborn: float) -> None:
    """One run. `stubborn`: the seconds for which `slow` goes on after it was told to stop."""
    ended: dict[str, str] = {}
    bind = {"candidates": [candidate(name, stubborn, ended) for name in SECONDS]}
    began = time.perf_counter()
    outcome = await pattern.arun(bind=bind, inputs={"task_brief": "go"})
    seconds = time.perf_counter() - began
    result: Any = outcome.result
    left = len(asyncio.all_tasks()) - 1
    fates = ", ".join(f"{name} {ended.get(name, 'still runs')}" for name in SECONDS)
    print(f"  {seconds:.3f} s  winner {result['winner']}  ({fates}; tasks left: {left})")


def candidate(name: str, stubborn: float, ended: dict[str, str]) -> Any:
    """A service that answers after its seconds, and notes how it ended."""

    async def answer(task_brief: str) -> str:
        try:
            await asyncio.sleep(SECONDS[name])
        except asyncio.CancelledError:
            if name == "slow":
                await asyncio.sleep(stubborn)
            ended[name] = "stopped"
            raise
        ended[name] = "answered"
        return name

    answer.__name__ = name
    return answer


if __name__ == "__main__":
    main()
