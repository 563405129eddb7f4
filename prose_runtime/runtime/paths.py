"""The key of a step: where it stands, never when it came. In: nodes. Out: `refine/repeat#3/call:critic`.

A path is a linked tuple, shared between all steps below it; its text is written only when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from prose_runtime.syntax.nodes import Node

# (path around it, segment, number of the iteration or name of the branch or 0, the node that the segment stands for)
Path: TypeAlias = "tuple[Path | None, str, int | str, Node | None]"


def root(name: str) -> Path:
    """The path of a run's first definition."""
    return (None, name, 0, None)


def written(path: Path) -> str:
    """The path as text."""
    parts = [f"{segment}#{number}" if number else segment for _, segment, number, _ in upwards(path)]
    return "/".join(reversed(parts))


def upwards(path: Path | None) -> Iterator[Path]:
    """The path's steps, innermost first."""
    while path is not None:
        yield path
        path = path[0]
