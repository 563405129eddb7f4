"""Questions to the person at the terminal: the service `ask`, and consent.

In: a question. Out: the line that was typed. Questions go to stderr, so that stdout carries the result alone.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from prose_runtime.cli.output import is_terminal, say

if TYPE_CHECKING:
    from concurrent.futures import Future

    from prose_runtime.cli.progress import Progress
    from prose_runtime.services.human import Asker


def can_ask() -> bool:
    """Whether there is a person: stdin and stderr are a terminal."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def asker_for(progress: Progress) -> Asker | None:
    """Puts a question while the progress stands still; None without a person."""
    if not can_ask():
        return None

    lines = Lines()

    async def ask(question: str) -> str:
        with progress.paused():
            return await lines.answer(f"{question}\n> ")

    return ask


class Lines:
    """The lines of the terminal, each for the question that is open when it is finished.

    Reading a line cannot be taken back. So a question that is withdrawn, because its time is over, leaves the reading
    to the next one, and what was typed for it until then is thrown away.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Future[str] | None = None
        self._reading = False

    async def answer(self, question: str) -> str:
        """Put a question and wait for its line. Raises `EOFError` at the end of the input (Ctrl-D)."""
        import asyncio
        from concurrent.futures import Future

        answer: Future[str] = Future()
        with self._lock:
            # Open before it is shown: a reader that an earlier question left behind may get the line at once.
            self._open = answer
            reading, self._reading = self._reading, True
        sys.stderr.write(question)
        sys.stderr.flush()
        if not reading:
            threading.Thread(target=self._read, name="prose-terminal", daemon=True).start()
        try:
            line = await asyncio.wrap_future(answer)
        except asyncio.CancelledError:
            say()
            _forget_typed()
            raise
        if not line:
            say()
            raise EOFError
        return line.rstrip("\r\n")

    def _read(self) -> None:
        try:
            line = sys.stdin.readline()
        except (OSError, ValueError):  # the terminal is gone
            line = ""
        with self._lock:
            self._reading = False
            answer, self._open = self._open, None
        if answer is not None and answer.set_running_or_notify_cancel():
            answer.set_result(line)


def _forget_typed() -> None:
    """Throw away what was typed and not sent yet, where the terminal can."""
    try:
        import termios
    except ImportError:  # no such terminals there
        return
    with suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


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
