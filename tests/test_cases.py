"""Every case under `tests/cases` is one test. A case is a document: what it shows stands in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.casebook import find_cases, run_case
from prose_runtime.cli.test import run_command_line

CASES = Path(__file__).parent / "cases"
_FOUND = find_cases([CASES])


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(CASES))) for path in _FOUND])
def test_case(path: Path) -> None:
    result = run_case(path, command=run_command_line)
    assert result.ok, "\n" + "\n".join((str(path), *map(str, result.problems)))


def test_every_document_in_the_folder_is_a_case() -> None:
    """A case whose kind is misspelt would otherwise be passed over in silence."""
    documents = {path for path in CASES.rglob("*.prose.md") if "subjects" not in path.parts}
    assert documents == set(_FOUND)
