"""A graph as a tree of lines for a terminal: boxes by indentation, and under each step what it gets from where.

In: a `Graph`. Out: lines of at most `width` columns.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from prose_runtime.diagnostics.terminal import Paint, plain
from prose_runtime.diagnostics.visible import cut, visible_line
from prose_runtime.reports.graph import Box, Graph, Origin, Passed, Step

_MOST = 12
"""Origins of one property that are named; of more the rest is counted."""
_NAMES = 28
"""Columns above which a name no longer pushes the arrows of its neighbours to the right."""


def graph_text(graph: Graph, *, paint: Paint = plain, width: int = 80) -> str:
    """The graph in lines."""
    gets = [*graph.inputs, *(f"config {name}" for name in graph.config)]
    head = f"{graph.kind} {graph.name}" + (f" ({', '.join(gets)})" if gets else "")
    lines = [paint("place", cut(visible_line(head), width))]
    if not graph.whole.parts:
        lines.append("nobody is asked anything")
    lines += _parts(graph.whole.parts, "", paint, width)
    return "\n".join(lines)


def _parts(parts: Sequence[Box | Step], indent: str, paint: Paint, width: int) -> Iterator[str]:
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        room = max(width - len(indent) - 3, 10)
        title = cut(visible_line(_title(part)), room)
        yield indent + branch + (paint("quiet", title) if isinstance(part, Box) else paint("place", title))
        if isinstance(part, Box):
            yield from _parts(part.parts, indent + below, paint, width)
        else:
            yield from _passed(part.passed, indent + below + "  ", width)


def _title(part: Box | Step) -> str:
    if isinstance(part, Box):
        return part.title
    return f"{part.name} (session)" if part.kind == "session" else part.name


def _passed(passed: Sequence[Passed], indent: str, width: int) -> Iterator[str]:
    names = [visible_line(item.key) or "value" for item in passed]
    longest = max((len(name) for name in names if len(name) <= _NAMES), default=0)
    for name, item in zip(names, passed, strict=True):
        origins = visible_line(_origins(item))
        head = f"{indent}{name:<{longest}} ← "
        yield from textwrap.wrap(
            origins, max(width, len(head) + 20), initial_indent=head, subsequent_indent=indent + " " * (longest + 3)
        )


def _origins(passed: Passed) -> str:
    """Where it comes from; what is in it from nowhere else is set by the script."""
    every = list(dict.fromkeys(map(_origin, passed.origins))) or ["set here"]
    named, rest = every[:_MOST], len(every) - _MOST
    if rest > 0:
        named.append(f"and {rest} more")
    return ", ".join(named)


def _origin(origin: Origin) -> str:
    return f"{origin.label} of the round before" if origin.earlier else origin.label
