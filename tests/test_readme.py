"""What README.md shows is what happens: every command in it is run, every example in it too."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def _commands() -> list[str]:
    lines = [line for block in _blocks("console") for line in block.replace("\\\n", " ").splitlines()]
    return [" ".join(line[2:].split()) for line in lines if line.startswith("$ ")]


def _shell(command: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a line of the README with `prose` standing for this interpreter's module."""
    words = f"{shlex.quote(sys.executable)} -m prose_runtime"
    line = re.sub(r"^prose(?= )", words, command)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    return subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("command", _commands())
def test_command_runs(command: str) -> None:
    done = _shell(command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def _finished_message() -> str:
    return _blocks("text")[1].strip()


def test_the_demo_ends_with_the_message_shown() -> None:
    recipe = re.search(r"^demo:.*?\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert recipe is not None
    command = recipe[1].replace("\\\n", " ").strip().lstrip("@").replace("$(BIN)/prose", "prose")
    command = command.replace("$(BIN)/python", shlex.quote(sys.executable))
    done = _shell(" ".join(command.split()))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().startswith(_finished_message())
    assert done.stdout.strip().endswith("(score 1 after 9 rounds)")
    assert done.stderr.count("evaluator") >= 9
    assert _blocks("text")[0] in re.sub(r"  \d+\.\d s  ", "  0.0 s  ", done.stderr)


@pytest.mark.parametrize("command", [line for line in _commands() if line.startswith("prose run")])
def test_functions_and_programs_give_the_same_message(command: str) -> None:
    assert _finished_message() in _shell(command).stdout.replace("\\n", "\n")


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make (\w+)", "\n".join(_blocks("sh")), re.MULTILINE)
    assert targets == ["demo", "test"]
    assert README.index("make test") < README.index("\n## ")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_the_python_example_prints_what_is_said() -> None:
    (code,) = _blocks("python")
    said = re.search(r"prints `(.*?)`", README)
    assert said is not None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert printed.getvalue().strip() == said[1]


def test_the_pattern_checks_and_runs(tmp_path: Path) -> None:
    (pattern,) = _blocks("markdown")
    path = tmp_path / "second-opinion.prose.md"
    path.write_text(pattern, encoding="utf-8")
    assert _shell(f"prose check {path}").returncode == 0
    from prose_runtime import run

    outcome = run(
        path,
        bind={
            "expert": lambda question, objection=None: f"no, because {objection}" if objection else "yes",
            "sceptic": lambda question, answer: {"verdict": "reject", "reason": "it rains"},
        },
        inputs={"question": "is it dry?"},
    )
    assert outcome.result == {"answer": "no, because it rains", "objected": True}


def test_the_project_file_is_read(tmp_path: Path) -> None:
    from prose_runtime.services import load_project

    (text,) = _blocks("toml")
    (tmp_path / "prose.toml").write_text(text, encoding="utf-8")
    assert load_project(tmp_path) is not None


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, place in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", _prose(page)):
        other = page.parent / target if target else page
        assert other.exists(), target
        assert not place or place in _anchors(other), f"{target}#{place}"


def test_every_page_is_in_the_index() -> None:
    index = README.split("## Reading on")[1]
    assert all(f"(docs/{page.name})" in index for page in PAGES[1:])


def _prose(page: Path) -> str:
    """A page without what stands in its fences."""
    return re.sub(r"^(`{3,}|~{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def _anchors(page: Path) -> set[str]:
    """Its headings as code hosts make links of them."""
    headings = re.findall(r"^#+ (.*)$", _prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
