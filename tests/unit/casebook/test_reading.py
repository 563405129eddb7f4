"""From the text of a case to its data: what is read, and what is refused with a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.casebook.blocks import Unreadable, read_yaml, without_markers
from prose_runtime.casebook.case import ExpectedCall, ExpectedDecision, ExpectedDiagnostic
from prose_runtime.casebook.discovery import find_cases
from prose_runtime.casebook.reading import read_case

HEAD = "---\nname: a-case\nkind: test\nsubject: other\n---\n\nWhat it shows.\n"


def case_with(section: str) -> str:
    return f"{HEAD}\n{section}\n"


def test_markers_are_taken_off_and_counted_by_line() -> None:
    text, found = without_markers('let a = 1\nlet b = c  ### "unknown-name" "unused-name"\n### "heading"\n')
    assert text == 'let a = 1\nlet b = c\n### "heading"\n'
    assert found == [(2, "unknown-name"), (2, "unused-name")]


def test_yaml_scalars_are_those_of_json() -> None:
    value = read_yaml("a: no\nb: 12:30\nc: 2024-01-02\nd: 1\ne: 0.5\nf: true\ng: null\nh: '1'\n")
    assert value == {"a": "no", "b": "12:30", "c": "2024-01-02", "d": 1, "e": 0.5, "f": True, "g": None, "h": "1"}


def test_fixtures_are_texts_or_values() -> None:
    case = read_case(
        Path("x.prose.md"), case_with('### Fixtures\n\n- `a`: "quoted text"\n- `b`: bare (optional) text\n- `n`: 3\n')
    )
    assert case.fixtures[0].values == {"a": "quoted text"}
    assert case.fixtures[0].texts == {"b": "bare (optional) text", "n": "3"}


def test_calls_in_their_three_forms() -> None:
    block = (
        "### Expects\n\n```yaml\ncalls:\n  - one\n  - two: {x: 1}\n"
        "  - {service: three, exactly: {y: 2}, without: [z], attempts: 2, error: timeout}\n"
        "decisions:\n  - a meets b\n  - {text: c, how: formal, holds: false}\n```\n"
    )
    expects = read_case(Path("x.prose.md"), case_with(block)).expects
    assert expects.calls == (
        ExpectedCall("one"),
        ExpectedCall("two", received={"x": 1}),
        ExpectedCall("three", exactly={"y": 2}, without=("z",), attempts=2, error="timeout"),
    )
    assert expects.decisions == (ExpectedDecision("a meets b"), ExpectedDecision("c", "formal", False))


def test_lines_of_markers_are_those_of_the_document() -> None:
    text = case_with(
        '### Document\n\n````markdown\n---\nname: x\nkind: pattern   ### "unknown-kind"\n---\n````\n'
        "\n### Expects\n\n```yaml\ndiagnostics: [a-code, {line: 9, code: other}]\n```\n"
    )
    case = read_case(Path("x.prose.md"), text)
    assert case.document is not None
    assert case.document.main.name == "x"
    assert case.expects.diagnostics == (
        ExpectedDiagnostic("unknown-kind", 3),
        ExpectedDiagnostic("a-code"),
        ExpectedDiagnostic("other", 9),
    )
    assert not case.runs


@pytest.mark.parametrize(
    ("section", "said", "line"),
    [
        ("### Expects\n\n```yaml\nresults: 1\n```\n", "knows no 'results'", 9),
        ("### Expects\n\n```yaml\na: 1\nb: [\n```\n", "", 13),
        ("### Expects\n\n```yaml\na: 1\na: 2\n```\n", "twice", 13),
        ("### Expects\n\n```yaml\na: 1\n```\n\n```yaml\nb: 1\n```\n", "it takes one", 15),
        ("### Services\n\n```yaml\ncritic: text\n```\n", "takes a list of replies", 9),
        ("### Expect\n\n- `a`: is 1\n", "no section ### Expect; write ### Expects", 9),
        ("### Service\n\nNone.\n", "write ### Services", 9),
        ("### Bindings\n\n```yaml\na: 1\n```\n", "it has fixtures, services", 9),
        ("### Document\n\nNothing.\n", "needs a fenced `markdown` block", 9),
        ("### Expected failure\n\n### Notes\n\nx\n", "needs a reason", 9),
        ("### Expects\n\n```yaml\ncalls: [{a: 1, b: 2}]\n```\n", "needs `service`", 9),
        ("### Expects\n\n```yaml\nnumber of calls: many\n```\n", "takes a whole number", 9),
    ],
)
def test_what_is_refused(section: str, said: str, line: int) -> None:
    with pytest.raises(Unreadable) as caught:
        read_case(Path("x.prose.md"), case_with(section))
    assert said in caught.value.message
    assert caught.value.line == line


def test_only_tests_are_found_in_folders(tmp_path: Path) -> None:
    (tmp_path / "b.prose.md").write_text(HEAD)
    (tmp_path / "a.prose.md").write_text("---\r\nkind: test\r\n---\r\n", newline="")
    (tmp_path / "pattern.prose.md").write_text("---\nkind: pattern\n---\nkind: test\n")
    (tmp_path / "notes.md").write_text(HEAD)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "c.prose.md").write_text(HEAD)
    assert [path.name for path in find_cases([tmp_path])] == ["a.prose.md", "b.prose.md"]
    assert find_cases([tmp_path / "pattern.prose.md"]) == [tmp_path / "pattern.prose.md"]
    with pytest.raises(FileNotFoundError):
        find_cases([tmp_path / "nowhere"])


def test_a_case_that_expects_nothing_is_told_from_a_clean_check() -> None:
    document = "### Document\n\n````markdown\n---\nname: x\nkind: pattern\n---\n````\n"
    empty = {
        section: read_case(Path("x.prose.md"), case_with(section)).is_empty
        for section in (
            "### Services\n\n```yaml\na: [1]\n```\n",
            "### Notes\n\nNothing.\n",
            document,
            document + "\n### Expects\n\nThat it is right.\n",
            "### Expects\n\n```yaml\nstatus: done\n```\n",
        )
    }
    assert list(empty.values()) == [True, True, False, True, False]
