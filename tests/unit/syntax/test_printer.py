"""Printing a tree and reading it again gives the same tree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from script_samples import FORMS, clean, parse
from script_trees import AT, scripts

from prose_runtime.syntax import Unprintable, print_expression, print_script, print_statement, same_tree
from prose_runtime.syntax import nodes as n


@pytest.mark.parametrize("name", FORMS)
def test_a_form_comes_back_as_it_was(name: str) -> None:
    script = clean(FORMS[name])
    printed = print_script(script)
    again = clean(printed)
    assert same_tree(script, again)
    assert print_script(again) == printed


@given(scripts)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_tree_comes_back_as_it_was(script: n.Script) -> None:
    printed = print_script(script)
    again, found = parse(printed)
    assert [str(item) for item in found] == [], printed
    assert same_tree(script, n.Script(AT, "prose", again.statements)), printed


def test_the_canonical_form() -> None:
    text = (
        "let   a = call  critic draft: d, score:3   # why\nif a is good : x=1\nreturn {a, 'b': 1}\n".replace("'", '"')
        + "for x in xs: call worker item:x\n"
        + "loop until **done** (max:3) as n: break\n"
    )
    assert print_script(clean(text)) == (
        "let a = call critic\n"
        "  draft: d\n"
        "  score: 3\n"
        "if a is good:\n"
        "  x = 1\n"
        "return { a, b: 1 }\n"
        "for x in xs:\n"
        "  call worker\n"
        "    item: x\n"
        "loop until **done** (max: 3) as n:\n"
        "  break\n"
    )


def test_a_long_object_goes_over_lines() -> None:
    entries = ", ".join(f"some_longer_key_{number}: value_{number}" for number in range(5))
    printed = print_script(clean(f"return {{ {entries} }}"))
    assert printed.startswith("return {\n  some_longer_key_0: value_0,\n")
    assert printed.endswith(",\n}\n")


@pytest.mark.parametrize(("value", "written"), [(1e22, "1" + "0" * 22 + ".0"), (1e-7, "0.0000001"), (-2.5, "-2.5")])
def test_numbers_have_no_exponents(value: float, written: str) -> None:
    printed = print_expression(n.Constant(AT, value))
    assert float(printed) == value
    assert "e" not in printed
    assert printed.startswith(written[:12])


def test_one_statement_is_printed_with_its_indentation() -> None:
    (statement,) = clean("if a:\n  break\n").statements
    assert print_statement(statement, "    ") == "    if a:\n      break"


@pytest.mark.parametrize(
    "expression",
    [
        n.Unreadable(AT),
        n.Binary(AT, "+", n.Name(AT, "a"), n.BlockValue(AT, n.DoBlock(AT, ()))),
    ],
)
def test_what_no_source_gives_cannot_be_printed(expression: n.Expression) -> None:
    with pytest.raises(Unprintable):
        print_expression(expression)


def test_trees_that_say_something_else_are_not_the_same() -> None:
    base = clean("let a = b + 1")
    for other in ("let a = b - 1", "let a = b + 2", "const a = b + 1", "let a = b + c", "let a = b + 1\nbreak"):
        assert not same_tree(base, clean(other))
    assert same_tree(base, clean("let a   =  b +   1  # the same"))
