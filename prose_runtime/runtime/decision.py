"""What a decision is, and how it is told. In: the leaves that were looked at and the values seen there. Out: sentences.

Sentences are made when somebody reads them: most decisions of a run are formal and nobody looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prose_runtime.resolve.conditions import tree as nodes
from prose_runtime.resolve.conditions.tree import How, Leaf
from prose_runtime.resolve.conditions.words import OPPOSITE
from prose_runtime.runtime.values import NotJson, Value, show, to_json
from prose_runtime.source import Span
from prose_runtime.syntax.document import Json
from prose_runtime.syntax.nodes import Apply, Binary, Expression, Index, Name, Property, Text, Unary

_HOWS: tuple[How, ...] = ("formal", "structure", "criteria", "judge")


@dataclass(slots=True)
class Seen:
    """A leaf that was looked at: the operands with their values, and a note (what a field said, a judge's reason)."""

    leaf: Leaf
    how: How
    holds: bool
    operands: tuple[tuple[Expression, Value], ...] = ()
    note: str = ""

    def sentence(self) -> str:
        """`current_score 0.6 >= threshold 0.8 is false`; what is no comparison is quoted, with the values it saw."""
        result = "is true" if self.holds else "is false"
        if self.note:
            return f"`{self.leaf.asked}` {result}: {self.note}"
        told = [told_operand(expression, value) for expression, value in self.operands]
        if isinstance(self.leaf, nodes.Compare):
            operator = OPPOSITE[self.leaf.operator] if self.leaf.negated else self.leaf.operator
            return f"{told[0]} {operator} {told[1]} {result}"
        if isinstance(self.leaf, nodes.Truth):
            return f"{told[0]} {result}"
        names = [text for text, (node, _) in zip(told, self.operands, strict=True) if label(node)]
        return f"`{self.leaf.asked}` {result}" + (f" ({', '.join(names)})" if names else "")


@dataclass(slots=True)
class Decision:
    """A condition that was decided. `how` is the least certain way that was needed."""

    text: str
    how: How
    holds: bool
    seen: tuple[Seen, ...]

    @property
    def because(self) -> str:
        """The reason in one line, with the values it saw."""
        return "; ".join(item.sentence() for item in self.seen)

    @property
    def values(self) -> dict[str, Json]:
        """The values seen, by the names under which the script reads them."""
        return {label(node): _plain(value) for item in self.seen for node, value in item.operands if label(node)}

    @property
    def spans(self) -> tuple[Span, ...]:
        """The places of the parts that were looked at."""
        return tuple(item.leaf.span for item in self.seen)


@dataclass(slots=True)
class Choice:
    """A choice that was made: the label, and how it was found."""

    text: str
    how: Literal["formal", "structure", "judge"]
    label: str
    index: int
    because: str
    values: dict[str, Value]


def least_certain(seen: list[Seen]) -> How:
    """The `how` of a decision that saw these leaves."""
    return max((item.how for item in seen), key=_HOWS.index, default="formal")


def told_operand(expression: Expression, value: Value) -> str:
    """`current_score 0.6`; a constant or a text is its value alone."""
    name = label(expression)
    return f"{name} {show(value)}" if name else show(value)


def label(expression: Expression) -> str:
    """How a name, property, item or calculation is written; "" for constants and texts."""
    if isinstance(expression, Name):
        return expression.id
    if isinstance(expression, nodes.SlotAnswer):
        return expression.slot
    if isinstance(expression, Property):
        return f"{label(expression.target)}.{expression.name}"
    if isinstance(expression, Index):
        return f"{label(expression.target)}[{_inner(expression.index)}]"
    if isinstance(expression, Apply):
        return f"{expression.function}({', '.join(_inner(item) for item in expression.arguments)})"
    if isinstance(expression, Binary):
        return f"({_inner(expression.left)} {expression.operator} {_inner(expression.right)})"
    if isinstance(expression, Unary):
        return f"{expression.operator}{_inner(expression.operand)}"
    return ""


def _inner(expression: Expression) -> str:
    if isinstance(expression, Text):
        return show("".join(part if isinstance(part, str) else f"{{{label(part)}}}" for part in expression.parts))
    value = getattr(expression, "value", None)
    return label(expression) or show(value)


def _plain(value: Value) -> Json:
    try:
        return to_json(value)
    except NotJson:
        return show(value)
