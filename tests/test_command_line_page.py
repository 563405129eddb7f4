"""docs/command-line.md is run: its files are written to a folder and its commands run there, in the page's order."""

from __future__ import annotations

from pathlib import Path

from pages import DOCS, code, hold_commands, tables

from prose_runtime.cli import faults
from prose_runtime.cli.app import COMMANDS

PAGE = DOCS / "command-line.md"


def test_the_commands_show_what_the_page_shows(tmp_path: Path) -> None:
    hold_commands(PAGE, tmp_path)
    shown = PAGE.read_text(encoding="utf-8").split("begins with\n\n```\n", 1)[1].split("```", 1)[0].splitlines()
    trace = (tmp_path / "last-run" / "vm.log.md").read_text(encoding="utf-8").splitlines()
    assert shown[0].split()[2:] == trace[0].split()[2:] == ["two"]
    assert shown[1:] == trace[1 : len(shown)]


def test_the_commands_are_those_there_are() -> None:
    rows = tables(PAGE, "command", "does")
    assert {code(each).split()[1] for row in rows for each in row["command"].split(", ")} == set(COMMANDS)


def test_the_exit_statuses_are_those_there_are() -> None:
    statuses = {value for name, value in vars(faults).items() if name.isupper() and isinstance(value, int)}
    assert {int(row["status"]) for row in tables(PAGE, "status", "meaning")} == statuses
