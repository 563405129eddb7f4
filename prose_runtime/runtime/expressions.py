"""Pure expressions. In: a node and the names around it (`Frame`). Out: its value. Never waits.

Whatever may wait (calls, sessions, loops as values) is evaluated by the statements' side, which reuses the pieces
here: `binary`, `negative`, `get_property`, `get_index`, `interpolate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from prose_runtime.resolve.conditions.tree import SlotAnswer
from prose_runtime.runtime.builtins import apply
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import (
    LONGEST_INTEGER,
    ListValue,
    ServiceRef,
    Unordered,
    Value,
    compare,
    equal,
    kind_of,
    render_text,
    show,
    truth,
)
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.nodes import (
    Apply,
    Binary,
    Condition,
    Conditional,
    Constant,
    Expression,
    Index,
    List,
    Name,
    Object,
    Property,
    Text,
    Unary,
)


class Frame(Protocol):
    """What expressions and conditions ask of the body that they stand in."""

    @property
    def source(self) -> SourceText:
        """The file that the body stands in."""
        ...

    def lookup(self, name: Name) -> Value:
        """The value of a name."""
        ...

    def warn(self, code: str, span: Span, **facts: object) -> None:
        """Tell the author about something that did not stop the run."""
        ...

    def slot_answer(self, slot: str) -> tuple[bool, Value]:
        """Whether a slot has answered in this body yet, and its latest answer."""
        ...

    def slot_items(self, slot: str) -> ListValue | None:
        """The services of a list slot; None for a slot of one service."""
        ...

    def single_output(self, name: str) -> str | None:
        """The only declared output of the call that a name was bound to, so that `x.o` can be x."""
        ...

    def holds(self, condition: Condition) -> bool:
        """Whether a condition holds that can be decided without waiting (of `if c then a else b`)."""
        ...


def evaluate(expression: Expression, frame: Frame) -> Value:
    """The value of an expression that cannot wait. Raises `Fault`; TypeError for an expression that may wait."""
    try:
        evaluator = _EVALUATORS[type(expression)]
    except KeyError:
        raise TypeError(f"{type(expression).__name__} is not a pure expression") from None
    return evaluator(expression, frame)


# ---- operators -------------------------------------------------------------------------------------------

_ORDER: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def binary(operator: str, left: Value, right: Value, span: Span, frame: Frame) -> Value:
    """`left operator right` for every operator except `and` and `or`, which do not always read their right side."""
    if operator == "==":
        return equal(left, right)
    if operator == "!=":
        return not equal(left, right)
    if operator in _ORDER:
        return ordered(operator, left, right, span, frame)
    return _arithmetic(operator, left, right, span)


def ordered(operator: str, left: Value, right: Value, span: Span, frame: Frame) -> bool:
    """`<`, `<=`, `>` or `>=`. A null operand gives a warning; values without an order are a fault."""
    if left is None or right is None:
        which = "both sides are" if left is right else "the left side is" if left is None else "the right side is"
        frame.warn("null-in-comparison", span, which=which, operator=operator)
    try:
        return _ORDER[operator](compare(left, right))
    except Unordered as error:
        facts = {"left": error.left, "right": error.right, "shown_left": show(left), "shown_right": show(right)}
        raise Fault("no-order", span, operator=operator, **facts) from None


def _arithmetic(operator: str, left: Value, right: Value, span: Span) -> Value:
    if _is_number(left) and _is_number(right):
        return _calculated(operator, left, right, span)
    if operator == "+":
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if isinstance(left, ListValue) and isinstance(right, ListValue):
            return left.joined(right)
    facts = {"left": kind_of(left), "right": kind_of(right), "shown_left": show(left), "shown_right": show(right)}
    raise Fault("wrong-operands", span, operator=operator, **facts)


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _calculated(operator: str, left: Any, right: Any, span: Span) -> int | float:
    if right == 0 and operator in "/%":
        raise Fault("division-by-zero", span, operator=operator, left=show(left))
    try:
        result = _CALCULATE[operator](left, right)
    except OverflowError:
        raise Fault("number-too-large", span, operator=operator) from None
    too_large = result.bit_length() > LONGEST_INTEGER if isinstance(result, int) else result - result != 0
    if too_large:
        raise Fault("number-too-large", span, operator=operator)
    return result  # type: ignore[no-any-return]


def _quotient(left: Any, right: Any) -> int | float:
    if isinstance(left, int) and isinstance(right, int) and left % right == 0:
        return left // right
    return left / right  # type: ignore[no-any-return]


_CALCULATE: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _quotient,
    "%": lambda left, right: left % right,
}


def negative(value: Value, span: Span) -> Value:
    """`-value`."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return -value
    raise Fault("wrong-operand", span, operator="-", found=kind_of(value), shown=show(value))


