"""Pure expressions: operators, properties, items, texts, and what they warn of."""

from __future__ import annotations

from typing import Any

import pytest
from condition_frames import body, condition_of

from prose_runtime.runtime.expressions import binary, evaluate, get_index, get_property
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import ListValue, ServiceRef, Value, from_python, to_json
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.nodes import (
    Apply,
    Binary,
    Call,
    Conditional,
    Constant,
    Entry,
    Index,
    List,
    Name,
    Object,
    Property,
    Text,
    Unary,
)

S = Span(0, 1)


def name(text: str) -> Name:
    return Name(S, text)


def prop(target: Any, key: str) -> Property:
    return Property(S, target, key, Span(5, 6))


def number(value: int | float | bool | None) -> Constant:
    return Constant(S, value)


def calculated(operator: str, left: object, right: object) -> Value:
    return binary(operator, from_python(left), from_python(right), S, body())


@pytest.mark.parametrize(
    ("left", "operator", "right", "result"),
    [
        (1, "+", 2, 3),
        (3, "/", 2, 1.5),
        (4, "/", 2, 2),
        (7, "%", 3, 1),
        (2, "*", 1.5, 3.0),
        (1, "-", 3, -2),
        ("a", "+", "b", "ab"),
        ([1], "+", [2], [1, 2]),
        (None, "==", None, True),
        (1, "==", True, False),
        (1, "!=", None, True),
        ("a", "<", "b", True),
        (0.8, ">=", 0.8, True),
    ],
)
def test_operators(left: object, operator: str, right: object, result: object) -> None:
    found = to_json(calculated(operator, left, right))
    assert (found, type(found)) == (result, type(result))


@pytest.mark.parametrize(
    ("left", "operator", "right", "code"),
    [
        (1, "/", 0, "division-by-zero"),
        (1, "%", 0.0, "division-by-zero"),
        ("a", "+", 1, "wrong-operands"),
        (None, "+", 1, "wrong-operands"),
        (True, "+", 1, "wrong-operands"),
        ([1], "+", 2, "wrong-operands"),
        ("a", "*", 2, "wrong-operands"),
        (1, "<", "2", "no-order"),
        ([1], "<", [2], "no-order"),
        (1e308, "*", 10, "number-too-large"),
        (10**3000, "*", 10**3000, "number-too-large"),
        (10**400, "/", 3, "number-too-large"),
    ],
)
def test_what_has_no_answer(left: object, operator: str, right: object, code: str) -> None:
    with pytest.raises(Fault) as caught:
        calculated(operator, left, right)
    assert (caught.value.code, caught.value.name) == (code, code)
    assert caught.value.diagnostic(SourceText("f", "x")).code == code


@pytest.mark.parametrize("left", [None, 0, -3, 0.5, 9])
@pytest.mark.parametrize("right", [None, 0, 0.5, 7])
def test_not_at_least_is_always_below(left: object, right: object) -> None:
    assert calculated(">=", left, right) is not calculated("<", left, right)
    assert calculated(">", left, right) is not calculated("<=", left, right)


def test_a_missing_score_never_meets_a_threshold_and_is_warned_of() -> None:
    frame = body()
    assert binary(">=", None, 0.8, S, frame) is False
    assert binary(">=", None, -1, S, frame) is False
    assert [code for code, _ in frame.warned] == ["null-in-comparison"] * 2


def test_and_or_give_operands() -> None:
    frame = body({"x": None, "y": "z", "n": 0})
    fallback = List(S, (name("y"),))
    assert to_json(evaluate(Binary(S, "or", name("x"), fallback), frame)) == ["z"]
    assert evaluate(Binary(S, "or", name("y"), Call(S, "f", S, (), ())), frame) == "z"
    assert evaluate(Binary(S, "and", name("n"), Call(S, "f", S, (), ())), frame) == 0
    assert evaluate(Unary(S, "not", name("n")), frame) is True
    assert evaluate(Unary(S, "-", number(3)), frame) == -3
    with pytest.raises(Fault, match="cannot take a text"):
        evaluate(Unary(S, "-", name("y")), frame)


