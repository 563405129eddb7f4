"""What the functions of expressions do (`resolve/builtins.py` lists them). In: values. Out: a value. Never waits.

Each is total: null and what is empty have a result, and anything else that a function cannot take is a `Fault` at the
place of that value. None of them looks at anything but what it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from prose_runtime.runtime.answers import as_items, as_number, as_score, field_of, first_line, groups, plain
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import (
    LONGEST_INTEGER,
    ListValue,
    ServiceRef,
    Unordered,
    Value,
    compare,
    kind_of,
    render_text,
    show,
)
from prose_runtime.runtime.verdicts import plain_words
from prose_runtime.syntax.nodes import Apply

if TYPE_CHECKING:
    from prose_runtime.runtime.expressions import Frame

_Values = Sequence[Value]
_EXACT = 1 << 53  # beyond this every number is whole


def apply(node: Apply, values: _Values, frame: Frame) -> Value:
    """The result of a function for the values of its arguments. Raises `Fault`."""
    function = _FUNCTIONS.get(node.function)
    if function is None:
        raise Fault("no-such-function", node.function_span, name=node.function, help="`call` a service instead")
    return function(node, values, frame)


def _wrong(node: Apply, values: _Values, index: int, wanted: str) -> Fault:
    place = node.arguments[index].span if index < len(node.arguments) else node.span
    facts = {"found": kind_of(values[index]), "shown": show(values[index])}
    return Fault("wrong-argument", place, function=node.function, wanted=wanted, **facts)


def _list(node: Apply, values: _Values, index: int = 0) -> ListValue:
    """A list; null is an empty one."""
    value = values[index]
    if value is None:
        return ListValue()
    if isinstance(value, ListValue):
        return value
    raise _wrong(node, values, index, "a list")


def _count(node: Apply, values: _Values, index: int) -> int:
    value = values[index]
    whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    if not whole or value < 0:  # type: ignore[operator]
        raise _wrong(node, values, index, "a whole number from 0 on")
    return int(value)  # type: ignore[arg-type]


def _name(node: Apply, values: _Values, index: int) -> str:
    value = values[index]
    if not isinstance(value, str):
        raise _wrong(node, values, index, "a name in quotes")
    return value


# ---- numbers ---------------------------------------------------------------------------------------------


def _len(node: Apply, values: _Values, frame: Frame) -> Value:
    value = values[0]
    if isinstance(value, (ListValue, str, dict)):
        return len(value)
    if value is None:
        frame.warn("missing-property", node.span, name="length", found="the value is null")
        return None
    raise Fault("no-length", node.span, found=kind_of(value), shown=show(value))


def _least(node: Apply, values: _Values, frame: Frame) -> Value:
    return _extreme(node, values, -1)


def _greatest(node: Apply, values: _Values, frame: Frame) -> Value:
    return _extreme(node, values, 1)


def _extreme(node: Apply, values: _Values, sign: int) -> Value:
    """The least or the greatest, the first of equals; nulls do not count, and of nothing it is null."""
    items = list(_list(node, values)) if len(values) == 1 else list(values)
    found: Value = None
    for item in items:
        if item is None:
            continue
        try:
            better = found is None or compare(item, found) == sign
            if found is None:
                compare(item, item)  # what has no order is refused, also when it is alone
        except Unordered as error:
            facts = {"left": error.left, "right": error.right, "shown_left": show(item), "shown_right": show(found)}
            raise Fault("no-order", node.span, operator=node.function, **facts) from None
        found = item if better else found
    return found


def _sum(node: Apply, values: _Values, frame: Frame) -> Value:
    total: int | float = 0
    for item in _list(node, values):
        if isinstance(item, bool) or not isinstance(item, (int, float, type(None))):
            raise Fault(
                "wrong-argument", node.span, function="sum", wanted="numbers", found=kind_of(item), shown=show(item)
            )
        try:
            total = total + (item or 0)
        except OverflowError:
            raise Fault("number-too-large", node.span, operator="sum") from None
    if total.bit_length() > LONGEST_INTEGER if isinstance(total, int) else total - total != 0:
        raise Fault("number-too-large", node.span, operator="sum")
    return total


def _round(node: Apply, values: _Values, frame: Frame) -> Value:
    """Half away from zero, as people round; without digits a whole number."""
    value = values[0]
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong(node, values, 0, "a number")
    digits = _count(node, values, 1) if len(values) > 1 else 0
    if isinstance(value, int) or abs(value) >= _EXACT or digits > 15:
        return int(value) if digits == 0 else value
    from decimal import ROUND_HALF_UP, Decimal

    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return int(rounded) if digits == 0 else float(rounded)


# ---- lists -----------------------------------------------------------------------------------------------


def _first(node: Apply, values: _Values, frame: Frame) -> Value:
    return _list(node, values)[: _count(node, values, 1)]


def _last(node: Apply, values: _Values, frame: Frame) -> Value:
    items = _list(node, values)
    return items[max(len(items) - _count(node, values, 1), 0) :]


def _top(node: Apply, values: _Values, frame: Frame) -> Value:
    """The items with the highest numbers, highest first, equals in the order of the list."""
    items, count = _list(node, values), _count(node, values, 1)
    by = _name(node, values, 2) if len(values) > 2 else None
    keys = [as_number(item if by is None else field_of(item, by)) for item in items]
    order = sorted(range(len(items)), key=lambda index: _downwards(keys[index]))
    return ListValue(items[index] for index in order[:count])


def _downwards(key: int | float | None) -> tuple[bool, int | float]:
    return (True, 0) if key is None else (False, -key)


def _distinct(node: Apply, values: _Values, frame: Frame) -> Value:
    return ListValue(group[0] for group in groups(_list(node, values)))


def _most_common(node: Apply, values: _Values, frame: Frame) -> Value:
    """The item that occurs most often, as it was said first; of equally many the one that came first."""
    found = groups(item for item in _list(node, values) if item is not None)
    return max(found, key=len)[0] if found else None


def _named(node: Apply, values: _Values, frame: Frame) -> Value:
    """The service of that name among these, null if there is none. Only what is bound already can be found."""
    held, name = values[0], values[1]
    services = [held] if isinstance(held, ServiceRef) else list(_list(node, values))
    for item in services:
        if not isinstance(item, ServiceRef):
            raise _wrong(node, values, 0, "a list of services")
    if isinstance(name, ServiceRef):
        name = name.name
    if not isinstance(name, str):
        return None
    exact = [item for item in services if isinstance(item, ServiceRef) and item.name == name]
    alike = [item for item in services if isinstance(item, ServiceRef) and plain_words(item.name) == plain_words(name)]
    return exact[0] if exact else alike[0] if len(alike) == 1 else None


# ---- reading answers -------------------------------------------------------------------------------------


def _field(node: Apply, values: _Values, frame: Frame) -> Value:
    found = field_of(values[0], _name(node, values, 1))
    return values[2] if found is None and len(values) > 2 else found


def _number(node: Apply, values: _Values, frame: Frame) -> Value:
    return as_number(values[0])


def _score(node: Apply, values: _Values, frame: Frame) -> Value:
    return as_score(values[0])


def _items(node: Apply, values: _Values, frame: Frame) -> Value:
    return as_items(values[0])


def _plain(node: Apply, values: _Values, frame: Frame) -> Value:
    return plain(render_text(values[0]))


def _first_line(node: Apply, values: _Values, frame: Frame) -> Value:
    return first_line(render_text(values[0]))


_FUNCTIONS: dict[str, Callable[[Apply, _Values, Frame], Value]] = {
    "len": _len,
    "min": _least,
    "max": _greatest,
    "sum": _sum,
    "round": _round,
    "first": _first,
    "last": _last,
    "top": _top,
    "distinct": _distinct,
    "most_common": _most_common,
    "named": _named,
    "field": _field,
    "number": _number,
    "score": _score,
    "items": _items,
    "plain": _plain,
    "first_line": _first_line,
}
