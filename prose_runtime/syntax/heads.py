"""A bullet's first text taken apart: its name, the parentheses after it, and the rest.

In: a `Passage`. Out: a `Head` with exact places. Names may stand in backticks, in bold, or bare before a colon or dash.
"""

from __future__ import annotations

import re

from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.passage import Passage

_TICKED = pattern(r"(?:\*\*)?`([^`]+)`(?:\*\*)?")
_BOLD = pattern(r"\*\*([^*`:]+?)(:?)\*\*")
_BARE = pattern(r"([^\W\d][\w.-]*(?:\[\])?)(?=\s*(?:$|:(?:\s|$)|\(|—|–|--))")
_SEPARATOR = pattern(r"\s*(?::(?=\s|$|`|\"|')|—|–|--|(?<=\s)-(?=\s))\s*")
_BLANKS = pattern(r"\s*")
_NOTHING = pattern(r"\(?\s*`?(?:none|nothing|n/a)`?\s*\)?\s*(?:$|[.,;:]|—|–|--)", re.IGNORECASE)
IDENTIFIER = pattern(r"[^\W\d][\w-]*")


@node
class Head:
    """A bullet's text taken apart. Positions are in `passage`; -1 where the part is missing.

    `plain` is True where the name is followed by text without a colon or dash: a sentence that begins with a name.
    """

    passage: Passage
    name: str | None
    name_span: Span | None
    annotation: str
    annotation_at: int
    text: str
    text_at: int
    plain: bool = False

    @property
    def whole(self) -> str:
        """The full text in one line."""
        return self.passage.text


def head(passage: Passage) -> Head:
    """Take a text apart: `` `name` (annotation): text ``."""
    text = passage.text
    name, start, end, colon = _name(text)
    name_span = passage.span(start, start + len(name)) if name else None
    if name is None:
        return Head(passage, None, None, "", -1, text, 0)
    position = end
    annotation, annotation_at = "", -1
    opened = _past_blanks(text, position)
    if not colon and text.startswith("(", opened):
        close = closing(text, opened)
        if close > 0:
            annotation_at = opened + 1
            annotation = text[annotation_at:close].strip()
            position = close + 1
    separator = _SEPARATOR.match(text, position)
    if separator or colon:
        position = separator.end() if separator else _past_blanks(text, position)
        return Head(passage, name, name_span, annotation, annotation_at, text[position:].strip(), position)
    rest = _past_blanks(text, position)
    if rest >= len(text):
        return Head(passage, name, name_span, annotation, annotation_at, "", rest)
    if text[0] != "`" and not text.startswith("**"):
        return Head(passage, None, None, "", -1, text, 0)
    return Head(passage, name, name_span, annotation, annotation_at, text[rest:], rest, plain=True)


def _name(text: str) -> tuple[str | None, int, int, bool]:
    """The name, where it begins and ends, and whether its colon stood inside the bold."""
    for form in (_TICKED, _BOLD, _BARE):
        match = form.match(text)
        if match and match.group(1).strip():
            name = match.group(1).strip()
            return name, text.index(name, match.start(1)), match.end(), form is _BOLD and bool(match.group(2))
    return None, 0, 0, False


def _past_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def closing(text: str, opened: int) -> int:
    """Where the bracket that opens at a position closes, or -1. Quoted text does not count."""
    found = _closing(text, opened, quotes=True)
    return found if found > 0 else _closing(text, opened, quotes=False)


def _closing(text: str, opened: int, *, quotes: bool) -> int:
    depth = 0
    quote = ""
    for index in range(opened, len(text)):
        mark = text[index]
        if quote:
            quote = "" if mark == quote else quote
        elif quotes and mark in "\"'`" and (mark == "`" or text[index - 1] in " ([{,:|="):
            quote = mark
        elif mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
            if depth == 0:
                return index
    return -1


def says_none(text: str) -> bool:
    """Whether a bullet says that there is nothing: `None.`, `(none)`, `- None. The slots say it all.`"""
    return bool(_NOTHING.match(text))


def marks(annotation: str) -> list[tuple[str, int]]:
    """The parts of an annotation between commas that stand outside of brackets and quotes, each with its position."""
    parts: list[tuple[str, int]] = []
    depth, start, quote = 0, 0, ""
    for index, mark in enumerate(annotation):
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'`" and (mark == "`" or index == 0 or annotation[index - 1] in " ([{,:|="):
            quote = mark
        elif mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark in ",;" and depth <= 0:
            parts.append((annotation[start:index], start))
            start = index + 1
    parts.append((annotation[start:], start))
    return [(part.strip(), at + len(part) - len(part.lstrip())) for part, at in parts if part.strip()]
