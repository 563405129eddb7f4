"""`prose check` and `prose std`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Prose = Callable[..., Any]

GOOD = """---
name: good
kind: function
---

# Good

Says it again.

### Parameters

- `topic`: string, what to say

### Returns

- `result`: the same

### Execution

```prose
return topic
```
"""
LINE = GOOD[: GOOD.index("return topic")].count("\n") + 1
BAD = GOOD.replace("return topic", "return topic + topik")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.prose.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "bad.prose.md").write_text(BAD, encoding="utf-8")
    (tmp_path / "notes.md").write_text("# Notes\n", encoding="utf-8")
    return tmp_path


def test_a_good_file(prose: Prose, folder: Path) -> None:
    ran = prose("check", "good.prose.md")
    assert (ran.status, ran.out, ran.err) == (0, "1 file, nothing to report\n", "")


def test_a_folder_is_its_documents_and_the_fault_has_its_place(prose: Prose, folder: Path) -> None:
    ran = prose("check", ".")
    assert ran.status == 2
    assert f"below/bad.prose.md:{LINE}:16: error[unknown-name]" in ran.out
    assert f"\n {LINE} | return topic + topik\n    |                ^^^^^\n" in ran.out
    assert "`topic`" in ran.out
    assert ran.out.endswith("1 error in 1 file (2 checked)\n")


def test_json_has_the_same(prose: Prose, folder: Path) -> None:
    ran = prose("check", "--format", "json", ".")
    assert ran.status == 2
    data = json.loads(ran.out)
    assert (data["files"], data["errors"]) == (2, 1)
    (item,) = data["diagnostics"]
    assert (item["code"], item["file"], item["line"], item["column"]) == (
        "unknown-name",
        "below/bad.prose.md",
        LINE,
        16,
    )


def test_sarif(prose: Prose, folder: Path) -> None:
    log = json.loads(prose("check", "--format", "sarif", ".").out)
    assert log["runs"][0]["results"][0]["ruleId"] == "unknown-name"


@pytest.mark.parametrize(
    ("phase", "shown"), [("document", "Definition"), ("program", "main: good"), ("plan", "conditions")]
)
def test_dumps(prose: Prose, folder: Path, phase: str, shown: str) -> None:
    ran = prose("check", "--dump", phase, "good.prose.md")
    assert ran.status == 0
    assert shown in ran.out


def test_a_file_that_is_not_there_says_where_it_looked_and_what_is_near(prose: Prose, folder: Path) -> None:
    ran = prose("check", "god.prose.md")
    assert ran.status == 2
    assert "error[no-such-file]: there is no pattern file `god.prose.md`" in ran.out
    assert "did you mean `good.prose.md`?" in ran.out
    assert "did you mean `std/refine`?" in prose("check", "std/refin").out


def test_one_file_that_cannot_be_read_does_not_keep_the_others_from_being_checked(prose: Prose, folder: Path) -> None:
    (folder / "latin.prose.md").write_bytes(b"---\nname: caf\xe9\n")
    (folder / "away.prose.md").symlink_to("/nowhere/at/all.prose.md")
    ran = prose("check", "latin.prose.md", "away.prose.md", "gone", "good.prose.md", "--format", "json")
    found = json.loads(ran.out)
    assert ran.status == 2
    assert found["files"] == 4
    assert [(item["file"], item["code"]) for item in found["diagnostics"]] == [
        ("away.prose.md", "unreadable-file"),
        ("gone", "no-such-file"),
        ("latin.prose.md", "unreadable-file"),
    ]
    assert {item["help"] for item in found["diagnostics"]} >= {"save it as UTF-8", "mend the link"}


def test_a_folder_that_cannot_be_read_is_said(prose: Prose, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> object:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "iterdir", refuse)
    ran = prose("check", ".")
    assert (ran.status, ran.err.splitlines()[0]) == (2, "error: the folder . cannot be read: Permission denied")


def test_a_word_is_a_path_whatever_stands_in_it(prose: Prose, folder: Path) -> None:
    assert "there is no pattern file" in prose("check", "a\nkind: test").out
    assert prose("check", "").err.startswith("error: an empty name names no file\n")
    assert prose("run", "").err.startswith("error: no file is named\n")


def test_an_empty_folder_is_said(prose: Prose, folder: Path) -> None:
    (folder / "empty").mkdir()
    ran = prose("check", "empty")
    assert ran.status == 2
    assert "empty holds no" in ran.err


def test_warnings_count_only_when_strict(prose: Prose, folder: Path) -> None:
    text = GOOD.replace("return topic", "let unused = 1\nreturn topic")
    (folder / "warned.prose.md").write_text(text, encoding="utf-8")
    ran = prose("check", "warned.prose.md")
    assert ran.status == 0
    assert "warning[" in ran.out
    assert prose("check", "--strict", "warned.prose.md").status == 2


def test_the_standard_library_has_nothing_to_report(prose: Prose) -> None:
    from prose_runtime.source.shipped import shipped

    ran = prose("check", "--strict", shipped("std"))
    assert ran.status == 0, ran.out


def test_std_lists_each_file_in_one_line_by_folder(prose: Prose) -> None:
    ran = prose("std")
    assert ran.status == 0
    folders = {lines[0]: lines[1:] for part in ran.out.strip().split("\n\n") if (lines := part.splitlines())}
    assert list(folders) == ["std/patterns/", "std/roles/"]
    for lines in folders.values():
        names = [line.split()[0] for line in lines]
        assert names == sorted(names)
        assert all(len(line.split()) > 3 for line in lines)
    assert any(line.startswith("critic ") for line in folders["std/roles/"])


@pytest.mark.parametrize("name", ["refine", "std/refine", "std/patterns/refine", "patterns/refine"])
def test_a_card_says_what_is_needed_and_given(prose: Prose, name: str) -> None:
    ran = prose("std", name)
    assert ran.status == 0
    for word in ("std/patterns/refine", "refiner", "evaluator", "task_brief", "max_rounds", "= 3", "rounds_used"):
        assert word in ran.out
    assert "prose run std/patterns/refine \\" in ran.out


def test_an_unknown_card_is_answered_with_the_nearest(prose: Prose) -> None:
    ran = prose("std", "refin")
    assert ran.status == 2
    assert "`prose std refine`" in ran.err


def test_explain_shows_a_page(prose: Prose) -> None:
    ran = prose("explain", "unknown-name")
    assert ran.status == 0
    assert ran.out.startswith("# unknown-name\n")


def test_explain_answers_an_unknown_code_with_the_nearest(prose: Prose) -> None:
    ran = prose("explain", "unkown-name")
    assert ran.status == 2
    assert "prose explain unknown-name" in ran.err
