"""The blocks of a Markdown text: headings, bullets, paragraphs and fences, each with its exact place.

In: a `SourceText` and the line at which the Markdown begins. Out: blocks in the order of the file, and what is wrong
with fences. Only the block rules that contracts use are switched on; nothing inside a line is interpreted here. The
line map of the Markdown parser gives the structure, the texts are taken from the file itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.source import SourceText, Span
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.blocks import Block, Bullet, Fenced, Heading, Paragraph
from prose_runtime.syntax.heads import head
from prose_runtime.syntax.passage import Line, join

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_NESTING = 40  # levels of the Markdown parser: a list inside a list takes two
_REPAIRS = 8  # how many unclosed fences of one file are closed for it
_MARKER = pattern(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+|$)")
_RULER_MARKS = ("---", "***", "___", "- -", "* *", "_ _")
_HTML_START = pattern(r"(?:^|\n)[ \t]{0,3}<[/!?A-Za-z]")
_ROUND_BULLET = pattern(r"(?m)^([ \t]*)•(?=[ \t])")
_SECTION_START = pattern(r"#{2,3}[ \t]+\S")
_FENCE_START = pattern(r"[ \t]*(`{3,}|~{3,})[ \t]*\w")


@cache
def _parser(*rules: str) -> MarkdownIt:
    # imported on first use: a program that reads no document does not pay for it
    from markdown_it import MarkdownIt

    return MarkdownIt("zero", {"maxNesting": MAX_NESTING, "html": True}).enable(["fence", "heading", "list", *rules])


def _rules(text: str) -> list[str]:
    """The further rules that a text can need: each one costs time at every line."""
    rules = ["hr"] if any(mark in text for mark in _RULER_MARKS) else []
    return [*rules, "html_block"] if _HTML_START.search(text) else rules


def read_blocks(source: SourceText, first: int) -> tuple[list[Block], list[Diagnostic]]:
    """The blocks from line index `first` (counted from 0) to the end of the file."""
    page = _Page(source, first)
    found: list[Diagnostic] = []
    tokens = page.tokens()
    for _ in range(_REPAIRS):
        repair = page.unclosed(tokens)
        if repair is None:
            break
        place, marker, heading = repair
        found.append(report("unclosed-fence", source, place.span, marker=marker))
        if heading is None:
            break
        page.lines[heading] = marker  # the blank line above the heading that the fence would swallow
        page.closers.add(heading)
        tokens = page.tokens()
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        deep = next(token for token in tokens if token.level >= MAX_NESTING - 1)
        found.append(report("nested-too-deeply", source, page.line((deep.map or [0])[0]).span, limit=MAX_NESTING // 2))
    return list(page.read(tokens)), found


class _Page:
    """The lines being read, and the way from a line of the Markdown parser to a place in the file."""

    def __init__(self, source: SourceText, first: int) -> None:
        self.source = source
        self.first = first
        self.starts = source.line_starts
        text = source.text[self.starts[first] :] if first < len(self.starts) else ""
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        if "•" in text:
            text = _ROUND_BULLET.sub(r"\1-", text)
        self.lines = text.split("\n")
        self.closers: set[int] = set()  # lines that stand for a missing closing fence
        self.checked = -1  # the last fence already found to be unclosed

    def tokens(self) -> list[Token]:
        text = "\n".join(self.lines)
        parser = _parser(*_rules(text))
        tokens: list[Token] = []
        parser.block.parse(text, parser, {}, tokens)
        return tokens

    def start(self, index: int) -> int:
        """The offset in the file of a line of the Markdown."""
        index += self.first
        return self.starts[index] if index < len(self.starts) else len(self.source.text)

    def line(self, index: int, column: int = 0) -> Line:
        """A line from a column on, without the blanks around it."""
        rest = self.lines[index][column:] if index < len(self.lines) else ""
        text = rest.lstrip()
        column += len(rest) - len(text)
        return Line(text.rstrip(), self.start(index) + column, column)

    def upto(self, first: Line, last: int) -> Span:
        """From a line to the last line that is not blank before index `last`."""
        while last > 0 and not (last - 1 < len(self.lines) and self.lines[last - 1].strip()):
            last -= 1
        return Span(first.start, max(first.start, self.line(last - 1).span.end if last else first.start))

    def unclosed(self, tokens: list[Token]) -> tuple[Line, str, int | None] | None:
        """The next fence that is not closed: its line, its mark, and the blank line where it may have meant to end."""
        for token in tokens:
            if token.type != "fence" or token.map is None or token.map[0] <= self.checked:
                continue
            start, end = token.map
            heading = self._swallowed(start, end)
            if self._closes(token) and (heading is None or not self._opens_another(token)):
                continue
            self.checked = start
            return self.line(start), token.markup, heading
        return None

    def _swallowed(self, start: int, end: int) -> int | None:
        """The blank line above the first heading between two lines."""
        for index in range(start + 2, min(end, len(self.lines))):
            line = self.lines[index]
            if line.startswith("#") and _SECTION_START.match(line) and not self.lines[index - 1].strip():
                return index - 1
        return None

    def _opens_another(self, token: Token) -> bool:
        """Whether a line inside of a fence looks like the first line of another one."""
        start, end = token.map or [0, 0]
        inside = (_FENCE_START.match(line) for line in self.lines[start + 1 : end])
        return any(match is not None and match[1].startswith(token.markup) for match in inside)

    def _closes(self, token: Token) -> bool:
        start, end = token.map or [0, 0]
        if end - start < 2 or end - 1 >= len(self.lines):
            return False
        last = self.lines[end - 1].strip()
        return len(last) >= len(token.markup) and not last.strip(token.markup[0])

    # -- tokens to blocks

    def read(self, tokens: list[Token]) -> Iterator[Block]:
        """The blocks of the top level."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "heading_open" and token.map:
                yield self.heading(token)
            elif token.type == "inline" and token.map and tokens[index - 1].type == "paragraph_open":
                yield self.paragraph(token)
            elif token.type == "fence":
                yield self.fence(token)
            elif token.type == "list_item_open":
                bullet, index = self.bullet(tokens, index)
                yield bullet
            index += 1

    def heading(self, token: Token) -> Heading:
        line = self.line((token.map or [0])[0])
        level = int(token.tag[1:])
        text = line.text[level:].strip()
        at = line.start + line.text.find(text, level) if text else line.span.end
        bare = re.sub(r"(?:^|[ \t])#+$", "", text).strip()
        return Heading(level, bare, line.span, Span(at, at + len(bare)))

    def paragraph(self, token: Token) -> Paragraph:
        start, end = token.map or [0, 0]
        lines = tuple(line for index in range(start, end) if (line := self.line(index)).text)
        return Paragraph(Span(lines[0].start, lines[-1].span.end) if lines else Span(0, 0), lines)

    def fence(self, token: Token, column: int = 0) -> Fenced:
        start, end = token.map or [0, 0]
        opening = self.line(start, column)
        closed = self._closes(token)
        body_end = self.start(end - 1) if closed else self.start(end)
        content_start = min(self.start(start + 1), body_end)
        invented = closed and end - 1 in self.closers
        stop = body_end if invented or not closed else self.line(end - 1).span.end
        info = token.info.strip().split(None, 1)
        language = info[0].lower() if info else ""
        return Fenced(
            Span(opening.start, max(stop, opening.span.end)),
            opening,
            language,
            Span(content_start, body_end),
            opening.indent,
            closed and not invented,
        )

    def bullet(self, tokens: list[Token], index: int, column: int = 0) -> tuple[Bullet, int]:
        """The item that begins at a token, and the index of its last token."""
        token = tokens[index]
        start, end = token.map or [0, 0]
        raw = self.lines[start] if start < len(self.lines) else ""
        match = _MARKER.match(raw, column)
        text_column = match.end() if match else column
        lines: list[Line] = []
        bullets: list[Bullet] = []
        fences: list[Fenced] = []
        index += 1
        while index < len(tokens) and not (
            tokens[index].type == "list_item_close" and tokens[index].level == token.level
        ):
            inner = tokens[index]
            at = text_column if inner.map and inner.map[0] == start else 0
            if inner.type == "inline" and inner.map:
                first, last = inner.map
                lines += [self.line(number, text_column if number == start else 0) for number in range(first, last)]
            elif inner.type == "fence":
                fences.append(self.fence(inner, at))
            elif inner.type == "list_item_open":
                child, index = self.bullet(tokens, index, at)
                bullets.append(child)
            index += 1
        first_line = self.line(start, column)
        kept = tuple(line for line in lines if line.text)
        span = self.upto(first_line, end)
        parts = head(join(kept or (Line("", span.start, text_column),)))
        return Bullet(span, kept, tuple(bullets), tuple(fences), text_column, parts), index
