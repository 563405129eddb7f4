"""Going through a tree: the nodes below a node, and whether two trees say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Document
from prose_runtime.syntax.nodes import Node

_PLACES = frozenset({"span", "offsets", "source", "heading", "body_span"})


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a node class that can hold something to walk or compare."""
    return tuple(item.name for item in fields(kind) if not (item.name in _PLACES or item.name.endswith("_span")))


def _fields(node: Node | Document) -> tuple[str, ...]:
    kind: Any = type(node)
    return _names(kind)


def children(node: Node | Document) -> Iterator[Node]:
    """The nodes directly below `node`, in the order of their fields (which is the order of the text)."""
    for name in _fields(node):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item


def walk(node: Node | Document) -> Iterator[Node]:
    """`node` itself (unless it is a document) and every node below it, each before its own children."""
    pending: list[Node] = list(children(node)) if isinstance(node, Document) else [node]
    if isinstance(node, Document):
        pending.reverse()
    while pending:
        current = pending.pop()
        yield current
        below = list(children(current))
        below.reverse()
        pending += below


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
            pending += [(getattr(a, name), getattr(b, name)) for name in _fields(a)]
        elif isinstance(a, tuple) and isinstance(b, tuple):
            if len(a) != len(b):
                return False
            pending += zip(a, b, strict=True)
        elif not isinstance(a, (Span, SourceText)) and a != b:
            return False
    return True


