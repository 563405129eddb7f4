"""docs/services.md is run: its files are written to a folder and its commands are run there, in the page's order."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pages import DOCS, Row, blocks, code, file_of, hold_commands, run_python, tables, write_file

from prose_runtime.runtime.port import Call
from prose_runtime.services import service_from

PAGE = DOCS / "services.md"
BLOCKS = blocks(PAGE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """All files of the page but the project's, which has a say in every later run."""
    for block in BLOCKS:
        if file_of(PAGE, block) != "prose.toml":
            write_file(PAGE, block, tmp_path)
    return tmp_path


def test_the_commands_show_what_the_page_shows(folder: Path) -> None:
    hold_commands(PAGE, folder)


def test_the_python_examples_run(folder: Path) -> None:
    examples = [block for block in BLOCKS if block.language == "python" and file_of(PAGE, block) is None]
    assert len(examples) == 2
    for block in examples:
        done = run_python(["-c", block.text], folder)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("row", [pytest.param(row, id=f"line-{row.line}") for row in tables(PAGE, "gate", "text")])
def test_gate(row: Row, folder: Path) -> None:
    gate = service_from(code(row["gate"]), name="gate", base=folder)
    answer = asyncio.run(_asked(gate, code(row["text"])))
    assert answer["passed"] is (row["passed"] == "yes")
    assert bool(answer["issues"]) is not answer["passed"]


async def _asked(gate: object, text: str) -> dict[str, object]:
    try:
        answer = await gate.call(Call("gate", {"text": text}))  # type: ignore[attr-defined]
        return answer.value  # type: ignore[no-any-return]
    finally:
        await gate.close()  # type: ignore[attr-defined]


def test_every_file_is_used() -> None:
    names = [name for block in BLOCKS if (name := file_of(PAGE, block))]
    text = PAGE.read_text(encoding="utf-8")
    assert len(names) == 10
    assert all(text.count(name) > 1 for name in names)
