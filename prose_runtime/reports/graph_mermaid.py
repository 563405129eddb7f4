"""A graph as a Mermaid flowchart. In: a `Graph`. Out: text that Mermaid draws, whatever the names in it are.

Boxes are subgraphs; arrows say what is passed. What comes from the round before is dotted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.reports.graph import Box, Graph, Origin, Step

_CLOSED = {"call": ('["', '"]'), "session": ('["', '"]'), "gate": ('{{"', '"}}'), "return": ('(["', '"])'),
           "throw": ('>"', '"]'), "do": ('[["', '"]]')}  # fmt: skip
_MEANING = frozenset('#"<>&`|[]{}();*~\\')
"""Signs that mean something to Mermaid, to Markdown or to the page around it."""
MOST_ARROWS = 500
"""What Mermaid draws unless the page raises `maxEdges`."""
_KEYS = 8
"""Properties that are named on an arrow; of more the rest is counted."""


def graph_mermaid(graph: Graph) -> str:
    """The graph as a flowchart, to be read from the top."""
    lines = ["flowchart TD"]
    if not graph.whole.parts:
        lines.append('  nobody["nobody is asked anything"]')
    lines += [f'  in{number}(["{_safe(name)}"])' for number, name in enumerate(graph.inputs)]
    lines += [f'  config{number}(["config {_safe(name)}"])' for number, name in enumerate(graph.config)]
    lines += _Boxes().lines(graph.whole.parts, "  ")
    lines += _arrows(graph)
    return "\n".join(lines)


def arrows_in(graph: Graph) -> int:
    """How many arrows the flowchart has."""
    return sum(1 for _ in _arrows(graph))


class _Boxes:
    """Subgraphs, each with a name of its own."""

    def __init__(self) -> None:
        self.count = 0

    def lines(self, parts: Sequence[Box | Step], indent: str) -> Iterator[str]:
        for part in parts:
            if isinstance(part, Step):
                opening, closing = _CLOSED[part.kind]
                yield f"{indent}step{part.number}{opening}{_safe(_title(part))}{closing}"
                continue
            self.count += 1
            yield f'{indent}subgraph box{self.count}["{_safe(part.title)}"]'
            yield from self.lines(part.parts, indent + "  ")
            yield f"{indent}end"


def _title(step: Step) -> str:
    keys = _listed(item.key for item in step.passed if item.key)
    return f"return {keys}".strip() if step.kind == "return" else step.name


def _arrows(graph: Graph) -> Iterator[str]:
    inputs = {name: f"in{number}" for number, name in enumerate(graph.inputs)}
    config = {name: f"config{number}" for number, name in enumerate(graph.config)}
    for step in graph.whole.steps():
        labels: dict[tuple[str, bool], list[str]] = {}
        for passed in step.passed:
            for origin in passed.origins:
                start = _start(origin, inputs, config)
                if start:
                    labels.setdefault((start, origin.earlier), []).append(passed.key)
        for (start, earlier), keys in labels.items():
            said = _safe(_listed(dict.fromkeys(key for key in keys if key)))
            line = "-.->" if earlier else "-->"
            label = f'|"{said}"|' if said else ""
            yield f"  {start} {line}{label} step{step.number}"


def _start(origin: Origin, inputs: dict[str, str], config: dict[str, str]) -> str:
    if origin.source.kind == "input":
        return inputs.get(origin.source.name, "")
    if origin.source.kind == "config":
        return config.get(origin.source.name, "")
    return f"step{origin.step}" if origin.step is not None else ""


def _listed(keys: Iterable[str]) -> str:
    every = list(keys)
    more = len(every) - _KEYS
    return ", ".join(every if more <= 0 else [*every[:_KEYS], f"and {more} more"])


def _safe(text: str) -> str:
    """A label: signs by their number wherever they would mean something, also in Markdown, as which labels are read."""
    line = visible_line(text)
    return "".join(f"#{ord(sign)};" if _means(line, place) else sign for place, sign in enumerate(line))


def _means(line: str, place: int) -> bool:
    sign = line[place]
    if sign == "_":  # inside of a word it is a letter
        return not (line[place - 1 : place].isalnum() and line[place + 1 : place + 2].isalnum())
    if sign in "-+.)":  # `- a`, `1. a` would be lists
        before = line[:place].strip()
        return line[place + 1 : place + 2] in ("", " ") and (before.isdigit() or not before)
    return sign in _MEANING
