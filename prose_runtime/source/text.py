"""A text and the places in it.

In: the bytes or characters of one file. Out: `SourceText`, which turns offsets into lines and columns.
Offsets count Unicode code points of the text after its byte-order mark was taken off.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from prose_runtime.source.pattern import pattern

_LINE_END = pattern(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of offsets, `start <= offset < end`, in one `SourceText`."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.start, max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Position:
    """A place for people and editors: line and column count from 1, `utf16` is the 0-based UTF-16 column."""

    line: int
    column: int
    utf16: int


class UndecodableSource(ValueError):
    """The bytes of a file are not UTF-8. `line` counts from 1."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"{name}:{line}: not UTF-8 text: {reason}")
        self.name = name
        self.line = line
        self.reason = reason


@dataclass(frozen=True, eq=False)
class SourceText:
    """One file's text. `name` is the path as a user would write it; it is shown in every message.

    `is_file` is False for what has no lines to point at: a part of a command line, an argument in code.
    """

    name: str
    text: str = field(repr=False)
    had_bom: bool = field(default=False)
    is_file: bool = field(default=True)

    @classmethod
    def from_bytes(cls, name: str, data: bytes) -> SourceText:
        """Decode UTF-8, with or without a byte-order mark; line ends are kept as they are.

        Raises `UndecodableSource` with the line of the first bad byte.
        """
        bom = data.startswith(b"\xef\xbb\xbf")
        try:
            return cls(name, data[3:].decode() if bom else data.decode(), bom)
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise UndecodableSource(name, line, error.reason) from None

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins; a CRLF, LF or lone CR ends a line."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> Position:
        """Line, column and UTF-16 column of an offset; an offset past the end is the end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.line_starts, offset)
        start = self.line_starts[line - 1]
        before = self.text[start:offset]
        return Position(line, len(before) + 1, len(before.encode("utf-16-le")) // 2)

    def line(self, number: int) -> str:
        """The text of a line (counted from 1) without its line end; "" past the end."""
        if not 1 <= number <= len(self.line_starts):
            return ""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def slice(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]

    def where(self, span: Span) -> str:
        """`name:line:column` of a span's start; what is no file has only its name."""
        if not self.is_file:
            return self.name
        place = self.position(span.start)
        return f"{self.name}:{place.line}:{place.column}"
