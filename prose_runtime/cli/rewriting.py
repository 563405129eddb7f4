"""Files that a command changes: read, changed as texts, shown as a diff, written. In: names. Out: `Done`."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from prose_runtime.cli.faults import Fault
from prose_runtime.cli.output import give
from prose_runtime.diagnostics.visible import visible
from prose_runtime.services.loading import SIZE_LIMIT, SUFFIX, DiskLoader
from prose_runtime.source import SourceText, UndecodableSource
from prose_runtime.upgrading import Upgraded
from prose_runtime.upgrading.writing import ChangedMeanwhile, encoded, replace_file

Rewrite: TypeAlias = Callable[[SourceText, Path, DiskLoader], Upgraded]


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one file: its bytes as they were read, and the result."""

    name: str
    before: bytes
    source: SourceText
    result: Upgraded

    @property
    def refused(self) -> str:
        return self.result.refused

    @property
    def changes(self) -> bool:
        return bool(self.result.changes) and not self.result.refused


def rewritten(name: str, loader: DiskLoader, change: Rewrite) -> Done:
    """Read a file and let `change` make another text of it; nothing is written."""
    path = Path(name)
    try:
        data = path.read_bytes() if path.is_file() else None
    except OSError as error:
        raise Fault(f"{name} cannot be read: {error.strerror}", "give yourself the right to read it") from None
    if data is None:
        raise Fault(f"there is no file {name}", "name a file or a folder, like `.`")
    if refused := _unfit(name, data):
        return Done(name, data, SourceText(name, ""), Upgraded(SourceText(name, ""), refused=refused))
    try:
        source = SourceText.from_bytes(name, data)
    except UndecodableSource as error:
        refused = f"it is not UTF-8 text (line {error.line})"
        return Done(name, data, SourceText(name, ""), Upgraded(SourceText(name, ""), refused=refused))
    return Done(name, data, source, change(source, path, loader))


def _unfit(name: str, data: bytes) -> str:
    """Why a file is not even looked at; "" for those that are."""
    if len(data) > SIZE_LIMIT:
        return "it is larger than a document may be"
    if name.endswith(SUFFIX):
        return ""
    if name.endswith(".prose"):
        return (
            "it is a script without a document around it: put it as a ```prose block under `### Execution` of a file "
            f"`{Path(name).stem}{SUFFIX}` that says what it takes and returns"
        )
    return f"the name of a document ends in `{SUFFIX}`: rename it to `{Path(name).stem}{SUFFIX}`, then upgrade it"


def written(each: Done) -> Done:
    """Put the new text in place of the old one."""
    if not each.changes:
        return each
    try:
        replace_file(Path(each.name), each.before, encoded(each.result.source))
    except ChangedMeanwhile:
        refused = "it was changed by somebody else meanwhile: run the command again"
    except OSError as error:
        refused = f"it cannot be written: {error.strerror}"
    else:
        return each
    return Done(each.name, each.before, each.source, Upgraded(each.source, refused=refused))


def diff_of(each: Done) -> Iterator[str]:
    """The lines of a unified diff, each with the line end that the file has."""
    if not each.changes:
        return
    before, after = _lines(each.source.text), _lines(each.result.source.text)
    for line in difflib.unified_diff(before, after, f"a/{each.name}", f"b/{each.name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def give_diff(lines: list[str]) -> None:
    """A diff on stdout."""
    if not lines:
        return
    text = "".join(lines)
    give(visible(text) if sys.stdout.isatty() else text)
