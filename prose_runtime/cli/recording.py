"""`--record FOLDER`: where runs are written down. In: a folder, a program. Out: a `RunFolder`, or a fault."""

from __future__ import annotations

from pathlib import Path

from prose_runtime.cli.faults import FAILED, Fault
from prose_runtime.reports.folder import FolderInUse, RunFolder
from prose_runtime.resolve.program import Program
from prose_runtime.services import Masker


def run_folder(folder: Path, program: Program, masker: Masker) -> RunFolder:
    """The folder of one run, with the files that run in it. Raises `Fault` where it cannot be used."""
    try:
        return RunFolder(folder, program, mask=masker.mask)
    except FolderInUse:
        raise Fault(f"{folder} is not empty", "name a new folder, or an empty one") from None
    except OSError as error:
        raise Fault(f"{folder} cannot be written: {error.strerror}", "name another folder", status=FAILED) from None
