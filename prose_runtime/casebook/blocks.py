"""The parts of a case that are no Markdown: YAML with JSON's values, and markers at line ends.

In: the text of a section. Out: values, or `Unreadable` with a line counted from the start of that text.
"""

from __future__ import annotations

import re
from typing import Any

from prose_runtime.source import SourceText
from prose_runtime.syntax import plain_yaml
from prose_runtime.syntax.passage import Passage

_MARKER = re.compile(r'[ \t]+###((?:[ \t]+"[a-z0-9-]+")+)[ \t]*$')


class Unreadable(ValueError):
    """A block of a case is not what it should be. `line` counts from 0 within the text that was given."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def without_markers(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Take ` ### "code"` off the ends of lines. Gives the text and the `(line, code)` pairs, lines counted from 1."""
    found: list[tuple[int, str]] = []
    lines = text.split("\n")
    for index, line in enumerate(lines):
        marker = _MARKER.search(line)
        if marker is not None:
            found += [(index + 1, code) for code in re.findall(r'"([^"]+)"', marker[1])]
            lines[index] = line[: marker.start()]
    return "\n".join(lines), found


def read_yaml(text: str) -> Any:
    """The value of a YAML block, its plain scalars read as JSON's. Raises `Unreadable`."""
    source = SourceText("", text)
    node, problems = plain_yaml.read_yaml(source, Passage(text, (0,), (0,)))
    for problem in problems:
        raise Unreadable(problem.message, problem.line - 1)
    return None if node is None else plain_yaml.typed(node)
