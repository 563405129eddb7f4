"""Contracts in a run: whoever answers, each clause is decided, or said to be not checked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import prose_runtime as prose
from prose_runtime import Outcome
from prose_runtime.api import load, prepare
from prose_runtime.runtime import execute
from prose_runtime.runtime.clauses.record import ClauseRecord

TEXT = """---
name: example
kind: pattern
---

### Slots

- `writer`

### Requires

- `topic` (string)
{asked}

### Ensures

- `text` (string)
{promised}

### Delegation

```prose
{script}
```
"""
WRITE = "return call writer\n  topic: topic"


def run(promised: str, *, asked: str = "", script: str = WRITE, answer: Any = "some rain", **more: Any) -> Outcome:
    text = TEXT.format(promised=promised, asked=asked, script=script)
    return prose.run(text, bind={"writer": lambda topic: answer}, inputs={"topic": "rain"}, **more)


def last(outcome: Outcome) -> ClauseRecord:
    return outcome.clauses[-1]


def test_a_broken_clause_ends_the_run_with_both_places_and_the_result() -> None:
    outcome = run("- `text` is at most 1 words")
    assert (outcome.status, outcome.result) == ("broken", "some rain")
    assert outcome.error is not None
    assert outcome.error.name == "contract"
    frame = outcome.error.frames[-1]
    assert (frame.line, frame.text) == (23, "return call writer")
    assert frame.declared is not None
    assert (frame.declared.line, frame.declared.text) == (18, "- `text` is at most 1 words")
    assert last(outcome).because == "`text is at most 1 words` is false: text has 2 words"


def test_every_broken_clause_is_told() -> None:
    outcome = run("- `text` is at most 1 words\n- `text` contains `snow`\n- `text` contains `rain`")
    assert outcome.error is not None
    assert len(outcome.error.others) == 1
    assert [item.holds for item in outcome.clauses] == [True, False, False, True]


def test_a_part_that_does_not_hold_breaks_a_clause_that_is_half_prose() -> None:
    broken = run("- `text` is at most 1 words and pleasant to read")
    assert (broken.status, last(broken).how, last(broken).holds) == ("broken", "checked", False)
    kept = run("- `text` is at most 2 words and pleasant to read")
    assert (kept.status, last(kept).how, last(kept).holds) == ("done", "not checked", None)


def test_a_clause_whose_condition_does_not_hold_is_kept_without_a_judge() -> None:
    outcome = run("- when text is empty: the reader is told why")
    assert (last(outcome).how, last(outcome).holds) == ("checked", True)
    assert last(outcome).because.startswith("its condition does not hold: ")


def test_a_value_that_cannot_be_what_is_promised_breaks_it() -> None:
    outcome = run("- `text` is at least 3")
    assert (outcome.status, last(outcome).holds) == ("broken", False)
    assert last(outcome).because == '`>=` has no answer for a text and a number: "some rain" and 3'


def test_what_is_asked_for_is_looked_at_before_any_call() -> None:
    with pytest.raises(prose.CheckFailed) as caught:
        run("", asked="- `topic` is at least 2 words")
    (found,) = caught.value.diagnostics
    assert (found.code, found.source.position(found.labels[0].span.start).line) == ("requirement-not-met", 13)


# ---- definitions inside ----------------------------------------------------------------------------------

INNER = """---
name: outer
kind: pattern
---

### Slots

- `other`

### Delegation

```prose
{script}
```

## inner

### Parameters

- `size` (integer): a number between 1 and 9

### Returns

- `text` (string): at most 2 words

### Execution

```prose
return call scribe
  size: size
```

## scribe

### Parameters

- `size` (integer)

### Returns

- `text`
"""


def outer(script: str, answer: str = "a b", text: str = INNER) -> Outcome:
    script += "\ncall other"
    return prose.run(text.format(script=script), bind={"scribe": lambda size: answer, "other": lambda: ""})


def test_a_definition_keeps_its_contract_every_time_it_is_called() -> None:
    outcome = outer("repeat 3 as i:\n  call inner\n    size: i")
    assert [(item.definition, item.about, item.times) for item in outcome.clauses] == [
        ("inner", "size", 3),
        ("scribe", "text", 3),
        ("inner", "text", 3),
        ("inner", "text", 3),
    ]


def test_what_a_definition_inside_breaks_can_be_caught() -> None:
    caught = outer("try:\n  return call inner\n    size: 1\ncatch as e:\n  return e.name", "a b c")
    assert (caught.status, caught.result) == ("done", "contract")
    failed = outer("return call inner\n  size: 1", "a b c")
    assert failed.error is not None
    assert failed.error.message == '`inner` broke its contract: `text`: at most 2 words (text is "a b c")'


def test_what_a_definition_inside_asks_for_is_looked_at_before_it_runs() -> None:
    outcome = outer("let n = 5\nn = n + 5\nreturn call inner\n  size: n")
    assert outcome.error is not None
    assert outcome.error.name == "contract"
    assert "size must be a number between 1 and 9, found size is 10" in outcome.error.message
    assert outcome.calls == ()


def test_clauses_about_calls_count_those_of_their_own_definition() -> None:
    text = INNER.replace("- `text` (string): at most 2 words", "- `text`\n- `scribe` is called once")
    script = "call scribe\n  size: 1\ncall inner\n  size: 1"
    outcome = outer(script, text=text)
    assert (outcome.status, last(outcome).holds, last(outcome).because) == ("done", True, "calls: scribe")


def test_clauses_about_calls_that_were_not_kept_are_not_checked() -> None:
    loaded = load(TEXT.format(asked="", promised="- `writer` is called at most 1 times", script=WRITE))
    plan = prepare(loaded, bind={"writer": lambda topic: "x"}, inputs={"topic": "rain"}).plan
    assert plan is not None
    outcome = asyncio.run(execute(plan, keep_calls=0))
    assert (outcome.status, last(outcome).how) == ("done", "not checked")


FUNCTION = """---
name: titled
kind: function
---

