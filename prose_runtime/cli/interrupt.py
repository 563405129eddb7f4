"""What Ctrl-C does: the first stops the run where nothing is lost, the second ends the process at once.

In: the run's task. Out: a stopped run that keeps its names.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from prose_runtime.cli.output import is_terminal, say

_AT_ONCE = 130


@contextmanager
def stopping_on_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """While inside, SIGINT (and SIGTERM) call `stop` once; a second one ends the process with status 130."""
    asked = 0

    def handle(number: int, frame: object) -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            _end_at_once()
        say("stopping; once more ends it at once")
        stop()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            # After one, the process is about to end: a second one must not come out as a traceback.
            signal.signal(number, handle if asked else handler)


def _end_at_once() -> NoReturn:
    """Nothing is waited for; programs that services started are ended, and a hidden cursor is shown again."""
    processes = sys.modules.get("prose_runtime.services.process")
    if processes is not None:
        processes.end_all()
    if is_terminal(sys.__stderr__):
        os.write(2, b"\x1b[?25h\n")
    os._exit(_AT_ONCE)
