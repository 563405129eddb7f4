"""Every form of the script language parses, and says what was meant."""

from __future__ import annotations

import pytest
from script_samples import FORMS, clean, parse

from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import print_expression, walk


@pytest.mark.parametrize("name", FORMS)
def test_each_form_parses(name: str) -> None:
    script = clean(FORMS[name])
    assert script.statements
    assert not any(isinstance(node, n.Unreadable) for node in walk(script))


def only(text: str) -> n.Statement:
    (statement,) = clean(text).statements
    return statement


def value(text: str) -> n.Expression:
    statement = only(f"let it = {text}")
    assert isinstance(statement, n.Let)
    return statement.value


def test_hyphens_belong_to_names() -> None:
    assert print_expression(value("a-1")) == "a-1"
    assert isinstance(value("a-1"), n.Name)
    difference = value("a - 1")
    assert isinstance(difference, n.Binary)
    assert difference.operator == "-"


def test_operators_bind_as_usual() -> None:
    sum_ = value("1 + 2 * 3 - 4")
    assert isinstance(sum_, n.Binary)
    assert sum_.operator == "-"
    assert print_expression(value("(1 + 2) * 3")) == "(1 + 2) * 3"
    assert print_expression(value("not (a or b) and c")) == "not (a or b) and c"


@pytest.mark.parametrize("text", ["{ a, b: 1 }", "{\n  a\n  b: 1\n}", "{\n  a,\n  b: 1,\n}"])
def test_an_object_needs_no_commas_at_line_ends(text: str) -> None:
    found = value(text)
    assert isinstance(found, n.Object)
    assert [(entry.key, entry.shorthand) for entry in found.entries] == [("a", True), ("b", False)]


def test_a_call_takes_properties_below_it_or_on_its_line() -> None:
    below = value("call critic\n  draft: d\n  score: 3")
    beside = value("call critic draft: d, score: 3")
    given = value("call critic with { draft: d, score: 3 }")
    for call in (below, beside, given):
        assert isinstance(call, n.Call)
        assert [entry.key for entry in call.properties] == ["draft", "score"]


def test_append_in_both_orders() -> None:
    first, second = clean("append x to xs\nappend xs x").statements
    for statement in (first, second):
        assert isinstance(statement, n.Record)
        assert isinstance(statement.into, n.Name)
        assert isinstance(statement.value, n.Name)
        assert (statement.into.id, statement.value.id) == ("xs", "x")


def test_a_loop_knows_its_condition_bound_and_counter() -> None:
    loop = only("loop until the draft (as sent) is fine (max: 2 + f(1)) as round:\n  call a")
    assert isinstance(loop, n.Loop)
    assert loop.condition is not None
    assert loop.condition.text == "the draft (as sent) is fine"
    assert loop.maximum is not None
    assert print_expression(loop.maximum) == "2 + f(1)"
    assert loop.counter is not None
    assert loop.counter.id == "round"


def condition(text: str) -> n.Condition:
    found = only(f"if {text}:\n  call a")
    assert isinstance(found, n.If)
    return found.arms[0].condition


@pytest.mark.parametrize(
    ("written", "said", "marks"),
    [
        ("a is good", "a is good", ""),
        ('x says "no: never"', 'x says "no: never"', ""),
        ("x contains 'no: never'", "x contains 'no: never'", ""),
        ("the critic doesn't object", "the critic doesn't object", ""),
        ("x in {a: 1}", "x in {a: 1}", ""),
        ("it is 12:30", "it is 12:30", ""),
        ("**a: b**", "a: b", "**"),
        ("***\n  a\n  b\n***", "a b", "***"),
        ("a\n    and b", "a and b", ""),
        ("a  # why\n    and b", "a and b", ""),
        ("**a** and not b", "a and not b", ""),
        ("a (really", "a (really", ""),
    ],
)
def test_conditions_are_kept_as_written(written: str, said: str, marks: str) -> None:
    found = condition(written)
    assert (found.text, found.marks) == (said, marks)
    assert len(found.offsets) == len(found.text)


def test_a_text_knows_what_is_put_into_it() -> None:
    found = value(r'"a {b} {c.d-e} {} { f } \{g\} {\"h\"}"')
    assert isinstance(found, n.Text)
    assert [part if isinstance(part, str) else print_expression(part) for part in found.parts] == [
        "a ",
        "b",
        " ",
        "c.d-e",
        ' {} { f } {g} {"h"}',
    ]


def test_a_long_text_keeps_its_lines() -> None:
    found = value('"""\n  one\r\n  two\n"""')
    assert isinstance(found, n.Text)
    assert found.parts == ("\n  one\n  two\n",)


def test_a_name_is_a_keyword_only_where_it_can_be_one() -> None:
    script = clean("record = 1\nlet session = gate\nreturn { option, call }")
    assert [type(statement) for statement in script.statements] == [n.Assign, n.Let, n.Return]


def test_else_belongs_to_the_if_of_its_own_line() -> None:
    statement = only("if a: for x in xs: if x: break\nelse: call b")
    assert isinstance(statement, n.If)
    assert statement.otherwise is not None


def test_numbers() -> None:
    assert [getattr(value(text), "value", None) for text in ("3", "-3", "1.50", "0")] == [3, -3, 1.5, 0]


def test_blocks_in_lists_end_where_they_are_indented_less() -> None:
    found = value("[\n  repeat 2:\n    call a\n  b\n]")
    assert isinstance(found, n.List)
    assert [type(item) for item in found.items] == [n.BlockValue, n.Name]


def test_an_empty_fence_is_an_empty_script() -> None:
    for text in ("", "\n\n", "# nothing\n", "   \n  # still nothing"):
        script, found = parse(text)
        assert (script.statements, found) == ((), [])


def test_forms_of_a_whole_script_keep_their_order() -> None:
    script = clean("\n".join(FORMS.values()))
    starts = [statement.span.start for statement in script.statements]
    assert starts == sorted(starts)
    assert len(starts) > 90
