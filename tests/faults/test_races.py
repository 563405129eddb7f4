"""The shipped `race` in virtual time: over with the first, the losers stopped and ended before it returns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from interpreting import Answer, Call, Fake

from prose_runtime.casebook.virtual_time import LoopClock, in_virtual_time
from prose_runtime.resolve import resolve
from prose_runtime.runtime import Budget, Outcome, bind, execute
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax import read

Behaviour = Callable[[float], Awaitable[Any]]


class Candidate(Fake):
    """Answers after some seconds, and keeps how it ended and when. `on_stop`: what it does when it is stopped."""

    def __init__(self, name: str, seconds: float, on_stop: Behaviour | None = None, answer: Any = None) -> None:
        super().__init__(name=name)
        self.seconds = seconds
        self.on_stop = on_stop
        self.said = answer if answer is not None else name
        self.ended: tuple[str, float] | None = None

    async def call(self, call: Call) -> Answer:
        self.calls.append(call)
        loop = asyncio.get_running_loop()
        how = "answered"
        try:
            await asyncio.sleep(self.seconds)
            return Answer(self.said)
        except asyncio.CancelledError:
            how = "stopped"
            if self.on_stop is None:
                raise
            return Answer(await self.on_stop(0.2))
        finally:
            self.ended = (how, loop.time())


def race(*candidates: Candidate, budget: Budget | None = None, **config: Any) -> tuple[Outcome, float]:
    """Run it; afterwards no task but its own is left."""
    path = shipped("std") / "patterns" / "race.prose.md"
    document, _ = read(SourceText.from_bytes(str(path), path.read_bytes()))
    program, _ = resolve(document, DiskLoader())
    services = {"candidates": list(candidates)}
    plan, found = bind(program, services, inputs={"task_brief": "go"}, config=config, budget=budget)
    assert plan is not None, [str(item) for item in found]

    async def whole() -> Outcome:
        outcome = await execute(plan, clock=LoopClock())
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return outcome

    return in_virtual_time(whole)


def won(outcome: Outcome) -> Any:
    assert outcome.status == "done", outcome.error
    return outcome.result


async def finish_anyway(seconds: float) -> Any:
    await asyncio.sleep(seconds)
    return "too late"


async def fail_anyway(seconds: float) -> Any:
    await asyncio.sleep(seconds)
    raise RuntimeError("interrupted")


async def obey_later(seconds: float) -> Any:
    await asyncio.sleep(seconds)
    raise asyncio.CancelledError


def test_it_is_over_with_the_first() -> None:
    quick, slow, slowest = Candidate("quick", 0.05), Candidate("slow", 0.5), Candidate("slowest", 5)
    outcome, seconds = race(slowest, slow, quick)
    assert won(outcome) == {"result": "quick", "winner": "quick", "attempts": 0, "failure_history": []}
    assert seconds == pytest.approx(0.05)
    assert quick.ended == ("answered", pytest.approx(0.05))
    assert slow.ended == slowest.ended == ("stopped", pytest.approx(0.05))
    assert [call.error["name"] for call in outcome.calls if call.error] == ["stopped", "stopped"]
    assert outcome.warnings == ()


@pytest.mark.parametrize("on_stop", [finish_anyway, fail_anyway, obey_later])
def test_a_loser_that_does_not_stop_at_once_is_waited_for_and_counts_for_nothing(on_stop: Behaviour) -> None:
    quick, slow, slowest = Candidate("quick", 0.05), Candidate("slow", 0.5, on_stop), Candidate("slowest", 5)
    outcome, seconds = race(slow, quick, slowest)
    assert won(outcome) == {"result": "quick", "winner": "quick", "attempts": 0, "failure_history": []}
    assert seconds == pytest.approx(0.25)
    assert slow.ended == ("stopped", pytest.approx(0.25))
    assert slowest.ended == ("stopped", pytest.approx(0.05))


def test_who_is_not_acceptable_does_not_end_it() -> None:
    poor, good, late = Candidate("poor", 0.05, answer=""), Candidate("good", 0.5), Candidate("late", 5)
    outcome, seconds = race(poor, good, late, acceptance_criteria="result is not empty")
    result = won(outcome)
    assert (result["winner"], result["attempts"], seconds) == ("good", 1, pytest.approx(0.5))
    assert [entry["candidate"] for entry in result["failure_history"]] == ["poor"]
    assert late.ended == ("stopped", pytest.approx(0.5))


def test_the_earlier_candidate_wins_a_tie() -> None:
    first, second = Candidate("first", 0.5), Candidate("second", 0.5)
    for order in ((first, second), (second, first)):
        outcome, _ = race(*order)
        assert won(outcome)["winner"] == order[0].name


@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_who_waits_for_a_permit_is_not_called_when_there_is_a_winner(seconds: float) -> None:
    """The winner gives its permit back a moment before it has won."""
    candidates = [Candidate(name, seconds) for name in ("first", "second", "third", "fourth")]
    outcome, _ = race(*candidates, budget=Budget(max_parallel=1))
    assert won(outcome)["winner"] == "first"
    assert [len(candidate.calls) for candidate in candidates] == [1, 0, 0, 0]
    assert outcome.usage.attempts == 1
