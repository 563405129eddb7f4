"""Texts: from what stands between quotes to its parts, and back."""

from __future__ import annotations

import re
from collections.abc import Callable

from prose_runtime.source import Span
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.nodes import Name, Property, Text

_NAME = r"[^\W\d]\w*(?:-+\w+)*"
_PIECE = pattern(rf"\\(.)|\{{({_NAME}(?:\.{_NAME})*)\}}|\r\n?", re.DOTALL)
_ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "t": "\t", "{": "{", "}": "}"}
_INTERPOLATED = pattern(rf"\{{(?={_NAME}(?:\.{_NAME})*\}})")

Problem = Callable[[int, str], None]  # offset of a backslash, the escape that is unknown


def read_text(raw: str, span: Span, problem: Problem) -> Text:
    """The node of a quoted text that stands at `span`. Line ends inside become `\\n`."""
    triple = raw.startswith('"""') and len(raw) >= 6
    quotes = 3 if triple else 1
    inner = raw[quotes:-quotes]
    if "\\" not in inner and "{" not in inner and "\r" not in inner:
        return Text(span, (inner,) if inner else (), triple)
    parts: list[str | Name | Property] = []
    said: list[str] = []
    at = 0
    offset = span.start + quotes
    for piece in _PIECE.finditer(inner):
        said.append(inner[at : piece.start()])
        at = piece.end()
        escape, reference = piece.groups()
        if reference is not None:
            if any(said):
                parts.append("".join(said))
            said = []
            parts.append(_reference(reference, offset + piece.start() + 1))
        elif escape is None:
            said.append("\n")
        elif escape in _ESCAPES:
            said.append(_ESCAPES[escape])
        else:
            problem(offset + piece.start(), escape)
            said.append(piece.group())
    said.append(inner[at:])
    if any(said):
        parts.append("".join(said))
    return Text(span, tuple(parts), triple)


def _reference(path: str, start: int) -> Name | Property:
    first, *rest = path.split(".")
    end = start + len(first)
    node: Name | Property = Name(Span(start, end), first)
    for name in rest:
        name_span = Span(end + 1, end + 1 + len(name))
        node = Property(Span(start, name_span.end), node, name, name_span)
        end = name_span.end
    return node


def written_text(text: Text) -> str:
    """A text as it is written: with its quotes, escapes and braces."""
    quotes = '"""' if text.triple else '"'
    parts = [_escaped(part, text.triple) if isinstance(part, str) else f"{{{_path(part)}}}" for part in text.parts]
    return f"{quotes}{''.join(parts)}{quotes}"


def _escaped(part: str, triple: bool) -> str:
    """Quotes inside a long text need escaping only where three of them, or its end, could be meant."""
    said = part.replace("\\", "\\\\")
    if triple:
        said = said.replace('""', '\\"\\"')
        said = said[:-1] + '\\"' if said.endswith('"') and not said.endswith('\\"') else said
    else:
        said = said.replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return _INTERPOLATED.sub(r"\\{", said)


def _path(node: Name | Property) -> str:
    if isinstance(node, Name):
        return node.id
    target = node.target
    assert isinstance(target, (Name, Property))
    return f"{_path(target)}.{node.name}"
