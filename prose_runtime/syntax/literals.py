"""Values written in a contract: defaults of config and inputs.

In: the text of a value, as JSON, as a Python literal, or bare. Out: a JSON value. Nothing is evaluated, nothing is
guessed from YAML's rules: `no` is a text, `12:30` is a text.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress

from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.document import Json, Type
from prose_runtime.syntax.types import accepts

MAX_CHARACTERS = 65_536
_DEPTH = 24
_NUMBER = pattern(r"[-+]?\d{1,300}(?:\.\d+)?(?:[eE][-+]?\d{1,3})?(?![\w.])")
_WORD = pattern(r"[^\W\d][\w-]*")
_CONSTANTS: dict[str, Json] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
    "none": None,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class NotLiteral(ValueError):
    """The text is not a literal."""


def literal_at(text: str, position: int = 0, depth: int = 0) -> tuple[Json, int]:
    """The literal that begins at a position, and where it ends. Raises `NotLiteral`."""
    position = _skip(text, position)
    first = text[position : position + 1]
    if not first or depth > _DEPTH or len(text) > MAX_CHARACTERS:
        raise NotLiteral(text)
    if first in "\"'":
        return _quoted(text, position)
    if first in "[(":
        return _list(text, position, depth)
    if first == "{":
        return _object(text, position, depth)
    number = _NUMBER.match(text, position)
    if number:
        return number_from(number.group()), number.end()
    word = _WORD.match(text, position)
    if word and word.group() in _CONSTANTS:
        return _CONSTANTS[word.group()], word.end()
    raise NotLiteral(text)


def literal(text: str) -> Json:
    """The literal that the whole text is. Raises `NotLiteral`."""
    value, end = literal_at(text)
    if text[end:].strip():
        raise NotLiteral(text)
    return value


def number_from(text: str) -> int | float:
    """An integer, or a finite float. Raises `NotLiteral`."""
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise NotLiteral(text)
    return value


def default_from(text: str, declared: Type) -> Json:
    """A default as its author meant it, given its declared type. Raises `NotLiteral` where it does not fit."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] == "`":
        text = text[1:-1].strip()
    if text in ("none", "null", "None"):
        return None
    wants_list = _wants(declared, "list")
    candidates: list[Json] = []
    with suppress(NotLiteral):
        candidates.append(literal(text))
    if wants_list:
        candidates += _several(text, declared)
    if _wants(declared, "string", "choice", "run", "any") and not _quoted_whole(text):
        candidates.append(text)
    for candidate in candidates:
        value = _as_integer(candidate) if _wants(declared, "integer") else candidate
        if accepts(declared, value):
            return value
    raise NotLiteral(text)


def _wants(declared: Type, *kinds: str) -> bool:
    return declared.kind in kinds or any(member.kind in kinds for member in declared.members)


def _as_integer(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _quoted_whole(text: str) -> bool:
    return len(text) >= 2 and text[0] in "\"'" and text[-1] == text[0]


def _several(text: str, declared: Type) -> list[Json]:
    """A list without its brackets: literals with commas between, or plain texts for a list of texts."""
    try:
        value, _ = _list(f"[{text}]", 0, 0)
        return [value]
    except NotLiteral:
        item = declared.item
        plain = not any(mark in text for mark in "[]{}\"'")
        if plain and item is not None and item.kind in ("string", "any"):
            return [[part.strip() for part in text.split(",") if part.strip()]]
        return []


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _quoted(text: str, position: int) -> tuple[str, int]:
    quote = text[position]
    parts: list[str] = []
    position += 1
    while position < len(text) and text[position] != quote:
        if text[position] == "\\" and position + 1 < len(text):
            position += 1
            parts.append(_ESCAPES.get(text[position], text[position]))
        else:
            parts.append(text[position])
        position += 1
    if position >= len(text):
        raise NotLiteral(text)
    return "".join(parts), position + 1


def _list(text: str, position: int, depth: int) -> tuple[Json, int]:
    close = "]" if text[position] == "[" else ")"
    items: list[Json] = []
    position = _skip(text, position + 1)
    while not text.startswith(close, position):
        value, position = literal_at(text, position, depth + 1)
        items.append(value)
        position = _comma(text, position, close)
    return items, position + 1


def _object(text: str, position: int, depth: int) -> tuple[Json, int]:
    entries: dict[str, Json] = {}
    position = _skip(text, position + 1)
    while not text.startswith("}", position):
        if text[position : position + 1] in ('"', "'"):
            key, position = _quoted(text, position)
        else:
            word = _WORD.match(text, position)
            if word is None:
                raise NotLiteral(text)
            key, position = word.group(), word.end()
        position = _skip(text, position)
        if not text.startswith(":", position) or key in entries:
            raise NotLiteral(text)
        entries[key], position = literal_at(text, position + 1, depth + 1)
        position = _comma(text, position, "}")
    return entries, position + 1


def _comma(text: str, position: int, close: str) -> int:
    position = _skip(text, position)
    if text.startswith(",", position):
        return _skip(text, position + 1)
    if not text.startswith(close, position):
        raise NotLiteral(text)
    return position
