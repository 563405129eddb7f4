"""Comparing values: what agrees, what does not, and how that is said."""

from __future__ import annotations

from typing import Any

import pytest

from prose_runtime.casebook.matching import differences, shown


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (1, 1.0),
        (None, None),
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "x"}]}),
        ("…", {"anything": 1}),
        ("…", None),
        ("…rain…", "it may rain today"),
        ([], []),
    ],
)
def test_what_agrees(expected: Any, found: Any) -> None:
    assert differences(expected, found, partly=False) == []


@pytest.mark.parametrize(
    ("expected", "found", "said"),
    [
        (1, True, "$: expected 1, found true"),
        (0, False, "$: expected 0, found false"),
        ("1", 1, '$: expected "1", found 1'),
        (None, 0, "$: expected null, found 0"),
        ({"a": 1}, {}, "$.a: expected 1, found nothing"),
        ({"a": None}, {}, "$.a: expected null, found nothing"),
        ({}, {"a": 1}, "$.a: found 1, expected nothing"),
        ([1], [1, 2], "$: expected 1 items, found 2: [1, 2]"),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "$.a[1].b: expected 2, found 3"),
        ("…rain…", "snow", '$: expected a text with "rain" in it, found "snow"'),
        ("…1…", 1, '$: expected a text with "1" in it, found 1'),
    ],
)
def test_what_does_not(expected: Any, found: Any, said: str) -> None:
    assert differences(expected, found, partly=False)[0].text == said


def test_a_part_may_leave_keys_out_at_every_depth_but_no_items() -> None:
    found = {"a": [{"b": 1, "c": 2}], "d": 3}
    assert differences({"a": [{"b": 1}]}, found, partly=True) == []
    assert differences({"a": []}, found, partly=True) != []


def test_long_values_are_cut() -> None:
    assert shown("x" * 1000, limit=10) == '"xxxxxxxx…'
