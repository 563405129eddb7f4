"""`prose fmt`: files in canonical layout. Only blanks change; what a file says does not."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from prose_runtime.cli.faults import FAILED, WRONG_USE, Ended, Fault
from prose_runtime.cli.files import documents
from prose_runtime.cli.output import give, say
from prose_runtime.cli.rewriting import diff_of, give_diff, rewritten, written
from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.upgrading import lay_out

STDIN = "-"


@click.command("fmt", short_help="Lay files out in the canonical way.")
@click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER|-")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; end with status 1 if a file would change.")
@click.option("--diff", "as_diff", is_flag=True, help="Write nothing; show what would change.")
@click.option("--debug", is_flag=True, help="Let Python's own tracebacks through.")
def command(files: tuple[str, ...], only_check: bool, as_diff: bool, debug: bool) -> None:
    """Indent scripts by two blanks a level, put one empty line round headings and fences, and one blank for several in
    the lines of scripts. Paragraphs, lists, comments and all other words stay. `-` lays stdin out to stdout.
    """
    loader = DiskLoader()
    if files == (STDIN,):
        source = SourceText.from_bytes("<stdin>", sys.stdin.buffer.read())
        result = lay_out(source, Path("stdin.prose.md"), loader)
        if result.refused:
            raise Fault(result.refused, "lay it out by hand")
        give(result.source.text)
        return
    done = [rewritten(name, loader, lay_out) for name in documents(files)]
    if as_diff:
        give_diff([line for each in done for line in diff_of(each)])
    elif not only_check:
        done = [written(each) for each in done]
    for each in done:
        if each.refused:
            say(f"{visible_line(each.name)}: left as it is: {visible_line(each.refused)}")
        elif each.changes and not as_diff:
            give(f"{visible_line(each.name)}{': would be laid out anew' if only_check else ''}")
    if any(each.refused for each in done):
        raise Ended(WRONG_USE)
    if (only_check or as_diff) and any(each.changes for each in done):
        raise Ended(FAILED)
