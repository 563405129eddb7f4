"""Failures: each carries its reason, its place, and what else went wrong; a handled one is handled once."""

from __future__ import annotations

import asyncio
import gc
import math
from typing import Any

import pytest
from interpreting import Call, Fake, ServiceError, document, error, failing, numbered, planned, run

from prose_runtime.runtime import execute, traceback_lines


class Thing:
    pass


def cycle() -> Any:
    items: list[Any] = [1]
    items.append({"a": items})
    return items


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        ({"a": [1, {"b": math.nan}]}, "$.a[1].b"),
        ({"a": [b"x"]}, "$.a[0]"),
        (cycle(), "$[1].a"),
        ([Thing()], "$[0]"),
        ({"a": {1: 2}}, "$.a"),
    ],
    ids=["nan", "bytes", "cycle", "object", "key"],
)
def test_an_answer_that_is_no_json_is_an_error_at_that_call_with_the_path(answer: Any, path: str) -> None:
    service = Fake(lambda call: answer)
    found = error("let a = 1\nlet r = call s\n  retry: 3\nreturn r", {"s": service})
    assert (found.name, found.fields["path"], found.fields["service"]) == ("contract", path, "s")
    assert found.frames[0].text == "let r = call s"
    assert len(service.calls) == 1


def test_the_traceback_shows_each_body_the_statement_and_the_rounds() -> None:
    script = """
    block attempt(x):
      let r = call s
        x: x
      return r
    repeat 3 as round:
      do attempt(round)
    """
    service = Fake([1, ServiceError("no answer", name="quota")])
    found = error(script, {"s": service})
    assert traceback_lines(found) == [
        "Traceback of the pattern (innermost last):",
        "  example.prose.md:18:3 in `example`, round 2 of `repeat 3 as round:` (line 17)",
        "    do attempt(round)",
        "  example.prose.md:14:3 in `example`",
        "    let r = call s",
        "quota: no answer (service `s`, attempt 1)",
    ]


def test_a_failure_of_cleanup_does_not_hide_the_cause() -> None:
    script = """
    try:
      call a
    finally:
      call b
    return 1
    """
    found = error(script, {"a": Fake(failing("cause")), "b": Fake(failing("in-cleanup"))})
    assert found.name == "cause"
    assert [item.name for item in found.others] == ["in-cleanup"]


def test_a_failure_while_handling_another_has_it_as_its_cause() -> None:
    script = """
    try:
      call a
    catch as err:
      call b
    return 1
    """
    found = error(script, {"a": Fake(failing("first")), "b": Fake(failing("second"))})
    assert found.name == "second"
    assert found.fields["cause"]["name"] == "first"
    assert traceback_lines(found)[-1] == "  while handling first: no"


def test_throw_again_keeps_the_way_it_came() -> None:
    script = """
    try:
      call a
    catch as err:
      if err is quota:
        throw err
    return 1
    """
    found = error(script, {"a": Fake(failing("quota"))})
    assert found.name == "quota"
    assert [frame.text for frame in found.frames] == ["call a"]


@pytest.mark.parametrize(
    ("thrown", "name", "message"),
    [
        ('"No safe way"', "error", "No safe way"),
        ('"no-sources"', "no-sources", "no-sources"),
        ('{ error: "quota", message: "too much", left: 3 }', "quota", "too much"),
        ('{ name: "quota", reason: "why" }', "quota", "why"),
    ],
)
def test_what_is_thrown_has_a_name_and_a_message(thrown: str, name: str, message: str) -> None:
    more = "\n### Errors\n\n- `no-sources`: nothing was found\n"
    found = error(f"throw {thrown}", more=more)
    assert (found.name, found.message) == (name, message)
    if "left" in thrown:
        assert found.fields["left"] == 3


def test_every_exception_of_a_service_carries_its_reason() -> None:
    found = error("call s\nreturn 1", {"s": Fake(KeyError("score"))})
    assert (found.name, found.message, found.fields["service"]) == ("service-failed", "KeyError: 'score'", "s")
    assert "KeyError" in found.python


def test_the_details_of_a_service_error_reach_the_script() -> None:
    service = Fake(ServiceError("busy", name="quota", detail={"after": 3}))
    script = "try:\n  call s\ncatch as err:\n  return [err.name, err.after, err.attempt]"
    assert run(script, {"s": service}).result == ["quota", 3, 1]


def test_a_loop_ends_exactly_when_it_is_told() -> None:
    service = numbered()
    script = """
    let n = 0
    loop until n >= 3 (max: 10):
      n = n + 1
      call s
    return n
    """
    assert run(script, {"s": service}).result == 3
    assert len(service.calls) == 3