@pytest.mark.parametrize(
    ("value", "key", "result", "warned"),
    [
        ({"a": 1}, "a", 1, False),
        ({"a": 1}, "b", None, True),
        ({"count": 7}, "count", 7, False),
        ({"a": 1}, "count", None, True),
        ([1, 2], "length", 2, False),
        ([1, 2], "count", 2, False),
        ([1, 2], "size", None, True),
        ("abc", "length", 3, False),
        ("abc", "count", None, True),
        (None, "a", None, True),
        (3, "a", None, True),
    ],
)
def test_properties(value: object, key: str, result: object, warned: bool) -> None:
    frame = body()
    node = prop(number(None), key)
    assert get_property(from_python(value), node, frame) == result
    assert frame.warned == ([("missing-property", node.name_span)] if warned else [])


def test_a_single_output_is_the_value_itself_unless_it_is_a_field() -> None:
    frame = body({"prd": "the text", "doc": {"doc": "inner"}})
    frame.singles = {"prd": "prd", "doc": "doc"}
    assert evaluate(prop(name("prd"), "prd"), frame) == "the text"
    assert evaluate(prop(name("doc"), "doc"), frame) == "inner"
    assert frame.warned == []


def test_a_service_has_a_name() -> None:
    assert get_property(ServiceRef("fast"), prop(number(None), "name"), body()) == "fast"


@pytest.mark.parametrize(
    ("value", "index", "result"),
    [
        ([7, 8], 1, 8),
        ([7, 8], 1.0, 8),
        ("one brief for all", 5, "one brief for all"),
        ({"a": 1}, "a", 1),
        ({"a": 1}, "b", None),
        (None, 0, None),
    ],
)
def test_items(value: object, index: object, result: object) -> None:
    node = Index(S, number(None), number(None))
    assert get_index(from_python(value), from_python(index), node, body()) == result


@pytest.mark.parametrize(
    ("value", "index", "code"),
    [
        ([7], 1, "index-out-of-range"),
        ([7], -1, "index-out-of-range"),
        ([], 0, "index-out-of-range"),
        ([7], "a", "index-not-a-number"),
        ([7], 0.5, "index-not-a-number"),
        ([7], True, "index-not-a-number"),
        ("text", "a", "index-not-a-number"),
        (3, 0, "no-items"),
    ],
)
def test_items_that_are_not_there(value: object, index: object, code: str) -> None:
    node = Index(S, number(None), Constant(Span(3, 4), None))
    with pytest.raises(Fault) as caught:
        get_index(from_python(value), from_python(index), node, body())
    assert caught.value.code == code


def test_texts_put_values_in_once() -> None:
    frame = body({"topic": "{draft}", "draft": "secret", "review": {"score": 0.5, "notes": None}})
    text = Text(
        S,
        ("On ", name("topic"), ": {x} ", prop(name("review"), "score"), prop(name("review"), "notes"), name("review")),
    )
    assert evaluate(text, frame) == 'On {draft}: {x} 0.5{"score":0.5,"notes":null}'
    assert evaluate(Text(S, ()), frame) == ""


def test_lists_and_objects() -> None:
    frame = body({"a": 1})
    made = Object(S, (Entry(S, "a", S, name("a")), Entry(S, "b", S, List(S, (number(2),)))))
    assert to_json(evaluate(made, frame)) == {"a": 1, "b": [2]}


@pytest.mark.parametrize(("value", "length"), [([1, 2], 2), ("abc", 3), ({"a": 1}, 1), (None, None)])
def test_len(value: object, length: int | None) -> None:
    assert evaluate(Apply(S, "len", S, (name("x"),)), body({"x": value})) == length


def test_functions_that_are_not_there() -> None:
    with pytest.raises(Fault, match="no function"):
        evaluate(Apply(S, "total", S, (number(1),)), body())
    with pytest.raises(Fault, match="cannot take a number"):
        evaluate(Apply(S, "len", S, (number(1),)), body())


@pytest.mark.parametrize(("score", "result"), [(0.9, "yes"), (0.1, "no")])
def test_conditional(score: float, result: str) -> None:
    node = Conditional(S, condition_of("score >= 0.8"), Text(S, ("yes",)), Text(S, ("no",)))
    assert evaluate(node, body({"score": score})) == result


def test_what_may_wait_is_not_pure() -> None:
    with pytest.raises(TypeError, match="Call is not a pure expression"):
        evaluate(Call(S, "f", S, (), ()), body())


def test_joining_lists_leaves_both_alone() -> None:
    left, right = ListValue([1]), ListValue([2])
    assert to_json(binary("+", left, right, S, body())) == [1, 2]
    assert (to_json(left), to_json(right)) == ([1], [2])
