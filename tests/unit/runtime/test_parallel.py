"""Parallel branches: order, joins, failure policies, scopes, cancellation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from interpreting import Budget, Call, Fake, ServiceError, error, failing, numbered, result, run

BRANCHES = """
parallel{mods}:
  let a = call a
  let b = call b
  let c = call c
return [a, b, c]
"""


def after(seconds: float, answer: Any) -> Fake:
    """Answers after a while; raises an exception given as answer."""

    async def wait(call: Call) -> Any:
        await asyncio.sleep(seconds)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return Fake(wait)


def test_results_stand_in_input_order_whatever_comes_first() -> None:
    async def wait(call: Call) -> Any:
        await asyncio.sleep(0.03 / call.inputs["x"])
        return call.inputs["x"]

    script = "let ys = parallel for x in [1, 2, 3]:\n  call s\n    x: x\nreturn ys"
    outcome = run(script, {"s": Fake(wait)})
    assert outcome.result == [1, 2, 3]
    assert [item.key for item in outcome.calls] == [f"example/for#{i}/call:s" for i in (1, 2, 3)]


def test_all_gives_an_object_when_every_branch_binds_a_name_else_a_list() -> None:
    services = {"a": Fake(1), "b": Fake(2)}
    assert result("let r = parallel:\n  let x = call a\n  let y = call b\nreturn r", services) == {"x": 1, "y": 2}
    assert result("let r = parallel:\n  call a\n  let y = call b\nreturn r", services) == [1, 2]


def test_first_cancels_the_losers_and_waits_for_them() -> None:
    ended: list[str] = []

    async def slow(call: Call) -> Any:
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.02)
            ended.append("b")

    services = {"a": after(0.01, 1), "b": Fake(slow), "c": after(0.005, failing())}
    assert result(BRANCHES.format(mods=' ("first")'), services) == [1, None, None]
    assert ended == ["b"]


def test_first_as_a_value_is_the_winner_and_outer_names_keep_their_value() -> None:
    script = """
    let b = "before"
    let r = parallel ("first"):
      let a = call a
      b = call b
    return [r, a, b]
    """
    assert result(script, {"a": after(0.0, 1), "b": after(5, 2)}) == [1, 1, "before"]


def test_any_with_a_count_gives_a_list_in_branch_order() -> None:
    services = {"a": after(0.03, 1), "b": after(5, 2), "c": after(0.01, 3)}
    script = 'let r = parallel ("any", count: 2):\n  call a\n  call b\n  call c\nreturn r'
    assert result(script, services) == [1, 3]


def test_a_race_that_nobody_can_win_fails_with_the_first_failure() -> None:
    services = {"a": after(0.02, failing("late")), "b": after(0.0, failing("early")), "c": after(0.03, failing("last"))}
    found = error(BRANCHES.format(mods=' ("first")'), services)
    assert found.name == "early"
    assert [item.name for item in found.others] == ["late", "last"]


def test_fail_fast_raises_the_first_failure_and_lists_the_siblings_under_it() -> None:
    async def dying(call: Call) -> Any:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            raise ServiceError("while stopping", name="second") from None

    services = {"a": Fake(dying), "b": after(0.01, failing("first-one")), "c": after(30, 1)}
    outcome = run(BRANCHES.format(mods=""), services)
    assert outcome.error is not None
    assert outcome.error.name == "first-one"
    assert outcome.usage.seconds < 5


def test_the_lowest_of_several_failures_at_once_is_the_error() -> None:
    services = {"a": Fake(1), "b": Fake(failing("lower")), "c": Fake(failing("higher"))}
    found = error(BRANCHES.format(mods=""), services)
    assert found.name == "lower"
    assert [item.name for item in found.others] == ["higher"]


def test_continue_puts_the_error_in_the_failed_place() -> None:
    services = {"a": Fake(1), "b": Fake(failing("bad")), "c": Fake(3)}
    a, b, c = result(BRANCHES.format(mods=' (on-fail: "continue")'), services)
    assert (a, b["name"], b["service"], c) == (1, "bad", "b", 3)


def test_continue_keeps_a_parallel_map_aligned() -> None:
    service = Fake(lambda call: failing() if call.inputs["x"] == 2 else call.inputs["x"])
    script = 'let r = parallel for x in [1, 2, 3] (on-fail: "continue"):\n  call s\n    x: x\nreturn r'
    found = result(script, {"s": service})
    assert [item if isinstance(item, int) else item["name"] for item in found] == [1, "service-failed", 3]


def test_ignore_drops_the_failed() -> None:
    service = Fake(lambda call: failing() if call.inputs["x"] == 2 else call.inputs["x"])
    script = 'let r = parallel for x in [1, 2, 3] (on-fail: "ignore"):\n  call s\n    x: x\nreturn r'
    assert result(script, {"s": service}) == [1, 3]


def test_a_branch_reads_the_names_as_they_were_and_what_it_records_joins_in_order() -> None:
    async def wait(call: Call) -> Any:
        await asyncio.sleep(0.02 / call.inputs["x"])
        return call.inputs["seen"]

    script = """
    let seen = [0]
    let r = parallel for x in [1, 2]:
      record x in seen
      call s
        x: x
        seen: seen
    return { r, seen }
    """
    assert result(script, {"s": Fake(wait)}) == {"r": [[0, 1], [0, 2]], "seen": [0, 1, 2]}


def test_what_nested_branches_record_reaches_the_outer_list_in_order() -> None:
    script = """
    let seen = []
    parallel for x in [1, 2]:
      parallel for y in [1, 2]:
        record x * 10 + y in seen
    return seen
    """
    assert result(script) == [11, 12, 21, 22]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_at_most_max_parallel_calls_are_in_flight_whatever_the_nesting(limit: int) -> None:
    now, most = 0, 0

    async def count(call: Call) -> Any:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return 1

    script = """
    let r = parallel for x in [1, 2, 3]:
      parallel for y in [1, 2, 3]:
        call s
    return r
    """
    assert len(result(script, {"s": Fake(count)}, budget=Budget(max_parallel=limit))) == 9
    assert most == limit


def test_a_caught_failure_in_a_branch_is_not_raised_again() -> None:
    script = """
    let r = parallel for x in [1, 2]:
      try:
        call s
      catch as err:
        err.name
    return r
    """
    assert result(script, {"s": Fake(failing("bad"))}) == ["bad", "bad"]


def test_finally_of_a_loser_runs_with_its_calls() -> None:
    script = """
    parallel ("first"):
      let a = call a
      do:
        try:
          call b
        finally:
          call cleanup
    return a
    """
    cleanup = numbered("cleanup")
    assert result(script, {"a": after(0.01, 1), "b": after(30, 2), "cleanup": cleanup}) == 1
    assert len(cleanup.calls) == 1


def test_more_winners_than_branches_is_an_error() -> None:
    script = 'let n = 3\nlet r = parallel for x in [1] ("any", count: n):\n  x\nreturn r'
    assert error(script).name == "bad-join"


def test_the_value_of_a_race_over_items_is_the_winner() -> None:
    async def wait(call: Call) -> Any:
        await asyncio.sleep(call.inputs["x"])
        return call.inputs["x"]

    script = 'let r = parallel for x in [5, 0.01, 6] ("first"):\n  call s\n    x: x\nreturn r'
    assert result(script, {"s": Fake(wait)}) == 0.01


async def _late(call: Call) -> Any:
    await asyncio.sleep(call.inputs.get("seconds", 0))
    if call.inputs["v"] == "bad":
        raise ServiceError("no", name="bad")
    return call.inputs["v"]


@pytest.mark.parametrize(
    ("modifiers", "answers", "expected"),
    [
        ('"first", on-fail: "ignore"', ["bad", "b"], "b"),
        ('"first", on-fail: "continue"', ["bad", "b"], "b"),
        ('"first", on-fail: "ignore"', ["bad", "bad"], None),
        ('"any", count: 2, on-fail: "ignore"', ["bad", "bad", "c"], ["c"]),
        ('"any", count: 2, on-fail: "ignore"', ["bad", "b", "c"], ["b", "c"]),
    ],
)
def test_a_lenient_race_never_fails(modifiers: str, answers: list[str], expected: Any) -> None:
    calls = "\n".join(f'  call s\n    v: "{answer}"\n    seconds: {n * 0.01}' for n, answer in enumerate(answers))
    script = f"let r = parallel ({modifiers}):\n{calls}\nreturn r"
    assert result(script, {"s": Fake(_late, name="s")}) == expected
    each = "[" + ", ".join(f'"{answer}"' for answer in answers) + "]"
    script = f"let r = parallel for v in {each} ({modifiers}):\n  call s\n    v: v\nreturn r"
    assert result(script, {"s": Fake(_late, name="s")}) == expected


def test_a_lenient_race_without_a_winner_gives_the_errors() -> None:
    script = 'let r = parallel ("first", on-fail: "continue"):\n  call s\n    v: "bad"\nreturn r.name'
    assert result(script, {"s": Fake(_late, name="s")}) == "bad"


@pytest.mark.parametrize("first", [after(0.01, "s1"), Fake("s1")])
def test_who_waits_for_a_permit_deep_inside_a_loser_is_not_called(first: Fake) -> None:
    script = """
    return parallel ("first"):
      call a
      parallel for n in [1, 2, 3]:
        parallel for m in [1, 2]:
          call s
            n: n
    """
    service = numbered("s")
    assert result(script, {"a": first, "s": service}, budget=Budget(max_parallel=1)) == "s1"
    assert service.calls == []
