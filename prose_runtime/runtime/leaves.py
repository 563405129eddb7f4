"""The test of each leaf of a condition. In: the leaf and a frame. Out: whether it holds; what was seen is noted.

A leaf whose value cannot be read raises `Unreadable`; whether that goes to a judge is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prose_runtime.resolve.conditions import tree as nodes
from prose_runtime.runtime import measuring
from prose_runtime.runtime.decision import Seen, label
from prose_runtime.runtime.expressions import Frame, binary, evaluate, ordered
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import ListValue, Value, equal, kind_of, show, truth
from prose_runtime.runtime.verdicts import (
    Reading,
    as_yes_or_no,
    plain_words,
    read_error_name,
    read_report,
    read_verdict,
    read_word,
)
from prose_runtime.syntax.nodes import Expression, Index, Name, Property


class Unreadable(Exception):
    """The value of a structural leaf does not say. `seen` describes it."""

    def __init__(self, seen: str) -> None:
        super().__init__(seen)
        self.seen = seen


# ---- formal ----------------------------------------------------------------------------------------------


def _compare(leaf: nodes.Compare, frame: Frame, seen: list[Seen]) -> bool:
    left, right = evaluate(leaf.left, frame), evaluate(leaf.right, frame)
    holds = binary(leaf.operator, left, right, leaf.span, frame) is not leaf.negated
    seen.append(Seen(leaf, "formal", holds, ((leaf.left, left), (leaf.right, right))))
    return holds


def _between(leaf: nodes.Between, frame: Frame, seen: list[Seen]) -> bool:
    value, low, high = (evaluate(node, frame) for node in (leaf.subject, leaf.low, leaf.high))
    inside = ordered(">=", value, low, leaf.span, frame) and ordered("<=", value, high, leaf.span, frame)
    holds = inside is not leaf.negated
    seen.append(Seen(leaf, "formal", holds, ((leaf.subject, value), (leaf.low, low), (leaf.high, high))))
    return holds


def _is_one_of(leaf: nodes.IsOneOf, frame: Frame, seen: list[Seen]) -> bool:
    value = evaluate(leaf.subject, frame)
    candidates = [evaluate(node, frame) for node in leaf.values]
    operands = ((leaf.subject, value), *zip(leaf.values, candidates, strict=True))
    if leaf.spread and isinstance(candidates[0], ListValue):
        candidates = list(candidates[0])
    holds = any(_is_value(value, item) for item in candidates) is not leaf.negated
    seen.append(Seen(leaf, "formal", holds, operands))
    return holds


def _is_value(value: Value, candidate: Value) -> bool:
    """Equality; an object is also what its verdict field says, exactly."""
    if isinstance(value, dict) and isinstance(candidate, str):
        return any(
            plain_words(key) in ("verdict", "decision", "action") and item == candidate for key, item in value.items()
        )
    return equal(value, candidate)


def _contains(leaf: nodes.Contains, frame: Frame, seen: list[Seen]) -> bool:
    value, needle = evaluate(leaf.subject, frame), evaluate(leaf.needle, frame)
    if isinstance(needle, (ListValue, dict)) and not isinstance(value, ListValue):
        raise Fault("cannot-search", leaf.span, verb=leaf.verb, found=kind_of(needle), shown=show(needle))
    holds = measuring.contains(value, needle, leaf.where) is not leaf.negated
    seen.append(Seen(leaf, "formal", holds, ((leaf.subject, value), (leaf.needle, needle))))
    return holds


_STATES: dict[str, Callable[[Value], bool]] = {
    "present": lambda value: value is not None,
    "null": lambda value: value is None,
    "empty": measuring.is_empty,
    "true": lambda value: value is True or (isinstance(value, str) and as_yes_or_no(value) is True),
    "false": lambda value: value is False or (isinstance(value, str) and as_yes_or_no(value) is False),
}


def _state(leaf: nodes.State, frame: Frame, seen: list[Seen]) -> bool:
    value = evaluate(leaf.subject, frame)
    holds = _STATES[leaf.state](value) is not leaf.negated
    seen.append(Seen(leaf, "formal", holds, ((leaf.subject, value),)))
    return holds


def _count(leaf: nodes.Count, frame: Frame, seen: list[Seen]) -> bool:
    value, number = evaluate(leaf.subject, frame), evaluate(leaf.number, frame)
    formal = leaf.unit in ("items", "words", "lines", "characters")
    try:
        count = measuring.counted(value, leaf.unit, own=_own_name(leaf.subject))
    except measuring.Uncountable:
        if formal:
            facts = {"unit": leaf.unit, "found": kind_of(value), "shown": show(value)}
            raise Fault("cannot-count", leaf.span, **facts) from None
        raise Unreadable(f"{label(leaf.subject)} is {kind_of(value)}, {show(value)}") from None
    holds = binary(leaf.operator, count, number, leaf.span, frame) is not leaf.negated
    many = "null" if count is None else show(count)
    note = f"{label(leaf.subject)} has {many} {leaf.unit}"
    seen.append(Seen(leaf, "formal" if formal else "structure", holds, ((leaf.subject, value),), note))
    return holds


def _truth(leaf: nodes.Truth, frame: Frame, seen: list[Seen]) -> bool:
    value = evaluate(leaf.expression, frame)
    holds = truth(value)
    if holds and isinstance(value, str):
        holds = as_yes_or_no(value) is not False
    holds = holds is not leaf.negated
    seen.append(Seen(leaf, "formal", holds, ((leaf.expression, value),)))
    return holds


# ---- structural ------------------------------------------------------------------------------------------


def _own_name(subject: Expression) -> str:
    if isinstance(subject, Property):
        return subject.name
    if isinstance(subject, Index):
        return _own_name(subject.target)
    return subject.id if isinstance(subject, Name) else subject.slot if isinstance(subject, nodes.SlotAnswer) else ""


def _value_to_read(leaf: nodes.Is | nodes.Verdict | nodes.Reports, frame: Frame) -> tuple[Value, bool]:
    """The value, and whether there is one yet (a slot may not have answered)."""
    subject = leaf.subject
    if isinstance(subject, nodes.SlotAnswer):
        answered, value = frame.slot_answer(subject.slot)
        return value, answered
    return evaluate(subject, frame), True


def _structural(
    leaf: nodes.Is | nodes.Verdict | nodes.Reports,
    frame: Frame,
    seen: list[Seen],
    read: Callable[[Value], Reading],
    explicit: bool,
) -> bool:
    value, answered = _value_to_read(leaf, frame)
    reading = read(value) if answered else Reading(False, "it has not answered yet")
    found = reading.holds
    note = reading.seen
    if found is None:
        if not explicit:
            raise Unreadable(f"{label(leaf.subject)}: {note}")
        found, note = False, f"{note}, which says nothing explicitly"
    holds = found is not leaf.negated
    seen.append(Seen(leaf, "structure", holds, ((leaf.subject, value),), note))
    return holds


def _is(leaf: nodes.Is, frame: Frame, seen: list[Seen]) -> bool:
    def read(value: Value) -> Reading:
        if leaf.error:
            return read_error_name(leaf.word, value)
        return read_word(leaf.word, value, _own_name(leaf.subject))

    return _structural(leaf, frame, seen, read, leaf.explicit)


def _verdict(leaf: nodes.Verdict, frame: Frame, seen: list[Seen]) -> bool:
    return _structural(leaf, frame, seen, lambda value: read_verdict(leaf.verb, value), leaf.explicit)


def _reports(leaf: nodes.Reports, frame: Frame, seen: list[Seen]) -> bool:
    return _structural(leaf, frame, seen, lambda value: read_report(leaf.fields, leaf.every, value), False)


TESTS: dict[type, Callable[[Any, Frame, list[Seen]], bool]] = {
    nodes.Compare: _compare,
    nodes.Between: _between,
    nodes.IsOneOf: _is_one_of,
    nodes.Contains: _contains,
    nodes.State: _state,
    nodes.Count: _count,
    nodes.Truth: _truth,
    nodes.Is: _is,
    nodes.Verdict: _verdict,
    nodes.Reports: _reports,
}
