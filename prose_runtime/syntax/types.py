"""Declared types, read from text and printed back.

In: `string[]`, `"accept" | "reject"`, `{ proceed: boolean, reason: string }`, `string or null`. Out: `Type`.
"""

from __future__ import annotations

import re

from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.document import Json, Type

_WORDS = {
    "string": "string",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "object": "object",
    "any": "any",
    "run": "run",
    "null": "null",
}
# Other spellings count only where nothing but a type can stand: "text, five lines" is a sentence.
_OTHER_WORDS = {
    "text": "string",
    "str": "string",
    "float": "number",
    "int": "integer",
    "bool": "boolean",
    "map": "object",
    "dict": "object",
    "none": "null",
}
TYPE_WORDS = tuple(_WORDS)
OTHER_SPELLINGS = frozenset(_OTHER_WORDS) - {"none"} | {"list", "array"}
_WORD = pattern(r"[A-Za-z]+")
_KEY = pattern(r"[^\W\d][\w-]*")
_BLANK = pattern(r"\s*")
_OR_NULL = pattern(r"\s*(?:\||,?\s+or\s)\s*`?(?:null|none)`?(?![\w-])", re.IGNORECASE)
_LIST_OF = pattern(r"(?:list|array)\s+of\s+([A-Za-z]+?)s?\b", re.IGNORECASE)
_AFTER_ANY = pattern(r"\s*(?:$|[,;)(]|\.(?:\s|$)|--|—|–|-\s)")
_AFTER = pattern(
    r"\s*(?:$|[,;)(]|\.(?:\s|$)|--|—|–|-\s|(?:between|from|with|that|which|containing|where|whether|indicating)\b)"
)
_DEPTH = 16
_MEMBERS = 200

ANY = Type("any")
_SIMPLE = {kind: Type(kind) for kind in ("string", "number", "integer", "boolean", "object", "any", "run", "null")}


def parse_type(text: str) -> Type | None:
    """The type that the whole text is, or None."""
    text = text.strip().strip("`").strip()
    listed = _LIST_OF.fullmatch(text)
    if listed:
        word = listed.group(1).lower()
        kind = _WORDS.get(word) or _OTHER_WORDS.get(word)
        return Type("list", item=_SIMPLE[kind] if kind else ANY)
    if text.lower() in ("list", "array"):
        return Type("list", item=ANY)
    read = _alternatives(text, 0, 0, aliases=True)
    return read[0] if read and not text[read[1] :].strip() else None


def type_at(text: str, position: int = 0) -> tuple[Type, int] | None:
    """The type with which a sentence begins (`run — a completed run`), and where it ends; None where it is prose."""
    ticked = text.startswith("`", position)
    read = _alternatives(text, position + ticked, 0, aliases=False)
    if read is None:
        return None
    found, end = read
    if ticked:
        if not text.startswith("`", end):
            return None
        end += 1
    if found.kind == "choice" and len(found.choices) < 2:
        return None
    if found.kind == "null":
        return None
    after = _AFTER_ANY if found.kind in ("any", "run") else _AFTER
    return (found, end) if after.match(text, end) else None


def find_shape(text: str) -> Type | None:
    """The first object shape in a sentence (`Return { proceed: boolean, reason: string }`), or None."""
    position = text.find("{")
    tries = 0
    while position >= 0 and tries < _MEMBERS:
        read = _shape(text, position, 0, aliases=False)
        if read is not None:
            return read[0]
        position = text.find("{", position + 1)
        tries += 1
    return None


def print_type(given: Type) -> str:
    """The type as an author writes it; reading it gives the same type."""
    if given.kind == "list":
        item = given.item or ANY
        inner = print_type(item)
        return f"({inner})[]" if item.kind in ("choice", "union") else f"{inner}[]"
    if given.kind == "choice":
        return " | ".join(f'"{choice}"' for choice in given.choices)
    if given.kind == "union":
        return " | ".join(print_type(member) for member in given.members)
    if given.kind == "shape":
        parts = [_print_field(name, member, required) for name, member, required in given.fields]
        return "{ " + ", ".join(parts) + " }"
    return given.kind


def _print_field(name: str, member: Type, required: bool) -> str:
    mark = "" if required else "?"
    return f"{name}{mark}" if member == ANY else f"{name}{mark}: {print_type(member)}"


def accepts(given: Type, value: Json) -> bool:
    """Whether a value is of a type. An integer is a number; a boolean is neither; a run is a text that names it."""
    kind = given.kind
    if kind == "any":
        return True
    if kind == "null":
        return value is None
    if kind in ("string", "run"):
        return isinstance(value, str)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in ("number", "integer"):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and (kind == "number" or isinstance(value, int))
    if kind == "choice":
        return isinstance(value, str) and value in given.choices
    if kind == "union":
        return any(accepts(member, value) for member in given.members)
    return _accepts_parts(given, value)


