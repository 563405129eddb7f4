"""One program, run to its end in a process group of its own.

In: arguments, what it reads, its environment and limits. Out: its exit status and what it wrote. Whatever happens,
nothing of its group is left running: not after the end of the program, a stop, too much output, or this process's exit.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

# Seconds between a look at the program and the next while it writes nothing.
_LOOK = 0.05
# Seconds that output may still come in after the program has ended: a child of it may hold the pipe for ever.
_DRAIN = 0.5
_CHUNK = 65536
_TAIL = 8192
OUTPUT_LIMIT = 10_000_000
GRACE = 2.0


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended. `status` is negative for a signal; `error` is the end of what it wrote to stderr."""

    status: int
    output: bytes
    error: bytes
    too_long: bool = False


class Program:
    """A program to be run once, by `run()` in a worker thread; `stop()` may be called from any other thread.

    `limit`: the most bytes that it may write to stdout. `grace`: seconds between TERM and KILL.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        data: bytes = b"",
        environment: Mapping[str, str],
        folder: Path,
        limit: int = OUTPUT_LIMIT,
        grace: float = GRACE,
    ) -> None:
        self._arguments = list(arguments)
        self._data = memoryview(data)
        self._environment = dict(environment)
        self._folder = folder
        self._limit = limit
        self._grace = grace
        self._stops = 0
        self._output = bytearray()
        self._error = bytearray()

    def stop(self) -> None:
        """End the program: TERM to its group, and KILL after the grace; KILL at once when called again."""
        self._stops += 1

    def run(self) -> Finished:
        """Start it and wait for its end. Raises `OSError` when it cannot be started."""
        process = subprocess.Popen(
            self._arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment,
            cwd=self._folder,
            start_new_session=True,
            bufsize=0,
        )
        _remember(process)
        try:
            with selectors.DefaultSelector() as selector:
                self._attend(process, selector)
        finally:
            _end_group(process)
            for stream in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            process.wait()
            _forget(process)
        too_long = len(self._output) > self._limit
        return Finished(process.returncode, bytes(self._output[: self._limit]), bytes(self._error), too_long)

    def _attend(self, process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
        """Feed and read until it has ended, or must be ended."""
        for stream, event in ((process.stdout, selectors.EVENT_READ), (process.stderr, selectors.EVENT_READ)):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, event)
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        selector.register(process.stdin, selectors.EVENT_WRITE)
        deadline: float | None = None
        stopping = False
        while True:
            for key, _ in selector.select(_LOOK):
                self._serve(process, selector, key.fileobj)
            if self._stops and not stopping:
                stopping = True
                deadline = time.monotonic() + self._grace
                _signal_group(process, signal.SIGTERM)
            if self._stops > 1 or len(self._output) > self._limit:
                return
            if deadline is None and process.poll() is not None:
                deadline = time.monotonic() + _DRAIN
            if deadline is not None and (time.monotonic() >= deadline or (stopping and process.poll() is not None)):
                return
            if not selector.get_map() and _ended(process):
                return

    def _serve(self, process: subprocess.Popen[bytes], selector: selectors.BaseSelector, stream: object) -> None:
        if stream is process.stdin and process.stdin is not None:
            self._feed(process.stdin, selector)
            return
        reader = process.stdout if stream is process.stdout else process.stderr
        assert reader is not None
        try:
            chunk = os.read(reader.fileno(), _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            selector.unregister(reader)
        elif reader is process.stdout:
            self._output += chunk
        else:
            self._error = (self._error + chunk)[-_TAIL:]

    def _feed(self, pipe: IO[bytes], selector: selectors.BaseSelector) -> None:
        """Write some of the data. A program that does not read it is not at fault: the rest is dropped."""
        try:
            written = os.write(pipe.fileno(), self._data[:_CHUNK]) if self._data else 0
        except BlockingIOError:
            return
        except OSError:
            written = len(self._data)
        self._data = self._data[written:]
        if not self._data:
            selector.unregister(pipe)
            pipe.close()


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended, given a moment: its pipes are closed, so it is about to."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_LOOK)
    return process.returncode is not None


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # The group has the number of its leader (`start_new_session`). PermissionError: macOS, when only zombies are left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """KILL what is left of the group: the program if it lives, and its children if they outlived it."""
    _signal_group(process, signal.SIGKILL)


_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()
_hooked = False


def _remember(process: subprocess.Popen[bytes]) -> None:
    """Worker threads are daemons: when Python exits in the middle of a call, this is what ends the program."""
    global _hooked
    with _lock:
        _running.add(process)
        if not _hooked:
            _hooked = True
            atexit.register(end_all)


def _forget(process: subprocess.Popen[bytes]) -> None:
    with _lock:
        _running.discard(process)


def end_all() -> None:
    """KILL every program that is still running; for the exit of this process."""
    with _lock:
        left = list(_running)
    for process in left:
        _end_group(process)
