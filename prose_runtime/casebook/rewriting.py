"""Writing what came out over what was expected: the edits of `prose test --update`.

In: the text of a case and the problems of its run. Out: the text with these values replaced and nothing else touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

from prose_runtime.casebook.blocks import Unreadable, without_markers
from prose_runtime.casebook.places import node_at
from prose_runtime.casebook.problem import NOTHING, Problem
from prose_runtime.casebook.reading import read_case
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.plain_yaml import YamlNode, YamlText

_NAME = re.compile(r"[A-Za-z_][\w-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


def rewritten(path: FilePath, text: str, problems: Iterable[Problem]) -> str:
    """The text with the expected values replaced by those that were found; the same text if none can be.

    A value inside of one that is replaced is not replaced again. Raises `Unreadable` for a case that cannot be read.
    """
    case = read_case(path, text)
    root = case.expects.block
    if root is None:
        return text
    wanted: dict[Span, tuple[YamlNode, Any]] = {}
    for problem in problems:
        node = node_at(root, problem.path) if problem.path and problem.instead is not NOTHING else None
        if node is not None:
            wanted[_trimmed(case.source, node.span)] = (node, problem.instead)
    spans = [span for span in wanted if not any(_inside(span, other) for other in wanted)]
    original = SourceText(str(path), text)
    cleaned, _ = without_markers(text)
    for span in sorted(spans, reverse=True):
        node, value = wanted[span]
        start = _offset(case.source, original, span.start)
        end = _offset(case.source, original, span.end)
        column = case.source.position(span.start).column - 1
        old = case.source.slice(span)
        text = text[:start] + _written(value, node, old, column) + text[end:]
    if not spans or without_markers(text)[0] == cleaned:
        return text
    read_case(path, text)  # what is written can be read again, or nothing is
    return text


def can_update(problem: Problem) -> bool:
    """Whether a problem is about a value that could be replaced."""
    return bool(problem.path) and problem.instead is not NOTHING


def _inside(span: Span, other: Span) -> bool:
    return span != other and other.start <= span.start and span.end <= other.end


def _trimmed(source: SourceText, span: Span) -> Span:
    """A block text ends with its line end, which is not replaced."""
    text = source.slice(span)
    return Span(span.start, span.start + len(text.rstrip()))


def _offset(cleaned: SourceText, original: SourceText, offset: int) -> int:
    """The offset in the text with its markers: they stand at line ends, so that lines and columns are the same."""
    place = cleaned.position(offset)
    return original.line_starts[place.line - 1] + place.column - 1


def _written(value: Any, node: YamlNode, old: str, column: int) -> str:
    plain = not isinstance(node, YamlText) or node.plain
    flow = _flow(value, plain)
    if isinstance(value, list) and value and old.startswith("- "):
        return f"\n{' ' * column}".join(f"- {_flow(item, plain)}" for item in value)
    if isinstance(value, Mapping) and value and not old.startswith("{") and not isinstance(node, YamlText):
        return f"\n{' ' * column}".join(f"{_key(key)}: {_flow(item, False)}" for key, item in value.items())
    return flow


def _flow(value: Any, plain: bool) -> str:
    """A value in one line of YAML. `plain`: names are written without quotes."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {_flow(item, False)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item, plain) for item in value) + "]"
    if isinstance(value, str) and plain and _NAME.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def _key(key: object) -> str:
    text = str(key)
    return text if _NAME.fullmatch(text) and text.lower() not in _WORDS else json.dumps(text, ensure_ascii=False)


__all__ = ["Unreadable", "can_update", "rewritten"]
