"""What the building of nodes shares: the builder, the parts of statements that are no nodes, and tables of functions.

Each function takes the builder (for faults), the start and end of what was read, and the rule's children.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

from prose_runtime.source import Span
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.script import conditions
from prose_runtime.syntax.script.faults import Fault
from prose_runtime.syntax.script.layout import Token

Build = Callable[..., Any]
_F = TypeVar("_F", bound=Build)


class Builder:
    """What the building functions share: the whole file's text, and the faults found while building."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.faults: list[Fault] = []

    def fault(self, code: str, start: int, end: int, **facts: str) -> None:
        self.faults.append(Fault(code, Span(start, end), facts))


def entering(table: dict[str, Build]) -> Callable[..., Callable[[_F], _F]]:
    """A decorator that enters a function into `table` under the names of the rules that it builds."""

    def rule(*names: str) -> Callable[[_F], _F]:
        def enter(function: _F) -> _F:
            for name in names:
                table[name] = function
            return function

        return enter

    return rule


class Body(NamedTuple):
    """What a header's colon opens."""

    statements: tuple[n.Statement, ...]


class Branch(NamedTuple):
    """`else`, `catch` or `finally` with its body."""

    word: str
    name: n.Name | None
    body: tuple[n.Statement, ...]


class Arguments(NamedTuple):
    """Values, or names, in parentheses."""

    values: tuple[Any, ...]


class Word(NamedTuple):
    """A word that only says how something is spelt (`each`)."""

    text: str


class Test(NamedTuple):
    """`until` or `while` with its condition."""

    word: Literal["until", "while"]
    condition: n.Condition


class ShapeOf(NamedTuple):
    """An agent's `shape:` block."""

    key: str
    span: Span
    entries: tuple[n.Entry, ...]


def name_of(token: Token) -> n.Name:
    return n.Name(Span(token[2], token[3]), token[1])


def span_of(token: Token) -> Span:
    return Span(token[2], token[3])


def condition_of(b: Builder, token: Token) -> n.Condition:
    return conditions.condition(b.text, token[2], token[3])
