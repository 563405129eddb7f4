"""`prose upgrade`: what it shows, what it writes, what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.cli import rewriting
from prose_runtime.cli import upgrade as command
from prose_runtime.upgrading import upgrade

Prose = Callable[..., Any]

OLD = b"---\r\nname: old\r\nkind: service\r\n---\r\n\r\n### Parameters\r\n\r\n- `who`: one \t\r\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nothing_is_written_without_being_asked(prose: Prose, folder: Path) -> None:
    path = folder / "old.prose.md"
    path.write_bytes(OLD)
    assert "line 3: `service` -> `function`" in prose("upgrade", "old.prose.md").out
    assert "+kind: function" in prose("upgrade", "--diff", "old.prose.md").out
    assert path.read_bytes() == OLD


def test_a_second_run_changes_nothing(prose: Prose, folder: Path) -> None:
    path = folder / "old.prose.md"
    path.write_bytes(b"\xef\xbb\xbf" + OLD)
    assert prose("upgrade", "--write", "old.prose.md").status == 0
    written = path.read_bytes()
    assert written == b"\xef\xbb\xbf" + OLD.replace(b"service", b"function")
    ran = prose("upgrade", "--write", "old.prose.md")
    assert (ran.status, ran.out.strip()) == (0, "0 files changed, 1 as they are")
    assert path.read_bytes() == written


def test_what_is_no_document_is_refused_with_a_way_out(prose: Prose, folder: Path) -> None:
    (folder / "old.md").write_bytes(OLD)
    (folder / "script.prose").write_text('session "a"\n', encoding="utf-8")
    (folder / "latin.prose.md").write_bytes(b"---\nname: caf\xe9\nkind: service\n---\n")
    said = {name: prose("upgrade", name) for name in ("old.md", "script.prose", "latin.prose.md", "gone.prose.md")}
    assert {ran.status for ran in said.values()} == {2}
    assert "rename it to `old.prose.md`" in said["old.md"].out
    assert "`script.prose.md`" in said["script.prose"].out
    assert "not UTF-8 text (line 2)" in said["latin.prose.md"].out
    assert "there is no file gone.prose.md" in said["gone.prose.md"].err


def test_a_file_that_may_not_be_written_is_refused(prose: Prose, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, before: bytes, after: bytes) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(rewriting, "replace_file", refuse)
    (folder / "old.prose.md").write_bytes(OLD)
    ran = prose("upgrade", "--write", "old.prose.md")
    assert (ran.status, ran.out.split(": ", 1)[1].strip()) == (
        2,
        "refused: it cannot be written: Permission denied\n0 files changed, 1 refused",
    )


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    prose: Prose, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "old.prose.md"
    path.write_bytes(OLD)
    work = upgrade

    def slow(*given: Any) -> Any:
        path.write_bytes(b"theirs")
        return work(*given)

    monkeypatch.setattr(command, "upgrade", slow)
    ran = prose("upgrade", "--write", "old.prose.md")
    assert ran.status == 2
    assert "changed by somebody else" in ran.out
    assert path.read_bytes() == b"theirs"


def test_refusals_of_a_diff_stand_on_stderr(prose: Prose, folder: Path) -> None:
    (folder / "wired.prose.md").write_text("---\nname: w\nkind: system\n---\n\n### Wiring\n\nAll.\n", encoding="utf-8")
    ran = prose("upgrade", "--diff", "wired.prose.md")
    assert (ran.status, ran.out) == (2, "")
    assert "wired.prose.md: refused: it composes services by a list" in ran.err
