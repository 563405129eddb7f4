"""docs/prose-toml.md holds: every example is read, fits the schema, and the tables name the keys that there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pages import DOCS, Block, blocks, code, tables

from prose_runtime.services.project import BUDGET_KEYS, SERVER_KEYS, SERVICE_KEYS, read_project
from prose_runtime.services.project_schema import project_schema
from prose_runtime.source import SourceText

PAGE = DOCS / "prose-toml.md"
EXAMPLES = [block for block in blocks(PAGE) if block.language == "toml"]


@pytest.mark.parametrize("block", [pytest.param(block, id=f"line-{block.line}") for block in EXAMPLES])
def test_an_example_is_read_and_fits_the_schema(block: Block, tmp_path: Path) -> None:
    project = read_project(SourceText("prose.toml", block.text), tmp_path)
    validator: Any = pytest.importorskip("jsonschema").Draft202012Validator(project_schema())
    assert list(validator.iter_errors(dict(project.table))) == []


def test_every_table_of_the_file_has_an_example(tmp_path: Path) -> None:
    whole = "\n".join(block.text for block in EXAMPLES)
    assert set(read_project(SourceText("prose.toml", whole), tmp_path).table) == set(project_schema()["properties"])


@pytest.mark.parametrize(
    ("heading", "keys"),
    [("key of a service", SERVICE_KEYS), ("key of the budget", BUDGET_KEYS), ("key of a server", SERVER_KEYS)],
)
def test_the_tables_name_the_keys_that_there_are(heading: str, keys: tuple[str, ...]) -> None:
    assert sorted(code(row[heading]) for row in tables(PAGE, heading)) == sorted(keys)
