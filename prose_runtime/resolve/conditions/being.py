"""Phrases with `is`: `is at least 3`, `is empty`, `is "a" or "b"`, `is not accepted`, `is sev1 or sev2`.

In: a cursor after a subject. Out: formal leaves where what follows are values, states or quantities, structural ones
where it is a word; several alternatives joined.
"""

from __future__ import annotations

from prose_runtime.resolve.conditions import words
from prose_runtime.resolve.conditions.cursor import Cursor
from prose_runtime.resolve.conditions.formal import (
    measured,
    quantity,
    read_between,
    read_number_or_more,
    read_quantity_phrase,
)
from prose_runtime.resolve.conditions.operands import read_operand, read_reference
from prose_runtime.resolve.conditions.subject import Subject
from prose_runtime.resolve.conditions.tree import And, Is, IsOneOf, Leaf, Or, State, StateName, Tree, Verdict
from prose_runtime.source.node import node
from prose_runtime.syntax.nodes import Expression, List


@node
class Alternative:
    """One thing that a subject may be. `named`: the value is that of a plain declared name."""

    value: Expression | None = None
    state: tuple[StateName, bool] | None = None
    word: str = ""
    named: bool = False


def read_being(cursor: Cursor, subject: Subject) -> Tree | None:
    """Any phrase that begins with `is`, `are`, `isn't`, …"""
    negated = read_is(cursor)
    if negated is None:
        return None
    return cursor.first((_quantity, read_between, _one_of, _alternatives), subject, negated)


def read_membership(cursor: Cursor, subject: Subject) -> Leaf | None:
    """`x in xs`, `x not in xs`."""
    negated = cursor.took("not")
    return _one_of(cursor, subject, negated) if cursor.word() == "in" else None


def read_left_out(cursor: Cursor, subject: Subject) -> Tree | None:
    """`or below 0.5`, `or empty`: `is` is left out together with the subject."""
    return cursor.first((_quantity, read_between, _state), subject, False)


def _state(cursor: Cursor, subject: Subject, negated: bool) -> Tree | None:
    if cursor.word() not in words.STATES or cursor.word() in ("true", "false") or cursor.at_name():
        return None
    found = read_alternative(cursor, subject)
    return _joined(cursor, subject, negated, [found], False) if found is not None and cursor.at_boundary() else None


def read_is(cursor: Cursor) -> bool | None:
    """Reads `is`, `is not`, `isn't`, `is still`: whether it negates; None where no such word stands."""
    if cursor.word() in words.NOT_BE:
        cursor.at += 1
        negated = True
    elif cursor.word() in words.BE:
        cursor.at += 1
        cursor.took("still")
        negated = cursor.took("not")
    else:
        return None
    cursor.took("still")
    return negated


def _quantity(cursor: Cursor, subject: Subject, negated: bool) -> Leaf | None:
    phrase = cursor.attempt(lambda: read_quantity_phrase(cursor))
    if phrase is not None:
        return quantity(cursor, subject, phrase[0], negated, unit_needed=phrase[1])
    some = cursor.attempt(lambda: read_number_or_more(cursor))
    if some is None:
        return None
    return measured(cursor, subject, some[0], some[1], negated, unit_needed=False)


def _one_of(cursor: Cursor, subject: Subject, negated: bool) -> Leaf | None:
    """`is one of a, b or c`, `is one of allowed`, `is in allowed`, `is either a or b` (read as alternatives)."""
    if not (cursor.took("one", "of") or cursor.took("in") or cursor.took("among")):
        return None
    named = cursor.attempt(lambda: read_reference(cursor))
    if named is not None and cursor.at_boundary() and cursor.word() != "or":
        return _listed(cursor, subject, negated, (named,), spread=True)
    if named is not None:
        return None
    if cursor.peek().text == "[":
        found = read_operand(cursor)
        values = found.items if isinstance(found, List) else None
        if values is None or not cursor.at_boundary():
            return None
        return _listed(cursor, subject, negated, values, spread=False)
    chosen = _chosen(cursor, subject)
    if chosen is None or any(item.value is None for item in chosen):
        return None
    return _listed(cursor, subject, negated, tuple(item.value for item in chosen if item.value), spread=False)


def _listed(cursor: Cursor, subject: Subject, negated: bool, values: tuple[Expression, ...], spread: bool) -> Leaf:
    return IsOneOf(**subject.facts(cursor, negated), subject=subject.expression, values=values, spread=spread)


