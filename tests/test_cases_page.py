"""The cases of docs/writing-cases.md are run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pages import DOCS, blocks, code, tables

from prose_runtime.casebook import run_case
from prose_runtime.cli.test import run_command_line

PAGE = DOCS / "writing-cases.md"


def _cases() -> list[Any]:
    return [pytest.param(block.text, id=f"line-{block.line}") for block in blocks(PAGE) if block.language == "markdown"]


@pytest.mark.parametrize("text", _cases())
def test_case_of_the_guide(text: str, tmp_path: Path) -> None:
    path = tmp_path / "case.prose.md"
    path.write_text(text, encoding="utf-8")
    result = run_case(path, command=run_command_line)
    assert result.ok, result.problems


def test_the_table_of_keys_is_whole() -> None:
    from prose_runtime.casebook import commands, expecting

    found = [code(name) for row in tables(PAGE, "key", "what must be so") for name in row["key"].split(", ")]
    assert found == [*expecting._KEYS, *commands.KEYS]
