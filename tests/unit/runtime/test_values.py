"""Values: in and out, truth, equality, order, and lists that share a store."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prose_runtime.runtime.values import (
    DEEPEST,
    ListValue,
    NotJson,
    ServiceRef,
    Unordered,
    Value,
    compare,
    equal,
    from_python,
    render_text,
    show,
    to_json,
    truth,
    with_item,
    with_property,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)

# ---- lists -----------------------------------------------------------------------------------------------


def test_a_longer_list_leaves_the_shorter_one_alone() -> None:
    short = ListValue([1])
    longer = short.append(2)
    assert (to_json(short), to_json(longer)) == ([1], [1, 2])


def test_two_lists_grown_from_one_do_not_see_each_other() -> None:
    short = ListValue([1])
    left, right = short.append(2), short.append(3)
    left, right = left.append(4), right.append(5)
    assert (to_json(left), to_json(right), to_json(short)) == ([1, 2, 4], [1, 3, 5], [1])


def test_going_through_a_list_while_its_name_grows_ends() -> None:
    items = ListValue([1, 2])
    grown = items
    for item in items:
        grown = grown.append(item)
    assert to_json(grown) == [1, 2, 1, 2]


def test_a_list_is_not_the_python_list_it_was_made_from() -> None:
    given_items = [1]
    items = ListValue(given_items)
    given_items.append(2)
    assert to_json(items) == [1]


def test_appending_costs_the_same_however_long_the_list() -> None:
    def seconds(count: int) -> float:
        items, start = ListValue(), time.process_time()
        for number in range(count):
            items = items.append(number)
        assert len(items) == count
        return time.process_time() - start

    assert min(seconds(80_000) for _ in range(3)) < 40 * max(seconds(8_000), 0.002)


def test_changed_copies() -> None:
    items = ListValue([1, 2])
    assert to_json(with_item(items, 0, 9)) == [9, 2]
    assert to_json(items) == [1, 2]
    with pytest.raises(IndexError):
        with_item(items, 2, 9)
    record: dict[str, Value] = {"a": 1}
    assert with_property(record, "b", 2) == {"a": 1, "b": 2}
    assert record == {"a": 1}


def test_slices_and_items() -> None:
    items = ListValue([1, 2, 3])
    longer = items.append(4)
    assert to_json(items[1:]) == [2, 3]
    assert (items[-1], longer[-1]) == (3, 4)
    with pytest.raises(IndexError):
        items[3]


# ---- in and out ------------------------------------------------------------------------------------------


@given(JSON)
def test_json_comes_back_as_it_was(value: object) -> None:
    assert to_json(from_python(value)) == value


class Colour(StrEnum):
    RED = "red"


@dataclass
class Thing:
    a: int


CYCLE: list[object] = []
CYCLE.append({"back": CYCLE})


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        ({"a": [1, {"b": float("nan")}]}, "$.a[1].b", "not a number (NaN)"),
        ([float("inf")], "$[0]", "infinite"),
        ({"two words": b"x"}, '$["two words"]', "bytes, not text"),
        (CYCLE, "$[0].back", "a part of itself"),
        ({"a": object()}, "$.a", "an object object"),
        ({"a": {1, 2}}, "$.a", "a set object"),
        ({"a": {1: 2}}, "$.a", "an object with the key 1, which is no text"),
        ({"a": "\ud800"}, "$.a", "a text with half of a surrogate pair"),
        ([10**5000], "$[0]", "an integer of more than 10000 bits"),
    ],
)
def test_what_is_not_json_is_refused_with_its_path(value: object, path: str, found: str) -> None:
    with pytest.raises(NotJson) as caught:
        from_python(value)
    assert (caught.value.path, caught.value.found) == (path, found)


def test_objects_are_not_taken_apart() -> None:
    with pytest.raises(NotJson, match="Thing object"):
        from_python(Thing(1))


def test_texts_that_are_more_become_plain() -> None:
    assert type(from_python(Colour.RED)) is str
    assert from_python(Colour.RED) == "red"


def test_the_same_list_twice_is_no_cycle() -> None:
    shared = [1]
    assert to_json(from_python([shared, shared])) == [[1], [1]]


def test_depth_has_an_end_both_ways() -> None:
    deep: object = 1
    for _ in range(DEEPEST + 1):
        deep = [deep]
    with pytest.raises(NotJson, match="levels deep"):
        from_python(deep)
    grown: Value = 1
    for _ in range(5_000):
        grown = ListValue([grown])
    with pytest.raises(NotJson, match="levels deep"):
        to_json(grown)


def test_a_service_goes_out_as_its_name() -> None:
    assert to_json(ListValue([ServiceRef("fast", object())])) == ["fast"]


# ---- texts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("a {b}", "a {b}"),
        (True, "true"),
        (3, "3"),
        (1.5, "1.5"),
        (2.0, "2"),
        (0.1 + 0.2, "0.3"),
        (ListValue([1, "é", None]), '[1,"é",null]'),
        ({"a": {"b": 1}}, '{"a":{"b":1}}'),
        (ServiceRef("fast"), "fast"),
    ],
)
def test_values_in_a_text(value: Value, text: str) -> None:
    assert render_text(value) == text


def test_a_long_value_is_shown_cut() -> None:
    assert show("x" * 500, 20) == '"' + "x" * 18 + "…"
    assert show("line\nline") == '"line\\nline"'


# ---- truth, equality, order ------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, False, 0, 0.0, "", "  \n", ListValue(), {}])
def test_false_values(value: Value) -> None:
    assert truth(value) is False


@pytest.mark.parametrize("value", [True, 1, -0.5, "no", "0", ListValue([None]), {"a": None}, ServiceRef("a")])
def test_true_values(value: Value) -> None:
    assert truth(value) is True


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        (None, False, False),
        (True, 1, False),
        (False, 0, False),
        (1, 1.0, True),
        ("a", "A", False),
        ("1", 1, False),
        (ListValue([1, True]), ListValue([1, 1]), False),
        (ListValue([1]), ListValue([1.0]), True),
        ({"a": ListValue([None])}, {"a": ListValue([None])}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        (ServiceRef("fast"), "fast", True),
        (ServiceRef("fast"), None, False),
    ],
)
def test_equality_is_total(left: Value, right: Value, same: bool) -> None:
    assert equal(left, right) is same
    assert equal(right, left) is same


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        (1, 2, -1),
        (2, 1.5, 1),
        (1, 1.0, 0),
        ("a", "b", -1),
        (None, -99, -1),
        (0, None, 1),
        (None, None, 0),
        (None, "", -1),
    ],
)
def test_order(left: Value, right: Value, order: int) -> None:
    assert compare(left, right) == order


@pytest.mark.parametrize(
    ("left", "right"), [(1, "1"), (True, 1), (True, False), (ListValue([1]), ListValue([2])), ({}, {}), (None, True)]
)
def test_no_order(left: Value, right: Value) -> None:
    with pytest.raises(Unordered):
        compare(left, right)


@given(JSON, JSON)
def test_equality_is_symmetric_and_follows_json(left: object, right: object) -> None:
    a, b = from_python(left), from_python(right)
    assert equal(a, a)
    assert equal(a, b) is equal(b, a)


def test_joining_lists_in_a_loop_is_linear_and_touches_no_other_list() -> None:
    short = ListValue([1])
    longer = short.joined([2, 3])
    other = short.joined(ListValue([9]))
    assert [list(item) for item in (short, longer, other)] == [[1], [1, 2, 3], [1, 9]]
    assert longer._store is short._store
    assert list(longer.joined(longer)) == [1, 2, 3, 1, 2, 3]
    assert list(short) == [1]
