"""docs/models.md is run: its Python examples, and its tables against the code."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import DOCS, blocks, code, hold_commands, run_python, tables

from prose_runtime.services.models.addresses import PROVIDERS
from prose_runtime.services.process import OUTPUT_LIMIT

pytest.importorskip("httpx2")
PAGE = DOCS / "models.md"


def test_the_examples_run(tmp_path: Path) -> None:
    examples = [block for block in blocks(PAGE) if block.language == "python"]
    assert examples
    for block in examples:
        done = run_python(["-c", block.text], tmp_path)
        assert done.returncode == 0, done.stderr


def test_the_commands_show_what_the_page_shows(tmp_path: Path) -> None:
    hold_commands(PAGE, tmp_path)


def test_every_provider_is_listed_with_its_address_and_key() -> None:
    rows = {code(row["target"]): row for row in tables(PAGE, "target", "where it is", "key")}
    for name, provider in PROVIDERS.items():
        row = rows[f"model:{name}/NAME"]
        assert f"`{provider.url}`" in row["where it is"]
        assert provider.base in row["where it is"]
        assert row["key"] == (f"`{provider.key}`" if provider.key else "none")
    assert OUTPUT_LIMIT // 1_000_000 == 10 or str(OUTPUT_LIMIT // (1024 * 1024)) in PAGE.read_text(encoding="utf-8")
