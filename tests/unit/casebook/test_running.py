"""Running cases: a case that is wrong fails, whichever way it is wrong, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.casebook import CaseResult, run_case, run_cases

PATTERN = """---
name: a-case
kind: test
---

### Document

````markdown
---
name: greet
kind: pattern
---

### Slots

- `greeter`

### Requires

- Pattern instance receives:
    greeter: string   -- who greets
    name: string      -- whom
    times: integer    -- (optional, default 1) how often

### Returns

- `greeting`: a text

### Delegation

```prose
let greeting = call greeter
  name: name
  times: times
if greeting contains "hello":
  return { greeting: greeting }
return { greeting: "none" }
```
````

### Fixtures

- `name`: "Ada"
- `times`: 2

### Services

```yaml
greeter: ["hello Ada"]
```
"""

EXPECTS = """
### Expects

```yaml
%s
```
"""


def run(tmp_path: Path, text: str) -> CaseResult:
    path = tmp_path / "a.prose.md"
    path.write_text(text, encoding="utf-8")
    return run_case(path)


@pytest.mark.parametrize(
    "expected",
    [
        'result: {greeting: "hello Ada"}',
        'result has: {greeting: "…Ada…"}',
        "calls: [greeter: {name: Ada, times: 2}]",
        "calls: [{service: greeter, exactly: {name: Ada, times: 2}, without: [prompt], attempts: 1}]",
        "calls in any order: [greeter]",
        "number of calls: 1",
        "decisions: [{text: greeting contains, how: formal, holds: true}]",
        "status: done",
        "warnings: []",
    ],
)
def test_right_expectations_pass(tmp_path: Path, expected: str) -> None:
    assert run(tmp_path, PATTERN + EXPECTS % expected).problems == ()


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ('result: {greeting: "hello"}', 'result.greeting: expected "hello", found "hello Ada"'),
        ("result: null", "result: expected null"),
        ("result has: {other: 1}", "result.other: expected 1, found nothing"),
        ("calls: []", "expected the calls none; found greeter"),
        ("calls: [greeter, greeter]", "expected the calls greeter, greeter; found greeter"),
        ("calls: [greeter: {name: Bob}]", 'call 1 (greeter): received.name: expected "Bob", found "Ada"'),
        ("calls: [{service: greeter, exactly: {name: Ada}}]", "received.times: found 2, expected nothing"),
        ("calls: [{service: greeter, without: [name]}]", 'received.name: found "Ada", expected none'),
        ("calls: [{service: greeter, attempts: 2}]", "expected 2 attempts, found 1"),
        ("calls: [{service: greeter, error: timeout}]", "expected the error 'timeout', found None"),
        ("calls in any order: [greeter: {name: Bob}]", "no call of greeter as expected"),
        ("calls in any order: []", "an unexpected call of greeter"),
        ("number of calls: 2", "expected 2 calls, found 1"),
        ("decisions: []", "expected 0 decisions, found 1"),
        ("decisions: [{text: greeting, how: judge}]", "expected to be decided by judge, found formal"),
        ("decisions: [{text: greeting, holds: false}]", "expected false, found true"),
        ("decisions: [other text]", "expected 'other text'"),
        ("status: failed", "expected the run to be failed, found done"),
        ("error: timeout", "expected the error 'timeout', found None"),
        ("error: {message: too slow}", 'error.message: expected "too slow", found null'),
        ("warnings: [some-code]", "expected the warnings some-code; found none"),
        ("diagnostics: [unknown-name]", "no `unknown-name` was reported"),
    ],
)
def test_wrong_expectations_fail(tmp_path: Path, expected: str, said: str) -> None:
    result = run(tmp_path, PATTERN + EXPECTS % expected)
    assert result.verdict == "failed"
    assert any(said in str(problem) for problem in result.problems), result.problems


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ("error: too-rude", None),
        ("error: {name: too-rude}", None),
        ("error: {name: too-rude, message: not to Ada}", None),
        ('error: {message: "…to Ada…"}', None),
        ("error: {name: timeout, message: not to Ada}", "expected the error 'timeout', found 'too-rude'"),
        ("error: {name: too-rude, message: not to Bob}", 'error.message: expected "not to Bob", found "not to Ada"'),
        ("error: {text: not to Ada}", "an error knows no 'text'"),
    ],
)
def test_an_error_by_its_name_and_its_message(tmp_path: Path, expected: str, said: str | None) -> None:
    thrown = PATTERN.replace('return { greeting: "none" }', 'throw { name: "too-rude", message: "not to {name}" }')
    problems = run(tmp_path, thrown.replace('["hello Ada"]', '["go away"]') + EXPECTS % expected).problems
    assert [str(item) for item in problems] == [] if said is None else said in str(problems[0])


def test_an_unexpected_message_fails(tmp_path: Path) -> None:
    result = run(tmp_path, PATTERN.replace("return { greeting: greeting }", "return { greeting: greting }"))
    assert any("unexpected:" in str(problem) and "unknown-name" in str(problem) for problem in result.problems), (
        result.problems
    )


def test_a_marker_on_the_wrong_line_fails(tmp_path: Path) -> None:
    text = PATTERN.replace("  times: times", "  times: timez + 1").replace(
        "  name: name", '  name: name  ### "unknown-name"'
    )
    result = run(tmp_path, text)
    assert any("no `unknown-name` was reported on line" in str(problem) for problem in result.problems), result.problems


def test_one_reply_too_few_fails(tmp_path: Path) -> None:
    result = run(tmp_path, PATTERN.replace('greeter: ["hello Ada"]', "greeter: []") + EXPECTS % "status: done")
    assert result.verdict == "failed"


@pytest.mark.parametrize(
    ("sentences", "said"),
    [
        ("- `greeting`: contains `HELLO`", ""),
        ("- `greeting`: contains the exact phrase `hello`", ""),
        ("- `greeting`: starts with `hello`", ""),
        ("- `times`: is at least 2", ""),
        ("- `greeting`: contains `bye`", "does not hold"),
        ("- `greeting`: contains the exact phrase `HELLO`", "does not hold"),
        ("- `times`: is at least 3", "does not hold"),
        ("- `greeting`: sounds friendly to everybody", "only a judge could"),
        ("- `answer`: contains `hello`", "no output, input or config"),
    ],
)
def test_sentences(tmp_path: Path, sentences: str, said: str) -> None:
    result = run(tmp_path, f"{PATTERN}\n### Expects\n\n{sentences}\n")
    assert [said in str(problem) for problem in (*result.problems, *result.unchecked)] == ([True] if said else []), (
        result.problems
    )


def test_expects_not_turns_a_sentence_around(tmp_path: Path) -> None:
    right = f"{PATTERN}\n### Expects Not\n\n- `greeting`: contains `bye`\n- `__error.md` exists\n"
    assert run(tmp_path, right).problems == ()
    wrong = f"{PATTERN}\n### Expects Not\n\n- `greeting`: contains `hello`\n"
    assert "does hold" in run(tmp_path, wrong).problems[0].text


def test_an_expected_failure_is_strict(tmp_path: Path) -> None:
    reason = "\n### Expected failure\n\nGreetings are not counted yet.\n"
    failing = run(tmp_path, PATTERN + EXPECTS % "number of calls: 2" + reason)
    assert (failing.verdict, failing.ok, failing.reason) == (
        "failed as expected",
        True,
        "Greetings are not counted yet.",
    )
    passing = run(tmp_path, PATTERN + EXPECTS % "number of calls: 1" + reason)
    assert not passing.ok
    assert "expected to fail" in passing.problems[0].text


def test_a_broken_case_is_a_failure_not_a_crash(tmp_path: Path) -> None:
    assert "knows no 'resutl'" in run(tmp_path, PATTERN + EXPECTS % "resutl: 1").problems[0].text
    assert "no subject" in run(tmp_path, "---\nname: x\nkind: test\nsubject: nowhere\n---\n").problems[0].text
    path = tmp_path / "latin.prose.md"
    path.write_bytes(b"---\nkind: test\n---\n\xff\n")
    assert "cannot be read" in run_case(path).problems[0].text


def test_a_report_of_nothing_is_no_success(tmp_path: Path) -> None:
    seen: list[CaseResult] = []
    assert not run_cases([tmp_path]).ok
    (tmp_path / "a.prose.md").write_text(PATTERN + EXPECTS % "status: done", encoding="utf-8")
    report = run_cases([tmp_path], on_result=seen.append)
    assert report.ok
    assert report.count("passed") == len(seen) == 1
