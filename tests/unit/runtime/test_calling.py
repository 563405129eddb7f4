"""Calls: what is passed, modifiers, retries, outputs, and calls of definitions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from interpreting import Answer, Budget, Call, Fake, FakeClock, codes, error, failing, numbered, result, run, takes


def test_modifiers_are_about_the_call_unless_the_service_declares_them() -> None:
    script = 'let r = call s\n  topic: "t"\n  prompt: "p"\n  model: "m"\n  context: [1]\nreturn r'
    free, declared = numbered(), Fake(1, signature=takes("topic", "context"))
    result(script, {"s": free})
    assert free.received == [{"topic": "t"}]
    assert (free.calls[0].prompt, free.calls[0].model, free.calls[0].context) == ("p", "m", [1])
    result(script, {"s": declared})
    assert declared.received == [{"topic": "t", "context": [1]}]
    assert declared.calls[0].context is None


def test_a_service_is_given_what_it_declares_the_rest_is_withheld_with_a_warning() -> None:
    script = 'let r = call s\n  task-brief: "t"\n  secret: 1\nreturn r'
    service = Fake(1, signature=takes("task_brief"))
    assert codes(script, {"s": service}, slots=["`s`"]) == ["input-withheld"]
    result(script, {"s": service})
    assert service.received == [{"task_brief": "t"}]


def test_what_a_service_needs_and_a_call_does_not_pass_is_an_error_before_the_run() -> None:
    service = Fake(1, signature=takes("a", "b"))
    assert codes("let r = call s\n  a: 1\nreturn r", {"s": service}, slots=["`s`"]) == ["service-needs-input"]


def test_an_optional_input_that_nobody_gave_is_left_out() -> None:
    text = "\n### Parameters\n\n- `hint` (string, optional) — it\n"
    service = numbered()
    result("let r = call s\n  hint: hint\n  x: 1\nreturn r", {"s": service}, more=text)
    result("let r = call s\n  hint: hint\n  x: 1\nreturn r", {"s": service}, more=text, inputs={"hint": "h"})
    assert service.received == [{"x": 1}, {"hint": "h", "x": 1}]


def test_an_optional_input_that_the_service_needs_is_an_error_before_the_run() -> None:
    text = "\n### Parameters\n\n- `hint` (string, optional) — it\n"
    script = "let r = call s\n  hint: hint\nreturn r"
    service = Fake(1, signature=takes("hint"))
    assert codes(script, {"s": service}, slots=["`s`"], more=text) == ["service-needs-optional"]
    assert codes(script, {"s": service}, slots=["`s`"], more=text, inputs={"hint": "h"}) == []


def test_retry_means_that_many_more_attempts_and_each_counts() -> None:
    service = Fake([failing(), failing(), "ok"])
    outcome = run("let r = call s\n  retry: 2\nreturn r", {"s": service}, clock=FakeClock())
    assert outcome.result == "ok"
    assert [(item.attempts, item.answer) for item in outcome.calls] == [(3, "ok")]
    assert (outcome.usage.calls, outcome.usage.attempts) == (1, 3)
    assert [call.attempt for call in service.calls] == [1, 2, 3]


@pytest.mark.parametrize(("backoff", "waits"), [("none", []), ("linear", [0.5, 1.0, 1.5])], ids=["none", "linear"])
def test_backoff(backoff: str, waits: list[float]) -> None:
    clock = FakeClock()
    service = Fake([failing(), failing(), failing(), "ok"])
    run(f"let r = call s\n  retry: 3\n  backoff: {backoff}\nreturn r", {"s": service}, clock=clock)
    assert clock.slept == waits


def test_exponential_backoff_has_full_jitter_and_can_be_repeated() -> None:
    slept = []
    for _ in range(2):
        clock = FakeClock()
        service = Fake([failing(), failing(), failing(), "ok"])
        run('let r = call s\n  retry: 3\n  backoff: "exponential"\nreturn r', {"s": service}, clock=clock, seed=7)
        slept.append(clock.slept)
    assert slept[0] == slept[1]
    assert all(0 <= wait <= most for wait, most in zip(slept[0], (1, 2, 4), strict=True))
    assert len(set(slept[0])) == 3


@pytest.mark.parametrize("answer", [failing(transient=False), float("nan")], ids=["final", "contract"])
def test_what_cannot_get_better_is_not_tried_again(answer: Any) -> None:
    service = Fake(answer if not isinstance(answer, float) else [answer])
    error("let r = call s\n  retry: 5\nreturn r", {"s": service})
    assert len(service.calls) == 1


def test_a_timeout_ends_the_attempt_and_is_named_so() -> None:
    stopped: list[int] = []

    async def hang(call: Call) -> Any:
        try:
            await asyncio.sleep(30)
        finally:
            stopped.append(call.attempt)

    script = """
    try:
      let r = call s
        timeout: 0.01
        retry: 1
    catch as err:
      if err.name == "timeout":
        return err
    """
    outcome = run(script, {"s": Fake(hang)})
    assert outcome.result["name"] == "timeout"
    assert (outcome.result["service"], outcome.result["attempt"]) == ("s", 2)
    assert stopped == [1, 2]


def test_a_timeout_error_of_the_service_itself_is_a_failure_like_any_other() -> None:
    found = error("let r = call s\n  timeout: 5\nreturn r", {"s": Fake(TimeoutError("own"))})
    assert (found.name, found.message) == ("service-failed", "TimeoutError: own")


def test_a_single_declared_output_is_unwrapped_and_read_by_its_name() -> None:
    script = "let prd = call s\nreturn { prd: prd, again: prd.prd }"
    wrapped = Fake({"prd": "text"}, signature=takes(outputs=("prd",)))
    plain = Fake("text", signature=takes(outputs=("prd",)))
    for service in (wrapped, plain):
        outcome = run(script, {"s": service})
        assert outcome.result == {"prd": "text", "again": "text"}
        assert outcome.warnings == ()


def test_a_service_that_leaves_out_a_declared_output_breaks_its_contract() -> None:
    service = Fake({"a": 1}, signature=takes(outputs=("a", "b")))
    found = error("let r = call s\nreturn r", {"s": service})
    assert (found.name, found.fields["path"]) == ("contract", "$.b")


def test_a_service_may_change_its_inputs_without_harm() -> None:
    def change(call: Call) -> Any:
        call.inputs["xs"].append(99)  # type: ignore[union-attr]
        return len(call.inputs["xs"])

    script = "let xs = [1]\nlet a = call s\n  xs: xs\nlet b = call s\n  xs: xs\nreturn [xs, a, b]"
    outcome = run(script, {"s": Fake(change)})
    assert outcome.result == [[1], 2, 2]
    assert outcome.calls[0].inputs == {"xs": [1]}


def test_an_answer_that_is_changed_later_does_not_change_the_run() -> None:
    answer = {"items": [1]}

    def give(call: Call) -> Any:
        answer["items"].append(2)
        return answer

    assert result("let a = call s\nlet b = call s\nreturn [a, b]", {"s": Fake(give)}) == [
        {"items": [1, 2]},
        {"items": [1, 2, 2]},
    ]


# ---- definitions -----------------------------------------------------------------------------------------

FUNCTIONS = """---
name: main
kind: function
---

