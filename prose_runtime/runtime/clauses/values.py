"""The tests of one value. In: a predicate without parts, the value, what names stand for. Out: whether it holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.phrases import number
from prose_runtime.resolve.clauses.tree import Number, Operand, Predicate, Undecidable
from prose_runtime.resolve.conditions.tree import Order
from prose_runtime.runtime.clauses.counting import counted
from prose_runtime.runtime.contracts import mismatch
from prose_runtime.runtime.values import (
    ListValue,
    Unordered,
    Value,
    compare,
    equal,
    from_python,
    kind_of,
    render_text,
)
from prose_runtime.runtime.verdicts import document_in, plain_words

Names: TypeAlias = Mapping[str, Value]

_ORDER: dict[Order, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
}


def tested(predicate: Predicate, value: Value, names: Names) -> bool | None:
    """Whether a predicate without parts holds of a value. Raises `Undecidable`."""
    match predicate:
        case tree.Given():
            return value is not None
        case tree.Missing():
            return value is None
        case tree.Searched(what=what, one_is_enough=one_is_enough, exact=exact):
            found = (_has(value, item.text if exact else meant(item, names), exact) for item in what)
            return any(found) if one_is_enough else all(found)
        case tree.Edged():
            return _edged(predicate, value, names)
        case tree.Matched(regex=regex):
            return re.search(regex, render_text(value)) is not None
        case tree.Equal(what=what):
            return any(_same(value, item, names) for item in what)
        case tree.Typed(type=kind):
            return mismatch(value, kind) is None
        case tree.ValidJson():
            return _is_json(value)
        case tree.HasField(key=key, what=item):
            return _has_field(value, key, item, names)
        case tree.Described(words=words):
            return _described(value, words)
        case _:
            return _measured(predicate, value, names)


def _measured(predicate: Predicate, value: Value, names: Names) -> bool:
    match predicate:
        case tree.Measured(unit=unit, order=order, number=wanted):
            return in_order(counted(value, unit), order, number_of(wanted, names))
        case tree.Ordered(order=order, number=wanted):
            return value is not None and in_order(value, order, number_of(wanted, names))
        case tree.Sized(order=order, number=wanted):
            if not isinstance(value, (str, ListValue, dict)):
                raise Undecidable(f"{kind_of(value)} has no length")
            return in_order(len(value), order, number_of(wanted, names))
        case _:
            raise TypeError(f"{type(predicate).__name__} is not a predicate without parts")


def meant(item: Operand, names: Names) -> Value:
    """What an operand stands for: in backticks a known name is its value, all else is what is written."""
    return names[item.text] if item.ticked and item.text in names else item.text


def number_of(wanted: Number, names: Names) -> int | float:
    """The number that is meant. Raises `Undecidable` for a name that holds none."""
    value: Value = wanted.value
    if wanted.name and wanted.name in names:
        value = names[wanted.name]
    value = number(value) if isinstance(value, str) else value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Undecidable(f"`{wanted.name}` is no number")
    return value


def in_order(value: Value, order: Order, other: Value) -> bool:
    """Whether two values compare so. Raises `Undecidable` for values without an order."""
    try:
        return _ORDER[order](compare(value, other))
    except Unordered:
        raise Undecidable(f"{kind_of(value)} cannot be compared with {render_text(other)}") from None


def _has(value: Value, needle: Value, exact: bool) -> bool:
    """A text holds a phrase, without regard to case unless it is exact; lists and objects are searched as JSON too."""
    if isinstance(value, ListValue) and any(equal(item, needle) for item in value):
        return True
    text, phrase = render_text(value), render_text(needle)
    return phrase in text if exact else phrase.casefold() in text.casefold()


def _edged(predicate: tree.Edged, value: Value, names: Names) -> bool:
    where = str.endswith if predicate.edge == "end" else str.startswith
    fold = str if predicate.exact else str.casefold
    text = fold(render_text(value).strip())
    return any(where(text, fold(render_text(meant(item, names)).strip())) for item in predicate.what)


def _same(value: Value, item: Operand, names: Names) -> bool:
    """Equal as it is written, or as the JSON that it reads as; an object is also what its verdict says."""
    right = meant(item, names)
    if equal(value, right) or (not isinstance(value, str) and equal(value, _literal(item))):
        return True
    if isinstance(value, dict) and isinstance(right, str):
        return any(
            plain_words(key) in ("verdict", "decision", "action", "status") and equal(found, right)
            for key, found in value.items()
        )
    return False


def _literal(item: Operand) -> Value:
    """An operand as JSON if it reads so (`3`, `true`, `[1, 2]`), else as its text."""
    try:
        return from_python(json.loads(item.text))
    except (ValueError, RecursionError):
        return item.text


def _is_json(value: Value) -> bool:
    if not isinstance(value, str):
        return True
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True


def _has_field(value: Value, key: str, item: Operand | None, names: Names) -> bool | None:
    """`has status `pass``: the field of an object, or of a text that is JSON; of other texts only reading can tell."""
    found = document_in(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        return None if isinstance(value, str) else False
    wanted = plain_words(key)
    fields = [inner for name, inner in found.items() if plain_words(name) == wanted]
    return bool(fields) and (item is None or _same(fields[0], item, names))


def _described(value: Value, words: tuple[str, ...]) -> bool | None:
    """A part that is there and not null, whose name ends as the words do, or the words as the name does."""
    found = document_in(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        return None if isinstance(value, str) else False
    names = [tuple(plain_words(name).split()) for name, item in found.items() if item is not None]
    return any(name and (words[-len(name) :] == name or name[-len(words) :] == words) for name in names)
