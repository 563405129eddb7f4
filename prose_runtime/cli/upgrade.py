"""`prose upgrade`: bring files of older editions to today's words; shows what it would do unless told to write."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from prose_runtime.cli.faults import WRONG_USE, Ended, Fault
from prose_runtime.cli.files import documents
from prose_runtime.cli.output import give, paint_for, say
from prose_runtime.diagnostics.visible import visible, visible_line
from prose_runtime.services.loading import SIZE_LIMIT, SUFFIX, DiskLoader
from prose_runtime.source import SourceText, UndecodableSource
from prose_runtime.upgrading import Upgraded, upgrade
from prose_runtime.upgrading.writing import ChangedMeanwhile, encoded, replace_file


@click.command("upgrade", short_help="Bring files of older editions to today's words.")
@click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER")
@click.option("--diff", "as_diff", is_flag=True, help="Show the change as a unified diff.")
@click.option("--write", is_flag=True, help="Change the files.")
@click.option("--debug", is_flag=True, help="Let Python's own tracebacks through.")
def command(files: tuple[str, ...], as_diff: bool, write: bool, debug: bool) -> None:
    """Rewrite retired words of files to those of today, and touch nothing else. Without `--write` nothing is changed.

    Ends with status 0, or with 2 if a file was refused: it then stays as it is, and the reason is said.
    """
    loader = DiskLoader()
    done = [_one(name, loader) for name in documents(files)]
    if write:
        done = [_written(each) for each in done]
    lines = [line for each in done for line in (_diff(each) if as_diff else _shown(each, write))]
    if as_diff:
        _give_diff(lines)
        for each in done:
            if each.refused:
                say(f"{visible_line(each.name)}: refused: {visible_line(each.refused)}")
    else:
        give("\n".join([*lines, _summary(done, write)]), painted=True)
    if any(each.refused for each in done):
        raise Ended(WRONG_USE)


@dataclass(frozen=True, slots=True)
class _Done:
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


def _one(name: str, loader: DiskLoader) -> _Done:
    path = Path(name)
    try:
        data = path.read_bytes() if path.is_file() else None
    except OSError as error:
        raise Fault(f"{name} cannot be read: {error.strerror}", "give yourself the right to read it") from None
    if data is None:
        raise Fault(f"there is no file {name}", "name a file or a folder, like `prose upgrade .`")
    if refused := _unfit(name, data):
        return _Done(name, data, SourceText(name, ""), Upgraded(SourceText(name, ""), refused=refused))
    try:
        source = SourceText.from_bytes(name, data)
    except UndecodableSource as error:
        refused = f"it is not UTF-8 text (line {error.line})"
        return _Done(name, data, SourceText(name, ""), Upgraded(SourceText(name, ""), refused=refused))
    return _Done(name, data, source, upgrade(source, path, loader))


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


def _written(each: _Done) -> _Done:
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
    return _Done(each.name, each.before, each.source, Upgraded(each.source, refused=refused))


def _shown(each: _Done, write: bool) -> Iterator[str]:
    paint = paint_for(sys.stdout)
    name = visible_line(each.name)
    if each.refused:
        yield f"{name}: {paint('error', 'refused')}: {visible_line(each.refused)}"
    elif each.changes:
        yield f"{name}: {'changed' if write else 'would be changed'}"
        yield from (f"  line {change.line}: {visible_line(change.what)}" for change in each.result.changes)
    if each.result.left and not each.refused:
        if not each.changes:
            yield f"{name}: for you to rewrite"
        yield from (f"  line {change.line}: left: {visible_line(change.what)}" for change in each.result.left)


def _summary(done: list[_Done], write: bool) -> str:
    changed = sum(each.changes for each in done)
    refused = sum(bool(each.refused) for each in done)
    parts = [f"{_files(changed)} {'changed' if write else 'would be changed'}"]
    parts += [f"{refused} refused"] if refused else []
    parts += [f"{len(done) - changed - refused} as they are"] if len(done) > changed + refused else []
    hint = "" if write or not changed else " (`--diff` shows how, `--write` does it)"
    return ", ".join(parts) + hint


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number} files"


def _diff(each: _Done) -> Iterator[str]:
    """The lines of a unified diff, each with the line end that the file has."""
    if not each.changes:
        return
    before, after = _lines(each.source.text), _lines(each.result.source.text)
    for line in difflib.unified_diff(before, after, f"a/{each.name}", f"b/{each.name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _give_diff(lines: list[str]) -> None:
    if not lines:
        return
    text = "".join(lines)
    give(visible(text) if sys.stdout.isatty() else text)