### Parameters

- `n` (number, required): how much

### Returns

- `result`: what comes out

### Execution

```prose
let a = call twice
  n: n
let b = call helper
  n: a
return b
```

## twice

### Parameters

- `n` (number, required): how much

### Returns

- `doubled` (number): twice as much

### Execution

```prose
return n * 2
```

## helper

### Parameters

- `n`: how much

### Returns

- `helped`: something
"""


def test_a_function_with_a_script_is_run_and_one_without_is_bound() -> None:
    helper = Fake(lambda call: {"helped": call.inputs["n"] + 1})
    outcome = run(FUNCTIONS, {"helper": helper}, inputs={"n": 4})
    assert outcome.result == 9
    assert [item.key for item in outcome.calls] == ["main/call:helper"]
    assert helper.calls[0].definition is not None


def test_the_model_stands_in_for_a_function_without_a_script() -> None:
    model = Fake(lambda call: call.service)
    assert result(FUNCTIONS, {"model": model}, inputs={"n": 4}) == "helper"


def test_a_binding_replaces_a_function_with_a_script() -> None:
    services = {"helper": Fake(lambda call: call.inputs["n"]), "twice": Fake(1000)}
    assert result(FUNCTIONS, services, inputs={"n": 4}) == 1000


def test_inputs_of_a_called_definition_are_checked() -> None:
    text = FUNCTIONS.replace("let a = call twice\n  n: n", 'let t = "four"\nlet a = call twice\n  n: t')
    found = error(text, {"helper": Fake(1)}, inputs={"n": 4})
    assert (found.name, found.fields["path"]) == ("contract", "n")


def test_recursion_ends_with_an_error_of_the_pattern() -> None:
    script = """
    block again(n):
      return do again(n + 1)
    let r = do again(1)
    return r
    """
    found = error(script)
    assert found.name == "too-deep"
    assert "200" in found.message


def test_deep_recursion_that_ends_gives_its_result() -> None:
    script = """
    block sum(n):
      if n == 0:
        return 0
      let below = do sum(n - 1)
      return n + below
    let r = do sum(150)
    return r
    """
    assert result(script) == 150 * 151 // 2


def test_usage_of_failed_attempts_is_counted() -> None:
    from prose_runtime.runtime.port import ServiceError, Usage

    service = Fake([ServiceError("no", usage=Usage(10, 5, 0.01)), Answer("ok", Usage(1, 2, 0.02))])
    outcome = run("let r = call s\n  retry: 1\nreturn r", {"s": service}, clock=FakeClock())
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (11, 7)
    assert outcome.usage.cost == pytest.approx(0.03)


def test_unknown_usage_stays_unknown() -> None:
    outcome = run("let r = call s\nreturn r", {"s": numbered()})
    assert (outcome.usage.input_tokens, outcome.usage.cost) == (None, None)


def test_the_budget_is_checked_before_every_attempt() -> None:
    service = Fake(failing())
    outcome = run("let r = call s\n  retry: 9\nreturn r", {"s": service}, budget=Budget(max_calls=3), clock=FakeClock())
    assert outcome.status == "stopped"
    assert len(service.calls) == 3


def test_another_name_for_the_answer_of_a_call_has_its_single_output_too() -> None:
    script = "let r = call f\nlet t = r\nlet o = t.o\nt = 1\nreturn [o, t.o]"
    function = (
        "\n## f\n\n---\nkind: function\n---\n\n### Returns\n\n- `o`: it\n\n### Execution\n\n```prose\nreturn 5\n```\n"
    )
    assert result(script, more=function) == [5, None]


PLANNER = """
## planner

