"""Lines, blocks and brackets: the part of the lexer that turns indentation into tokens.

A block may stand inside brackets too (a loop or a call with properties as an item of a list or an object).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from prose_runtime.diagnostics import Fix
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.fence import Fence
from prose_runtime.syntax.script import patterns as p
from prose_runtime.syntax.script import words
from prose_runtime.syntax.script.faults import Fault, replacing

MAX_DEPTH = 100  # blocks and brackets inside each other

Token = tuple[str, str, int, int]  # terminal, text, start, end
VALUE_ENDS = frozenset({"NAME", "TEXT", "NUMBER", "RPAR", "RSQB", "RBRACE", "TRUE", "FALSE", "NULL", "_UNREADABLE"})
_DEEPER = "is indented, but the line above it opens no block"
_NO_PROPERTY = "stands below a call, but is no property `name: value`"
_BETWEEN = "is indented less than the lines above it, and like none of the blocks around it"


class Line(NamedTuple):
    """A logical line outside brackets: the tokens `first` … `stop - 1`; those from `begin` close blocks before it."""

    begin: int
    first: int
    stop: int


@dataclass(slots=True)
class Frame:
    """A block (`kind` "block") or an open bracket (`kind` is its sign) that the lexer is inside of.

    `indent`: of a block's lines; of the line in which a bracket was opened.
    """

    kind: str
    indent: int
    start: int = 0
    properties: bool = False
    silent: bool = False  # lines that are indented without reason: no token tells of them
    waiting: int = 0  # headers begun here whose colon has not come
    inline: int = 0  # bodies begun on the line, inside a bracket
    calls: bool = False  # a call stands in this line or item, so deeper lines are its properties
    thens: int = 0  # `if … then` whose `else` has not come
    header: str = ""  # of the line in which a bracket was opened, as are these words
    words: frozenset[str] = frozenset()


class Layout:
    """What is known while a fence is read. `tokens`, `lines` and `faults` are the result."""

    def __init__(self, source: SourceText, fence: Fence) -> None:
        self.text = source.text
        self.pos = fence.content.start
        self.stop = fence.content.end
        self.fence_indent = fence.indent
        self.tokens: list[Token] = []
        self.lines: list[Line] = []
        self.faults: list[Fault] = []
        self.frames: list[Frame] = [Frame("block", 0)]
        self.brackets = 0  # how many of the frames are brackets
        self.begin = 0  # of the line outside brackets: see `Line`
        self.outer = 0
        self.first = 0  # the first token of the innermost logical line
        self.indent = 0  # of the physical line
        self.line_indent = 0  # of the logical line
        self.statement = False  # the next word may begin a statement
        self.header = ""  # the terminal that began the header that waits for its colon, or has just had it
        self.header_end = False  # the last token is the colon of a header
        self.line_words: frozenset[str] = frozenset()  # which of `in`, `to` are keywords in this line
        self.chain = 0  # operators, properties and inline bodies since the last comma
        self.tabs = 0

    # ---- lines -----------------------------------------------------------------------------------------------

    def next_line(self) -> tuple[int, int] | None:
        """Offset and indentation of the next line with something on it; `pos` is at the start of a line."""
        text, at = self.text, self.pos
        while at < self.stop:
            start = at
            at = p.end_of(p.BLANKS, text, at, self.stop)
            char = text[at] if at < self.stop else ""
            if char == "/" and text.startswith("//", at):
                self.foreign_comment(at)
            elif char and char not in "#\r\n":
                return at, self._width(start, at)
            at = p.end_of(p.TO_LINE_END, text, at, self.stop)
            if at >= self.stop:
                return None
            at = p.end_of(p.LINE_END, text, at, self.stop)
        return None

    def foreign_comment(self, at: int) -> None:
        """`//` begins a comment in other languages."""
        self.fault("foreign-comment", at, at + 2, replacing("Write #", at, at + 2, "#"), found="//")

    def _width(self, start: int, end: int) -> int:
        blanks = self.text[start:end]
        if "\t" not in blanks:
            return max(len(blanks) - self.fence_indent, 0)
        self.tabs += 1
        width = self._width_of_tabs(blanks)
        if self.tabs == 1:
            at = start + blanks.index("\t")
            spaces = " " * (width + self.fence_indent)
            self.fault("tab-indent", at, at + 1, replacing("Use spaces", start, end, spaces))
        return width

    def _width_of_tabs(self, blanks: str) -> int:
        """How far a line with tabs is meant to be indented: a tab is one block, however wide those around it are."""
        levels = sorted({frame.indent for frame in self.frames if frame.kind == "block"})
        tabs = len(blanks) - len(blanks.lstrip("\t"))
        if self.fence_indent or not tabs:
            return max(len(blanks.expandtabs(4)) - self.fence_indent, 0)
        beyond = tabs - (len(levels) - 1)
        base = levels[tabs] if beyond <= 0 else levels[-1] + 4 * beyond
        return base + len(blanks[tabs:].expandtabs(4))

    def begin_line(self, width: int) -> None:
        """A logical line begins at `pos`."""
        self.first = len(self.tokens)
        if not self.brackets:
            self.outer = self.first
        self.indent = self.line_indent = width
        self.statement = True
        self.header_end = False
        self.header = ""
        self.chain = 0
        self.line_words = frozenset()
        frame = self.frames[-1]
        frame.calls = False
        frame.waiting = frame.thens = 0

    def newline(self, end: int) -> None:
        """The line end from `pos` to `end`: inside brackets it means nothing, unless a block begins there."""
        at, self.pos = self.tokens[-1][3] if self.tokens else self.pos, end
        following = self.next_line()
        if following is None:
            self.pos = self.stop
            return
        self.pos, width = following
        frame = self.frames[-1]
        if frame.kind == "block" and self._pipe_goes_on(frame, width):
            self.indent = width
        elif frame.kind == "block":
            self.finish_line(width, at)
        elif width > self.indent and (self.header_end or (frame.calls and self._key_ahead())):
            self.emit("_INDENT", "", at, at)
            self.push(Frame("block", width, self.pos, properties=not self.header_end))
            self.begin_line(width)
        else:
            self._resume_bracket(width)

    def _pipe_goes_on(self, frame: Frame, width: int) -> bool:
        """Whether the next line is a step `| …` of the value that this line ends with. Below the properties of a call
        it is a step of what the call gives, not of its last property."""
        piped = self.text[self.pos] == "|" and width == self.line_indent and not frame.properties
        return piped and len(self.tokens) > self.first and not (frame.waiting or self.header_end)

    def finish_line(self, width: int, at: int) -> None:
        """End a logical line at `at`; the next one is at `pos`, indented by `width` (-1: there is none)."""
        frame = self.frames[-1]
        self._fill_block(at)
        if len(self.tokens) > self.first:
            self._missing_colon(frame, at)
            self._terminator(frame, width, at)
            if not self.brackets:
                self.lines.append(Line(self.begin, self.outer, len(self.tokens)))
                self.begin = len(self.tokens)
        self._leave_blocks(width, at)

    def _fill_block(self, at: int) -> None:
        """A block whose first line gave no token (all of it was reported) still holds something."""
        if self.tokens and self.tokens[-1][0] in ("_INDENT", "_PIPE_INDENT"):
            self.emit("_UNREADABLE", "", at, at)
            if not any(fault.span.start >= at for fault in self.faults):
                self.fault("empty-body", at - 1, at, word=":")

    def _missing_colon(self, frame: Frame, at: int) -> None:
        if frame.waiting <= 0:
            return
        word = words.spelt(self.header)
        self.fault("missing-colon", at - 1, at, replacing("Add the colon", at, at, ":"), word=word)
        frame.waiting = 0
        self.emit("COLON", ":", at, at)
        self.header_end = True

    def _terminator(self, frame: Frame, width: int, at: int) -> None:
        """The token that ends the line; a block may begin."""
        deeper = width > self.line_indent
        if self.header_end and not deeper:
            self._empty_body(at)
            self.emit("_EMPTY", "", at, at)
        elif self.header_end:
            self._open_block("_INDENT", width, at, properties=self.header == "AGENT")
        elif deeper and self.text[self.pos] == "|":
            self._open_block("_PIPE_INDENT", width, at)
        elif deeper and (self.tokens[-1][0] == "COLON" or (frame.calls and self._key_ahead())):
            self._open_block("_INDENT", width, at, properties=True)
        else:
            self.emit("_NL", "", at, at)
            if deeper:
                if not self.tabs:
                    why = _NO_PROPERTY if frame.calls else _DEEPER
                    self.fault("wrong-indentation", self.pos, self.pos + 1, why=why)
                self.push(Frame("block", width, self.pos, properties=frame.properties, silent=True))

    def _open_block(self, kind: str, width: int, at: int, *, properties: bool = False) -> None:
        self.emit(kind, "", at, at)
        self.push(Frame("block", width, self.pos, properties=properties))

    def _key_ahead(self) -> bool:
        return p.KEY_AHEAD.match(self.text, self.pos, self.stop) is not None

    def _empty_body(self, at: int) -> None:
        start = self.tokens[min(self.first, len(self.tokens) - 1)][2]
        if self.tabs or (self.faults and self.faults[-1].span.start >= start):
            return  # this line is reported already: its colon was missing, say
        code = "empty-branch" if self.header in words.BRANCHES else "empty-body"
        self.fault(code, start, at, word=words.spelt(self.header))

    def _leave_blocks(self, width: int, at: int) -> None:
        """Leave the blocks that the next line is not in; then begin it, or go on in the bracket around."""
        frames = self.frames
        left = False
        while frames[-1].kind == "block" and frames[-1].indent > width and len(frames) > 1:
            left = True
            if not frames.pop().silent:
                self.emit("_DEDENT", "", at, at)
        frame = frames[-1]
        if frame.kind != "block":
            self._back_in(frame)
            if width >= 0:
                self._resume_bracket(width)
        elif width >= 0:
            matches = width == frame.indent or (width > frame.indent and (not left or self.text[self.pos] == "|"))
            if not matches and not self.tabs:
                self.fault("wrong-indentation", self.pos, self.pos + 1, why=_BETWEEN)
            self.begin_line(width)

    # ---- brackets --------------------------------------------------------------------------------------------

    def _resume_bracket(self, width: int) -> None:
        """Go on inside a bracket on a new physical line; in an object a line end is as good as a comma."""
        frame = self.frames[-1]
        self.end_inline(frame)
        last = self.tokens[-1]
        after_block = last[0] in ("_DEDENT", "_NL", "_EMPTY") and self.text[self.pos] not in ",|)]}"
        entry = frame.kind == "{" and last[0] in VALUE_ENDS and not (width > self.indent and frame.calls)
        if after_block or (entry and p.ENTRY_AHEAD.match(self.text, self.pos, self.stop)):
            self.emit("_COMMA", "", last[3], last[3])
            frame.calls = False
        self.indent = width
        self.statement = self.header_end = False

    def open_bracket(self, kind: str, sign: str) -> None:
        """An opening bracket stands at `pos`."""
        self.emit(kind, sign, self.pos, self.pos + 1)
        self.brackets += 1
        self.push(Frame(sign, self.line_indent, self.pos, header=self.header, words=self.line_words))
        self.pos += 1

    def close_bracket(self, kind: str, sign: str) -> None:
        """A closing bracket stands at `pos`; what was opened in between and not closed is reported and closed."""
        at = self.pos
        opener = words.OPENERS[sign]
        if not any(frame.kind == opener for frame in self.frames):
            self.fault("unmatched-bracket", at, at + 1, found=sign, opener=opener)
            self.pos += 1
            return
        while self.frames[-1].kind != opener:
            self.close_frame()
        self.end_inline(self.frames[-1])
        self.frames.pop()
        self.brackets -= 1
        self.emit(kind, sign, at, at + 1)
        self.pos += 1

    def close_frame(self) -> None:
        """Close the innermost bracket, or the innermost block inside a bracket, where its end is missing."""
        frame = self.frames[-1]
        at = self.tokens[-1][3]
        if frame.kind == "block":
            self._fill_block(at)
            if len(self.tokens) > self.first:
                self._missing_colon(frame, at)
                self.emit("_EMPTY" if self.header_end else "_NL", "", at, at)
            self.frames.pop()
            if not frame.silent:
                self.emit("_DEDENT", "", at, at)
            self.first = len(self.tokens)
            self._back_in(self.frames[-1])
            return
        closer = words.CLOSERS[frame.kind]
        self.fault("unclosed-bracket", frame.start, frame.start + 1, found=frame.kind, closer=closer)
        self.end_inline(frame)
        self.frames.pop()
        self.brackets -= 1
        self.emit(words.CLOSER_NAMES[closer], closer, at, at)

    def _back_in(self, frame: Frame) -> None:
        """After a block in a bracket: the line goes on in which the bracket was opened."""
        self.line_indent, self.header, self.line_words = frame.indent, frame.header, frame.words

    def end_inline(self, frame: Frame) -> None:
        """Inside a bracket: end the bodies that stand behind a colon on the line."""
        if frame.kind == "block":
            return
        at = self.tokens[-1][3]
        while frame.inline or self.header_end:
            frame.inline = max(frame.inline - 1, 0)
            if self.header_end:
                self._empty_body(at)
            self.emit("_EMPTY" if self.header_end else "_NL", "", at, at)
            self.header_end = False

    # ---- results ---------------------------------------------------------------------------------------------

    def emit(self, kind: str, text: str, start: int, end: int) -> None:
        self.tokens.append((kind, text, start, end))

    def fault(self, code: str, start: int, end: int, fix: Fix | None = None, **facts: str) -> None:
        self.faults.append(Fault(code, Span(start, max(end, start)), facts, fix))

    def push(self, frame: Frame) -> None:
        """Enter a block or bracket; beyond the limit the rest of the script is not read."""
        self.frames.append(frame)
        if len(self.frames) > MAX_DEPTH + 1 and self.stop > self.pos:
            self.fault("too-deep", frame.start, frame.start + 1, what="blocks and brackets", limit=str(MAX_DEPTH))
            self.give_up()

    def give_up(self) -> None:
        """Read no further; what is open is closed without a word."""
        self.stop = self.pos
        self.gave_up = True

    gave_up = False
