"""The port of a store: where the lines of one journal are kept. In: bytes. Out: the same bytes, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from prose_runtime.diagnostics.exceptions import ProseError


class RunInUse(ProseError):
    """Another process is at this run. `pid` is None where that is not known."""

    def __init__(self, where: str, pid: int | None) -> None:
        who = f"process {pid}" if pid is not None else "another process"
        super().__init__(f"{who} is at this run ({where}); wait for its end, or end it with `prose cancel`")
        self.pid = pid


class JournalFailed(ProseError):
    """The store cannot be written or read."""


class Store(Protocol):
    """The lines of one journal. `take` before `append`; `lines` at any time."""

    def lines(self) -> Iterator[bytes]:
        """All lines from the first one, each with its end; the last one may be torn."""
        ...

    def append(self, data: bytes) -> None:
        """Whole lines; they outlive the process when this returns. Raises `JournalFailed`."""
        ...

    async def secured(self) -> None:
        """Wait until what was appended is as safe as the store is meant to keep it. Raises `JournalFailed`."""
        ...

    def take(self) -> None:
        """Be the only one who writes. Raises `RunInUse`."""
        ...

    def release(self) -> None:
        """Let others write."""
        ...