def _accepts_parts(given: Type, value: Json) -> bool:
    if given.kind == "list":
        return isinstance(value, list) and all(accepts(given.item or ANY, item) for item in value)
    if not isinstance(value, dict):
        return False
    return all(
        accepts(member, value[name]) if name in value else not required for name, member, required in given.fields
    )


# ---- reading: each takes a text, a position and the depth, and gives what it read and where that ends --------------


def _skip(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _alternatives(text: str, position: int, depth: int, *, aliases: bool) -> tuple[Type, int] | None:
    read = _listed(text, position, depth, aliases=aliases)
    if read is None:
        return None
    members, end = [read[0]], read[1]
    while len(members) < _MEMBERS:
        null = _OR_NULL.match(text, end)
        if null:
            members.append(_SIMPLE["null"])
            end = null.end()
            continue
        bar = _skip(text, end)
        if not text.startswith("|", bar):
            break
        more = _listed(text, _skip(text, bar + 1), depth, aliases=aliases)
        if more is None:
            return None
        members.append(more[0])
        end = more[1]
    return _together(members), end


def _together(members: list[Type]) -> Type:
    choices = tuple(dict.fromkeys(choice for member in members if member.kind == "choice" for choice in member.choices))
    others = list(dict.fromkeys(member for member in members if member.kind != "choice"))
    if choices:
        others.insert(0, Type("choice", choices=choices))
    return others[0] if len(others) == 1 else Type("union", members=tuple(others))


def _listed(text: str, position: int, depth: int, *, aliases: bool) -> tuple[Type, int] | None:
    read = _single(text, position, depth, aliases=aliases)
    if read is None:
        return None
    found, end = read
    rounds = 0
    while text.startswith("[]", end) and rounds < _DEPTH:
        found, end, rounds = Type("list", item=found), end + 2, rounds + 1
    return found, end


def _single(text: str, position: int, depth: int, *, aliases: bool) -> tuple[Type, int] | None:
    position = _skip(text, position)
    if position >= len(text) or depth > _DEPTH:
        return None
    first = text[position]
    if first == "{":
        return _shape(text, position, depth + 1, aliases=aliases)
    if first == "(":
        inner = _alternatives(text, position + 1, depth + 1, aliases=aliases)
        end = _skip(text, inner[1]) if inner else -1
        return (inner[0], end + 1) if inner and text.startswith(")", end) else None
    if first in "\"'":
        close = text.find(first, position + 1)
        return (Type("choice", choices=(text[position + 1 : close],)), close + 1) if close > position + 1 else None
    match = _WORD.match(text, position)
    word = match.group().lower() if match else ""
    kind = _WORDS.get(word) or (_OTHER_WORDS.get(word) if aliases else None)
    if match is None or kind is None:
        return None
    joined = text[match.end() : match.end() + 1] in ("-", "_") and not text.startswith("--", match.end())
    if joined:  # `run-path` is a name
        return None
    return _SIMPLE[kind], match.end()


def _shape(text: str, position: int, depth: int, *, aliases: bool) -> tuple[Type, int] | None:
    """`{ name: type, other?, "third": type }`. Quoted keys with a lone quoted value are an example, not a shape."""
    if depth > _DEPTH:
        return None
    fields: list[tuple[str, Type, bool]] = []
    position = _skip(text, position + 1)
    while len(fields) < _MEMBERS and not text.startswith("}", position):
        read = _field(text, position, depth, aliases=aliases)
        if read is None:
            return None
        field, end = read
        fields.append(field)
        position = _skip(text, end)
        if text[position : position + 1] in (",", ";"):
            position = _skip(text, position + 1)
        elif not text.startswith("}", position):
            return None
    if not fields or not text.startswith("}", position):
        return None
    return Type("shape", fields=tuple(fields)), position + 1


def _field(text: str, position: int, depth: int, *, aliases: bool) -> tuple[tuple[str, Type, bool], int] | None:
    quoted = text.startswith('"', position)
    match = _KEY.match(text, position + quoted)
    if match is None:
        return None
    end = match.end()
    if quoted:
        if not text.startswith('"', end):
            return None
        end += 1
    required = not text.startswith("?", end)
    end = _skip(text, end + (not required))
    if not text.startswith(":", end):
        return None if quoted else ((match.group(), ANY, required), end)
    read = _alternatives(text, end + 1, depth, aliases=aliases)
    if read is None or (quoted and read[0].kind == "choice" and len(read[0].choices) < 2):
        return None
    return (match.group(), read[0], required), read[1]
