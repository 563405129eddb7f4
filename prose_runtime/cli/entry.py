"""Every command runs inside `perform`: faults become a sentence and a status, a closed pipe ends it quietly.

In: the words of a command line. Out: the exit status.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from prose_runtime.cli.app import app
from prose_runtime.cli.faults import FAILED, STOPPED, WRONG_USE, Ended, Fault
from prose_runtime.cli.output import say_fault

CLOSED_PIPE = 141  # what a shell reports for a program that SIGPIPE ended


def perform(words: Sequence[str]) -> int:
    """Run a command line. Never raises, except with `--debug`, which lets Python's own tracebacks through."""
    try:
        status = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
        return CLOSED_PIPE
    except Exception as error:
        if "--debug" in words:
            raise
        say_fault(
            f"prose itself failed: {type(error).__name__}: {error}",
            "please report this; `--debug` shows where it happened",
        )
        return FAILED
    return status


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


def _drop_stdout() -> None:
    """The reader is gone: what Python would still flush at exit goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
