"""What a phrase is about, and the facts that every leaf has."""

from __future__ import annotations

from typing import TypedDict

from prose_runtime.resolve.conditions.cursor import Cursor
from prose_runtime.resolve.conditions.tree import SlotAnswer
from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.syntax.nodes import Expression, Name


class LeafFacts(TypedDict):
    """The first fields of any leaf."""

    span: Span
    start: int
    end: int
    asked: str
    mentions: tuple[str, ...]
    negated: bool


@node
class Subject:
    """An expression that a phrase says something about. `start` is where the part begins; `left_out`: the subject
    is that of an earlier part."""

    expression: Expression
    text: str
    start: int
    left_out: bool

    def facts(self, cursor: Cursor, negated: bool) -> LeafFacts:
        """The facts of a leaf that ends at the cursor."""
        end = cursor.end()
        asked = cursor.written(self.start, end)
        mentions = cursor.names_in(self.start, end)
        if self.left_out:
            asked = f"{self.text} {asked}"
            root = self.text.split(".")[0].split("[")[0]
            mentions = tuple(dict.fromkeys([*([root] if cursor.is_value(root) else []), *mentions]))
        span = cursor.span(self.start, end)
        return LeafFacts(span=span, start=self.start, end=end, asked=asked, mentions=mentions, negated=negated)

    def is_error(self, cursor: Cursor) -> bool:
        """Whether it is what a `catch` caught."""
        return isinstance(self.expression, Name) and cursor.scope.is_error(self.expression.id)

    def itself(self) -> Expression:
        """The expression, a bare slot being the slot and not its latest answer."""
        node = self.expression
        return Name(node.span, node.slot) if isinstance(node, SlotAnswer) else node
