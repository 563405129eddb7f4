"""What a script does with answers: found before a run where it is declared, held against every answer in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest

import prose_runtime as prose
from prose_runtime.api import load
from prose_runtime.resolve.expected import expected_of
from prose_runtime.resolve.sources import sources_of

HEAD = """---
name: example
kind: pattern
---

### Slots

- `judge-it`: says how good it is
{ensures}
- `other`

### Config

- `least` (number, default: 0.5): enough

### Delegation

```prose
{script}
```
"""


def text(script: str, ensures: str = "") -> str:
    return HEAD.format(script=script, ensures=f"  - ensures: {ensures}" if ensures else "")


def run(script: str, answer: Any, ensures: str = "", other: Any = "x") -> prose.Outcome:
    return prose.run(text(script, ensures), bind={"judge-it": lambda: answer, "other": lambda: other})


PLAIN = "let found = call judge-it\nif found.score >= least:\n  return call other\nreturn 0"


@pytest.mark.parametrize("score", ["0.9", "high", True, [1], {"of": 1}])
def test_what_is_compared_with_a_number_must_be_one(score: Any) -> None:
    outcome = run(PLAIN, {"score": score})
    assert outcome.error is not None
    assert outcome.error.name == "contract"
    assert "$.score must be a number (line 20 compares it with one), found " in outcome.error.message
    assert outcome.error.frames[-1].line == 19


@pytest.mark.parametrize("answer", [{"score": 1}, {"score": 0.2, "more": "x"}, {"score": None}, {}, "prose", None])
def test_a_number_null_and_an_answer_without_it_may_be_compared(answer: Any) -> None:
    assert run(PLAIN, answer).status == "done"


def test_a_script_can_catch_it() -> None:
    inside = "  let found = call judge-it\n  if found.score >= least:\n    return 1\n"
    script = f"try:\n{inside}catch as e:\n  return e.name\ncall other"
    assert run(script, {"score": "high"}).result == "contract"


@pytest.mark.parametrize(
    "script",
    [
        "let found = call judge-it\nlet s = found.score\nif s > least:\n  return call other",
        "let { score } = call judge-it\nif score > least:\n  return call other",
        "let found = { inner: call judge-it }\nif found.inner.score > least:\n  return call other",
        "call judge-it\nif judge-it.score > least:\n  return call other",
        "let best = null\nrepeat 2:\n  best = call judge-it\n  if best.score > least:\n    break\ncall other",
        "loop until found.score > least (max: 2):\n  let found = call judge-it\ncall other",
        "let found = call judge-it\nreturn if found.score is between 0 and 1 then 1 else 2",
    ],
)
def test_whatever_way_it_is_read(script: str) -> None:
    outcome = run(script + "\ncall other", {"score": "high"})
    assert outcome.error is not None
    assert "compares it with one" in outcome.error.message


@pytest.mark.parametrize(
    "script",
    [
        "let found = call judge-it\nlet n = len(found)\nif n > 3:\n  return 1",
        "let found = call judge-it\nif len(found) > 3:\n  return 1",
        "let found = call judge-it\nlet s = score(found)\nif s > 3:\n  return 1",
        "let found = call judge-it\nlet all = [found]\nif all.length > 3:\n  return 1",
        "let found = call judge-it\nfound = 4\nif found > 3:\n  return 1",
        "let found = call judge-it\nlet found2 = call other\nif found2.n > 3:\n  return 1\nreturn found",
        "let xs = repeat 2:\n  call judge-it\nif xs.length > 3:\n  return 1",
        "let x = {}\nx.a = call judge-it\nx.b = 4\nif x.b > 3:\n  return 1",
        "let found = call judge-it\nfor x in [found]:\n  let y = x\nif 4 > 3:\n  return 1",
    ],
)
def test_what_was_made_of_an_answer_binds_nobody(script: str) -> None:
    outcome = run(script + "\ncall other", "five words in a text", other={"n": 1})
    assert outcome.status == "done", outcome.error


def test_a_name_that_holds_another_answer_later_is_another_answer() -> None:
    script = "let x = call other\nlet kept = x\nx = call judge-it\nif x.score > least:\n  return kept\nreturn 0"
    assert run(script, {"score": 1}, other={"score": "not compared"}).status == "done"


@pytest.mark.parametrize(
    "script",
    [
        "call judge-it\ncall judge-it\nif judge-it.score > least:\n  return call other\nreturn 0",
        "if least > 3 and judge-it.score > least:\n  return call other\ncall judge-it\nreturn call other",
    ],
)
def test_what_is_said_of_the_latest_answer_binds_no_other_one(script: str) -> None:
    answers = iter([{"score": "high"}, {"score": 1}])
    bound = {"judge-it": lambda: next(answers), "other": lambda: "x"}
    assert prose.run(text(script), bind=bound).status == "done"


# ---- declared ------------------------------------------------------------------------------------------------


class Scored(TypedDict):
    score: float


class Worded(TypedDict):
    score: str


@dataclass
class Reason:
    reason: str


def gives(annotation: Any) -> Any:
    def service() -> Any:
        raise AssertionError("nothing is called")

    service.__annotations__["return"] = annotation
    return service


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (str, "`string`"),
        (list[str], "`string[]`"),
        (int, "`integer`"),
        (Worded, "`score` as `string`"),
        (Reason, "an answer without `score`"),
        (str | None, "`string | null`"),
        (Literal["good", "bad"], '`"good" | "bad"`'),
    ],
)
def test_an_annotation_that_cannot_fit_is_found_before_any_call(annotation: Any, said: str) -> None:
    with pytest.raises(prose.CheckFailed) as caught:
        prose.run(text(PLAIN), bind={"judge-it": gives(annotation), "other": gives(Any)})
    (found,) = [item for item in caught.value.diagnostics if item.severity == "error"]
    assert (found.code, found.source.position(found.labels[0].span.start).line) == ("answer-does-not-fit", 20)
    assert f"`judge-it` declares that it gives {said}, and here `score` of its answer is compared" in found.message
    assert found.labels[1].source.name.startswith(__file__)


@pytest.mark.parametrize("annotation", [dict, Any, None, Scored, Scored | None, str | Scored, object])
def test_an_annotation_that_may_fit_is_no_fault(annotation: Any) -> None:
    service = gives(annotation)
    checked = prose.api.prepare(load(text(PLAIN)), bind={"judge-it": service, "other": gives(Any)})
    assert [item for item in checked.diagnostics if item.severity == "error"] == []


FILE = """---
name: judging
kind: function
---

