"""`--record FOLDER`: where runs are written down. In: a folder, a program. Out: a `RunFolder`, or a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prose_runtime.cli.faults import FAILED, Fault
from prose_runtime.reports.folder import FolderInUse, Names, RunFolder, claim
from prose_runtime.resolve.program import Program

Mask = Callable[[Any], Any]


def run_folder(folder: Path, program: Program, mask: Mask) -> RunFolder:
    """The folder of one run, with the files that run in it. Raises `Fault` where it cannot be used."""
    with _faults_of(folder):
        return RunFolder(folder, program, mask=mask)


class CaseFolders:
    """A folder below `folder` for each run of a case. Raises `Fault` where it cannot be used."""

    def __init__(self, folder: Path) -> None:
        with _faults_of(folder):
            claim(folder)
        self._folder = folder
        self._names = Names()

    def __call__(self, name: str, program: Program, mask: Mask) -> RunFolder:
        """That of the next run of the case `name`."""
        return run_folder(self._folder / self._names.new(name), program, mask)


@contextmanager
def _faults_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except FolderInUse:
        raise Fault(f"{folder} is not empty", "name a new folder, or an empty one") from None
    except OSError as error:
        raise Fault(f"{folder} cannot be written: {error.strerror}", "name another folder", status=FAILED) from None
