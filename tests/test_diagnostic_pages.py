"""Code, page and example hold together: each code has a page, its Wrong gives the code, its Right does not."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import prose_runtime as prose
from prose_runtime.cli.entry import perform
from prose_runtime.diagnostics import CODES, Code, Diagnostic
from prose_runtime.diagnostics.pages import (
    FOLDER,
    Example,
    MalformedPage,
    NoSuchPage,
    Page,
    error_names,
    page,
    take_apart,
)
from prose_runtime.runtime import complaints
from prose_runtime.services import BindingFault, extras, service_from

PAGES = sorted(path.stem for path in FOLDER.glob("*.md"))


def codes_of(example: Example, folder: Path) -> set[str]:
    """The codes that reading and resolving a page's document reports."""
    path = folder / "example.prose.md"
    path.write_text(example.content, encoding="utf-8")
    found: list[Diagnostic] = prose.check(path)
    return {item.code for item in found}


def _without_extras(target: str) -> list[Diagnostic]:
    """What binding a target says where no package of an extra is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extras, "find_spec", lambda name: None)
        with pytest.raises(BindingFault) as caught:
            service_from(target, name="critic")
    return [caught.value.diagnostic("--bind")]


# What no page can hold as a whole: the fault is made here.
BEYOND_A_PAGE: dict[str, Callable[[], list[Diagnostic]]] = {
    "extra-not-installed": lambda: _without_extras("https://example.org/critic"),
    "document-too-large": lambda: prose.check("x\n" * 1_100_000),
}


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
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    if code in BEYOND_A_PAGE:
        assert code in {item.code for item in BEYOND_A_PAGE[code]()}
        return
    if parts.wrong.language == "markdown":
        assert code in codes_of(parts.wrong, tmp_path)
        assert code not in codes_of(parts.right, tmp_path)
    else:
        assert is_named(code, shown_by(parts.wrong, capsys))
        assert not is_named(code, shown_by(parts.right, capsys))


def is_named(code: str, shown: str) -> bool:
    """Whether a code is shown as that of a diagnostic, or in `--json` as that of a warning or error of the run."""
    return f"[{code}]" in shown or f'"code": "{code}"' in shown or f'"name": "{code}"' in shown


def shown_by(example: Example, capsys: pytest.CaptureFixture[str]) -> str:
    """What a console block's commands write: `$ cat FILE` shows a file that is there, `$ prose …` is run."""
    shown = ""
    for words, below in commands(example.content):
        if words[0] == "cat":
            Path(words[1]).write_text(below, encoding="utf-8")
            continue
        assert words[0] == "prose"
        perform(words[1:])
        written = capsys.readouterr()
        shown += written.out + written.err
    return shown


def commands(content: str) -> list[tuple[list[str], str]]:
    """The words of each command line, and the text below it up to the next one."""
    parts = re.split(r"(?m)^\$ ", content.replace("\\\n", " "))[1:]
    lines = [part.partition("\n") for part in parts]
    return [(shlex.split(line), below) for line, _, below in lines]


@pytest.mark.parametrize("code", PAGES)
def test_console_examples_hold_a_command(code: str) -> None:
    parts = taken_apart(code)
    if parts.wrong.language == "console":
        for example in (parts.wrong, parts.right):
            assert "prose" in [words[0] for words, _ in commands(example.content)]


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
        ("# a\n\ntext\n\n## Why\n\nx\n\n## Wrong\n\nno block\n\n## Right\n\ny\n", "wrong holds no"),
    ],
)
def test_a_page_without_its_form_is_found(text: str, said: str) -> None:
    with pytest.raises(MalformedPage, match=said):
        take_apart(text)


# ---- the errors of a run ----

ERROR_FORM = re.compile(r"# (?P<name>[a-z-]+)\n\n.+?\n\n## When\n\n.+?\n\n## What to do\n\n.+?```\n", re.DOTALL)


@pytest.mark.parametrize("name", error_names())
def test_the_page_of_an_error_has_its_form(name: str) -> None:
    match = ERROR_FORM.fullmatch(page(name))
    assert match is not None
    assert match["name"] == name
    assert name not in CODES


def test_whatever_name_a_run_may_print_can_be_explained() -> None:
    """The names that stand in the code of the runtime and of the services, as it is written."""
    raised = {"service-failed", "budget", "stopped", *complaints._MESSAGES}
    for path in [
        *Path(prose.__file__).parent.glob("runtime/*.py"),
        *Path(prose.__file__).parent.rglob("services/**/*.py"),
    ]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                raised |= _names_of(node, node.func.id)
    assert {"timeout", "contract", "division-by-zero"} <= raised
    assert raised - {*CODES, *error_names()} == set()


def _names_of(node: ast.Call, called: str) -> set[str]:
    given = node.args[:1] if called in ("Failure", "Fault") else []
    given += [item.value for item in node.keywords if called == "ServiceError" and item.arg == "name"]
    parts = [part for item in given for part in ((item.body, item.orelse) if isinstance(item, ast.IfExp) else (item,))]
    return {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
