"""Markdown read to blocks: the part of CommonMark that contracts use.

In: a `SourceText` and the line at which the Markdown begins. Out: blocks in the order of the file, and what is wrong
with fences. The rules are those of CommonMark for headings with `#`, lists, fences, rulers, HTML and paragraphs, with
lazy lines and lists inside of lists; a test holds them to a Markdown library. What is indented is text, not code.
"""

from __future__ import annotations

import re

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node
from prose_runtime.syntax.blocks import Block, Bullet, Fenced, Heading, Paragraph
from prose_runtime.syntax.heads import head
from prose_runtime.syntax.html import HtmlBlock, html_block
from prose_runtime.syntax.passage import Line, join

MAX_LEVELS = 20  # of lists inside of lists
_REPAIRS = 8  # how many unclosed fences of one file are closed for it
_MARKER = re.compile(r"([-*+]|[0-9]{1,9}[.)])(?:[ \t]+|\Z)")
_RULER = re.compile(r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_FENCE = re.compile(r"(`{3,})(?=[^`]*\Z)|(~{3,})")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]|\Z)")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+$")
_ROUND_BULLET = re.compile(r"(?m)^([ \t]*)•(?=[ \t])")
_SECTION_START = re.compile(r"#{2,3}[ \t]+\S")
_NAMED_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*\w")


def read_blocks(source: SourceText, first: int) -> tuple[list[Block], list[Diagnostic]]:
    """The blocks from line index `first` (counted from 0) to the end of the file."""
    reader = _Reader(source, first)
    found, _ = reader.blocks(0, _Place(0, -1, 0))
    return found, reader.found


@node
class _Place:
    """Where blocks are read: the columns that their lines are moved in by, those of the list around, and its level."""

    column: int
    outer: int
    level: int