# ---- reading into values ---------------------------------------------------------------------------------


def get_property(target: Value, node: Property, frame: Frame) -> Value:
    """`target.name`, `node` being where it is written. What is not there is null, with a warning."""
    name = node.name
    if isinstance(target, dict) and name in target:
        return target[name]
    if isinstance(node.target, Name) and frame.single_output(node.target.id) == name:
        return target
    if isinstance(target, ListValue) and name in ("length", "count"):
        return len(target)
    if isinstance(target, str) and name == "length":
        return len(target)
    if isinstance(target, ServiceRef) and name == "name":
        return target.name
    if isinstance(target, dict):
        has = ", ".join(f"`{key}`" for key in list(target)[:8]) or "nothing"
        frame.warn("missing-property", node.name_span, name=name, found=f"the object has {has}")
    else:
        frame.warn("missing-property", node.name_span, name=name, found=f"the value is {_described(target)}")
    return None


def _described(value: Value) -> str:
    return "null" if value is None else f"{kind_of(value)}, {show(value, 40)}"


def get_index(target: Value, index: Value, node: Index, frame: Frame) -> Value:
    """`target[index]`. A text is one text for every index; past the end of a list is a fault."""
    if isinstance(target, dict) and isinstance(index, str):
        if index in target:
            return target[index]
        frame.warn("missing-property", node.index.span, name=index, found=f"the value is {_described(target)}")
        return None
    if target is None:
        frame.warn("missing-property", node.index.span, name=show(index), found="the value is null")
        return None
    if isinstance(target, (str, ListValue)):
        position = item_position(index, node.index.span)
        if isinstance(target, str):
            return target
        if 0 <= position < len(target):
            return target[position]
        raise Fault("index-out-of-range", node.index.span, index=position, items=_items(len(target)))
    raise Fault("no-items", node.span, found=kind_of(target), index=show(index))


def item_position(index: Value, span: Span) -> int:
    """A whole number as a position in a list, counted from 0."""
    if isinstance(index, int) and not isinstance(index, bool):
        return index
    if isinstance(index, float) and index.is_integer():
        return int(index)
    raise Fault("index-not-a-number", span, found=_described(index))


def _items(count: int) -> str:
    return "no items" if count == 0 else "1 item" if count == 1 else f"{count} items"


def interpolate(node: Text, value_of: Callable[[Name | Property], Value]) -> str:
    """The text with its names put in. What is put in is never read again."""
    return "".join(part if isinstance(part, str) else render_text(value_of(part)) for part in node.parts)


# ---- one function a node ---------------------------------------------------------------------------------


def _constant(node: Constant, frame: Frame) -> Value:
    return node.value


def _text(node: Text, frame: Frame) -> Value:
    parts = node.parts
    if not parts:
        return ""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return interpolate(node, lambda part: evaluate(part, frame))


def _name(node: Name, frame: Frame) -> Value:
    return frame.lookup(node)


def _property(node: Property, frame: Frame) -> Value:
    return get_property(evaluate(node.target, frame), node, frame)


def _index(node: Index, frame: Frame) -> Value:
    return get_index(evaluate(node.target, frame), evaluate(node.index, frame), node, frame)


def _list(node: List, frame: Frame) -> Value:
    return ListValue(evaluate(item, frame) for item in node.items)


def _object(node: Object, frame: Frame) -> Value:
    return {entry.key: evaluate(entry.value, frame) for entry in node.entries}


def _unary(node: Unary, frame: Frame) -> Value:
    value = evaluate(node.operand, frame)
    return not truth(value) if node.operator == "not" else negative(value, node.span)


def _binary(node: Binary, frame: Frame) -> Value:
    operator = node.operator
    left = evaluate(node.left, frame)
    if operator == "and":
        return evaluate(node.right, frame) if truth(left) else left
    if operator == "or":
        return left if truth(left) else evaluate(node.right, frame)
    return binary(operator, left, evaluate(node.right, frame), node.span, frame)


def _conditional(node: Conditional, frame: Frame) -> Value:
    return evaluate(node.then if frame.holds(node.condition) else node.otherwise, frame)


def _apply(node: Apply, frame: Frame) -> Value:
    return apply(node, [evaluate(argument, frame) for argument in node.arguments], frame)


def _slot_answer(node: SlotAnswer, frame: Frame) -> Value:
    items = frame.slot_items(node.slot)
    return frame.slot_answer(node.slot)[1] if items is None else items


_EVALUATORS: dict[type, Callable[[Any, Frame], Value]] = {
    SlotAnswer: _slot_answer,
    Constant: _constant,
    Text: _text,
    Name: _name,
    Property: _property,
    Index: _index,
    List: _list,
    Object: _object,
    Unary: _unary,
    Binary: _binary,
    Conditional: _conditional,
    Apply: _apply,
}