---
kind: function
---

### Returns

- `plan` (string): the plan
- `steps` (integer): how many
- `note` (string, optional): more
"""


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        ({"plan": "p", "steps": "two"}, "steps"),
        ({"plan": "p"}, "steps"),
        ({"plan": None, "steps": 2}, "plan"),
        ("p", "plan"),
    ],
)
def test_a_service_in_the_place_of_a_function_gives_what_that_declares(answer: Any, path: str) -> None:
    planner = Fake(answer, name="planner")
    found = error(
        "return call planner\n  retry: 2", {"planner": planner, "other": Fake(1)}, slots=["`other`"], more=PLANNER
    )
    assert (found.name, found.fields["path"], len(planner.calls)) == ("contract", path, 1)


def test_what_a_function_may_leave_out_is_not_asked_of_its_service() -> None:
    planner = Fake({"plan": "p", "steps": 2}, name="planner")
    assert (
        result("return call planner", {"planner": planner, "other": Fake(1)}, slots=["`other`"], more=PLANNER)
        == planner.answer
    )


def test_arguments_by_position_take_the_names_that_the_slot_requires() -> None:
    echo = Fake(lambda call: dict(call.inputs), name="s")
    script = "return call s(1, 2)"
    assert result(script, {"s": echo}, slots=["`s`: it\n  - requires: `a`, `b`"]) == {"a": 1, "b": 2}
