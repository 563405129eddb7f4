"""Whatever ends a run: nothing goes on behind its back, and nothing that it had is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from interpreting import Answer, Budget, Call, Fake, FakeClock, document, failing, numbered, planned, run

from prose_runtime.runtime import execute


def cancel_after(seconds: float) -> Any:
    def make() -> asyncio.Event:
        event = asyncio.Event()
        asyncio.get_running_loop().call_later(seconds, event.set)
        return event

    return make


class Hanging(Fake):
    """Never answers; knows how many of its calls are going on."""

    def __init__(self, seconds_to_end: float = 0.0) -> None:
        super().__init__(self._hang)
        self.going = 0
        self.ended = 0
        self.seconds = seconds_to_end

    async def _hang(self, call: Call) -> Any:
        self.going += 1
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(self.seconds)
            self.going -= 1
            self.ended += 1


def test_cancelling_a_nested_run_leaves_nothing_running_and_runs_every_finally() -> None:
    script = """
    block inner(x):
      try:
        call work
      finally:
        call cleanup
          inner: x
    let before = 1
    try:
      let rs = parallel for x in [1, 2, 3]:
        do inner(x)
    finally:
      let tidied = call cleanup
    return rs
    """
    work, cleanup = Hanging(0.02), numbered("tidy")
    outcome = run(script, {"work": work, "cleanup": cleanup}, cancel=cancel_after(0.05))
    assert outcome.status == "stopped"
    assert outcome.reason == "the run was cancelled"
    assert (work.going, work.ended) == (0, 3)
    assert len(cleanup.calls) == 4
    assert outcome.names == {"before": 1, "tidied": "tidy4"}
    assert outcome.usage.seconds < 4


def test_catch_does_not_see_a_cancellation() -> None:
    script = """
    let seen = "nothing"
    try:
      call work
    catch as err:
      seen = err.name
    return seen
    """
    outcome = run(script, {"work": Hanging()}, cancel=cancel_after(0.02))
    assert (outcome.status, outcome.names) == ("stopped", {"seen": "nothing"})


def test_a_run_of_services_that_never_wait_can_be_cancelled() -> None:
    event = asyncio.Event()
    service = Fake()

    def answer(call: Call) -> Any:
        if len(service.calls) == 5:
            event.set()
        return len(service.calls)

    service.answer = answer
    script = "let n = 0\nrepeat 100000 as i:\n  n = call s\nreturn n"
    outcome = run(script, {"s": service}, cancel=event)
    assert (outcome.status, outcome.names["n"]) == ("stopped", 5)


def test_an_answer_that_comes_although_it_was_cancelled_is_kept() -> None:
    async def stubborn(call: Call) -> Any:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "paid for"

    outcome = run("let r = call s\nlet q = call s\nreturn r", {"s": Fake(stubborn)}, cancel=cancel_after(0.02))
    assert outcome.status == "stopped"
    assert [item.answer for item in outcome.calls] == ["paid for"]
    assert outcome.names == {"r": "paid for"}


def test_cleanup_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prose_runtime.runtime.run.GRACE", 0.1)
    monkeypatch.setattr("prose_runtime.runtime.strands.GRACE", 0.1)
    script = """
    try:
      call work
    finally:
      call work
    return 1
    """
    work = Hanging()
    outcome = run(script, {"work": work}, cancel=cancel_after(0.02))
    assert (outcome.status, work.going, work.ended) == ("stopped", 0, 2)
    assert outcome.usage.seconds < 2


def test_cancelling_the_task_of_a_run_stops_it_and_is_passed_on() -> None:
    cleanup = numbered()
    text = document("try:\n  call work\nfinally:\n  call tidy\nreturn 1", slots=["`work`", "`tidy`"])
    work = Hanging(0.02)
    plan, _ = planned(text, {"work": work, "tidy": cleanup})
    assert plan is not None

    async def whole() -> None:
        task = asyncio.ensure_future(execute(plan))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(whole())
    assert (work.going, work.ended, len(cleanup.calls)) == (0, 1, 1)


def test_no_task_is_left_after_any_end() -> None:
    text = document('parallel ("first"):\n  call a\n  call b\nreturn 1', slots=["`a`", "`b`"])
    plan, _ = planned(text, {"a": Fake(1), "b": Hanging(0.01)})
    assert plan is not None

    async def whole() -> int:
        await execute(plan, cancel=asyncio.Event())
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert asyncio.run(whole()) == 1


# ---- budgets ---------------------------------------------------------------------------------------------


def test_a_limit_keeps_the_names_and_the_answers_that_were_paid_for() -> None:
    script = """
    let best = null
    repeat 10 as i:
      best = call s
      if best is "done":
        break
    return best
    """
    outcome = run(script, {"s": numbered("draft")}, budget=Budget(max_calls=3))
    assert outcome.status == "stopped"
    assert outcome.reason == "the budget of 3 calls is spent"
    assert outcome.names == {"best": "draft3"}
    assert [item.answer for item in outcome.calls] == ["draft1", "draft2", "draft3"]
    assert (outcome.usage.calls, outcome.usage.attempts) == (3, 3)


def test_answers_of_branches_that_are_paid_for_are_waited_for() -> None:
    async def slow(call: Call) -> Any:
        await asyncio.sleep(0.02)
        return call.inputs["x"]

    script = "let rs = parallel for x in [1, 2, 3, 4]:\n  if x > 0:\n    call s\n      x: x\nreturn rs"
    outcome = run(script, {"s": Fake(slow)}, budget=Budget(max_calls=3))
    assert outcome.status == "stopped"
    assert sorted(item.answer for item in outcome.calls if item.error is None) == [1, 2, 3]


def test_a_pattern_can_see_the_end_of_its_budget_coming() -> None:
    script = """
    let best = null
    repeat 10:
      if budget.exhausted:
        return { best: best, left: budget.calls_left }
      best = call s
    return best
    """
    outcome = run(script, {"s": numbered("draft")}, budget=Budget(max_calls=3))
    assert (outcome.status, outcome.result) == ("done", {"best": "draft3", "left": 0})


def test_finally_runs_after_an_exhausted_budget_and_its_calls_are_refused() -> None:
    script = """
    let state = "open"
    try:
      repeat 5:
        call s
    catch as err:
      state = "caught"
    finally:
      state = "closed"
      call s
    return state
    """
    service = numbered()
    outcome = run(script, {"s": service}, budget=Budget(max_calls=2))
    assert (outcome.status, outcome.names, len(service.calls)) == ("stopped", {"state": "closed"}, 2)


def test_the_time_of_a_run_ends_calls_in_flight() -> None:
    work = Hanging()
    outcome = run("let a = 1\ncall s\nreturn a", {"s": work}, budget=Budget(timeout=0.05))
    assert (outcome.status, outcome.names, work.going) == ("stopped", {"a": 1}, 0)
    assert "0.05" in outcome.reason


def test_tokens_and_costs_are_limits_too() -> None:
    from prose_runtime.runtime.port import Usage

    service = Fake(lambda call: Answer("x", Usage(60, 40, 0.5)))
    script = "repeat 9:\n  call s\nreturn 1"
    assert run(script, {"s": service}, budget=Budget(max_tokens=150)).usage.attempts == 2
    assert run(script, {"s": service}, budget=Budget(max_cost=1.2)).usage.attempts == 3


def test_counters_are_fresh_in_every_run() -> None:
    text = document("let r = call s\nreturn budget.calls", slots=["`s`"])
    plan, _ = planned(text, {"s": numbered()}, budget=Budget(max_calls=1))
    assert plan is not None
    outcomes = [asyncio.run(execute(plan)) for _ in range(3)]
    assert [(item.status, item.result, item.usage.attempts) for item in outcomes] == [("done", 1, 1)] * 3


def test_retries_wait_on_the_clock_of_the_host_and_count() -> None:
    clock = FakeClock()
    service = Fake(failing())
    outcome = run(
        'let r = call s\n  retry: 9\n  backoff: "linear"\nreturn r',
        {"s": service},
        budget=Budget(timeout=3),
        clock=clock,
    )
    assert (outcome.status, len(service.calls)) == ("stopped", 3)
    assert clock.slept == [0.5, 1.0, 1.5]
