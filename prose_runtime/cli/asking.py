"""Questions to the person at the terminal: the service `ask`, and consent.

In: a question. Out: the line that was typed. Questions go to stderr, so that stdout carries the result alone.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from prose_runtime.cli.output import is_terminal, say

if TYPE_CHECKING:
    from prose_runtime.cli.progress import Progress
    from prose_runtime.services.human import Asker


def can_ask() -> bool:
    """Whether there is a person: stdin and stderr are a terminal."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def asker_for(progress: Progress) -> Asker | None:
    """Puts a question while the progress stands still; None without a person."""
    if not can_ask():
        return None

    def ask(question: str) -> str:
        with progress.paused():
            return ask_line(f"{question}\n> ")

    return ask


def ask_line(question: str) -> str:
    """One line from the terminal. Raises `EOFError` at its end (Ctrl-D)."""
    sys.stderr.write(question)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        say()
        raise EOFError
    return line.rstrip("\r\n")


def consent(question: str) -> bool:
    """A yes or no; anything but yes is no."""
    try:
        return ask_line(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
