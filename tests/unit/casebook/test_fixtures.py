"""Every way to write `### Fixtures`, and the runs that come of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.casebook import CaseResult, run_case
from prose_runtime.casebook.blocks import Unreadable
from prose_runtime.casebook.reading import read_case

HEAD = "---\nname: a-case\nkind: test\nsubject: same\n---\n\n### Fixtures\n\n"
SAME = """

### Services

```yaml
writer: ["x"]
```

### Expects

- `n`: is at least 2

## same

### Parameters

- `n` (integer): a number

### Returns

- `same`: the number

### Execution

```prose
return n
```
"""


def fixtures(section: str) -> list[tuple[str, dict[str, object], dict[str, str]]]:
    case = read_case(Path("x.prose.md"), HEAD + section)
    return [(one.name, dict(one.values), dict(one.texts)) for one in case.fixtures]


@pytest.mark.parametrize(
    ("section", "found"),
    [
        ('- `a`: "x"\n- `b`: 3\n', [("", {"a": "x"}, {"b": "3"})]),
        ("- b: over two\n  lines\n", [("", {}, {"b": "over two lines"})]),
        ("- `a`: |\n    one\n      two\n\n    - three\n", [("", {"a": "one\n  two\n\n- three\n"}, {})]),
        ("- `a`: |-\n    one\n    two\n- `b`: x\n", [("", {"a": "one\ntwo"}, {"b": "x"})]),
        ("```yaml\na: [1]\n```\n- `b`: x\n", [("", {"a": [1]}, {"b": "x"})]),
        ('| input | value |\n|---|---|\n| `a` | 1 |\n| b | "x \\| y" |\n', [("", {"b": "x | y"}, {"a": "1"})]),
        ("| a | b |\n|---|:-:|\n| 1 | x |\n| 2 | |\n", [("1", {}, {"a": "1", "b": "x"}), ("2", {}, {"a": "2"})]),
        ("| case | a |\n|---|---|\n| low | 1 |\n\n- `b`: y\n", [("low", {}, {"b": "y", "a": "1"})]),
        ("```yaml\n- {fixture: one, a: 1}\n- {a: 2}\n```\n", [("one", {"a": 1}, {}), ("2", {"a": 2}, {})]),
        (
            '- fixture: one\n  a: 1 and\n    more\n  b: "x"\n- fixture: two\n  a: 2\n',
            [("one", {"b": "x"}, {"a": "1 and more"}), ("two", {}, {"a": "2"})],
        ),
    ],
)
def test_forms(section: str, found: list[tuple[str, dict[str, object], dict[str, str]]]) -> None:
    assert fixtures(section) == found


@pytest.mark.parametrize(
    ("section", "said", "line"),
    [
        ("- no name here\n", "is `name`: value", 9),
        ("| a | b |\n| 1 | 2 |\n", "`|---|---|`", 9),
        ("| a |\n|---|\n| 1 | 2 |\n", "2 cells", 11),
        ("```yaml\n- 1\n```\n", "no mapping", 7),
        ("```yaml\nx\n```\n", "takes a mapping", 7),
    ],
)
def test_what_is_refused(section: str, said: str, line: int) -> None:
    with pytest.raises(Unreadable) as caught:
        fixtures(section)
    assert said in caught.value.message
    assert caught.value.line == line


def run(tmp_path: Path, section: str) -> CaseResult:
    path = tmp_path / "a.prose.md"
    path.write_text((HEAD + section + SAME).replace('### Services\n\n```yaml\nwriter: ["x"]\n```\n\n', ""))
    return run_case(path)


def test_each_row_is_a_run_of_its_own(tmp_path: Path) -> None:
    assert run(tmp_path, "| n |\n|---|\n| 2 |\n| 3 |\n").checked == 2
    wrong = run(tmp_path, "| case | n |\n|---|---|\n| good | 2 |\n| low | 1 |\n")
    assert [problem.text.split(":")[0] for problem in wrong.problems] == ["fixture low"]


def test_what_one_row_alone_must_give(tmp_path: Path) -> None:
    group = "- fixture: one\n  n: 2\n  expected_result: same is %s and `n` exists\n"
    assert run(tmp_path, group % "2").problems == ()
    assert "fixture one" in run(tmp_path, group % "3").problems[0].text
