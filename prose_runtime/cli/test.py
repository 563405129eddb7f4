"""`prose test`: run the `kind: test` documents of files and folders. Only their replies answer, but for `--live`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

import prose_runtime
from prose_runtime.casebook.commands import Ran
from prose_runtime.casebook.report import CaseReport, CaseResult
from prose_runtime.cli.faults import FAILED, WRONG_USE, Ended, Fault
from prose_runtime.cli.output import as_json, give

if TYPE_CHECKING:
    from prose_runtime.casebook import Ways
    from prose_runtime.cli.recording import CaseFolders


@dataclass(frozen=True, slots=True)
class _Asked:
    """What `prose test` was asked besides the paths."""

    form: str
    quiet: bool
    commands: bool
    words: str | None
    junit: Path | None
    lenient: bool
    live: bool
    judge: str | None
    trust: bool
    folders: CaseFolders | None


@click.command("test", short_help="Run `kind: test` documents.")
@click.argument("paths", nargs=-1, required=True, metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("-k", "words", metavar="EXPR", help="Run the cases whose path or name has these words (and, or, not).")
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write a JUnit XML report too.")
@click.option("--update", is_flag=True, help="Write what came out over the expected values of cases that failed.")
@click.option("--yes", is_flag=True, help="With --update: write without asking.")
@click.option("--allow-unchecked", "lenient", is_flag=True, help="Cases of which nothing could be checked are good.")
@click.option("--judge", metavar="TARGET", help="Who decides the sentences that read as no rule.")
@click.option("--live", is_flag=True, help="Let the services that prose.toml binds answer what has no replies.")
@click.option("--trust", is_flag=True, help="With --live: use what prose.toml names without asking.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write what ran, a trace and the outputs of each case there.",
)
@click.option("--commands", is_flag=True, help="Run the command lines of cases that hold one, with all they name.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--quiet", "-q", is_flag=True, help="Name only the cases that are not good.")
@click.option("--debug", is_flag=True, help="Let Python's own tracebacks through.")
def command(
    paths: tuple[Path, ...],
    words: str | None,
    junit: Path | None,
    update: bool,
    yes: bool,
    lenient: bool,
    judge: str | None,
    live: bool,
    trust: bool,
    record: Path | None,
    commands: bool,
    form: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Run the cases in files and folders. Nothing that a case names is started or contacted, but for `--commands`, and
    no service answers but its replies, but for `--live` and `--judge`.

    Ends with status 0 when every case came out as its author says, 1 when one did not, was not run or had nothing that
    could be checked, 2 when there was none, or none that -k chose.
    """
    folders = _folders(record) if record is not None else None
    asked = _Asked(form, quiet, commands, words, junit, lenient, live, judge, trust, folders)
    if update:
        from prose_runtime.cli.updating import check_may_update

        check_may_update(yes)
    report = _run(paths, asked)
    if update and not report.ok:
        from prose_runtime.cli.updating import update_cases

        if update_cases(report, yes=yes):
            report = _run(paths, asked)
    if junit is not None:
        _write_junit(junit, report)
    if form == "json":
        give(as_json(_record(report)))
    if not report.results:
        raise Ended(WRONG_USE)
    if not report.ok:
        raise Ended(FAILED)


def _folders(folder: Path) -> CaseFolders:
    from prose_runtime.cli.recording import CaseFolders

    return CaseFolders(folder)


def _run(paths: tuple[Path, ...], asked: _Asked) -> CaseReport:
    from prose_runtime.casebook import run_cases
    from prose_runtime.cli.testing import Told

    with Told(asked.quiet, shows=asked.form == "text") as told:
        try:
            report = run_cases(
                paths,
                on_result=told.result,
                on_begin=told.begin,
                choose=_choice(asked.words),
                ways=_ways(asked, told.paused),
            )
        except FileNotFoundError as error:
            raise Fault(f"there is no file or folder `{error.args[0]}`", "check the path") from None
    if not report.results and asked.words is not None and report.found:
        count = f"{report.found} case{'' if report.found == 1 else 's'}"
        raise Fault(f"`-k {asked.words}` chooses none of {count}", "use words of their paths or names")
    told.summary(report)
    return report


def _choice(words: str | None) -> Callable[[str], bool] | None:
    from prose_runtime.casebook.selecting import BadExpression, read_choice

    try:
        return None if words is None else read_choice(words)
    except BadExpression as error:
        advice = "join words with `and`, `or`, `not` and parentheses"
        raise Fault(f"`-k {words}` cannot be read: {error}", advice) from None


def _ways(asked: _Asked, pause: Callable[[], None]) -> Ways:
    from prose_runtime.casebook import Ways
    from prose_runtime.casebook.subjects import Binder, bind_to_replies

    binder: Binder = bind_to_replies
    if asked.live or asked.judge:
        from prose_runtime.cli.live_services import LiveBinder

        binder = LiveBinder(judge=asked.judge, live=asked.live, trust=asked.trust, pause=pause)
    return Ways(run_command_line if asked.commands else None, binder, asked.lenient, asked.folders)


def run_command_line(words: list[str], stdin: str, folder: Path) -> Ran:
    """One command line in a process of its own, at home in the case's folder."""
    package = str(Path(prose_runtime.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": package, "XDG_CONFIG_HOME": str(folder / ".config"), "NO_COLOR": "1"}
    line = [sys.executable, "-m", "prose_runtime", *words]
    ran = subprocess.run(line, input=stdin.encode(), cwd=folder, env=environment, capture_output=True, check=False)
    return Ran(ran.returncode, ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace"))


def _write_junit(path: Path, report: CaseReport) -> None:
    from prose_runtime.casebook.junit import as_junit

    try:
        path.write_text(as_junit(report), encoding="utf-8", newline="")
    except OSError as error:
        raise Fault(f"{path} cannot be written: {error.strerror}", "name a file in an existing folder") from None


def _record(report: CaseReport) -> dict[str, object]:
    return {"ok": report.ok, "cases": [_case(result) for result in report.results]}


def _case(result: CaseResult) -> dict[str, object]:
    return {
        "file": str(result.path),
        "name": result.name,
        "verdict": result.verdict,
        "problems": [str(problem) for problem in result.problems],
        "checked": result.checked,
        "judged": result.judged,
        "not checked": [str(problem) for problem in result.unchecked],
        "seconds": round(result.seconds, 6),
        "reason": result.reason,
    }