class _Reader:
    """The lines of a file. `begins[i]` is where the text of line i begins, `columns[i]` the same with tabs counted."""

    def __init__(self, source: SourceText, first: int) -> None:
        self.source = source
        self.first = first
        self.starts = source.line_starts
        self.found: list[Diagnostic] = []
        self.repairs = 0
        self.too_deep = False
        text = source.text[self.starts[first] :] if first < len(self.starts) else ""
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        if "•" in text:
            text = _ROUND_BULLET.sub(r"\1-", text)
        self.lines = text.split("\n")
        self.begins = [len(line) - len(line.lstrip(" \t")) for line in self.lines]
        self.columns = self.begins[:]
        if "\t" in text:
            self.columns = [_width(line[:at]) for line, at in zip(self.lines, self.begins, strict=True)]
        self.end = len(self.lines)
        if self.blank(self.end - 1):
            self.end -= 1

    # ---- lines ----

    def blank(self, index: int) -> bool:
        """Whether a line is empty; those past the end are."""
        return index >= len(self.lines) or self.begins[index] >= len(self.lines[index])

    def start(self, index: int) -> int:
        """The offset in the file of a line of the Markdown."""
        index += self.first
        return self.starts[index] if index < len(self.starts) else len(self.source.text)

    def line(self, index: int) -> Line:
        """The text of a line, without the blanks around it."""
        rest = self.lines[index][self.begins[index] :]
        text = rest.strip()
        column = self.begins[index] + len(rest) - len(rest.lstrip())
        return Line(text, self.start(index) + column, column)

    def after_blanks(self, index: int) -> int:
        """The next line that is not empty, or the end."""
        while index < self.end and self.begins[index] >= len(self.lines[index]):
            index += 1
        return index

    # ---- what a line begins ----

    def fence_mark(self, index: int) -> str:
        """The mark of the fence that a line opens, or ""."""
        match = _FENCE.match(self.lines[index], self.begins[index])
        return match[match.lastindex or 0] if match else ""

    def is_ruler(self, index: int) -> bool:
        return _RULER.match(self.lines[index], self.begins[index]) is not None

    def interrupts(self, index: int, place: _Place) -> bool:
        """Whether a line ends the paragraph above it."""
        text, begin = self.lines[index], self.begins[index]
        sign = text[begin]
        if sign in "-*+0123456789":
            return self.is_ruler(index) or self._item_interrupts(index, place)
        if sign == "#":
            return _HEADING.match(text, begin) is not None
        if sign in "`~":
            return self.fence_mark(index) != ""
        if sign == "<":
            return html_block(text[begin:], in_paragraph=True) is not None
        return sign == "_" and self.is_ruler(index)

    def _item_interrupts(self, index: int, place: _Place) -> bool:
        text, column = self.lines[index], self.columns[index]
        marker = _MARKER.match(text, self.begins[index])
        if marker is None:
            return False
        if column < place.column:  # an item of a list around, if not one so far in that it goes on with the text
            return not (place.outer >= 0 and column - place.outer >= 4)
        number = marker[1][:-1]
        return marker.end() < len(text) and (not number or int(number) == 1)

    # ---- blocks ----

    def blocks(self, index: int, place: _Place) -> tuple[list[Block], int]:
        """The blocks from a line on as far as the place goes, and the line behind them."""
        found: list[Block] = []
        while (index := self.after_blanks(index)) < self.end and self.columns[index] >= place.column:
            block, index = self.block(index, place)
            if block is not None:
                found.append(block)
        return found, index

    def block(self, index: int, place: _Place) -> tuple[Block | None, int]:
        """The block that begins at a line, None for a ruler and for HTML, and the line behind it."""
        text, begin = self.lines[index], self.begins[index]
        sign = text[begin]
        if sign in "`~" and (mark := self.fence_mark(index)):
            return self.fence(index, place, mark)
        if sign in "-*_" and self.is_ruler(index):
            return None, index + 1
        if sign in "-*+0123456789" and (marker := _MARKER.match(text, begin)):
            if place.level < MAX_LEVELS:
                return self.bullet(index, place, marker)
            self._say_too_deep(index)
        if sign == "<" and (html := html_block(text[begin:], in_paragraph=False)):
            return None, self.past_html(index, place, html)
        if sign == "#" and (marks := _HEADING.match(text, begin)):
            return self.heading(index, len(marks[1]), place), index + 1
        return self.paragraph(index, place)

    def _say_too_deep(self, index: int) -> None:
        if not self.too_deep:
            self.too_deep = True
            self.found.append(report("nested-too-deeply", self.source, self.line(index).span, limit=MAX_LEVELS))

    def heading(self, index: int, level: int, place: _Place) -> Heading | Paragraph:
        line = self.line(index)
        if place.level:  # a heading inside of an item is part of its text
            return Paragraph(line.span, (line,))
        text = line.text[level:].strip()
        at = line.start + line.text.find(text, level) if text else line.span.end
        bare = _CLOSING_MARKS.sub("", text).strip()
        return Heading(level, bare, line.span, Span(at, at + len(bare)))

    def paragraph(self, index: int, place: _Place) -> tuple[Paragraph, int]:
        first = index
        index += 1
        while index < self.end and not self.blank(index):
            # a line that is far in only goes on with the text, whatever it begins with
            if self.columns[index] - place.column <= 3 and self.interrupts(index, place):
                break
            index += 1
        lines = tuple(line for number in range(first, index) if (line := self.line(number)).text)
        return Paragraph(Span(lines[0].start, lines[-1].span.end) if lines else Span(0, 0), lines), index

    def past_html(self, index: int, place: _Place, html: HtmlBlock) -> int:
        """The line behind a block of HTML."""
        while index < self.end:
            text = self.lines[index][self.begins[index] :]
            if html.ends_in(text):
                return index + 1 if text else index
            index += 1
            left = index < self.end and self.columns[index] < place.column
            if left and (html.ends_at_blank_line or not self.blank(index)):
                break
        return index

    def bullet(self, index: int, place: _Place, marker: re.Match[str]) -> tuple[Bullet, int]:
        """An item of a list: what stands behind its mark, and the lines below that are as far in."""
        first, begin, text = self.line(index), self.begins[index], self.lines[index]
        behind = self.columns[index] + len(marker[1])
        content = marker.end()
        self.begins[index] = content
        self.columns[index] = _width(" " * behind + text[begin + len(marker[1]) : content])
        gap = self.columns[index] - behind
        inside = _Place(behind + (1 if content >= len(text) or gap > 4 else gap), place.column, place.level + 1)
        if content >= len(text) and self.blank(index + 1):  # an item without anything: what follows is not its own
            inner: list[Block] = []
            stop = min(index + 2, self.end)
        else:
            inner, stop = self.blocks(index, inside)
        lines = tuple(line for block in inner if isinstance(block, Paragraph) for line in block.lines)
        span = Span(first.start, max(first.start, self._text_end(index, stop)))
        parts = head(join(lines or (Line("", span.start, content),)))
        bullets = tuple(block for block in inner if isinstance(block, Bullet))
        fences = tuple(block for block in inner if isinstance(block, Fenced))
        return Bullet(span, lines, bullets, fences, content, parts), stop

    def _text_end(self, first: int, stop: int) -> int:
        """The offset behind the last text of some lines."""
        while stop - 1 > first and not self.lines[stop - 1].strip():
            stop -= 1
        return self.start(stop - 1) + len(self.lines[stop - 1].rstrip())

    # ---- fences ----

    def fence(self, index: int, place: _Place, mark: str) -> tuple[Fenced, int]:
        opening = self.line(index)
        closed, last = self._closing_line(index, place, mark)
        behind = last + closed
        mended = self._mended(index, behind, mark, closed)
        if mended is not None:
            closed, last, behind = False, mended, mended + 1
        content = Span(min(self.start(index + 1), self.start(last)), self.start(last))
        end = self.line(last).span.end if closed else content.end
        info = opening.text[len(mark) :].split(None, 1)
        language = info[0].lower() if info else ""
        span = Span(opening.start, max(end, opening.span.end))
        return Fenced(span, opening, language, content, opening.indent, closed), behind

    def _closing_line(self, opening: int, place: _Place, mark: str) -> tuple[bool, int]:
        """Whether a fence is closed, and the line that closes it, else the one behind it."""
        for index in range(opening + 1, self.end):
            begin, text = self.begins[index], self.lines[index]
            if begin < len(text) and self.columns[index] < place.column:
                return False, index
            if text.startswith(mark, begin) and not text[begin:].rstrip(" \t").strip(mark[0]):
                return True, index
        return False, self.end

    def _mended(self, first: int, stop: int, mark: str, closed: bool) -> int | None:
        """The blank line at which a fence that nobody closed was meant to end: above the heading that it swallows."""
        if self.repairs >= _REPAIRS:
            return None
        heading = self._swallowed(first, stop)
        if closed and (heading is None or not self._opens_another(first, stop, mark)):
            return None
        self.found.append(report("unclosed-fence", self.source, self.line(first).span, marker=mark))
        self.repairs = self.repairs + 1 if heading is not None else _REPAIRS
        return heading

    def _swallowed(self, first: int, stop: int) -> int | None:
        """The blank line above the first heading between two lines."""
        for index in range(first + 2, stop):
            if self.lines[index].startswith("#") and _SECTION_START.match(self.lines[index]) and self.blank(index - 1):
                return index - 1
        return None

    def _opens_another(self, first: int, stop: int, mark: str) -> bool:
        """Whether a line of a fence looks like the first line of another one."""
        named = (_NAMED_FENCE.match(self.lines[index]) for index in range(first + 1, stop))
        return any(match is not None and match[1].startswith(mark) for match in named)


def _width(blanks: str) -> int:
    """The columns that blanks take, with a tab stop every four."""
    return len(blanks.expandtabs(4))
