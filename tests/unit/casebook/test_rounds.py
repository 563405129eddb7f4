"""Rounds of cases: which are chosen, what the report holds, what `--update` writes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from prose_runtime.casebook import CaseReport, CaseResult, Problem, Ran, Ways, run_case, run_cases
from prose_runtime.casebook.junit import as_junit
from prose_runtime.casebook.rewriting import rewritten
from prose_runtime.casebook.selecting import BadExpression, read_choice

CASE = """---
name: %s
kind: test
subject: greet
---

### Services

```yaml
writer: ["hi", "hello"]
```

### Expects

```yaml
# what comes out
%s
```

- `greeting`: exists

## greet

### Slots

- `writer`

### Returns

- `greeting`: a text
- `rounds`: how many

### Execution

```prose
let first = call writer
  text: "one"
let second = call writer
  text: first
if second contains "hello":
  return { greeting: second, rounds: 2 }
return { greeting: first, rounds: 1 }
```
"""
RIGHT = """status: done
result: {greeting: "hello", rounds: 2}
calls:
  - writer: {text: "one"}
  - service: writer
    exactly: {text: "hi"}
number of calls: 2   # both
decisions: [{text: second contains, how: formal, holds: true}]"""


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ("one", ["one"]),
        ("ONE or two", ["one", "two"]),
        ("not one", ["two", "three"]),
        ("t and not w", ["three"]),
        ("not (one or two)", ["three"]),
        ("not not one", ["one"]),
        ('"tw"', ["two"]),
        ("nowhere", []),
    ],
)
def test_choosing(expression: str, chosen: list[str]) -> None:
    choice = read_choice(expression)
    assert [word for word in ("one", "two", "three") if choice(word)] == chosen


@pytest.mark.parametrize("expression", ["", "one two", "(one", "one)", "and one", "one or", "not"])
def test_expressions_that_cannot_be_read(expression: str) -> None:
    with pytest.raises(BadExpression):
        read_choice(expression)


def write(path: Path, name: str, expects: str) -> Path:
    path.write_text(CASE % (name, expects), encoding="utf-8")
    return path


def test_cases_are_chosen_by_path_and_name(tmp_path: Path) -> None:
    write(tmp_path / "a.prose.md", "polite", RIGHT)
    write(tmp_path / "b.prose.md", "rude", RIGHT)
    report = run_cases([tmp_path], choose=read_choice("polite"))
    assert ([result.name for result in report.results], report.found) == (["polite"], 2)


def test_what_is_not_run_says_what_it_needs_and_is_no_pass(tmp_path: Path) -> None:
    path = write(tmp_path / "a.prose.md", "a", RIGHT)
    path.write_text(path.read_text().replace('### Services\n\n```yaml\nwriter: ["hi", "hello"]\n```\n\n', ""))
    result = run_case(path)
    assert (result.verdict, result.ok) == ("not run", False)
    assert "needs replies for `writer`" in result.problems[0].text
    forgotten = path.read_text().replace("### Expects\n", "### Services\n\n```yaml\nother: [1]\n```\n\n### Expects\n")
    path.write_text(forgotten)
    assert run_case(path).verdict == "failed"


def test_command_lines_run_beside_each_other_and_are_told_in_order(tmp_path: Path) -> None:
    text = "---\nname: %s\nkind: test\n---\n\n### Command\n\n```console\n$ prose std\n```\n\n"
    text += "### Expects\n\n```yaml\n%s\n```\n"
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.prose.md").write_text(text % (name, "exit: 0"))
    seen: list[str] = []

    def runner(words: list[str], stdin: str, folder: Path) -> Ran:
        return Ran(0, "", "")

    report = run_cases([tmp_path], ways=Ways(runner), on_result=lambda result: seen.append(result.name))
    assert report.ok
    assert seen == ["a", "b", "c"]


def test_junit(tmp_path: Path) -> None:
    problem = Problem("expected \x1b 1 & 2", line=7)
    results = (
        CaseResult(Path("cases/a.prose.md"), "a", "passed", seconds=0.25),
        CaseResult(Path("cases/b.prose.md"), "b", "failed", (problem,)),
        CaseResult(Path("cases/c.prose.md"), "c", "failed as expected", (problem,), reason="not yet"),
        CaseResult(Path("cases/d.prose.md"), "d", "not run", (Problem("it needs replies"),)),
        CaseResult(Path("cases/e.prose.md"), "e", "not checked", unchecked=(Problem("e: not checked"),)),
    )
    root = ElementTree.fromstring(as_junit(CaseReport(results)))
    suite = root[0]
    assert [suite.get(key) for key in ("tests", "failures", "skipped", "errors")] == ["5", "2", "2", "0"]
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["skipped"], ["skipped"], ["failure"]]
    failed = suite[1]
    assert (failed.get("file"), failed.get("line"), failed.get("classname")) == ("cases/b.prose.md", "7", "cases")
    assert failed[0].get("message") == "expected \ufffd 1 & 2"
    assert suite[0].get("time") == "0.250"
    assert suite[2][0].get("message") == "not yet"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("status: failed", "status: done"),
        ('result: {greeting: "bye", rounds: 2}', 'result: {greeting: "hello", rounds: 2}'),
        ("result:\n  greeting: hello # said\n  rounds: 3", "result:\n  greeting: hello # said\n  rounds: 2"),
        ("result:\n  greeting: |\n    bye\n  rounds: 2", 'result:\n  greeting: "hello"\n  rounds: 2'),
        ("result: {greeting: hello}", 'result: {greeting: "hello", rounds: 2}'),
        ("result:\n  greeting: hello", 'result:\n  greeting: "hello"\n  rounds: 2'),
        ("result has: {rounds: 1}", "result has: {rounds: 2}"),
        ("number of calls: 3 # all", "number of calls: 2 # all"),
        ("calls: [writer]", "calls: [writer, writer]"),
        ("calls:\n  - writer: {text: one}", 'calls:\n  - {writer: {"text": one}}\n  - writer'),
        ("calls:\n  - writer: {text: two}\n  - writer", "calls:\n  - writer: {text: one}\n  - writer"),
        ("calls: [writer, {service: writer, attempts: 3}]", "calls: [writer, {service: writer, attempts: 1}]"),
        ("decisions: [{text: second, holds: false}]", "decisions: [{text: second, holds: true}]"),
        ("warnings: [some-code]", "warnings: []"),
    ],
)
def test_update_writes_the_value_and_nothing_else(tmp_path: Path, wrong: str, right: str) -> None:
    path = write(tmp_path / "a.prose.md", "a", wrong)
    result = run_case(path)
    assert result.verdict == "failed"
    new = rewritten(path, path.read_text(), result.problems)
    if "{writer:" in right:  # how a call is written again is free, what it says is not
        assert new != path.read_text()
    else:
        assert new == CASE % ("a", right)
    path.write_text(new)
    assert run_case(path).verdict == "passed"


def test_update_leaves_alone_what_is_right(tmp_path: Path) -> None:
    path = write(tmp_path / "a.prose.md", "a", RIGHT)
    result = run_case(path)
    assert result.problems == ()
    assert rewritten(path, path.read_text(), result.problems) == path.read_text()


def test_update_keeps_markers_and_line_ends(tmp_path: Path) -> None:
    text = (CASE % ("a", "number of calls: 5")).replace("let second = call", "let third = 1\nlet second = call")
    text = text.replace("let third = 1", 'let third = 1  ### "unused-name"').replace("\n", "\r\n")
    path = tmp_path / "a.prose.md"
    path.write_bytes(text.encode())
    result = run_case(path)
    new = rewritten(path, text, [problem for problem in result.problems if problem.path == ("number of calls",)])
    assert new == text.replace("number of calls: 5", "number of calls: 2")
