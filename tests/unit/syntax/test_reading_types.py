"""Types and literals, read and printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prose_runtime.syntax.document import Json, Type
from prose_runtime.syntax.literals import NotLiteral, default_from, literal
from prose_runtime.syntax.types import accepts, find_shape, parse_type, print_type, type_at

STRING, NUMBER, INTEGER, BOOLEAN, ANY, NULL = (
    Type("string"),
    Type("number"),
    Type("integer"),
    Type("boolean"),
    Type("any"),
    Type("null"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string", STRING),
        ("Integer", INTEGER),
        ("string[]", Type("list", item=STRING)),
        ("any[][]", Type("list", item=Type("list", item=ANY))),
        ("run[]", Type("list", item=Type("run"))),
        ('"accept" | "reject"', Type("choice", choices=("accept", "reject"))),
        ("'a' | 'b'", Type("choice", choices=("a", "b"))),
        ("string or null", Type("union", members=(STRING, NULL))),
        ("string | null", Type("union", members=(STRING, NULL))),
        ("string or `null`", Type("union", members=(STRING, NULL))),
        ("number | string", Type("union", members=(NUMBER, STRING))),
        ("{ ok: boolean }", Type("shape", fields=(("ok", BOOLEAN, True),))),
        ("{ ok?: boolean, why }", Type("shape", fields=(("ok", BOOLEAN, False), ("why", ANY, True)))),
        ("list of strings", Type("list", item=STRING)),
        ("array", Type("list", item=ANY)),
        ("(string | null)[]", Type("list", item=Type("union", members=(STRING, NULL)))),
        ("text", STRING),
        ("`integer`", INTEGER),
    ],
)
def test_a_type_is_read(text: str, expected: Type) -> None:
    assert parse_type(text) == expected


@pytest.mark.parametrize("text", ["", "strng", "a string", "string of pearls", "{ a: 1 }", "[string]", "{}", "{" * 100])
def test_what_is_no_type_is_none(text: str) -> None:
    assert parse_type(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("run — a finished run", "run"),
        ("string -- a text", "string"),
        ("boolean", "boolean"),
        ("number between 0 and 1", "number"),
        ('"a" | "b", whichever', "choice"),
        ("`integer`, from 1", "integer"),
        ("string[] — names", "list"),
        ("object with two keys", "object"),
    ],
)
def test_a_sentence_may_begin_with_a_type(text: str, kind: str) -> None:
    read = type_at(text)
    assert read is not None
    assert read[0].kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "number of rounds",
        "run the tests",
        "any harness",
        "string quartet notes",
        "object lesson",
        '"one phrase" in quotes',
        "null",
    ],
)
def test_prose_is_not_a_type(text: str) -> None:
    assert type_at(text) is None


def test_a_shape_is_found_in_a_sentence() -> None:
    found = find_shape('Answer with { verdict: "yes" | "no", score: number, notes } and nothing else')
    assert found is not None
    assert print_type(found) == '{ verdict: "yes" | "no", score: number, notes }'
    nested = find_shape("gives { a: { b: string[] }, c: integer }")
    assert nested is not None
    assert print_type(nested) == "{ a: { b: string[] }, c: integer }"


@pytest.mark.parametrize(
    "text", ["", "no braces", "{'decision': 'go'}", '{"status": "ok"}', "{ 0.5 }", "use {topic here}", "{" * 500]
)
def test_an_example_is_no_shape(text: str) -> None:
    assert find_shape(text) is None


SIMPLE = st.sampled_from([Type(kind) for kind in ("string", "number", "integer", "boolean", "object", "any", "run")])  # type: ignore[arg-type]
NAMES = st.from_regex(r"[a-z][a-z_-]{0,6}[a-z]", fullmatch=True)
CHOICES = st.lists(NAMES, min_size=1, max_size=3, unique=True).map(lambda names: Type("choice", choices=tuple(names)))


def _deeper(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    lists = inner.map(lambda item: Type("list", item=item))
    field = st.tuples(NAMES, inner, st.booleans())
    shapes = st.lists(field, min_size=1, max_size=3, unique_by=lambda entry: entry[0]).map(
        lambda entries: Type("shape", fields=tuple(entries))
    )
    unions = SIMPLE.map(lambda member: Type("union", members=(member, NULL)))
    return lists | shapes | unions


@given(st.recursive(SIMPLE | CHOICES, _deeper, max_leaves=6))
def test_printing_and_reading_give_the_same_type(given_type: Type) -> None:
    assert parse_type(print_type(given_type)) == given_type


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("integer", 3, True),
        ("integer", 3.5, False),
        ("number", 3, True),
        ("number", True, False),
        ("boolean", 1, False),
        ("string", None, False),
        ("string or null", None, True),
        ("string[]", ["a"], True),
        ("string[]", ["a", 1], False),
        ('"a" | "b"', "c", False),
        ("{ a: string, b?: number }", {"a": "x", "more": 1}, True),
        ("{ a: string }", {}, False),
        ("any", None, True),
        ("object", [], False),
    ],
)
def test_values_fit_types(text: str, value: Json, expected: bool) -> None:
    read = parse_type(text)
    assert read is not None
    assert accepts(read, value) is expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-0.5", -0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("False", False),
        ("None", None),
        ("'a'", "a"),
        ('"a\\n\\"b\\""', 'a\n"b"'),
        ("[1, 'two', [3],]", [1, "two", [3]]),
        ("{ a: 1, 'b': {\"c\": null} }", {"a": 1, "b": {"c": None}}),
        ("(1, 2)", [1, 2]),
        ("[]", []),
    ],
)
def test_literals(text: str, value: Json) -> None:
    assert literal(text) == value


@pytest.mark.parametrize(
    "text", ["", "no", "1e999", "[1", "{a}", "{a: 1, a: 2}", "__import__('os')", "'", "[" * 90 + "]" * 90, "9" * 4000]
)
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(NotLiteral):
        literal(text)


@pytest.mark.parametrize(
    ("text", "declared", "value"),
    [
        ("none", "string", None),
        ('"none"', "string", "none"),
        ("no", "string", "no"),
        ("12:30", "string", "12:30"),
        ("3", "string", "3"),
        ("`2`", "integer", 2),
        ("2.0", "integer", 2),
        ("{'a': 1}, {'a': 2}", "object[]", [{"a": 1}, {"a": 2}]),
        ("{'a': 1}", "object[]", [{"a": 1}]),
        ("[{'a': 1}]", "object[]", [{"a": 1}]),
        ("a, b", "string[]", ["a", "b"]),
        ("[]", "any[]", []),
        ("fast", '"fast" | "slow"', "fast"),
        ("true", "any", True),
    ],
)
def test_defaults_are_read_by_their_type(text: str, declared: str, value: Json) -> None:
    read = parse_type(declared)
    assert read is not None
    assert default_from(text, read) == value


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("no", "boolean"),
        ("yes", "boolean"),
        ("2.5", "integer"),
        ("three", "number"),
        ("x", '"a" | "b"'),
        ("1", "object[]"),
    ],
)
def test_defaults_that_do_not_fit(text: str, declared: str) -> None:
    read = parse_type(declared)
    assert read is not None
    with pytest.raises(NotLiteral):
        default_from(text, read)
