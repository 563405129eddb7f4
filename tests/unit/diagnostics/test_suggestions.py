"""Nearest names."""

from __future__ import annotations

import pytest

from prose_runtime.diagnostics.suggestions import distance, listed, nearest


@pytest.mark.parametrize(
    ("left", "right", "edits"),
    [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "xbc", 1), ("abc", "xyz", 3), ("", "ab", 2)],
)
def test_distance(left: str, right: str, edits: int) -> None:
    assert distance(left, right, 5) == edits


@pytest.mark.parametrize(
    ("name", "candidates", "found"),
    [
        ("critc", ["critic", "writer"], "critic"),
        ("maxRounds", ["max_rounds", "rounds"], "max_rounds"),
        ("topic", ["audience"], None),
        ("x", ["y"], None),
        ("same", ["same"], None),
        ("draf", ["draft", "drag"], "draft"),
    ],
)
def test_nearest(name: str, candidates: list[str], found: str | None) -> None:
    assert nearest(name, candidates) == found


def test_names_in_a_sentence() -> None:
    assert listed([]) == "nothing"
    assert listed(["a", "b", "c"]) == "`a`, `b` and `c`"
    assert listed([str(n) for n in range(10)]).endswith("`7` and 2 more")
