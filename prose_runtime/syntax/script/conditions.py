"""Conditions as text: where one ends, and what it says without its markers and line breaks."""

from __future__ import annotations

import re
from typing import Literal

from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.nodes import Condition
from prose_runtime.syntax.script import patterns as p

Marks = Literal["", "**", "***"]
_PIECE = pattern(r"\*{2,3}|[ \t]+#(?=[ \t\r\n!]|\Z)[^\r\n]*(?=[\r\n])|[ \t]*[\r\n][ \t\r\n]*")
_QUOTED = pattern(r'"""(?:[^\\"]|\\.|"(?!""))*"""|"(?:[^"\\\r\n]|\\[^\r\n])*"|(?<!\w)\'[^\'\r\n]*\'(?!\w)', re.DOTALL)


@node
class Extent:
    """Where a condition's text ends. `found`: the colon (or `then`) after it is there."""

    end: int
    found: bool


def extent(text: str, start: int, stop: int, indent: int, word: str, *, strict: bool = False) -> Extent:
    """How far the condition from `start` reaches: to the `word` ("colon" or "then") that ends it.

    `indent` is that of its line, in characters: deeper lines go on with it unless they look like statements. A
    bracket in a sentence may have no partner: unless `strict`, brackets count for nothing where that helps.
    """
    first = _scan(text, start, stop, indent, word, brackets=True)
    return first if first.found or strict else _scan(text, start, stop, indent, word, brackets=False)


def _scan(text: str, start: int, stop: int, indent: int, word: str, *, brackets: bool) -> Extent:
    depth = 0
    line_end = None
    for step in p.CONDITION_STEP.finditer(text, start, stop):
        kind = step.lastgroup
        if kind == "open":
            depth += brackets
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == word and not depth:
            return Extent(step.start(), True)
        elif kind == "comment" and line_end is None:
            line_end = step.start()
        elif kind == "line":
            line_end = step.start() if line_end is None else line_end
            if not _goes_on(text, step.end(), stop, indent, depth):
                return Extent(line_end, False)
            line_end = None
    return Extent(stop if line_end is None else line_end, False)


def _goes_on(text: str, at: int, stop: int, indent: int, depth: int) -> bool:
    """Whether the next line with something on it, from `at` on, goes on with the condition above it."""
    while at < stop:
        content = p.end_of(p.BLANKS, text, at, stop)
        if content < stop and text[content] not in "\r\n#":
            if depth and text[content] in ")]}":
                return True
            return content - at > indent and not (not depth and p.STATEMENT_AHEAD.match(text, content, stop))
        following = p.LINE_END.search(text, content, stop)
        at = following.end() if following else stop
    return False


def without_tail(text: str, start: int, end: int) -> int:
    """Where the condition of a loop ends, without the `(max: …)` and `as name` behind it."""
    groups: dict[int, int] = {}  # of the brackets outside all others: where each ends, where it begins
    depth = opened = 0
    for step in p.CONDITION_STEP.finditer(text, start, end):
        if step.lastgroup == "open":
            opened = step.start() if not depth else opened
            depth += 1
        elif step.lastgroup == "close" and depth:
            depth -= 1
            if not depth:
                groups[step.end()] = opened
    while True:
        stripped = start + len(text[start:end].rstrip())
        opened = groups.get(stripped, -1)
        counter = p.COUNTER_TAIL.search(text, start, stripped)
        if opened >= 0 and p.MODIFIERS.match(text, opened, stripped):
            end = opened
        elif counter:
            end = counter.start()
        else:
            return end


def condition(text: str, start: int, end: int) -> Condition:
    """The condition that stands from `start` to `end`, its markers taken off, its lines joined by one space."""
    while start < end and text[start] in " \t\r\n":
        start += 1
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    raw = text[start:end]
    span = Span(start, end)
    if not ("*" in raw or "\n" in raw or "\r" in raw):
        return Condition(span, raw, tuple(range(start, end)))
    said, offsets = _plain(raw, start)
    return Condition(span, said, offsets, marks=marks_for(said, _marks(raw)))


def _marks(raw: str) -> Marks:
    """The markers that stand around the whole of a condition."""
    marks: Marks
    for marks in ("***", "**"):
        inner = raw[len(marks) : -len(marks)]
        if len(raw) > 2 * len(marks) and raw.startswith(marks) and raw.endswith(marks) and marks not in inner:
            return marks
    return ""


def marks_for(said: str, marks: Marks) -> Marks:
    """`marks`, or `**` where the text could not stand without (a colon that would end it, say)."""
    if marks or not said:
        return marks
    whole = extent(said + ":", 0, len(said) + 1, 0, "colon")
    plain = whole.found and whole.end == len(said) and without_tail(said, 0, len(said)) == len(said)
    return "" if plain else "**"


def _plain(raw: str, start: int) -> tuple[str, tuple[int, ...]]:
    said: list[str] = []
    offsets: list[int] = []
    at = 0
    while at < len(raw):
        quoted = _QUOTED.match(raw, at)
        piece = None if quoted else _PIECE.match(raw, at)
        if piece is None:
            end = quoted.end() if quoted else at + 1
            said += raw[at:end]
            offsets += range(start + at, start + end)
        else:
            end = piece.end()
            if not piece.group().startswith("*") and "#" not in piece.group() and said and said[-1] != " ":
                said.append(" ")
                offsets.append(start + at)
        at = end
    while said and said[-1] in " \t":
        said.pop()
        offsets.pop()
    first = next((index for index, char in enumerate(said) if char not in " \t"), 0)
    return "".join(said[first:]), tuple(offsets[first:])
