"""Going through a tree: the nodes below a node, and whether two trees say the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import fields_of
from prose_runtime.syntax.document import Document
from prose_runtime.syntax.nodes import Node

# Types of fields, as they are written: where a node stands, and what holds no nodes.
_PLACES = frozenset({"Span", "Span | None", "SourceText", "tuple[int, ...]"})
_PLAIN = frozenset({"str", "str | None", "bool", "Json", "Type", "Kind"})


@cache
def _compared(kind: Any) -> tuple[str, ...]:
    """The fields of a node class that say something."""
    return tuple(name for name, written in fields_of(kind).items() if written not in _PLACES)


@cache
def _walked(kind: Any) -> tuple[str, ...]:
    """The fields of a node class that can hold nodes."""
    return tuple(name for name, written in fields_of(kind).items() if written not in _PLACES | _PLAIN)


def children(node: Node | Document) -> list[Node]:
    """The nodes directly below `node`, in the order of their fields (which is the order of the text)."""
    kind: Any = type(node)
    found: list[Node] = []
    for name in _walked(kind):
        value = getattr(node, name)
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            found += [item for item in value if isinstance(item, Node)]
    return found


def walk(node: Node | Document) -> Iterator[Node]:
    """`node` itself (unless it is a document) and every node below it, each before its own children."""
    pending = children(node)[::-1] if isinstance(node, Document) else [node]
    while pending:
        current = pending.pop()
        yield current
        pending += children(current)[::-1]


def same_tree(left: object, right: object) -> bool:
    """Whether two trees say the same, wherever they stand: everything is compared except spans and offsets."""
    pending = [(left, right)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, (Node, Document)):
            kind: Any = type(a)
            pending += [(getattr(a, name), getattr(b, name)) for name in _compared(kind)]
        elif isinstance(a, tuple) and isinstance(b, tuple):
            if len(a) != len(b):
                return False
            pending += zip(a, b, strict=True)
        elif not isinstance(a, (Span, SourceText)) and a != b:
            return False
    return True