### Returns

- `score` (string): how good it is
- `reason` (string)

### Execution

```prose
return { score: "good", reason: "so" }
```
"""


def test_a_bound_file_is_held_against_the_script(tmp_path: Path) -> None:
    (tmp_path / "judging.prose.md").write_text(FILE, encoding="utf-8")
    (tmp_path / "main.prose.md").write_text(text(PLAIN), encoding="utf-8")
    target = str(tmp_path / "judging.prose.md")
    with pytest.raises(prose.CheckFailed) as caught:
        prose.run(tmp_path / "main.prose.md", bind={"judge-it": target, "other": lambda: "x"})
    (found,) = [item for item in caught.value.diagnostics if item.severity == "error"]
    assert "declares that it gives `score` as `string`" in found.message
    assert "judging.prose.md" in found.labels[1].source.name


def test_a_shape_in_ensures_that_contradicts_the_script_is_found_by_check() -> None:
    found = prose.check(text(PLAIN, "{ score: string, reason: string }"))
    assert [(item.code, len(item.labels)) for item in found] == [("answer-does-not-fit", 2)]
    assert prose.check(text(PLAIN, "{ score: number, reason: string }")) == []
    assert prose.check(text(PLAIN, "score in words, and a reason")) == []


def test_an_answer_is_held_against_the_shape_that_a_slot_declares() -> None:
    shape = '{ score: number, verdict: "good" | "bad" }'
    assert run(PLAIN, {"score": 1, "verdict": "good"}, shape).status == "done"
    for answer, said in (
        ({"score": 1}, '$.verdict must be "good" or "bad", found nothing'),
        ({"score": 1, "verdict": "fine"}, "$.verdict must be"),
        ("good", "$ must be an object with score, verdict"),
    ):
        outcome = run(PLAIN, answer, shape)
        assert outcome.error is not None
        assert said in outcome.error.message


# ---- what is asked for ---------------------------------------------------------------------------------------


class Telling:
    """A service that keeps the schemas which it was given."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.calls = list(answers), list[prose.Call]()

    async def __call__(self, call: prose.Call) -> Any:
        self.calls.append(call)
        return self.answers.pop(0)


def schema(script: str, ensures: str = "", answer: Any = None) -> Any:
    service = Telling(answer)
    prose.run(text(script + "\ncall other", ensures), bind={"judge-it": service, "other": lambda **more: "x"})
    return service.calls[0].schema


NUMBER = {"type": "number"}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (PLAIN, {"type": "object", "properties": {"score": NUMBER}, "required": ["score"]}),
        (
            "let found = call judge-it\ncall other\n  hint: found.hint",
            {"type": "object", "properties": {"hint": {}}, "required": []},
        ),
        ("let n = call judge-it\nif n > 3:\n  return 1", NUMBER),
        (
            "let v = call judge-it\nif v is accepted:\n  return 1",
            {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]},
        ),
        ("return call judge-it", None),
    ],
)
def test_a_service_is_told_what_is_read_of_its_answer(script: str, expected: Any) -> None:
    assert schema(script, answer={"score": 1, "verdict": "accept"} if "n >" not in script else 4) == expected


def test_a_declared_shape_is_part_of_the_schema() -> None:
    found = schema(PLAIN, "{ score: number, reason: string }", {"score": 1, "reason": "x"})
    assert found["properties"] == {"score": NUMBER, "reason": {"type": "string"}}
    assert found["required"] == ["score", "reason"]


def test_what_is_expected_of_whom_is_shown() -> None:
    unit = load("std/patterns/refine").program.main
    found = expected_of(unit, sources_of(unit))
    assert {name: [(item.part, item.kind, item.required) for item in items] for name, items in found.items()} == {
        "evaluator": [("score", "number", True), ("suggestions", "", False)]
    }


def test_the_services_of_a_list_slot_are_no_answer() -> None:
    unit = load("std/patterns/debate").program.main
    assert "length" not in {item.part for items in expected_of(unit, sources_of(unit)).values() for item in items}