def test_a_service_that_cancels_itself_fails_like_any_other() -> None:
    async def odd(call: Call) -> Any:
        raise asyncio.CancelledError

    assert error("call s\nreturn 1", {"s": Fake(odd)}).name == "service-failed"


def test_a_listener_that_fails_changes_nothing_and_is_told_once() -> None:
    seen: list[Any] = []

    def broken(event: Any) -> None:
        raise ValueError("listener")

    outcome = run("repeat 3:\n  call s\nreturn 1", {"s": numbered()}, subscribers=[broken, seen.append])
    assert outcome.result == 1
    assert [item.code for item in outcome.warnings] == ["subscriber-failed"]
    names = [type(item).__name__ for item in seen]
    assert (names[0], names[-1], names.count("CallFinished")) == ("RunStarted", "RunFinished", 3)


def test_events_of_a_retried_call_come_in_order() -> None:
    seen: list[Any] = []
    run("let r = call s\n  retry: 1\nreturn r", {"s": Fake([failing(), "ok"])}, subscribers=[seen.append])
    names = [type(item).__name__ for item in seen]
    assert names == [
        "RunStarted",
        "CallStarted",
        "AttemptStarted",
        "BudgetSpent",
        "Retrying",
        "AttemptStarted",
        "BudgetSpent",
        "ContractChecked",
        "CallFinished",
        "RunFinished",
    ]
    assert {item.key for item in seen[1:4:2] if hasattr(item, "key")} == {"example/call:s"}


def test_memory_stays_flat_over_many_rounds() -> None:
    import tracemalloc

    text = document("let r = null\nrepeat 5000:\n  r = call s\n    r: r\nreturn 1", slots=["`s`"])
    plan, _ = planned(text, {"s": _Forgetful()})
    assert plan is not None
    asyncio.run(execute(plan, keep_calls=10))
    gc.collect()
    tracemalloc.start()
    outcome = asyncio.run(execute(plan, keep_calls=10))
    gc.collect()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(outcome.calls) == 10
    assert outcome.usage.calls == 5000
    assert peak < 1_000_000


class _Forgetful(Fake):
    async def call(self, call: Call) -> Any:
        from prose_runtime.runtime.port import Answer

        return Answer("x" * 50)


# ---- contracts -------------------------------------------------------------------------------------------


def test_outputs_that_are_not_as_declared_break_the_contract_and_keep_the_result() -> None:
    script = 'let answer = { score: "high" }\nif answer.score:\n  return answer\nreturn null'
    outcome = run(script, outputs=["`score` (number): how good", "`result`: the text"])
    assert outcome.status == "broken"
    assert outcome.result == {"score": "high"}
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.fields["path"]) == ("contract", "score")
    assert [item.fields["path"] for item in outcome.error.others] == ["result"]
    (frame,) = outcome.error.frames
    assert frame.text == "return answer"
    assert frame.declared is not None
    assert frame.declared.line == 8
    assert traceback_lines(outcome.error)[1:5] == [
        "  example.prose.md:16:3 in `example`",
        "    return answer",
        "  against the declaration at example.prose.md:8:1",
        "    - `score` (number): how good",
    ]


def test_a_broken_function_points_at_its_return_below_the_call() -> None:
    inner = """
    ## inner

    ### Returns

    - `n` (number): one

    ### Execution

    ```prose
    for x in [1, 2]:
      if x is 2: return "two {x}"
    ```
    """
    outcome = run("return call inner", more=inner)
    assert outcome.error is not None
    assert [frame.text for frame in outcome.error.frames] == ["return call inner", 'if x is 2: return "two {x}"']
    assert outcome.error.frames[1].iterations == ("round 2 of `for x in [1, 2]:` (line 22)",)
    assert outcome.error.frames[1].declared is not None
    assert outcome.error.frames[1].declared.text == "- `n` (number): one"


def test_outputs_as_declared_are_done() -> None:
    outputs = ["`score` (number): how good", "`result`: the text"]
    assert run('return { score: 0.5, result: "x" }', outputs=outputs).status == "done"
    assert run("return 3", outputs=["`score` (number): how good"]).status == "done"


def test_an_unreadable_verdict_says_how_to_bind_a_judge() -> None:
    found = error('let text = "a rather long text, no word"\nif text is nice:\n  return 1\nreturn 2')
    assert found.name == "unreadable-verdict"
    assert "`--judge TARGET`" in traceback_lines(found)[-1]
    assert found.to_json()["help"] == found.help
