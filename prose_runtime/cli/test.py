"""`prose test`: run the `kind: test` documents of files and folders. Only their scripted replies answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

import prose_runtime
from prose_runtime.casebook.commands import Ran
from prose_runtime.casebook.report import CaseReport, CaseResult
from prose_runtime.cli.faults import FAILED, WRONG_USE, Ended, Fault
from prose_runtime.cli.output import as_json, give, paint_for
from prose_runtime.diagnostics.visible import visible, visible_line


@click.command("test", short_help="Run `kind: test` documents.")
@click.argument("paths", nargs=-1, required=True, metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--quiet", "-q", is_flag=True, help="Name only the cases that failed.")
@click.option("--commands", is_flag=True, help="Run the command lines of cases that hold one, with all they name.")
@click.option("--debug", is_flag=True, help="Let Python's own tracebacks through.")
def command(paths: tuple[Path, ...], form: str, quiet: bool, commands: bool, debug: bool) -> None:
    """Run the cases in files and folders. Nothing that a case names is started or contacted, but for `--commands`.

    Ends with status 0 when all came out as their authors say, 1 when one did not, 2 when there was none.
    """
    from prose_runtime.casebook import run_cases

    try:
        report = run_cases(paths, command=run_command_line if commands else None)
    except FileNotFoundError as error:
        raise Fault(f"there is no file or folder `{error.args[0]}`", "check the path") from None
    give(as_json(_record(report)) if form == "json" else _text(report, quiet))
    if not report.results:
        raise Ended(WRONG_USE)
    if not report.ok:
        raise Ended(FAILED)


def run_command_line(words: list[str], stdin: str, folder: Path) -> Ran:
    """One command line in a process of its own, at home in the case's folder."""
    package = str(Path(prose_runtime.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": package, "XDG_CONFIG_HOME": str(folder / ".config"), "NO_COLOR": "1"}
    line = [sys.executable, "-m", "prose_runtime", *words]
    ran = subprocess.run(line, input=stdin.encode(), cwd=folder, env=environment, capture_output=True, check=False)
    return Ran(ran.returncode, ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace"))


def _record(report: CaseReport) -> dict[str, object]:
    return {
        "ok": report.ok,
        "cases": [
            {
                "file": str(result.path),
                "name": result.name,
                "verdict": result.verdict,
                "problems": list(result.problems),
                "seconds": round(result.seconds, 6),
                "reason": result.reason,
            }
            for result in report.results
        ],
    }


def _text(report: CaseReport, quiet: bool) -> str:
    if not report.results:
        return "no `kind: test` document was found"
    lines = [line for result in report.results if not (quiet and result.ok) for line in _lines(result)]
    failed = len(report.results) - sum(result.ok for result in report.results)
    seconds = sum(result.seconds for result in report.results)
    cases = f"{len(report.results)} case{'' if len(report.results) == 1 else 's'}"
    expected = report.count("failed as expected")
    more = f", {expected} failed as expected" if expected else ""
    return "\n".join([*lines, f"{cases}, {failed or 'none'} failed{more} ({seconds:.1f} s)"])


def _lines(result: CaseResult) -> list[str]:
    paint = paint_for(sys.stdout)
    head = f"{visible_line(str(result.path))}: {result.verdict}"
    if result.ok:
        return [head + (f" ({visible_line(result.reason)})" if result.reason else "")]
    return [paint("error", head), *("  " + visible(problem).replace("\n", "\n  ") for problem in result.problems)]
