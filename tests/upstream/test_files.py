"""Every published file goes through the check without a crash, and the patterns of the library without an error.

`pytest tests/upstream -s` prints how many files there are of each kind, and every error with its place.
"""

from __future__ import annotations

import sys
from collections import Counter

import pytest
from checkout import CHECKOUT, needs_checkout

from prose_runtime.api import load_all
from prose_runtime.reports.graph import graph_of
from prose_runtime.reports.graph_mermaid import graph_mermaid
from prose_runtime.reports.graph_text import graph_text

pytestmark = needs_checkout
FILES = sorted(CHECKOUT.rglob("*.prose.md")) if CHECKOUT.name else []


def test_every_file_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    loaded, missing = load_all(FILES, portable=True)
    assert missing == []
    assert len(loaded) == len(FILES) > 0
    kinds: Counter[tuple[str, str]] = Counter()
    errors: list[str] = []
    for each in loaded:
        kind = each.document.main.kind
        kinds[kind, "files"] += 1
        for item in each.diagnostics:
            kinds[kind, item.severity] += 1
            errors += [str(item)] if item.severity == "error" else []
    rows = [f"{kind}: {what} {kinds[kind, what]}" for kind, what in sorted(kinds)]
    with capsys.disabled():
        sys.stdout.write("\n".join(["", *rows, *sorted(set(errors)), ""]))


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FILES if "std/patterns" in str(path)])
def test_the_patterns_have_no_error_and_a_drawing(path: object) -> None:
    loaded, _ = load_all([path])  # type: ignore[list-item]
    assert [str(item) for each in loaded for item in each.diagnostics if item.severity == "error"] == []
    graph = graph_of(loaded[0].program.main)
    assert graph_text(graph)
    assert graph_mermaid(graph).startswith("flowchart TD")
