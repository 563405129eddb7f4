"""Bullets as nodes: items and sentences."""

from __future__ import annotations

from prose_runtime.syntax.blocks import Bullet
from prose_runtime.syntax.document import Clause, Item


def item_from(bullet: Bullet) -> Item:
    """The item that a bullet is."""
    parts = bullet.head
    named = parts.name is not None and not parts.plain
    return Item(
        bullet.span,
        parts.name if named else None,
        parts.name_span if named else None,
        parts.annotation if named else "",
        parts.text if named else parts.whole,
        parts.whole,
        tuple(item_from(child) for child in bullet.bullets),
    )


def clause_from(bullet: Bullet) -> Clause:
    """A bullet as one sentence; what is nested below it is part of it."""
    passage = bullet.head.passage
    return Clause(bullet.span, _with_nested(passage.text, bullet))


def _with_nested(text: str, bullet: Bullet) -> str:
    nested = [_with_nested(child.head.passage.text, child) for child in bullet.bullets]
    return f"{text} {'; '.join(nested)}".strip() if nested else text
