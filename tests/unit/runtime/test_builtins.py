"""The functions of expressions: each row of the table has one that does it, and each is total."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prose_runtime.resolve.builtins import FUNCTIONS
from prose_runtime.runtime import builtins
from prose_runtime.runtime.answers import as_items, as_number, as_score, first_line, plain
from prose_runtime.runtime.builtins import apply
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import ListValue, ServiceRef, Value, from_python, to_json
from prose_runtime.source import Span
from prose_runtime.syntax.nodes import Apply, Constant

S = Span(0, 0)


class Quiet:
    """A frame that only hears warnings."""

    def __init__(self) -> None:
        self.warned: list[str] = []

    def warn(self, code: str, span: Span, **facts: object) -> None:
        self.warned.append(code)


def applied(name: str, *values: object) -> Value:
    node = Apply(S, name, S, tuple(Constant(S, None) for _ in values))
    return apply(node, [from_python(value) for value in values], Quiet())  # type: ignore[arg-type]


def test_the_table_and_what_it_does_belong_together() -> None:
    assert set(FUNCTIONS) == set(builtins._FUNCTIONS)


_KINDS: tuple[object, ...] = (None, True, 0, 1.5, -1, "", "text", [], [1, "a", None], {}, {"score": 1}, ServiceRef("s"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_kind_of_value_gives_a_result_or_a_fault(name: str) -> None:
    function = FUNCTIONS[name]
    faults: list[Fault] = []
    results: list[object] = []
    for values in itertools.product(_KINDS, repeat=len(function.parameters)):
        try:
            results.append(to_json(applied(name, *values)))
        except Fault as fault:
            faults.append(fault)
    assert results
    assert {fault.name for fault in faults} <= {"wrong-argument", "no-order", "no-length"}
    assert all(fault.message for fault in faults)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


@given(st.lists(JSON, max_size=8), st.integers(0, 9))
def test_lists_keep_what_they_hold(items: list[object], count: int) -> None:
    best = to_json(applied("top", items, count))
    assert isinstance(best, list)
    assert len(best) == min(count, len(items))
    whole = to_json(applied("first", items, count)), to_json(applied("last", items, count))
    assert [len(part) for part in whole if isinstance(part, list)] == [min(count, len(items))] * 2
    once = applied("distinct", items)
    assert to_json(applied("distinct", once)) == to_json(once)


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(0, 12))
def test_top_is_stable(scores: list[int], count: int) -> None:
    items = [{"at": at, "score": score} for at, score in enumerate(scores)]
    expected = sorted(items, key=lambda item: (-item["score"], item["at"]))[:count]
    assert to_json(applied("top", items, count, "score")) == expected


@given(st.lists(st.sampled_from(["a", "B", "b.", "c"]), min_size=1, max_size=9))
def test_the_most_common_is_the_first_of_equals(answers: list[str]) -> None:
    read = [plain(answer) for answer in answers]
    first = max(read, key=lambda each: (read.count(each), -read.index(each)))
    assert applied("most_common", answers) == answers[read.index(first)]


def test_named_finds_only_what_is_bound() -> None:
    services = ListValue([ServiceRef("tax-law"), ServiceRef("Tax"), ServiceRef("tax")])
    assert applied("named", services, "tax") is services[2]
    assert applied("named", services, "TAX LAW") is services[0]
    assert applied("named", services, "TAX") is None  # two are alike, none is it
    assert applied("named", services, "py:os:system") is None
    assert applied("named", services, {"route": "tax"}) is None
    assert applied("named", ListValue(), "tax") is None
    with pytest.raises(Fault, match="a list"):
        applied("named", ["tax"], "tax")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.8", 0.8), ("**0.8**", 0.8), (" 7 ", 7), ("-2", -2), (".5", 0.5), ("80 %", 0.8), ("4/5", 0.8),
        ("9 Out Of 10", 0.9), ("1/0", None), ("", None), ("about 3", None), ("3 apples", None), ("1e9", None),
        ("1,000", None), ("NaN", None), ("0.8.", None),
    ],
)  # fmt: skip
def test_texts_that_are_numbers(text: str, number: float | None) -> None:
    assert as_number(text) == number


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Clear.\nScore: 0.8", 0.8), ("**Score: 0.8**", 0.8), ("| Score | 8/10 |", 0.8), ("Overall score: 70%", 0.7),
        ("- score = 7 out of 10.", 0.7), ("Score: 0.8\nScore: 0.8", 0.8), ("Score: 0.8\nScore: 0.2", None),
        ("I scored it 0.8", None), ("The score was 8 before.", None), ("score: high", None),
        ('{"score": "8/10"}', 0.8), ('```json\n{"score": 0.4}\n```', 0.4), ("underscore: 5", None), ("", None),
        ("Score:" * 20000, None), ("\n" * 20000, None),
    ],
)  # fmt: skip
def test_scores_in_answers(answer: str, score: float | None) -> None:
    assert as_score(answer) == score


@pytest.mark.parametrize("answer", [None, True, [], [0.8], {}, {"score": None}, {"score": True}, {"score": [1]}])
def test_no_score(answer: object) -> None:
    assert as_score(from_python(answer)) is None


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("No issues", "no issues"), ("> **No issues!**", "no issues"), ("`no-issues`.", "no issues"),
        ("NO ISSUES\t", "no issues"), ("« No issues »", "no issues"), ("<b>No</b> issues", "no issues"),
        ("don't", "dont"), ("3.5", "3.5"), ("-5", "-5"), ("**-5**", "-5"), ("a-5", "a 5"),
        ("- 5", "5"), ("5%", "5%"), ("C++", "c++"),
        ("問題なし。", "問題なし"), ("***", ""), ("", ""), ("✓", "✓"),
    ],
)  # fmt: skip
def test_plain_texts(text: str, same: str) -> None:
    assert plain(text) == same


@given(st.text(max_size=20))
def test_plain_is_plain_already(text: str) -> None:
    once = plain(text)
    assert plain(once) == once
    assert plain(f"**{text}**") == once or "<" in text
    assert first_line(text) in [line.strip() for line in [*text.splitlines(), ""]]


def test_items_of_texts() -> None:
    assert to_json(as_items("Steps:\n\n- a\n  more\n- b\n\nThanks!")) == ["a\nmore", "b"]
    assert to_json(as_items("(1) a\n2) b\n3. c")) == ["a", "b", "c"]
    assert to_json(as_items("  \n")) == []
    assert to_json(as_items('["a", {"b": 1}]')) == ["a", {"b": 1}]
    assert to_json(as_items('{"b": 1}')) == [{"b": 1}]
    assert to_json(as_items(False)) == [False]
