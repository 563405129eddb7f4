"""docs/architecture.md names every module of every room, and no module or table that is not there."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from pages import DOCS, ROOT, code, tables

from prose_runtime.resolve.program import Unit

PAGE = DOCS / "architecture.md"
TEXT = PAGE.read_text(encoding="utf-8")
PACKAGE = ROOT / "prose_runtime"
ROOMS = re.findall(r"^### \d `(\w+)/`", TEXT, re.MULTILINE)


def _modules(folder: Path) -> set[str]:
    return {path.stem for path in folder.rglob("*.py") if not path.stem.startswith("__")}


def _named(room: str) -> set[str]:
    """The lower-case words in backticks of a room's section."""
    section = re.split(rf"^### \d `{room}/`.*$", TEXT, flags=re.MULTILINE)[1]
    return set(re.findall(r"`(\w+)`", re.split(r"^##", section, flags=re.MULTILINE)[0]))


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_has_a_place(room: str) -> None:
    assert _modules(PACKAGE / room) - _named(room) == set()


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_is_named_that_is_gone(room: str) -> None:
    said = {"prose", "std", "asyncio", "TYPE_CHECKING"}
    assert _named(room) - _modules(PACKAGE / room) - said == set()


def test_every_room_is_there() -> None:
    assert set(ROOMS) == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_every_side_table_is_there() -> None:
    named = {name for row in tables(PAGE, "table") for name in map(code, row["table"].split(", "))}
    plain = {
        "document",
        "definition",
        "inputs",
        "config",
        "passed_on",
        "list_slots",
        "blocks",
        "agents",
        "uses",
        "instances",
    }
    assert named == {item.name for item in dataclasses.fields(Unit)} - plain


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w/]+\.(?:py|lark))`", TEXT))))
def test_every_file_that_is_named_is_there(path: str) -> None:
    assert (ROOT / path).exists() or (PACKAGE / path).exists()
