"""The canonical layout of a document. In: its text, and where its scripts stand. Out: the text laid out.

Only blanks change: the indentation of scripts, runs of blanks in their lines, empty lines between statements and round
headings and fences, blanks at the ends of headings, the end of the file. Words stay, and so do comments, paragraphs,
lists, the frontmatter and everything in other fences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prose_runtime.source.pattern import pattern

STEP = "  "
_HEADING = pattern(r" {0,3}#{1,6}(?:[ \t]|$)")
_FENCE = pattern(r"[ \t]*(`{3,}|~{3,})(.*)$")
_OPENING, _CLOSING = "([{", ")]}"


def laid_out(text: str, scripts: Iterable[tuple[int, int]]) -> str:
    """`text` laid out. `scripts`: for each script that can be read, the numbers (from 0) of the lines on which its
    fence begins and ends. Line ends are those that the text has; a text that mixes them is given back as it is."""
    windows = "\r\n" in text
    lines = text.replace("\r\n", "\n").split("\n") if windows else text.split("\n")
    if any("\r" in line for line in lines) or (windows and text.count("\n") != text.count("\r\n")):
        return text
    written = "\n".join(_document(lines, dict(scripts))).strip("\n") + "\n"
    return written.replace("\n", "\r\n") if windows else written


def _document(lines: Sequence[str], scripts: dict[int, int]) -> list[str]:
    """The lines of the whole, with one empty line round each heading and each fence that stands at the margin."""
    begin = _after_frontmatter(lines)
    blocks = [list(lines[:begin])] if begin else []
    text: list[str] = []
    at = begin
    while at < len(lines):
        line = lines[at]
        end = scripts.get(at, _fence_end(lines, at))
        if end is not None and (line[:1] in "`~" or at in scripts):
            inside = lines[at + 1 : end]
            fence = [line.rstrip(), *(_script(inside) if at in scripts else inside), *lines[end : end + 1]]
            blocks += [text, fence]
            text = []
        elif end is None and _HEADING.match(line):
            blocks += [text, [line.rstrip()]]
            text = []
        else:
            text += lines[at : (at if end is None else end) + 1]
        at = (at if end is None else end) + 1
    trimmed = [_trimmed(block) for block in [*blocks, text]]
    return [line for block in trimmed if block for line in (*block, "")]


def _trimmed(block: list[str]) -> list[str]:
    """Without empty lines at its ends."""
    begin, end = 0, len(block)
    while begin < end and not block[begin].strip():
        begin += 1
    while end > begin and not block[end - 1].strip():
        end -= 1
    return block[begin:end]


def _after_frontmatter(lines: Sequence[str]) -> int:
    if lines and lines[0].rstrip() == "---":
        for at, line in enumerate(lines[1:], 1):
            if line.rstrip() == "---":
                return at + 1
    return 0


def _fence_end(lines: Sequence[str], at: int) -> int | None:
    """Where a fence that opens on a line is closed; without an end it goes on to that of the text."""
    opened = _FENCE.match(lines[at])
    if opened is None or ("`" in opened[2] and opened[1][0] == "`"):
        return None
    for later in range(at + 1, len(lines)):
        closed = _FENCE.match(lines[later])
        if closed and closed[1][0] == opened[1][0] and len(closed[1]) >= len(opened[1]) and not closed[2].strip():
            return later
    return len(lines) - 1


# ---- a script --------------------------------------------------------------------------------------------


def _script(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a script: two blanks for each level, one empty line at most, none at its ends. What a bracket holds
    stands deeper than the line that opened it, and the closing bracket as deep as that line."""
    levels: list[int] = []  # how far the lines are indented that this one is below
    opened: list[int] = []  # for each open bracket how many levels its line was deep
    triple = empty = begun = False
    for line in lines:
        if triple:
            yield line
            _, depth, triple = _squeezed(line, len(opened), triple)
            opened = opened[:depth] + [len(levels) - 1] * (depth - len(opened))
            continue
        body = line.strip()
        if not body:
            empty = begun
            continue
        if empty:
            yield ""
        empty, begun = False, True
        if opened and body[0] in _CLOSING:
            del levels[opened[-1] + 1 :]
        else:
            _descend(levels, len(line) - len(line.lstrip()))
        squeezed, depth, triple = _squeezed(body, len(opened), triple)
        yield STEP * (len(levels) - 1) + squeezed
        opened = opened[:depth] + [len(levels) - 1] * (depth - len(opened))


def _descend(levels: list[int], width: int) -> None:
    """Leave what a line that is indented so far is not below, and take it up."""
    while levels and levels[-1] > width:
        levels.pop()
    if not levels or levels[-1] < width:
        levels.append(width)


def _squeezed(line: str, depth: int, triple: bool) -> tuple[str, int, bool]:
    """The line with one blank for several, outside of texts and comments; how deep in brackets it ends, and whether in
    a text of several lines."""
    written: list[str] = []
    at = 0
    while at < len(line):
        if triple:
            end = line.find('"""', at)
            stop = len(line) if end < 0 else end + 3
            written.append(line[at:stop])
            at, triple = stop, end < 0
        elif line.startswith('"""', at):
            written.append('"""')
            at, triple = at + 3, True
        elif line[at] in "\"'":
            stop = _text_end(line, at)
            written.append(line[at:stop])
            at = stop
        elif line[at] == "#" and (at == 0 or line[at - 1] in " \t"):
            blanks = "" if not written else "  " if len(written[-1]) > 1 else written.pop()
            return "".join(written).rstrip() + (blanks or "") + line[at:].rstrip(), depth, False
        elif line[at] in " \t":
            stop = at
            while stop < len(line) and line[stop] in " \t":
                stop += 1
            comment = stop < len(line) and line[stop] == "#"
            written.append(line[at:stop] if comment else " ")
            at = stop
        else:
            depth += (line[at] in _OPENING) - (line[at] in _CLOSING)
            written.append(line[at])
            at += 1
    return "".join(written).rstrip() if not triple else "".join(written), max(depth, 0), triple


def _text_end(line: str, at: int) -> int:
    """Where a quoted text ends; a quote that nothing closes is one sign."""
    quote, place = line[at], at + 1
    while place < len(line):
        if line[place] == "\\":
            place += 2
        elif line[place] == quote:
            return place + 1
        else:
            place += 1
    return at + 1
