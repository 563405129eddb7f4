"""Every command runs inside `perform`: faults become a sentence and a status, a closed pipe ends it quietly.

In: the words of a command line. Out: the exit status.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

import click

from prose_runtime.cli.app import app
from prose_runtime.cli.faults import FAILED, STOPPED, WRONG_USE, Ended, Fault
from prose_runtime.cli.output import say_fault
from prose_runtime.cli.streams import drop

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EBADF)  # a stream that cannot be written
CLOSED_PIPE = 141  # what a shell reports for a program that SIGPIPE ended


def perform(words: Sequence[str]) -> int:
    """Run a command line. Never raises, except with `--debug`, which lets Python's own tracebacks through."""
    try:
        return _run(words)
    except BrokenPipeError:
        drop(sys.stdout)
        return CLOSED_PIPE
    except BaseException as error:
        if "--debug" in words:
            raise
        say_fault(
            f"prose itself failed: {type(error).__name__}: {error}",
            "please report this; `--debug` shows where it happened",
        )
        return FAILED


def _run(words: Sequence[str]) -> int:
    try:
        status = app.main(list(words), prog_name="prose", standalone_mode=False)
    except Ended as end:
        return end.status
    except Fault as fault:
        say_fault(fault.message, fault.advice)
        return fault.status
    except click.ClickException as fault:
        message, advice = _in_our_words(fault)
        say_fault(message, advice)
        return WRONG_USE
    except SystemExit:  # how click ends when the reader of its help has gone
        raise BrokenPipeError from None
    except OSError as error:
        if error.errno not in _FULL:
            raise
        drop(sys.stdout)
        say_fault(f"stdout cannot be written: {error.strerror}", "give it a place to go to")
        return FAILED
    except (click.Abort, KeyboardInterrupt):
        say_fault("stopped", "")
        return STOPPED
    return status if isinstance(status, int) else 0


def _in_our_words(fault: click.ClickException) -> tuple[str, str]:
    """What click says, as our own messages are: a sentence, and one thing to do."""
    message = fault.format_message().rstrip(".")
    near = getattr(fault, "possibilities", None)
    context = getattr(fault, "ctx", None)
    if isinstance(fault, click.NoSuchOption):
        message = f"there is no option `{fault.option_name}`"
    if near:
        return message, f"did you mean `{sorted(near)[0]}`?"
    return message[:1].lower() + message[
        1:
    ], f"`{context.command_path} --help` lists what can be written" if context else ""
