"""`prose check`: read and resolve files, run nothing."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from prose_runtime.api import load_all
from prose_runtime.cli.faults import WRONG_USE, Ended, Fault
from prose_runtime.cli.files import documents
from prose_runtime.cli.output import as_json, give, paint_for, say, width_of
from prose_runtime.cli.sharing import checked
from prose_runtime.diagnostics import Diagnostic, has_errors
from prose_runtime.diagnostics.visible import visible_line


@click.command("check", short_help="Check files without running anything.")
@click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER|std/…")
@click.option("--portable", is_flag=True, help="Note what other hosts may read differently.")
@click.option("--strict", is_flag=True, help="End with status 2 for warnings, too.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text", show_default=True
)
@click.option(
    "--dump",
    type=click.Choice(["document", "program", "plan"]),
    help="Print what a phase makes of each file, after its diagnostics.",
)
@click.option("--fix", "mend", is_flag=True, help="Mend what can be mended without changing what is meant.")
@click.option("--unsafe-fixes", "unsafe", is_flag=True, help="With --fix: also what may change what is meant.")
@click.option("--diff", "as_diff", is_flag=True, help="With --fix: show the changes and write nothing.")
@click.option("--debug", is_flag=True, help="Let Python's own tracebacks through.")
def command(
    files: tuple[str, ...],
    portable: bool,
    strict: bool,
    form: str,
    dump: str | None,
    mend: bool,
    unsafe: bool,
    as_diff: bool,
    debug: bool,
) -> None:
    """Read and resolve files without importing, starting or contacting anything that they name.

    Ends with status 0 when nothing is wrong (warnings are allowed), else with 2.
    """
    if dump and form != "text":
        raise Fault("`--dump` prints text only", "leave `--format` out")
    if (unsafe or as_diff) and not mend:
        raise Fault("`--unsafe-fixes` and `--diff` go with `--fix`", "add `--fix`")
    named = documents(files)
    if mend and _mended(named, unsafe=unsafe, as_diff=as_diff):
        return
    gc.disable()  # the trees of all files are short-lived and free of cycles worth looking for
    paths = [Path(name) for name in named]
    diagnostics = checked(paths, portable=portable)
    _show(diagnostics, len(named), form, bool(dump))
    if dump:
        from prose_runtime.cli.dump import dump_phase

        for each in load_all(paths, portable=portable)[0]:
            give(dump_phase(each, dump))
    if has_errors(diagnostics) or (strict and any(item.severity == "warning" for item in diagnostics)):
        raise Ended(WRONG_USE)


def _mended(named: Sequence[str], *, unsafe: bool, as_diff: bool) -> bool:
    """Mend the files, or show how; gives whether that is all that was asked for."""
    from functools import partial

    from prose_runtime.cli.rewriting import diff_of, give_diff, rewritten, written
    from prose_runtime.services.loading import DiskLoader
    from prose_runtime.upgrading import fix

    loader = DiskLoader()
    done = [rewritten(name, loader, partial(fix, unsafe=unsafe)) for name in named if Path(name).is_file()]
    if as_diff:
        give_diff([line for each in done for line in diff_of(each)])
        return True
    for each in map(written, done):
        if each.refused:
            say(f"{visible_line(each.name)}: left as it is: {visible_line(each.refused)}")
        for change in each.result.changes:
            say(f"{visible_line(each.name)}:{change.line}: {visible_line(change.what)}")
    return False


def _show(diagnostics: Sequence[Diagnostic], files: int, form: str, more_follows: bool) -> None:
    if form == "text":
        text = _as_text(diagnostics, files)
        if diagnostics or not more_follows:
            give(text, painted=True)
        return
    if form == "github":
        from prose_runtime.diagnostics.annotations import as_annotations

        if diagnostics:
            give(as_annotations(diagnostics))
        return
    if form == "sarif":
        from prose_runtime.diagnostics.sarif import as_sarif

        give(as_json(as_sarif(diagnostics)))
        return
    from prose_runtime.diagnostics.as_json import as_objects

    count = {kind: sum(item.severity == kind for item in diagnostics) for kind in ("error", "warning", "note")}
    give(
        as_json(
            {
                "files": files,
                "errors": count["error"],
                "warnings": count["warning"],
                "notes": count["note"],
                "diagnostics": as_objects(diagnostics),
            }
        )
    )


def _as_text(diagnostics: Sequence[Diagnostic], files: int) -> str:
    from prose_runtime.diagnostics.terminal import render_all, summary

    shown = render_all(diagnostics, paint=paint_for(sys.stdout), width=width_of(sys.stdout))
    return "\n\n".join(part for part in (shown, summary(diagnostics, files)) if part)
