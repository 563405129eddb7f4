"""What `prose new` writes checks clean and its test passes, whatever the names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.casebook import find_cases, run_case
from prose_runtime.cli.faults import Fault
from prose_runtime.cli.new import _check

Prose = Callable[..., Any]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is written to an empty folder."""
    monkeypatch.chdir(tmp_path)


def _is_good(prose: Prose, folder: Path) -> None:
    checked = prose("check", "--strict", ".")
    assert checked.status == 0, checked.out
    cases = find_cases([folder])
    assert cases
    for path in cases:
        result = run_case(path)
        assert result.ok, result.problems


@pytest.mark.parametrize(
    "words",
    [
        ["pattern", "one"],
        ["pattern", "two-steps", "--slots", "writer,critic", "--inputs", "topic,style", "--outputs", "draft,opinion"],
        ["pattern", "many-outputs", "--slots", "a", "--outputs", "x,y,z"],
        ["pattern", "hyphens", "--slots", "first-writer,second-writer", "--inputs", "the_topic"],
        ["function", "shorten", "--inputs", "text"],
        ["function", "shorten-more", "--inputs", "text,words", "--outputs", "summary,title"],
    ],
)
def test_it_is_good_as_it_is(prose: Prose, words: list[str], tmp_path: Path) -> None:
    ran = prose("new", *words)
    assert ran.status == 0, ran.err
    _is_good(prose, tmp_path)


@pytest.mark.parametrize(
    "subject", ["std/patterns/refine", "std/patterns/fan-out", "std/patterns/guard", "own.prose.md"]
)
def test_a_test_of_what_is_there(prose: Prose, subject: str, tmp_path: Path) -> None:
    assert prose("new", "pattern", "own").status == 0
    ran = prose("new", "test", "as-it-is", "--subject", subject)
    assert ran.status == 0, ran.err
    _is_good(prose, tmp_path)


def test_nothing_is_written_over(prose: Prose, tmp_path: Path) -> None:
    (tmp_path / "one.test.prose.md").write_text("mine")
    ran = prose("new", "pattern", "one")
    assert ran.status == 2
    assert "one.test.prose.md is there already" in ran.err
    assert not (tmp_path / "one.prose.md").exists()
    assert (tmp_path / "one.test.prose.md").read_text() == "mine"
    assert prose("new", "pattern", "one", "--force").status == 0


@pytest.mark.parametrize(
    ("name", "better"), [("TwoSteps", "two-steps"), ("a b", "a-b"), ("x_y", "x-y"), ("../up", "up")]
)
def test_a_name_that_is_none_has_a_suggestion(name: str, better: str) -> None:
    with pytest.raises(Fault) as raised:
        _check(name, "NAME")
    assert raised.value.advice == f"write `{better}`"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["test", "x"], "a test is about something"),
        (["function", "x", "--slots", "a"], "a function has no slots"),
        (["pattern", "x", "--slots", "a,a"], "twice"),
        (["pattern", "x", "--slots", "a", "--inputs", "a"], "both a slot and an input"),
        (["pattern", "x", "--slots", ","], "names nothing"),
        (["test", "x", "--subject", "nowhere.prose.md"], "no pattern file"),
    ],
)
def test_what_cannot_be_made_is_said(prose: Prose, words: list[str], said: str, tmp_path: Path) -> None:
    ran = prose("new", *words)
    assert ran.status == 2
    assert said in ran.err
    assert list(tmp_path.iterdir()) == []
