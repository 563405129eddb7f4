"""A graph as a Mermaid flowchart. In: a `Graph`. Out: text that Mermaid draws, whatever the names in it are.

Boxes are subgraphs; arrows say what is passed. What comes from the round before is dotted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.reports.graph import Box, Graph, Origin, Step

_CLOSED = {"call": ('["', '"]'), "session": ('["', '"]'), "gate": ('{{"', '"}}'), "return": ('(["', '"])'),
           "throw": ('>"', '"]'), "do": ('[["', '"]]')}  # fmt: skip
_ESCAPED = {ord(sign): f"#{ord(sign)};" for sign in '#"<>&`|[]{}();'}
"""Signs that mean something to Mermaid or to the page around it, by their number."""


def graph_mermaid(graph: Graph) -> str:
    """The graph as a flowchart, to be read from the top."""
    lines = ["flowchart TD"]
    lines += [f'  in{number}(["{_safe(name)}"])' for number, name in enumerate(graph.inputs)]
    lines += [f'  config{number}(["config {_safe(name)}"])' for number, name in enumerate(graph.config)]
    lines += _Boxes().lines(graph.whole.parts, "  ")
    lines += _arrows(graph)
    return "\n".join(lines)


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
    keys = ", ".join(item.key for item in step.passed if item.key)
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
            said = _safe(", ".join(dict.fromkeys(key for key in keys if key)))
            line = "-.->" if earlier else "-->"
            label = f'|"{said}"|' if said else ""
            yield f"  {start} {line}{label} step{step.number}"


def _start(origin: Origin, inputs: dict[str, str], config: dict[str, str]) -> str:
    if origin.source.kind == "input":
        return inputs.get(origin.source.name, "")
    if origin.source.kind == "config":
        return config.get(origin.source.name, "")
    return f"step{origin.step}" if origin.step is not None else ""


def _safe(text: str) -> str:
    return visible_line(text).translate(_ESCAPED)
