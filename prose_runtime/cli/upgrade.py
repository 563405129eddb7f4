"""`prose upgrade`: bring files of older editions to today's words; shows what it would do unless told to write."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from prose_runtime.cli.faults import WRONG_USE, Ended
from prose_runtime.cli.files import documents
from prose_runtime.cli.output import give, paint_for, say
from prose_runtime.cli.rewriting import Done, diff_of, give_diff, rewritten, written
from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.services.loading import DiskLoader
from prose_runtime.upgrading import upgrade


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
    done = [rewritten(name, loader, upgrade) for name in documents(files)]
    if write:
        done = [written(each) for each in done]
    lines = [line for each in done for line in (diff_of(each) if as_diff else _shown(each, write))]
    if as_diff:
        give_diff(lines)
        for each in done:
            if each.refused:
                say(f"{visible_line(each.name)}: refused: {visible_line(each.refused)}")
    else:
        give("\n".join([*lines, _summary(done, write)]), painted=True)
    if any(each.refused for each in done):
        raise Ended(WRONG_USE)


def _shown(each: Done, write: bool) -> Iterator[str]:
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


def _summary(done: list[Done], write: bool) -> str:
    changed = sum(each.changes for each in done)
    refused = sum(bool(each.refused) for each in done)
    parts = [f"{_files(changed)} {'changed' if write else 'would be changed'}"]
    parts += [f"{refused} refused"] if refused else []
    parts += [f"{len(done) - changed - refused} as they are"] if len(done) > changed + refused else []
    hint = "" if write or not changed else " (`--diff` shows how, `--write` does it)"
    return ", ".join(parts) + hint


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number} files"
