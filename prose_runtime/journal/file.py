"""A journal in a file, `journal.jsonl` in the folder of the run. In: lines. Out: lines; a lock; durability.

The lock belongs to the process: it ends with it, however that ends, and no child inherits it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from prose_runtime.journal.store import JournalFailed, RunInUse

JOURNAL, LOCK = "journal.jsonl", "lock"
Durability = Literal["process", "power"]
_held: set[str] = set()


class FileStore:
    """The journal in a folder, which is made where it is not there. `power`: what was appended is on the disk before
    `secured` returns; many who wait share one synchronisation."""

    def __init__(self, folder: Path, durability: Durability = "process") -> None:
        self.folder = folder
        self.path = folder / JOURNAL
        self._durability = durability
        self._file: int | None = None
        self._lock: int | None = None
        self._size = 0
        self._appended = 0
        self._synced = 0
        self._syncing: asyncio.Task[None] | None = None

    def lines(self) -> Iterator[bytes]:
        """All lines; none where there is no file yet."""
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._fault("read", error) from error
        with file:
            yield from file

    def take(self) -> None:
        """Lock it, and cut a torn line off its end."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = _locked(self.folder / LOCK)
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._size = _whole_size(self._file)
            os.ftruncate(self._file, self._size)
            if self._durability == "power":
                os.fsync(self._file)
                _sync_folder(self.folder)
        except OSError as error:
            self.release()
            raise self._fault("written", error) from error

    def append(self, data: bytes) -> None:
        """Hand the lines to the operating system."""
        if self._file is None:
            raise JournalFailed(f"{self.path} is not open; take it first")
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:] if written else data)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise self._fault("written", error) from error
        self._size += len(data)
        self._appended += 1

    async def secured(self) -> None:
        """Of `process` it is when it was appended."""
        if self._durability == "process":
            return
        wanted = self._appended
        while self._synced < wanted:
            if self._syncing is None or self._syncing.done():
                self._syncing = asyncio.ensure_future(self._sync())
            await asyncio.shield(self._syncing)

    async def _sync(self) -> None:
        upto, file = self._appended, self._file
        assert file is not None
        try:
            await asyncio.to_thread(os.fdatasync if hasattr(os, "fdatasync") else os.fsync, file)
        except OSError as error:
            raise self._fault("written", error) from error
        self._synced = upto

    def release(self) -> None:
        """Close it and let others take it."""
        for handle in (self._file, self._lock):
            if handle is not None:
                os.close(handle)
        if self._lock is not None:
            _held.discard(_name(self.folder / LOCK))
        self._file = self._lock = None

    def _fault(self, done: str, error: OSError) -> JournalFailed:
        return JournalFailed(
            f"{self.path} cannot be {done}: {error.strerror}; make room or give another folder, then resume the run"
        )


def _name(path: Path) -> str:
    return str(path.parent.resolve() / path.name)


def _locked(path: Path) -> int:
    """The handle by which a lock is held. Raises `RunInUse`."""
    if _name(path) in _held:  # record locks do not keep a process from itself
        raise RunInUse(str(path.parent), os.getpid())
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(handle)
    except BlockingIOError:
        pid = os.read(handle, 32).decode("ascii", "replace").strip()
        os.close(handle)
        raise RunInUse(str(path.parent), int(pid) if pid.isdecimal() else None) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0) if hasattr(os, "pwrite") else os.write(handle, b"")
    _held.add(_name(path))
    return handle


def _lock(handle: int) -> None:
    """Raises `BlockingIOError` where somebody else holds it."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
        return
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except PermissionError as error:  # some systems say it this way
        raise BlockingIOError(error.errno, error.strerror) from None


def holder(folder: Path) -> int | None:
    """The process that is at a run, or None; 0 where it does not say which."""
    path = folder / LOCK
    if _name(path) in _held:
        return os.getpid()
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        _lock(handle)
    except BlockingIOError:
        pid = os.read(handle, 32).decode("ascii", "replace").strip()
        return int(pid) if pid.isdecimal() else 0
    except OSError:
        return None
    finally:
        os.close(handle)
    return None


def _whole_size(handle: int) -> int:
    """How many bytes of a file are whole lines."""
    size = os.fstat(handle).st_size
    end = size
    while end > 0:
        start = max(end - 65536, 0)
        at = os.pread(handle, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _sync_folder(folder: Path) -> None:
    for each in (folder, folder.parent):
        handle = os.open(each, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
