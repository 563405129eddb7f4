"""Where a value stands in the YAML block of `### Expects`. In: the block and a path. Out: nodes and spans."""

from __future__ import annotations

from prose_runtime.casebook.problem import Path
from prose_runtime.source import Span
from prose_runtime.syntax.plain_yaml import YamlList, YamlMap, YamlNode


def node_at(root: YamlMap, path: Path) -> YamlNode | None:
    """The value at the end of a path, or None where there is none."""
    node: YamlNode | None = root
    for step in path:
        if isinstance(node, YamlMap) and isinstance(step, str):
            node = node.get(step)
        elif isinstance(node, YamlList) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        else:
            return None
    return node


def place_of(root: YamlMap, path: Path) -> Span:
    """The place of a value, or of the nearest one around it."""
    for length in range(len(path), 0, -1):
        found = node_at(root, path[:length])
        if found is not None:
            return found.span
    return root.span
