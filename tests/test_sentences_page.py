"""The forms of sentences: every row of the guide holds where it says so, and is seen to fail where it says so."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pages import DOCS, tables

from prose_runtime.casebook import run_case
from prose_runtime.casebook.case import Sentence
from prose_runtime.casebook.sentences import Ruling, rule_on
from prose_runtime.runtime.clauses.facts import Facts
from prose_runtime.runtime.outcome import CallRecord
from prose_runtime.runtime.values import from_python

PAGE = DOCS / "writing-cases.md"
_VALUES = [
    (row["sentence about `x`"], row["holds of"], row["does not hold of"])
    for row in tables(PAGE, "sentence about `x`", "holds of", "does not hold of")
]
_OF_RUNS = [(row["sentence"], row["does not hold"]) for row in tables(PAGE, "sentence", "holds", "does not hold")]


def _text(cell: str) -> str:
    """What stands inside the backticks around a cell."""
    marks = len(cell) - len(cell.lstrip("`"))
    return cell[marks:-marks].strip()


def _ruling(facts: Facts, name: str | None, text: str, negated: bool) -> Ruling:
    return asyncio.run(rule_on(Sentence(name, text, 1, negated), facts, None))


def _about(value: Any) -> Facts:
    return Facts({"x": from_python(value)}, outputs=frozenset({"x", "gone"}))


@pytest.mark.parametrize(("sentence", "right", "wrong"), _VALUES)
def test_a_form_holds_and_is_seen_to_fail(sentence: str, right: str, wrong: str) -> None:
    text = _text(sentence)
    for value, holds in ((right, True), (wrong, False)):
        facts = _about(json.loads(_text(value)))
        expects, expects_not = (_ruling(facts, "x", text, negated) for negated in (False, True))
        assert (expects.how, expects.problem is None) == ("rule", holds), value
        assert (expects_not.how, expects_not.problem is None) == ("rule", not holds), value


@pytest.mark.parametrize("sentence", [row[0] for row in _VALUES])
def test_of_what_was_not_given_nothing_holds_but_that(sentence: str) -> None:
    text = _text(sentence)
    facts = Facts({}, outputs=frozenset({"x"}))
    assert (_ruling(facts, "x", text, False).problem is None) == (text == "is missing")
    assert _ruling(facts, "x", text, False).how == "rule"


def _run() -> Facts:
    made = [("writer", {"draft": 1}), ("critic", {}), ("writer", {})]
    calls = [CallRecord(None, "", service, inputs) for service, inputs in made]
    return Facts(services=frozenset({"writer", "critic", "spare"}), calls=calls)


@pytest.mark.parametrize(("right", "wrong"), _OF_RUNS)
def test_a_form_about_the_run_holds_and_is_seen_to_fail(right: str, wrong: str) -> None:
    for sentence, holds in ((_text(right), True), (_text(wrong), False)):
        name, colon, text = sentence.partition("`: ")
        about = (name.strip("`"), text) if colon else (None, sentence)
        for negated in (False, True):
            ruling = _ruling(_run(), *about, negated)
            assert (ruling.how, ruling.problem is None) == ("rule", holds is not negated), sentence


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("y", "exists"),
        ("y", "is friendly"),
        ("x", "is at least 3"),
        ("x", "has 3 items"),
        ("x", "matches `(`"),
        ("x", "matches the type `strin`"),
        (None, "no calls of `critc`"),
    ],
)
def test_what_cannot_be_is_wrong_both_ways(name: str | None, text: str) -> None:
    facts = Facts({"x": "text"}, services=frozenset({"critic"}))
    for negated in (False, True):
        assert _ruling(facts, name, text, negated).problem is not None or name == "y"


@pytest.mark.parametrize(
    "text",
    [
        "is friendly",
        "is not friendly",
        "does not sound harsh",
        "contains fabricated citations",
        "includes `rain` in every paragraph",
        "is under 500 words and easy to read",
        "has status `pass` and no blocking findings",
        "mentions nothing about `rain`",
    ],
)
def test_what_only_reading_can_tell_is_not_checked(text: str) -> None:
    for negated in (False, True):
        ruling = _ruling(_about("a rainy day"), "x", text, negated)
        assert ruling.how == "nobody"
        assert ruling.problem is not None
        assert "not checked" in ruling.problem.text


def test_one_part_that_is_wrong_decides() -> None:
    assert _ruling(_about("one two"), "x", "is under 2 words and easy to read", False).how == "rule"


CASE = """---
name: judged
kind: test
subject: same
---

### Fixtures

- `topic`: rain

### Services

```yaml
judge: %s
```

%s

## same

### Parameters

- `topic`: what it is about

### Returns

- `echo`: the topic

### Execution

```prose
return topic
```
"""


def _case(tmp_path: Path, replies: str, expects: str) -> Any:
    path = tmp_path / "a.prose.md"
    path.write_text(CASE % (replies, expects), encoding="utf-8")
    return run_case(path)


def test_the_judge_decides_the_rest(tmp_path: Path) -> None:
    expects = "### Expects\n\n- `echo`: is wet\n- `echo`: contains `rain`\n\n### Expects Not\n\n- `echo`: is dry\n"
    right = _case(tmp_path, "[{holds: true, reason: so it is}, no]", expects)
    assert (right.verdict, right.checked, right.judged) == ("passed", 1, 2)
    wrong = _case(tmp_path, "[no, {holds: true, reason: it is dry}]", expects)
    assert [problem.line for problem in wrong.problems] == [19, 24]
    assert "it is dry" in wrong.problems[1].text
    silent = _case(tmp_path, "[maybe]", expects)
    assert len(silent.problems) == 2
    assert all("the judge does not say" in problem.text for problem in silent.problems)


def test_only_unchecked_sentences_are_no_pass(tmp_path: Path) -> None:
    text = CASE.replace("### Services\n\n```yaml\njudge: %s\n```\n\n", "")
    path = tmp_path / "a.prose.md"
    path.write_text(text % "### Expects\n\n- `echo`: is wet\n", encoding="utf-8")
    result = run_case(path)
    assert (result.verdict, result.ok, len(result.unchecked)) == ("not checked", False, 1)
    path.write_text(text % "### Expects\n\n- `echo`: is wet\n- `echo`: exists\n", encoding="utf-8")
    result = run_case(path)
    assert (result.verdict, result.ok, result.checked, len(result.unchecked)) == ("passed", True, 1, 1)
