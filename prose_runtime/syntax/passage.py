"""Stretches of a file's text that remember where they stand.

In: lines of a file. Out: `Line` and `Passage`, whose positions turn back into spans of the file. Reading joins the
lines of a bullet into one text; whatever is found in that text can still be pointed at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node


@node
class Line:
    """A line without blanks around it. `start`: the offset in the file of `text[0]`; `indent`: its column, from 0."""

    text: str
    start: int
    indent: int

    @property
    def span(self) -> Span:
        """Where the text stands."""
        return Span(self.start, self.start + len(self.text))


@node
class Passage:
    """Pieces of a file put together. `starts[i]` is where piece i begins in `text`, `offsets[i]` where in the file."""

    text: str
    starts: tuple[int, ...]
    offsets: tuple[int, ...]

    def at(self, position: int) -> int:
        """The offset in the file of a position in the text."""
        if not self.starts:
            return 0
        piece = max(bisect_right(self.starts, position) - 1, 0)
        return self.offsets[piece] + position - self.starts[piece]

    def span(self, start: int, end: int) -> Span:
        """The span in the file of `text[start:end]`."""
        first = self.at(start)
        return Span(first, self.at(end - 1) + 1) if end > start else Span(first, first)

    @property
    def whole(self) -> Span:
        """The span of all of it."""
        return self.span(0, len(self.text))


def join(lines: Iterable[Line], glue: str = " ") -> Passage:
    """The lines as one text, one blank (or what is given) between two of them."""
    texts, starts, offsets = [], [], []
    position = 0
    for line in lines:
        texts.append(line.text)
        starts.append(position)
        offsets.append(line.start)
        position += len(line.text) + len(glue)
    return Passage(glue.join(texts), tuple(starts), tuple(offsets))


def part(passage: Passage, start: int, end: int) -> Passage:
    """The passage between two positions."""
    starts, offsets = [0], [passage.at(start)]
    for position, offset in zip(passage.starts, passage.offsets, strict=True):
        if start < position < end:
            starts.append(position - start)
            offsets.append(offset)
    return Passage(passage.text[start:end], tuple(starts), tuple(offsets))


def lines_between(source: SourceText, span: Span, indent: int) -> list[Line]:
    """The lines of a span as they are, without line ends and without the first `indent` blanks of each."""
    lines = []
    number = source.position(span.start).line
    while number <= len(source.line_starts) and source.line_starts[number - 1] < span.end:
        raw = source.line(number)
        blanks = min(indent, len(raw) - len(raw.lstrip(" \t")))
        lines.append(Line(raw[blanks:], source.line_starts[number - 1] + blanks, blanks))
        number += 1
    return lines
