"""Formal phrases: what can be decided from the values alone. In: a cursor after a subject. Out: a leaf, or None.

Every reader here ends at a boundary, so that nothing is taken for formal that only begins so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.resolve.conditions import words
from prose_runtime.resolve.conditions.cursor import Cursor
from prose_runtime.resolve.conditions.operands import read_number, read_operand
from prose_runtime.resolve.conditions.subject import Subject
from prose_runtime.resolve.conditions.tree import (
    And,
    Between,
    Compare,
    Contains,
    Count,
    IsOneOf,
    Leaf,
    Or,
    Order,
    State,
    Tree,
)
from prose_runtime.syntax.nodes import Constant, Expression, Text


def read_formal(cursor: Cursor, subject: Subject) -> Tree | None:
    """Any formal phrase that does not begin with `is`."""
    return cursor.first(_READERS, subject)


def skip_negation(cursor: Cursor) -> bool | None:
    """Reads `does not`, `doesn't`, `does`: whether it negates; None where no such word stands."""
    if cursor.word() in words.NOT_DO:
        cursor.at += 1
        return True
    if cursor.word() in words.DO:
        cursor.at += 1
        return cursor.took("not")
    return None


# ---- comparisons -----------------------------------------------------------------------------------------


def _symbol(cursor: Cursor, subject: Subject) -> Tree | None:
    token = cursor.peek()
    if token.kind != "symbol" or token.text not in words.SYMBOLS:
        return None
    cursor.at += 1
    operator = words.SYMBOLS[token.text]
    if token.text == "=":
        fix = Fix("write `==`", (Edit(cursor.span(token.start, token.end), "=="),))
        cursor.report("single-equals", token.start, token.end, fixes=(fix,))
    right = read_operand(cursor)
    if right is None or not cursor.at_boundary():
        right = _unknown_word(cursor, token.end)
        if right is None:
            return None
    if operator in ("==", "!="):
        values = (right, *_bare_values(cursor))
        if len(values) > 1:
            facts = subject.facts(cursor, operator == "!=")
            return IsOneOf(**facts, subject=subject.expression, values=values, spread=False)
    return Compare(**subject.facts(cursor, False), operator=operator, left=subject.expression, right=right)


def _unknown_word(cursor: Cursor, after: int) -> Expression | None:
    """A single undeclared word after a comparison symbol is a mistake, not prose."""
    while cursor.at and cursor.tokens[cursor.at - 1].start >= after:
        cursor.at -= 1
    token = cursor.take()
    if token.kind != "word" or cursor.is_value(token.text):
        return None
    while cursor.peek().text == "." and cursor.peek(1).kind == "word" and cursor.peek().start == cursor.end():
        cursor.at += 2
    if not cursor.at_boundary():
        return None
    near = nearest(token.text, cursor.scope.visible())
    advice = f"write `{near}`" if near else f'write `"{token.text}"` in quotes if it is a text'
    cursor.report("unknown-name-in-condition", token.start, token.end, name=token.text, advice=advice)
    return Text(cursor.span(token.start, token.end), (token.text,))


def _bare_values(cursor: Cursor) -> list[Expression]:
    """`or "b" or 3` after a value: texts and numbers that stand alone are further alternatives."""
    found: list[Expression] = []
    while True:
        value = cursor.attempt(lambda: _bare_value(cursor, ("or",)))
        if value is None:
            return found
        found.append(value)


def _bare_value(cursor: Cursor, joined: tuple[str, ...]) -> Expression | None:
    cursor.took_symbol(",")
    if cursor.word() not in joined:
        return None
    cursor.at += 1
    if cursor.peek().kind not in ("text", "number"):
        return None
    value = read_operand(cursor)
    return value if cursor.at_boundary() else None


def _comparing_verb(cursor: Cursor, subject: Subject) -> Leaf | None:
    negated = skip_negation(cursor) or False
    operator = words.COMPARING.get(cursor.word())
    if operator is None:
        return None
    cursor.at += 1
    if operator == ">=":
        cursor.took("or", "exceeds")
        cursor.took("or", "exceed")
    return quantity(cursor, subject, operator, negated, unit_needed=False)


def quantity(cursor: Cursor, subject: Subject, operator: Order, negated: bool, unit_needed: bool) -> Leaf | None:
    """What follows `at least`: an operand, and perhaps what is counted."""
    number = read_number(cursor)
    return None if number is None else measured(cursor, subject, operator, number, negated, unit_needed)


def measured(
    cursor: Cursor, subject: Subject, operator: Order, number: Expression, negated: bool, unit_needed: bool
) -> Leaf | None:
    """A comparison whose number is read: with words, lines, … after it the subject is counted."""
    if cursor.word() in words.UNITS:
        unit = words.UNITS[cursor.take().lower]
        if not cursor.took("in", "length"):
            cursor.took("long")
        return _count(cursor, subject, unit, operator, number, negated)
    if unit_needed or not cursor.at_boundary():
        return None
    return Compare(**subject.facts(cursor, negated), operator=operator, left=subject.expression, right=number)


def _count(
    cursor: Cursor, subject: Subject, unit: str, operator: Order, number: Expression, negated: bool
) -> Leaf | None:
    if not cursor.at_boundary():
        return None
    facts = subject.facts(cursor, negated)
    return Count(**facts, subject=subject.expression, unit=unit, operator=operator, number=number)


def read_quantity_phrase(cursor: Cursor) -> tuple[Order, bool] | None:
    """`at least`, `fewer than`, …: the comparison, and whether it needs a unit (`longer than`)."""
    for phrase, order in words.QUANTITIES:
        if cursor.took(*phrase):
            return order, phrase[0] in ("longer", "shorter")
    return None


def read_number_or_more(cursor: Cursor) -> tuple[Order, Expression] | None:
    """`3 or more`, `threshold or higher`."""
    number = read_number(cursor)
    if number is None or cursor.word() != "or" or cursor.word(1) not in words.AFTERWARDS:
        return None
    cursor.at += 2
    return words.AFTERWARDS[cursor.tokens[cursor.at - 1].lower], number


def read_between(cursor: Cursor, subject: Subject, negated: bool) -> Leaf | None:
    """`between 0 and 1`, both ends included."""
    if not cursor.took("between"):
        return None
    low = read_operand(cursor)
    if low is None or not cursor.took("and"):
        return None
    high = read_operand(cursor)
    if high is None or not cursor.at_boundary():
        return None
    return Between(**subject.facts(cursor, negated), subject=subject.expression, low=low, high=high)


# ---- searching -------------------------------------------------------------------------------------------


def _searching(cursor: Cursor, subject: Subject) -> Tree | None:
    negated = skip_negation(cursor) or False
    word = cursor.word()
    where: Literal["inside", "start", "end"] = "inside"
    verb = "contain"
    if word in words.SEARCHING:
        cursor.at += 1
        verb = words.SEARCHING[word]
    elif word in ("starts", "start", "begins", "begin", "ends", "end") and cursor.word(1) == "with":
        cursor.at += 2
        where, verb = ("end", "end with") if word.startswith("end") else ("start", "start with")
    else:
        return None
    first = read_operand(cursor)
    if first is None or not cursor.at_boundary() or (isinstance(first, Constant) and not _is_number(first)):
        return None
    needles, joins = [first], set[str]()
    while True:
        join = cursor.word(1) if cursor.peek().text == "," else cursor.word()
        more = cursor.attempt(lambda: _bare_value(cursor, ("or", "and"))) if len(joins | {join}) == 1 else None
        if more is None:
            break
        needles.append(more)
        joins.add(join)
    facts = subject.facts(cursor, negated)
    about = subject.expression
    leaves = tuple(Contains(**facts, subject=about, needle=item, where=where, verb=verb) for item in needles)
    if len(leaves) == 1:
        return leaves[0]
    return (And if negated or "and" in joins else Or)(facts["span"], facts["start"], facts["end"], leaves)


def _is_number(node: Constant) -> bool:
    return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)


# ---- counts and existence --------------------------------------------------------------------------------


def _having(cursor: Cursor, subject: Subject) -> Leaf | None:
    negated = skip_negation(cursor)
    if cursor.word() not in words.HAVE:
        return None
    cursor.at += 1
    negated = bool(negated)
    phrase = read_quantity_phrase(cursor)
    if phrase is not None:
        number = read_number(cursor)
        operator = phrase[0]
    elif cursor.took("no"):
        if cursor.word() not in words.UNITS:
            return None
        operator, number = "==", Constant(cursor.span(cursor.start(), cursor.start()), 0)
    else:
        some = cursor.attempt(lambda: read_number_or_more(cursor))
        operator, number = some if some else ("==", read_number(cursor))
    if number is None or cursor.peek().kind != "word":
        return None
    return _count(cursor, subject, _unit(cursor), operator, number, negated)


def _unit(cursor: Cursor) -> str:
    """What is counted after `has 3`: a unit, or one or two words that name a list field."""
    first = cursor.take()
    if first.lower in words.UNITS and cursor.at_boundary():
        return words.UNITS[first.lower]
    named = [first.lower]
    if not cursor.at_boundary() and cursor.word() and cursor.word() not in words.CLAUSE:
        named.append(cursor.take().lower)
    return " ".join(named)


def _existing(cursor: Cursor, subject: Subject) -> Leaf | None:
    negated = skip_negation(cursor) or False
    if cursor.word() not in ("exists", "exist"):
        return None
    cursor.at += 1
    if not cursor.at_boundary():
        return None
    return State(**subject.facts(cursor, negated), subject=subject.itself(), state="present")


_READERS: tuple[Callable[[Cursor, Subject], Tree | None], ...] = (
    _symbol,
    _comparing_verb,
    _searching,
    _having,
    _existing,
)