# ---- alternatives ----------------------------------------------------------------------------------------


def _alternatives(cursor: Cursor, subject: Subject, negated: bool) -> Tree | None:
    cursor.took("either")
    explicit = cursor.took("explicitly")
    chosen = _chosen(cursor, subject)
    if chosen is None:
        return None
    if explicit and any(not item.word for item in chosen):
        return None
    either = _joined(cursor, subject, negated, chosen, explicit)
    more = cursor.attempt(lambda: _and_not(cursor, subject))
    if more is None:
        return either
    facts = subject.facts(cursor, negated)
    return And(facts["span"], facts["start"], facts["end"], (either, more))


def _and_not(cursor: Cursor, subject: Subject) -> Tree | None:
    """`and not empty` after `is not null`: the same subject, negated; `and empty` only for states."""
    cursor.took_symbol(",")
    if not cursor.took("and"):
        return None
    negated = cursor.took("not")
    found = read_alternative(cursor, subject)
    if found is None or not cursor.at_boundary() or (found.state is None and not negated) or found.named:
        return None
    return _joined(cursor, subject, negated, [found], False)


def _joined(cursor: Cursor, subject: Subject, negated: bool, chosen: list[Alternative], explicit: bool) -> Tree:
    facts = subject.facts(cursor, negated)
    values = tuple(item.value for item in chosen if item.value is not None)
    parts: list[Tree] = []
    if values:
        parts.append(IsOneOf(**facts, subject=subject.expression, values=values, spread=False))
    for item in chosen:
        if item.state is not None:
            name, opposite = item.state
            about = subject.expression if name in ("true", "false") else subject.itself()
            parts.append(State(**subject.facts(cursor, negated is not opposite), subject=about, state=name))
        elif item.word:
            parts.append(word_leaf(cursor, subject, item.word, negated, explicit))
    if len(parts) == 1:
        return parts[0]
    return (And if negated else Or)(facts["span"], facts["start"], facts["end"], tuple(parts))


def word_leaf(cursor: Cursor, subject: Subject, word: str, negated: bool, explicit: bool) -> Leaf:
    """`is WORD`: a verdict for the participle of a verdict verb, else equality with a word."""
    facts = subject.facts(cursor, negated)
    error = subject.is_error(cursor)
    if word.lower() in words.PARTICIPLES and not error:
        verb = words.PARTICIPLES[word.lower()]
        return Verdict(**facts, subject=subject.expression, verb=verb, explicit=explicit)
    return Is(**facts, subject=subject.expression, word=word, error=error, explicit=explicit)


def _chosen(cursor: Cursor, subject: Subject) -> list[Alternative] | None:
    """`a`, `a or b`, `a, b or c`, up to a boundary."""
    first = read_alternative(cursor, subject)
    if first is None:
        return None
    chosen = [first]
    while True:
        further = cursor.attempt(lambda: _further(cursor, subject, first.named))
        if further is None:
            return chosen if cursor.at_boundary() else None
        chosen.append(further)


def _further(cursor: Cursor, subject: Subject, named: bool) -> Alternative | None:
    comma = cursor.took_symbol(",")
    if not cursor.took("or") and not comma:
        return None
    found = read_alternative(cursor, subject)
    if found is None or not (cursor.at_boundary() or cursor.peek().text == ","):
        return None
    return None if found.named and not named else found


def read_alternative(cursor: Cursor, subject: Subject) -> Alternative | None:
    """One value, state or word; reports a word that also names a value."""
    token = cursor.peek()
    word = cursor.word()
    if word in words.STATES and not cursor.at_name():
        cursor.at += 1
        return Alternative(state=words.STATES[word])
    if token.kind == "word" and not cursor.at_name():
        if word in words.ARTICLES:
            cursor.at += 1
            word, token = cursor.word(), cursor.peek()
        if not word or word in words.CLAUSE or word in ("and", "or"):
            return None
        cursor.at += 1
        return Alternative(word=token.text)
    if not token.braced and token.kind in ("word", "text") and subject.is_error(cursor):
        cursor.at += 1
        return Alternative(word=token.text)
    value = read_operand(cursor)
    if value is None:
        return None
    plain = token.kind == "word" and cursor.end() == token.end and not token.braced
    if plain and cursor.at_boundary():
        cursor.report("word-names-a-value", token.start, token.end, word=token.text)
    return Alternative(value=value, named=token.kind == "word")
