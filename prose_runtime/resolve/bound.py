"""Which names a statement binds in the body it stands in, each with the place where it is bound first.

`if`, loops, `try`, `do:` and `parallel:` bind for the body around them; the iterations of a parallel loop, blocks and
pipelines have bodies of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prose_runtime.syntax import children
from prose_runtime.syntax.nodes import (
    Assign,
    Block,
    BlockValue,
    Call,
    Constant,
    Destructure,
    Do,
    Expression,
    For,
    Let,
    Name,
    Node,
    Pipeline,
    Property,
    Repeat,
    Session,
    Stage,
    Text,
)

_LEAVES = (Constant, Name, Property, Text)


def targets(statement: Let | Assign) -> tuple[Name, ...]:
    """The names that a `let` or an assignment binds; none when it changes a property or an item."""
    target = statement.target
    if isinstance(target, Name):
        return (target,)
    return target.names if isinstance(target, Destructure) else ()


def parts(node: Node) -> Sequence[Node]:
    """The nodes below a node that belong to the same body."""
    if isinstance(node, (Block, Stage)) or (isinstance(node, (For, Repeat)) and node.concurrent):
        return ()
    return children(node)


class BoundNames:
    """Remembers the answer for each statement, so that nested loops stay linear."""

    def __init__(self) -> None:
        self._known: dict[Node, dict[str, Name]] = {}

    def of(self, statements: Iterable[Node]) -> dict[str, Name]:
        """The names that any of the statements binds."""
        found: dict[str, Name] = {}
        for statement in statements:
            for name, place in self.statement(statement).items():
                found.setdefault(name, place)
        return found

    def statement(self, node: Node) -> dict[str, Name]:
        """The names that one statement (or a part of one) binds."""
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._find(node)
        return known

    def _find(self, node: Node) -> dict[str, Name]:
        if isinstance(node, _LEAVES):
            return {}
        found: dict[str, Name] = {}
        for part in parts(node):
            if not isinstance(part, _LEAVES):
                for name, place in self.statement(part).items():
                    found.setdefault(name, place)
        if isinstance(node, (Let, Assign)):
            for target in targets(node):
                found.setdefault(target.id, target)
        return found


def mentioned(expression: Expression) -> Iterator[str]:
    """The names whose values are part of an expression's value; what calls give is not counted."""
    pending: list[Node] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            yield node.id
        elif not isinstance(node, (Call, Session, Do, Text, Pipeline, BlockValue)):
            pending += children(node)[::-1]
