"""The parts of a case that are no Markdown: YAML with JSON's values, and markers at line ends.

In: the text of a section. Out: values, or `Unreadable` with a line counted from the start of that text.
"""

from __future__ import annotations

import re
from typing import Any

from prose_runtime.source import SourceText
from prose_runtime.syntax import plain_yaml
from prose_runtime.syntax.document import FencedText
from prose_runtime.syntax.passage import Passage, join, lines_between
from prose_runtime.syntax.plain_yaml import YamlNode

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
    node = _read(SourceText("", text), Passage(text, (0,), (0,)))
    return None if node is None else plain_yaml.typed(node)


def yaml_of(source: SourceText, fence: FencedText) -> YamlNode | None:
    """The tree of a fenced YAML block, its places those of the file. Raises `Unreadable` with the line in the file."""
    indent = source.position(fence.span.start).column - 1
    passage = join(lines_between(source, fence.content, indent), "\n")
    try:
        return _read(source, passage)
    except Unreadable as error:
        raise Unreadable(error.message, error.line + 1) from None


def _read(source: SourceText, passage: Passage) -> YamlNode | None:
    node, problems = plain_yaml.read_yaml(source, passage)
    for problem in problems:
        raise Unreadable(problem.message, problem.line - 1)
    return node