### Parameters

- `topic` (string): at most 3 words

### Returns

- `title` (string): at most 3 words
"""


def test_a_model_is_asked_once_more_for_what_breaks_a_clause() -> None:
    answers, told = iter(["much too long a title", "short"]), []

    class Model(prose.ScriptedService):
        async def call(self, call: prose.Call) -> prose.Answer:
            told.append(call.correction)
            return prose.Answer({"title": next(answers)})

    outcome = prose.run(FUNCTION, bind={"model": Model([], name="model")}, inputs={"topic": "rain"})
    assert (outcome.status, outcome.result) == ("done", "short")
    assert "at most 3 words" in told[1]
    assert [item.times for item in outcome.clauses] == [1, 2, 2]


# ---- the judge -------------------------------------------------------------------------------------------


def judge(**said: Any) -> Any:
    def decide(text: str, values: dict[str, Any]) -> Any:
        asked.append((text, values))
        return said["answer"]

    asked: list[Any] = said.get("asked", [])
    return decide


PROSE = "- The `text` is friendly.\n- `text` is given"


def test_the_judge_decides_what_no_rule_can_and_no_more() -> None:
    asked: list[Any] = []
    answer = {"holds": True, "reason": "it smiles"}
    outcome = run(PROSE, judge=judge(answer=answer, asked=asked), judge_contracts=True)
    assert asked == [("The `text` is friendly.", {"text": "some rain"})]
    assert [(item.how, item.holds) for item in outcome.clauses] == [
        ("checked", True),
        ("judged", True),
        ("checked", True),
    ]
    assert outcome.clauses[1].because == "it smiles"


def test_what_the_judge_denies_breaks_the_contract() -> None:
    outcome = run(PROSE, judge=judge(answer={"holds": False, "reason": "it is wet"}), judge_contracts=True)
    assert outcome.status == "broken"
    assert outcome.error is not None
    assert outcome.error.message == "`example` broke its contract: The `text` is friendly. (it is wet)"


def test_the_judge_decides_what_is_asked_for_before_any_call() -> None:
    answer = {"holds": False, "reason": "no"}
    outcome = run("", asked="- The topic suits children.", judge=judge(answer=answer), judge_contracts=True)
    assert outcome.error is not None
    assert (outcome.error.name, [call.service for call in outcome.calls]) == ("contract", ["judge"])


@pytest.mark.parametrize("answer", ["perhaps", {"reason": "none"}, 7])
def test_a_judge_who_does_not_say_leaves_a_clause_not_checked(answer: Any) -> None:
    outcome = run(PROSE, judge=judge(answer=answer), judge_contracts=True)
    assert (outcome.status, outcome.clauses[1].how) == ("done", "not checked")
    assert outcome.clauses[1].because == "the judge does not say"


def test_a_judge_who_fails_loses_no_result() -> None:
    def fail(text: str, values: object) -> None:
        raise prose.ServiceError("no time")

    outcome = run(PROSE, judge=fail, judge_contracts=True)
    assert (outcome.status, outcome.result) == ("done", "some rain")
    assert "no time" in outcome.clauses[1].because


def test_a_budget_that_ends_while_the_judge_is_asked_loses_no_result() -> None:
    outcome = run(PROSE, judge=judge(answer=True), judge_contracts=True, budget=prose.Budget(max_calls=1))
    assert (outcome.status, outcome.result) == ("stopped", "some rain")


def test_without_being_asked_for_the_judge_is_not_asked() -> None:
    asked: list[Any] = []
    outcome = run(PROSE, judge=judge(answer=False, asked=asked))
    assert (outcome.status, asked, outcome.clauses[1].how) == ("done", [], "not checked")


def test_a_contract_without_a_judge_is_refused_before_any_call() -> None:
    with pytest.raises(prose.CheckFailed) as caught:
        run(PROSE, judge_contracts=True)
    assert [item.code for item in caught.value.diagnostics] == ["no-judge-for-contract"]


def test_the_same_question_about_the_same_values_is_asked_once() -> None:
    asked: list[Any] = []
    script = (
        "let text = call writer\n  topic: topic\nrepeat 3:\n  if text is pleasant to read:\n    topic = topic + topic\n"
        "if topic is pleasant to read:\n  return text\nreturn text"
    )
    outcome = run("", script=script, judge=judge(answer={"holds": True, "reason": "so"}, asked=asked))
    assert [values for _, values in asked] == [{"text": "some rain"}, {"topic": "rain" * 8}]
    assert [item.because for item in outcome.decisions] == [outcome.decisions[0].because] * 3 + [
        outcome.decisions[3].because
    ]
    assert len(outcome.decisions) == 4
