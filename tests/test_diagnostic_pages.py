"""Code, page and example hold together: each code has a page, its Wrong gives the code, its Right does not."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from prose_runtime.cli.entry import perform
from prose_runtime.diagnostics import CODES, Code, Diagnostic
from prose_runtime.diagnostics.pages import FOLDER, Example, MalformedPage, NoSuchPage, Page, page, take_apart

PAGES = sorted(path.stem for path in FOLDER.glob("*.md"))


def codes_of(example: Example, folder: Path) -> set[str]:
    """The codes that reading and resolving a page's document reports."""
    import prose_runtime as prose

    path = folder / "example.prose.md"
    path.write_text(example.content, encoding="utf-8")
    found: list[Diagnostic] = prose.check(path)
    return {item.code for item in found}


def taken_apart(code: str) -> Page:
    return take_apart(page(code))


def test_each_code_has_a_page_and_each_page_a_code() -> None:
    assert sorted(CODES) == PAGES


@pytest.mark.parametrize("code", PAGES)
def test_each_page_has_the_form(code: str) -> None:
    parts = taken_apart(code)
    assert parts.code == code
    assert parts.wrong.language == parts.right.language
    assert parts.wrong.content != parts.right.content


@pytest.mark.parametrize("code", PAGES)
def test_wrong_gives_the_code_and_right_does_not(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = taken_apart(code)
    monkeypatch.chdir(tmp_path)
    if parts.wrong.language == "markdown":
        assert code in codes_of(parts.wrong, tmp_path)
        assert code not in codes_of(parts.right, tmp_path)
    else:
        assert f"[{code}]" in shown_by(parts.wrong, capsys)
        assert f"[{code}]" not in shown_by(parts.right, capsys)


def shown_by(example: Example, capsys: pytest.CaptureFixture[str]) -> str:
    """What the `$ prose …` lines of a console block write when they are run in a folder that holds only the files that
    its `$ cat NAME` lines show."""
    shown = ""
    for name, text in files_shown(example.content):
        Path(name).write_text(text, encoding="utf-8")
    for words in command_lines(example.content):
        perform(words)
        written = capsys.readouterr()
        shown += written.out + written.err
    return shown


def files_shown(content: str) -> list[tuple[str, str]]:
    """The files of a console block: `$ cat NAME`, and what stands below it up to the next command."""
    found = re.findall(r"^\$ cat (\S+)\n((?:(?!\$ ).*\n)*)", content, re.MULTILINE)
    return [(name, text) for name, text in found if not Path(name).is_absolute() and ".." not in name]


def command_lines(content: str) -> list[list[str]]:
    joined = content.replace("\\\n", " ")
    lines = [shlex.split(line[2:], comments=True) for line in joined.splitlines() if line.startswith("$ ")]
    return [words[1:] for words in lines if words[:1] == ["prose"]]


@pytest.mark.parametrize("code", PAGES)
def test_console_examples_hold_a_command(code: str) -> None:
    parts = taken_apart(code)
    if parts.wrong.language == "console":
        assert command_lines(parts.wrong.content)
        assert command_lines(parts.right.content)


@pytest.mark.parametrize("entry", CODES.values(), ids=lambda entry: entry.name)
def test_each_code_says_what_is_wrong_and_what_to_do(entry: Code) -> None:
    assert entry.message
    assert entry.help


def test_an_unknown_code_is_answered_with_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CODES, "unknown-slot", Code("unknown-slot", "error", "m", "h"))
    with pytest.raises(NoSuchPage) as caught:
        page("unkown-slot")
    assert "unknown-slot" in caught.value.nearest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# a\n\ntext\n\n## Why\n\nx\n\n## Right\n\ny\n", "Wrong"),
        ("text\n\n## Why\n\nx\n\n## Wrong\n\nx\n\n## Right\n\ny\n", "# code"),
        ("# a\n\ntext\n\n## Why\n\nx\n\n## Wrong\n\nno block\n\n## Right\n\ny\n", "Wrong holds no"),
    ],
)
def test_a_page_without_its_form_is_found(text: str, said: str) -> None:
    with pytest.raises(MalformedPage, match=said):
        take_apart(text)
