"""Going through trees: no field that can hold a node is passed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

from prose_runtime.source import SourceText
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax import children, document, nodes, read, walk
from prose_runtime.syntax.nodes import Node
from prose_runtime.syntax.walk import _walked

HINTS = {**vars(nodes), **vars(document)}


def kinds(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def holds_nodes(hint: object) -> bool:
    if isinstance(hint, type) and issubclass(hint, Node):
        return True
    return any(holds_nodes(part) for part in get_args(hint))


@pytest.mark.parametrize("kind", sorted(set(kinds(Node)), key=lambda kind: kind.__name__))
def test_every_field_that_can_hold_nodes_is_walked(kind: type) -> None:
    hints = get_type_hints(kind, HINTS)
    can = {item.name for item in fields(kind) if holds_nodes(hints[item.name])}
    assert can <= set(_walked(kind))


def test_walking_gives_each_node_once_before_its_children() -> None:
    path = shipped("std") / "patterns" / "polish.prose.md"
    tree, _ = read(SourceText("polish", path.read_text(encoding="utf-8")))
    seen = list(walk(tree))
    place = {node: index for index, node in enumerate(seen)}
    assert len(place) == len(seen) > 100
    assert all(place[node] < place[child] for node in seen for child in children(node))
