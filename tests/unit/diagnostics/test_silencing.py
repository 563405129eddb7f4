"""Comments silence what is said of one line, a project sets severities; an error stays one."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime import load
from prose_runtime.cli.sharing import checked
from prose_runtime.services import BindingFault, load_project

HEAD = "---\nname: x\nkind: function\n---\n\n### Execution\n\n```prose\n"


def codes(script: str) -> list[str]:
    return [item.code for item in load(f"{HEAD}{script}\n```\n").diagnostics]


@pytest.mark.parametrize(
    ("script", "left"),
    [
        ("let a = 1\nreturn 2", ["unused-name"]),
        ("let a = 1  # prose: off unused-name\nreturn 2", []),
        ("# prose: off unused-name\nlet a = 1\nreturn 2", []),
        ("# prose: off unused-name\n\nlet a = 1\nreturn 2", []),
        ("# prose: off unused-name\nlet a = 1\nlet b = 1\nreturn 2", ["unused-name"]),
        ("let a = 1  # prose: off empty-body, unused-name\nreturn 2", ["unneeded-comment"]),
        ("let a = 1  # prose: off unusd-name\nreturn 2", ["unused-name", "unknown-code"]),
        ("call nobody  # prose: off unknown-call\nreturn 2", ["unknown-call", "unneeded-comment"]),
        ('return "# prose: off unused-name"', []),
    ],
)
def test_a_comment_is_about_one_line(script: str, left: list[str]) -> None:
    found = [code for code in codes(script) if code != "unneeded-comment" or "unneeded-comment" in left]
    assert sorted(found) == sorted(left)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_in_the_markdown_it_stands_above(ending: str) -> None:
    above = "<!-- prose: off retired-section -->\n### Ensures\n\n- `a`: it\n\n"
    text = HEAD.replace("### Execution", f"{above}### Execution") + "return 1\n```\n"
    said = [item.code for item in load(text.replace("\n", ending)).diagnostics]
    assert "retired-section" not in said
    assert "unneeded-comment" not in said


@pytest.mark.parametrize(("setting", "severity"), [("error", "error"), ("note", "note"), ("off", None)])
def test_a_project_sets_severities(tmp_path: Path, setting: str, severity: str | None) -> None:
    (tmp_path / "prose.toml").write_text(f'[check]\nunused-name = "{setting}"\n')
    path = tmp_path / "a.prose.md"
    path.write_text(f"{HEAD}let a = 1\nreturn 2\n```\n")
    assert [item.severity for item in checked([path], portable=False)] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('unusd-name = "off"', "there is no code `unusd-name`"),
        ('unused-name = "loud"', "not one of these"),
        ('unknown-call = "off"', "is an error"),
    ],
)
def test_a_setting_that_cannot_be_is_said(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "prose.toml").write_text(f"[check]\n{table}\n")
    with pytest.raises(BindingFault) as raised:
        load_project(tmp_path)
    assert said in raised.value.diagnostic("x").message
