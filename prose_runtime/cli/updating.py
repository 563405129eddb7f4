"""`prose test --update`: the difference is shown, a person agrees, and the files are written.

In: a report. Out: whether any file was changed. Where nobody can be asked nothing is written without `--yes`.
"""

from __future__ import annotations

import os
import sys
from difflib import unified_diff
from pathlib import Path

from prose_runtime.casebook.report import CaseReport
from prose_runtime.casebook.rewriting import Unreadable, can_update, rewritten
from prose_runtime.cli.asking import can_ask, consent
from prose_runtime.cli.faults import Fault
from prose_runtime.cli.output import paint_for, say
from prose_runtime.diagnostics.visible import visible_line


def check_may_update(yes: bool) -> None:
    """Raises `Fault` before anything is run where nobody can be asked."""
    if not yes and (os.environ.get("CI") or not can_ask()):
        raise Fault("`--update` writes files, and nobody can be asked here", "give `--yes` to write without asking")


def update_cases(report: CaseReport, *, yes: bool) -> bool:
    """Show what would be written and write it. Raises `Fault` where a file cannot be written."""
    changes = [change for change in map(_change, report.results) if change is not None]
    left = sum(
        not can_update(item) for result in report.results if result.verdict == "failed" for item in result.problems
    )
    for path, old, new in changes:
        _show(path, old, new)
    if left:
        say(f"{left} problem{'' if left == 1 else 's'} cannot be written as an expected value.")
    if not changes or not (yes or consent(f"Write {len(changes)} file{'' if len(changes) == 1 else 's'}?")):
        say("Nothing was written.")
        return False
    for path, _, new in changes:
        try:
            data = path.read_bytes()
            bom = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
            path.write_bytes(bom + new.encode())
        except OSError as error:
            raise Fault(f"{path} cannot be written: {error.strerror}", "check who may write it") from None
    return True


def _change(result: object) -> tuple[Path, str, str] | None:
    from prose_runtime.casebook.report import CaseResult
    from prose_runtime.source import SourceText

    assert isinstance(result, CaseResult)
    if result.verdict != "failed":
        return None
    try:
        old = SourceText.from_bytes(str(result.path), result.path.read_bytes()).text
        new = rewritten(result.path, old, result.problems)
    except (Unreadable, OSError, ValueError):
        return None
    return None if new == old else (result.path, old, new)


def _show(path: Path, old: str, new: str) -> None:
    paint = paint_for(sys.stderr)
    styles = {"-": "error", "+": "help", "@": "place"}
    lines = unified_diff(old.splitlines(), new.splitlines(), str(path), str(path), n=1, lineterm="")
    for line in lines:
        say(paint(styles.get(line[:1], "quiet"), visible_line(line)))
