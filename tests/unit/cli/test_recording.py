"""`--record FOLDER`: where runs and cases are written down, and what is refused before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Prose = Callable[..., Any]

PATTERN = """---
name: notes
kind: pattern
---

### Slots

- `writer`

### Returns

- `text`: it

### Delegation

```prose
return call writer
```
"""
CASE = """---
name: two words
kind: test
subject: ./notes.prose.md
---

### Services

```yaml
writer:
  - wet
```

### Expects

- `text`: contains `{wanted}`
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.prose.md").write_text(PATTERN)
    (tmp_path / "s.py").write_text("def write():\n    open('ran', 'w').close()\n    return 'wet'\n")
    return tmp_path


RUN = ("run", "notes.prose.md", "--bind", "writer=py:./s.py:write", "--record", "out")


def test_a_run_is_written_down(prose: Prose, folder: Path) -> None:
    ran = prose(*RUN)
    assert (ran.status, ran.out, ran.err) == (0, "wet\n", "")
    assert (folder / "out" / "bindings" / "notes" / "text.md").read_text() == "wet\n"


@pytest.mark.parametrize("command", [RUN, ("test", "a.test.prose.md", "--record", "out")], ids=["run", "test"])
def test_a_folder_that_holds_something_is_refused_before_anything_runs(
    prose: Prose, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "a.test.prose.md").write_text(CASE.format(wanted="wet"))
    (folder / "out").mkdir()
    (folder / "out" / "mine").write_text("x")
    ran = prose(*command)
    assert ran.status == 2
    assert ran.out == ""
    assert "out is not empty" in ran.err
    assert "name a new folder" in ran.err
    assert not (folder / "ran").exists()
    assert [path.name for path in (folder / "out").iterdir()] == ["mine"]


def test_a_file_in_its_place_is_refused(prose: Prose, folder: Path) -> None:
    (folder / "out").write_text("x")
    assert prose(*RUN).status == 2
    assert not (folder / "ran").exists()


def test_a_folder_that_cannot_be_made_is_a_fault_of_its_own(prose: Prose, folder: Path) -> None:
    (folder / "file").write_text("x")
    ran = prose(*RUN[:-1], "file/out")
    assert ran.status == 1
    assert "file/out cannot be written" in ran.err
    assert not (folder / "ran").exists()


def test_cases_of_one_name_have_folders_of_their_own(prose: Prose, folder: Path) -> None:
    (folder / "a.test.prose.md").write_text(CASE.format(wanted="wet"))
    (folder / "b.test.prose.md").write_text(CASE.format(wanted="dry"))
    ran = prose("test", "a.test.prose.md", "b.test.prose.md", "--record", "out")
    assert ran.status == 1
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["two-words", "two-words-2"]
    verdicts = [
        (folder / "out" / name / "vm.log.md").read_text().splitlines()[-1] for name in ("two-words", "two-words-2")
    ]
    assert verdicts == ["---test PASS", "---test FAIL (0/1 assertions)"]
    assert (folder / "out").stat().st_mode & 0o777 == 0o700


SECRET = "a-very-secret-word"


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pattern that gives its input back, in a project with a secret."""
    monkeypatch.setenv("TOKEN", SECRET)
    (folder / "prose.toml").write_text('[services]\nwriter = "cmd:cat"\n[secrets]\nnames = ["TOKEN"]\n')
    text = PATTERN.replace("### Returns", "### Parameters\n\n- `token` (string): it\n\n### Returns")
    (folder / "notes.prose.md").write_text(text.replace("return call writer", "call writer\nreturn token"))
    return folder


def written(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.rglob("*") if path.is_file() and path.name != "root.prose.md")


def test_secrets_are_masked_in_the_record_of_a_run(prose: Prose, project: Path) -> None:
    ran = prose("run", "notes.prose.md", "--trust", "--input", f"token={SECRET}", "--record", "out")
    assert ran.status == 0, ran.err
    assert (project / "out" / "bindings" / "notes" / "text.md").read_text() == "[secret TOKEN]\n"
    assert SECRET not in written(project / "out")


def test_secrets_are_masked_in_the_records_of_cases(prose: Prose, project: Path) -> None:
    case = CASE.format(wanted=SECRET).replace(
        "### Services\n\n```yaml\nwriter:\n  - wet\n```", f"### Fixtures\n\n- `token`: {SECRET}"
    )
    (project / "a.test.prose.md").write_text(case)
    ran = prose("test", "a.test.prose.md", "--live", "--trust", "--record", "out")
    assert ran.status == 0, ran.out + ran.err
    assert (project / "out" / "two-words" / "bindings" / "notes" / "text.md").read_text() == "[secret TOKEN]\n"
    assert SECRET not in written(project / "out")


def test_updating_writes_down_both_rounds(prose: Prose, folder: Path) -> None:
    (folder / "a.test.prose.md").write_text(CASE.split("- `text`")[0] + "```yaml\nresult: dry\n```\n")
    ran = prose("test", "a.test.prose.md", "--record", "out", "--update", "--yes")
    assert ran.status == 0, ran.out + ran.err
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["two-words", "two-words-2"]
