"""Memories of agents on a disk, one readable file an agent.

In: the project's folder, the user's home, what must not be written. Out: a `DiskMemory`. The files are
`<folder>/.agents/prose/state/agents/<name>/memory.json`, where the published layout keeps what agents remember: in the
project's folder for `persist: project`, in the user's home for `persist: user`. Folders are made for their owner alone.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prose_runtime.runtime.memory import MEMORY_LIMIT, merged, newest
from prose_runtime.runtime.port import ServiceError, Turn
from prose_runtime.services.secrets import Masker

PLACE = Path(".agents/prose/state/agents")
FILE = "memory.json"
_FIELDS = ("asked", "context", "answered", "run", "key")


class DiskMemory:
    """A `MemoryStore` in files. A change is written beside the file and put in its place at once; runs at the same time
    wait for each other, and each keeps what the others wrote."""

    def __init__(self, project: Path, *, home: Path | None = None, masker: Masker | None = None) -> None:
        self._project, self._home = project, home
        self._masker = masker or Masker({})

    def folder(self, scope: str, name: str) -> Path:
        """Where the memory of an agent is. Raises `ServiceError` for a place that a link leads out of there."""
        root = self._root(scope)
        folder = root / PLACE / name
        try:
            real = folder.resolve()
        except (OSError, RuntimeError):  # links that lead to each other
            raise _refused(f"{folder} leads nowhere") from None
        if not real.is_relative_to(root):
            raise _refused(f"{folder} leads to {real}, out of {root}")
        return folder

    def _root(self, scope: str) -> Path:
        try:
            return (self._project if scope == "project" else self._home or Path.home()).resolve()
        except (OSError, RuntimeError) as error:
            raise _refused(f"there is no folder for `persist: {scope}`: {error}") from None

    async def read(self, scope: str, name: str) -> Sequence[Turn]:
        """Everything that is kept."""
        return await asyncio.to_thread(self._read, scope, name)

    async def keep(self, scope: str, name: str, run: str, turns: Sequence[Turn]) -> int:
        """Replace what is kept of that run."""
        return await asyncio.to_thread(self._keep, scope, name, run, turns)

    def _read(self, scope: str, name: str) -> tuple[Turn, ...]:
        path = self.folder(scope, name) / FILE
        try:
            with path.open("rb") as file:
                data = file.read(2 * MEMORY_LIMIT + 1)
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _refused(f"{path} cannot be read: {error.strerror}") from None
        if len(data) > 2 * MEMORY_LIMIT:
            raise _refused(f"{path} is larger than {2 * MEMORY_LIMIT:,} bytes; make it smaller, or take it away")
        try:
            found = json.loads(data)
            return tuple(_turn(item) for item in found["turns"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _refused(
                f"{path} is not a memory as it is written here ({error}); mend it, or take it away"
            ) from None

    def _keep(self, scope: str, name: str, run: str, turns: Sequence[Turn]) -> int:
        folder = self.folder(scope, name)
        try:
            _make(folder, self._root(scope))
            with _locked(folder):
                every = merged(self._read(scope, name), run, [self._masked(turn) for turn in turns])
                kept = newest(every)
                _write(folder / FILE, _text(name, kept))
        except OSError as error:
            raise _refused(f"the memory of `{name}` cannot be written to {folder}: {error.strerror}") from None
        return len(every) - len(kept)

    def _masked(self, turn: Turn) -> Turn:
        mask = self._masker.mask
        return Turn(mask(turn.asked), mask(turn.answered), mask(turn.context), turn.run, turn.key)


def _refused(message: str) -> ServiceError:
    return ServiceError(message, name="memory", transient=False)


def _turn(item: Mapping[str, Any]) -> Turn:
    if not isinstance(item["run"], str) or not isinstance(item.get("key", ""), str):
        raise TypeError("`run` and `key` are texts")
    return Turn(item["asked"], item["answered"], item.get("context"), item["run"], item.get("key", ""))


def _text(name: str, turns: Sequence[Turn]) -> str:
    """The file: JSON with a line for each field of a turn, and no more than that, so that its size is known."""
    written = ",\n".join(f"    {{\n{_fields(turn)}\n    }}" for turn in turns)
    between = f"\n{written}\n  " if turns else ""
    return f'{{\n  "agent": {_json(name)},\n  "turns": [{between}]\n}}\n'


def _fields(turn: Turn) -> str:
    given = ((name, getattr(turn, name)) for name in _FIELDS)
    return ",\n".join(
        f"      {_json(name)}: {_json(value)}" for name, value in given if name != "context" or value is not None
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _make(folder: Path, root: Path) -> None:
    """The folder and those above it that are missing, for their owner alone."""
    missing = [item for item in (folder, *folder.parents) if item.is_relative_to(root) and not item.exists()]
    for item in reversed(missing):
        item.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Alone with the folder, among all processes."""
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        try:
            import fcntl
        except ImportError:  # no such locks there: runs at the same time may then overtake each other
            yield
            return
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _write(path: Path, text: str) -> None:
    """The whole file at once: a reader finds the old one or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
