"""Many files are checked by several processes. In: paths. Out: their diagnostics, as one process would give them.

A process of its own pays only where there is much to do, and where it starts as a copy of this one (`fork`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from prose_runtime.api import load_all
from prose_runtime.cli.faults import Fault
from prose_runtime.diagnostics import Diagnostic, in_order
from prose_runtime.diagnostics.silencing import Setting, with_settings
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.project import Project, find_project, load_project

FEWEST = 60
"""Files for each process at least."""


def checked(paths: Sequence[Path], *, portable: bool) -> list[Diagnostic]:
    """What there is to say about the files, in the order of their places."""
    parts = _parts(paths, min(_processors(), len(paths) // FEWEST))
    if len(parts) == 1:
        return _check(paths, portable)
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(len(parts), get_context("fork"), _begin) as pool:
        found = pool.map(_check, parts, [portable] * len(parts))
        return in_order(chain.from_iterable(found))  # what files of two parts name was read twice


def _processors() -> int:
    """How many processes can work at once; 1 where they cannot be copies of this one."""
    if not hasattr(os, "sched_getaffinity") or sys.platform == "darwin":
        return 1
    return len(os.sched_getaffinity(0))


def _parts(paths: Sequence[Path], number: int) -> list[Sequence[Path]]:
    """Neighbours stay together: they name each other most."""
    size = -(-len(paths) // max(number, 1)) or 1
    return [paths[at : at + size] for at in range(0, len(paths), size)] or [paths]


def _begin() -> None:
    """In a new process: an interrupt is the first process's matter."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _check(paths: Sequence[Path], portable: bool) -> list[Diagnostic]:
    loaded, missing = load_all(paths, portable=portable)
    found = chain.from_iterable(with_settings(each.diagnostics, severities_of(each.path)) for each in loaded)
    return in_order([*found, *(error.diagnostic() for error in missing)])


def severities_of(path: Path | None) -> Mapping[str, Setting]:
    """What `[check]` in the `prose.toml` of a file's project says."""
    found = _project(path.parent) if path is not None else None
    return found.severities if found is not None else {}


@cache
def _project(folder: Path) -> Project | None:
    if find_project(folder) is None:
        return None
    try:
        return load_project(folder)
    except BindingFault as fault:
        raise Fault(fault.diagnostic("prose.toml").message, f"mend {find_project(folder)}") from None
