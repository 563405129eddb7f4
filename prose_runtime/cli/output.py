"""Where words go: results to stdout, all else to stderr; colour only where a terminal shows it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from prose_runtime.cli.faults import FAILED, Fault
from prose_runtime.cli.streams import drop
from prose_runtime.diagnostics import Diagnostic
from prose_runtime.diagnostics.terminal import Paint, ansi, plain, render_all
from prose_runtime.diagnostics.visible import visible, visible_line


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at it. A closed stream is none."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def paint_for(stream: TextIO) -> Paint:
    """Colour for a terminal, unless `NO_COLOR` is set (to anything but the empty text) or it is a dumb one."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not is_terminal(stream):
        return plain
    return ansi


def width_of(stream: TextIO, default: int = 100) -> int:
    """The width to write for, in columns: that of the terminal which the stream is, or what `COLUMNS` says."""
    if not is_terminal(stream):
        return default
    said = os.environ.get("COLUMNS", "")
    if said.isdigit() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(stream.fileno()).columns or default
    except (OSError, ValueError):
        return default


def say(text: str = "") -> None:
    """A line on stderr. That nobody can be told is no reason to fail."""
    try:
        print(_encodable(text, sys.stderr), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        drop(sys.stderr)


def say_fault(message: str, advice: str) -> None:
    """What is wrong, and one thing to do, on stderr."""
    paint = paint_for(sys.stderr)
    say(f"{paint('error', 'error:')} {visible_line(message)}")
    if advice:
        say(f"{paint('help', 'help:')} {visible_line(advice)}")


def show_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Diagnostics on stderr."""
    if diagnostics:
        say(render_all(diagnostics, paint=paint_for(sys.stderr), width=width_of(sys.stderr)))


def show_briefly(diagnostics: Iterable[Diagnostic]) -> None:
    """One line on stderr for each warning, for a log in which nobody looks for more."""
    for item in diagnostics:
        if item.severity == "warning":
            say(warning_line(item.source.where(item.labels[0].span), item.code, item.message))


def warning_line(place: str, code: str, message: str, *, paint: Paint = plain) -> str:
    """`draft.prose.md:12:9: warning[unused-name]: …`; without a place (""), nothing stands before it."""
    before = f"{visible_line(place)}: " if place else ""
    return f"{before}{paint('warning', f'warning[{code}]:')} {visible_line(message)}"


def give(text: str, *, painted: bool = False) -> None:
    """A result on stdout, with a line end if it has none. A terminal is shown its control characters; where the text
    is `painted`, all but the colours.

    Raises `Fault` where it cannot be written, and `BrokenPipeError` where its reader has gone.
    """
    shown = text
    if is_terminal(sys.stdout):
        shown = _visible_but_for_colours(text) if painted else visible(text)
    try:
        sys.stdout.write(_encodable(shown if shown.endswith("\n") else shown + "\n", sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        drop(sys.stdout)
        reason = getattr(error, "strerror", None) or "it was closed"
        raise Fault(f"stdout cannot be written: {reason}", "give it a place to go to", status=FAILED) from None


def _visible_but_for_colours(text: str) -> str:
    """A colour cannot move the cursor or hide what stands before it; whatever else acts on a terminal is shown."""
    parts = re.split("(\x1b\\[[0-9;]*m)", text)
    return "".join(part if index % 2 else visible(part) for index, part in enumerate(parts))


def as_text(value: object) -> str:
    """A result as it is printed or written to a file: text as text, everything else as JSON."""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: object) -> str:
    """JSON over several lines, in the order of the keys given."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def _encodable(text: str, stream: TextIO) -> str:
    """What the stream's encoding cannot hold is escaped instead of ending the program."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
