"""What a command says when it cannot go on, and the exit statuses (`docs/command-line.md`)."""

from __future__ import annotations

DONE = 0
FAILED = 1
WRONG_USE = 2
CONTRACT = 3
STOPPED = 4
WAITING = 5


class Fault(Exception):
    """A command ends with `status`. `message` says what is wrong, `advice` one thing to do."""

    def __init__(self, message: str, advice: str = "", *, status: int = WRONG_USE) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.status = status


class Ended(Exception):
    """A command has said all that it has to say and ends with `status`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status
