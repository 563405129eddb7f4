"""What is declared after a name: type, optional or required, default, and the text that is left.

In: the `Head` of a bullet or line. Out: `Declaration`. Config and inputs are written in the same words:
`(integer, default: 3): text`, `: integer, default `2``, `: string -- (optional) text`, `— text (default: 5)`.
"""

from __future__ import annotations

import re

from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.document import Json, Type
from prose_runtime.syntax.heads import Head, closing, marks
from prose_runtime.syntax.literals import NotLiteral, default_from, literal_at
from prose_runtime.syntax.reports import Reports
from prose_runtime.syntax.types import ANY, OTHER_SPELLINGS, TYPE_WORDS, parse_type, print_type, type_at

_DEFAULT = pattern(r"(?:^|[,;(]\s*)default(?:s\s+to|\s+is)?(\s*[:=]\s*|\s+)", re.IGNORECASE)
_MARK_AFTER = pattern(r",\s*(?:optional|required)\s*$", re.IGNORECASE)
_OPTIONAL = pattern(
    r"^optional(?![\w-])|\(\s*optional\s*(?=[,;)])|[,;]\s*optional\s*(?=$|[,;.)]|\b(?:on|when|if|for|unless|until|in|at|after)\b)"
    r"|\b(?:when|if)\s+(?:omitted|not\s+given)\b",
    re.IGNORECASE,
)
_LEAD = pattern(r"\s*[,;.]?\s*(?:--|—|–|:|-(?=\s))?\s*")
_DASH = pattern(r"\s*(?:--|—|–|-(?=\s))\s*")
_BARE_END = pattern(r"\s+(?:--|—|–)\s|[.;](?:\s|$)|,\s")
_WORDS = frozenset(("optional", "required", "primary", "many", "several", "list"))


@node
class Default:
    """A default as written, and where. `sure`: it was marked so clearly that it must be a value."""

    text: str
    span: Span
    sure: bool


@node
class Declaration:
    """`type` is None where none was written."""

    type: Type | None
    default: Default | None
    optional: bool
    required: bool
    text: str
    words: frozenset[str]


def declaration(reports: Reports, head: Head, *, slot: bool = False) -> Declaration:
    """Read what follows a name. Behind that of a slot, `list` says that it takes several services."""
    given: Type | None = None
    default: Default | None = None
    words: set[str] = set()
    if head.annotation_at >= 0:
        given, default = _annotation(reports, head, head.annotation, head.annotation_at, words, slot)
    position = head.text_at
    text = head.passage.text
    if given is None:
        read = type_at(text, position)
        if read is not None:
            given, position = read
            match = _LEAD.match(text, position)
            position = match.end() if match else position
    if text.startswith("(", position):
        close = closing(text, position)
        inner = text[position + 1 : close] if close > 0 else ""
        if re.match(r"\s*(?:optional|required|default)\b", inner) or parse_type(inner.split(",")[0]) is not None:
            more, value = _annotation(reports, head, inner, position + 1, words, slot)
            given, default = given or more, default or value
            match = _DASH.match(text, close + 1)
            position = match.end() if match else close + 1
    rest = text[position:].strip()
    if default is None:
        default, rest = _in_text(head, rest, position + len(text[position:]) - len(text[position:].lstrip()))
    optional = "optional" in words or bool(_OPTIONAL.search(rest))
    return Declaration(given, default, optional, "required" in words, rest.strip(), frozenset(words))


def _annotation(
    reports: Reports, head: Head, annotation: str, at: int, words: set[str], slot: bool
) -> tuple[Type | None, Default | None]:
    """Type and default in parentheses; the other words are added to `words`."""
    default = None
    before = annotation
    match = _DEFAULT.search(annotation)
    if match:
        before = annotation[: match.start()]
        value = annotation[match.end() :]
        trailing = _MARK_AFTER.search(value)
        if trailing:
            words.add(trailing.group().strip(", ").lower())
            value = value[: trailing.start()]
        start = at + _shift(head, at, annotation) + match.end()
        default = Default(value.strip(), head.passage.span(start, start + len(value.rstrip())), True)
    given: Type | None = None
    for part, place in marks(before):
        word = part.lower()
        if word in _WORDS:
            words.add(word)
            continue
        found = declared_type(reports, head, part, at + _shift(head, at, annotation) + place)
        given = given or found
    if given is None and "list" in words and not slot:
        start = at + _shift(head, at, annotation) + before.lower().index("list")
        given = declared_type(reports, head, "list", start)
    return given, default


def declared_type(reports: Reports, head: Head, part: str, at: int) -> Type | None:
    """The type that a word in parentheses is. A misspelt one, and one of another language, is the nearest, said so."""
    found = parse_type(part)
    word = part.strip("` ").lower()
    if found is not None and word not in OTHER_SPELLINGS:
        return found
    near = print_type(found) if found is not None else nearest(word, TYPE_WORDS) if word.isalpha() else None
    if near is None:
        return None
    reports.add("unknown-type", head.passage.span(at, at + len(part)), found=part, near=near)
    return found or parse_type(near)


def _shift(head: Head, at: int, annotation: str) -> int:
    """How far after `at` the annotation really begins (blanks after the parenthesis)."""
    found = head.passage.text.find(annotation, at)
    return max(found - at, 0)


def _in_text(head: Head, text: str, at: int) -> tuple[Default | None, str]:
    """A default said in the text, and the text without it."""
    match = _DEFAULT.search(text)
    if match is None:
        return None, text
    inside = match.group().startswith("(")
    start = match.end()
    end = _value_end(text, match.start(), start, inside)
    value = text[start:end].strip()
    if not value:
        return None, text
    clear = inside or match.group(1).strip() != "" or value[0] in "`\"'[{" or value[0].isdigit()
    cut = end + 1 if inside and text[end : end + 1] == ")" else end
    left = (text[: match.start()].rstrip(" ,;") + " " + text[cut:].lstrip(" ,;")).strip()
    span = head.passage.span(at + start, at + start + len(value))
    return Default(value, span, clear), left if clear else text


def _value_end(text: str, opened: int, start: int, inside: bool) -> int:
    if inside:
        close = closing(text, text.index("(", opened))
        return close if close > 0 else len(text)
    if text.startswith("`", start):
        close = text.find("`", start + 1)
        return close + 1 if close > 0 else len(text)
    try:
        _, end = literal_at(text, start)
        return end
    except NotLiteral:
        bare = _BARE_END.search(text, start)
        return bare.start() if bare else len(text)


def default_value(reports: Reports, name: str, given: Declaration) -> tuple[Json, bool, Type]:
    """The default, whether there is one, and the type: as declared, else as the default shows it."""
    default = given.default
    declared = given.type or ANY
    if default is None:
        return None, False, declared
    try:
        value = default_from(default.text, declared)
    except NotLiteral:
        reports.add("default-mismatch", default.span, name=name, found=default.text, type=print_type(declared))
        return None, False, declared
    if given.type is None:
        if not default.sure and isinstance(value, str):
            return None, False, declared  # "default" was a word of the sentence
        declared = type_of(value)
    return value, True, declared


def type_of(value: Json) -> Type:
    """The type that a value shows. A whole number may have been meant as any number."""
    if isinstance(value, bool):
        return Type("boolean")
    if isinstance(value, int | float):
        return Type("number")
    if isinstance(value, str):
        return Type("string")
    if isinstance(value, list):
        return Type("list", item=ANY)
    return Type("object") if isinstance(value, dict) else ANY
