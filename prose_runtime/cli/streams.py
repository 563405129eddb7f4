"""The process's own streams: those it was started without, and stdout kept for results while a run goes on.

In: the file descriptors 0, 1 and 2. Out: streams that can be used, whatever the caller closed.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO


def open_missing_streams() -> None:
    """Fill what the caller closed (`prose … >&-`), so that no file that is opened later takes its number.

    A filled stdin cannot be read and a filled stdout cannot be written: using them fails as a sentence, it does not
    lose a result in silence. A filled stderr swallows.
    """
    for number, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # takes the lowest number that is free, which is this one
    for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            stream = _reader(number) if number == 0 else _writer(number)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _reader(number: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedReader(io.FileIO(number, closefd=False)), "utf-8")


def _writer(number: int, *, owned: bool = False) -> io.TextIOWrapper:
    raw = io.BufferedWriter(io.FileIO(number, "w", closefd=owned))
    return io.TextIOWrapper(raw, "utf-8", "backslashreplace", line_buffering=True)


def drop(stream: TextIO) -> None:
    """What Python would still flush at the end goes nowhere: the reader is gone, or the disk is full."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


@contextmanager
def stdout_for_the_result() -> Iterator[None]:
    """While inside, whatever is written to stdout goes to stderr: by modules that are imported, by services, by
    programs that they start, also past Python's own streams."""
    number = _number(sys.stdout)
    if number is None:  # a stand-in, which no program inherits
        with redirect_stdout(sys.stderr):
            yield
        return
    sys.stdout.flush()
    kept = os.dup(number)
    os.dup2(2, number)
    stream = _writer(os.dup(2), owned=True)
    try:
        with redirect_stdout(stream):
            yield
    finally:
        for written in (stream, sys.__stdout__):
            with suppress(OSError, ValueError, AttributeError):
                written.flush()  # type: ignore[union-attr]
        os.dup2(kept, number)
        os.close(kept)


def _number(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None
