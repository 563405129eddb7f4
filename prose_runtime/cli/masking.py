"""What services write to stdout and stderr themselves, shown without secrets. In: maskers. Out: streams that use them.

Answers and errors are masked before they enter a run; this is for `print`, warnings and logging in this process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from prose_runtime.services import BindingFault, Masker, Project, project_masker

_LONGEST = 100_000


class Masking:
    """The maskers that count by now; each is used for whatever is written after it was added."""

    def __init__(self) -> None:
        self._maskers: list[Masker] = []

    def add(self, masker: Masker | None) -> None:
        """Mask its secrets, too."""
        if masker:
            self._maskers.append(masker)

    def add_project(self, project: Project | None) -> None:
        """Mask the secrets of a project. One that cannot be masked is said elsewhere."""
        with suppress(BindingFault):
            self.add(project_masker(project))

    def __bool__(self) -> bool:
        return bool(self._maskers)

    def text(self, text: str) -> str:
        """A text without any of the secrets."""
        for masker in self._maskers:
            text = masker.text(text)
        return text


class MaskedStream:
    """Hands lines on, masked. A line that is not yet whole waits for its end, or for a flush, so that a secret that is
    written in parts is seen."""

    def __init__(self, stream: TextIO, masking: Masking) -> None:
        self._stream = stream
        self._masking = masking
        self._waiting = ""
        self._lock = threading.RLock()

    def write(self, text: str) -> int:
        """Hand on what is whole."""
        with self._lock:
            if not self._masking:
                self._stream.write(text)
                return len(text)
            whole, line_end, rest = (self._waiting + text).rpartition("\n")
            if len(rest) > _LONGEST:
                whole, line_end, rest = whole + line_end + rest, "", ""
            if whole or line_end:
                self._stream.write(self._masking.text(whole + line_end))
                self._stream.flush()
            self._waiting = rest
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write one after the other."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hand on what waits."""
        with self._lock:
            waiting, self._waiting = self._waiting, ""
            if waiting:
                self._stream.write(self._masking.text(waiting))
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def masked_streams() -> Iterator[Masking]:
    """While inside, what Python writes to stdout and stderr is masked by what is added."""
    masking = Masking()
    before = sys.stdout, sys.stderr
    mine = MaskedStream(before[0], masking), MaskedStream(before[1], masking)
    sys.stdout, sys.stderr = cast(TextIO, mine[0]), cast(TextIO, mine[1])
    try:
        yield masking
    finally:
        for stream in mine:
            with suppress(OSError, ValueError):  # a service may have closed it
                stream.flush()
        sys.stdout, sys.stderr = before
