"""Diagnostics for people. In: `Diagnostic`s. Out: text that reads the same with and without colour.

draft.prose.md:12:9: error[unknown-slot]: There is no slot `critc`.
 12 |   call critc
    |        ^^^^^
help: Write `critic`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prose_runtime.diagnostics.model import Diagnostic, Label, Severity
from prose_runtime.diagnostics.visible import columns, visible, visible_line

Paint = Callable[[str, str], str]

_CODES = {"error": "1;31", "warning": "1;33", "note": "1;36", "help": "32", "gutter": "2", "place": "1", "quiet": "2"}
_TAB = 4


def plain(style: str, text: str) -> str:
    """No colour."""
    return text


def ansi(style: str, text: str) -> str:
    """Colour by escape sequences; `style` is one of error, warning, note, help, gutter, place, quiet."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else text


def render(diagnostic: Diagnostic, *, paint: Paint = plain, width: int = 100) -> str:
    """One diagnostic as lines without a last line end. Source lines are cut to `width` columns around the fault."""
    first = diagnostic.labels[0]
    head = f"{diagnostic.severity}[{diagnostic.code}]:"
    place = visible_line(first.source.where(first.span))
    lines = [f"{paint('place', place + ':')} {paint(diagnostic.severity, head)} {visible(diagnostic.message)}"]
    gutter = max(len(str(_line_of(label))) for label in diagnostic.labels) + 1
    lines += _excerpt(first, gutter, paint, width, diagnostic.severity)
    for label in diagnostic.labels[1:]:
        where = visible_line(label.source.where(label.span))
        lines.append(f"{paint('place', where + ':')} {visible_line(label.text)}".rstrip())
        lines += _excerpt(label, gutter, paint, width, "note")
    advice = diagnostic.help or next((fix.title for fix in diagnostic.fixes), "")
    if advice:
        lines.append(f"{paint('help', 'help:')} {visible(advice)}")
    return "\n".join(lines)


def render_all(diagnostics: Sequence[Diagnostic], *, paint: Paint = plain, width: int = 100) -> str:
    """All of them, one empty line between."""
    return "\n\n".join(render(item, paint=paint, width=width) for item in diagnostics)


def summary(diagnostics: Sequence[Diagnostic], files: int) -> str:
    """One line: `2 errors, 1 warning in 1 file`, or `3 files, nothing to report`."""
    severities: tuple[Severity, ...] = ("error", "warning", "note")
    counted = [_count(sum(item.severity == kind for item in diagnostics), kind) for kind in severities]
    found = ", ".join(text for text in counted if text)
    in_files = len({item.source.name for item in diagnostics})
    if not found:
        return f"{_count(files, 'file') or '0 files'}, nothing to report"
    checked = f" ({files} checked)" if files > in_files else ""
    return f"{found} in {_count(in_files, 'file')}{checked}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}" if number else ""


def _line_of(label: Label) -> int:
    return label.source.position(label.span.start).line


def _excerpt(label: Label, gutter: int, paint: Paint, width: int, style: str) -> list[str]:
    """The line of a label and the carets under its span (to the end of the line if the span goes on)."""
    if not label.source.is_file:
        return []
    start, end = label.source.position(label.span.start), label.source.position(label.span.end)
    line = label.source.line(start.line)
    if not line.strip():
        return []
    last = end.column - 1 if end.line == start.line else len(line.rstrip())
    before = columns(_shown(line[: start.column - 1]))
    under = columns(_shown(line[:last])) - before
    shown, shift = _window(_shown(line), before, under, max(width - gutter - 3, 20))
    carets = "^" * max(min(under, columns(shown) - (before - shift)), 1)
    return [
        f"{paint('gutter', f'{start.line:>{gutter}} |')} {shown}",
        f"{paint('gutter', ' ' * gutter + ' |')} {' ' * (before - shift)}{paint(style, carets)}",
    ]


def _shown(text: str) -> str:
    """Tabs as spaces up to the next stop, other control characters shown."""
    shown, column = [], 0
    for index, piece in enumerate(text.split("\t")):
        spaces = (_TAB - column % _TAB) if index else 0
        safe = visible(piece)
        shown.append(" " * spaces + safe)
        column += spaces + columns(safe)
    return "".join(shown)


def _window(line: str, before: int, under: int, width: int) -> tuple[str, int]:
    """The part of a long line around the carets, and by how many columns it was moved to the left."""
    if columns(line) <= width:
        return line, 0
    start = max(0, before - max(width // 3, 10)) if before + min(under, width // 2) > width - 1 else 0
    column, kept, shift = 0, "", 0
    for char in line:
        if column < start:
            column += columns(char)
            continue
        if not kept and start:
            kept, shift = "…", column - 1
        if columns(kept) + columns(char) > width - 1:
            return kept + "…", shift
        kept += char
    return kept, shift
