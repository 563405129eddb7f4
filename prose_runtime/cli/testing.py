"""What a person sees of `prose test`: which case is running, what came of each, and the count.

In: results as they come. Out: lines on stdout; at a terminal the case that is running stands last, on stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from difflib import ndiff
from pathlib import Path
from types import TracebackType

from prose_runtime.casebook.matching import shown
from prose_runtime.casebook.problem import NOTHING, Problem
from prose_runtime.casebook.report import CaseReport, CaseResult
from prose_runtime.cli.output import give, is_terminal, paint_for, width_of
from prose_runtime.diagnostics.visible import columns, visible, visible_line

_LONGEST = 2_000


class Told:
    """Tells about cases one after the other. `shows`: the results are told, else only their progress."""

    def __init__(self, quiet: bool, *, shows: bool) -> None:
        self._quiet = quiet
        self._shows = shows
        self._watched = is_terminal(sys.stderr)

    def __enter__(self) -> Told:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.paused()

    def begin(self, path: Path, number: int, of: int) -> None:
        """The case that is running, in a line that the next one replaces."""
        if self._watched:
            line = f"{number}/{of} {visible_line(str(path))}"
            width = width_of(sys.stderr, 80) - 1
            sys.stderr.write(f"\r{line if columns(line) <= width else line[: width - 1] + '…'}\x1b[K")
            sys.stderr.flush()

    def paused(self) -> None:
        """The line of progress is taken away."""
        if self._watched:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def result(self, result: CaseResult) -> None:
        """What came of a case."""
        if not self._shows or (self._quiet and result.ok):
            return
        self.paused()
        give("\n".join(_lines(result)), painted=True)

    def summary(self, report: CaseReport) -> None:
        """The counts of a whole round."""
        if self._shows:
            give(_summary(report))


def _lines(result: CaseResult) -> Iterator[str]:
    paint = paint_for(sys.stdout)
    head = f"{visible_line(str(result.path))}: {result.verdict}"
    if result.ok:
        yield head + (f" ({visible_line(result.reason)})" if result.reason else "")
    else:
        yield paint("warning" if result.verdict in ("not run", "not checked") else "error", head)
        for problem in result.problems:
            yield from _problem(problem)
    for problem in result.unchecked:
        yield from _wrapped(str(problem))


def _problem(problem: Problem) -> Iterator[str]:
    """The disagreement; two values that differ stand below each other."""
    paint = paint_for(sys.stdout)
    at = f"line {problem.line}: " if problem.line and f"line {problem.line}" not in problem.text else ""
    if problem.expected is NOTHING or problem.found is NOTHING:
        yield from _wrapped(at + problem.text)
        return
    yield f"  {at}{visible_line(problem.about)}"
    left, right = _as_lines(problem.expected), _as_lines(problem.found)
    for line in ndiff(left, right) if len(left) > 1 or len(right) > 1 else [f"- {left[0]}", f"+ {right[0]}"]:
        if not line.startswith("?"):
            name = {"-": "error", "+": "help"}.get(line[0], "quiet")
            yield from (paint(name, part) for part in _wrapped(line, "      "))


def _as_lines(value: object) -> list[str]:
    """A text by its lines, a long list or object an entry a line, all else as JSON."""
    if isinstance(value, str) and "\n" in value:
        return value[:_LONGEST].split("\n")
    if isinstance(value, list) and len(shown(value)) > 60:
        return [shown(item, _LONGEST) for item in value] or ["[]"]
    if isinstance(value, dict) and len(shown(value)) > 60:
        return [f"{key}: {shown(item, _LONGEST)}" for key, item in value.items()]
    return [shown(value, _LONGEST)]


def _wrapped(text: str, first: str = "  ") -> Iterator[str]:
    """Lines no wider than the terminal, further ones moved in."""
    width = width_of(sys.stdout)
    for line in visible(text).split("\n"):
        rest, indent = line, first
        while rest:
            room = max(width - len(indent), 20)
            cut = len(rest) if columns(rest) <= room else max(rest.rfind(" ", 0, room), 0) or room
            yield indent + rest[:cut].rstrip()
            rest, indent = rest[cut:].lstrip(), first + "  "


def _summary(report: CaseReport) -> str:
    if not report.results:
        return "no `kind: test` document was found"
    total = f"{len(report.results)} case{'' if len(report.results) == 1 else 's'}"
    failed = report.count("failed")
    parts = [total, f"{failed or 'none'} failed"]
    for verdict in ("not run", "not checked", "failed as expected"):
        count = report.count(verdict)
        parts += [f"{count} {verdict}"] if count else []
    checks = [f"{sum(result.checked for result in report.results)} checked"]
    judged = sum(result.judged for result in report.results)
    unchecked = sum(len(result.unchecked) for result in report.results)
    checks += [f"{judged} judged"] if judged else []
    checks += [f"{unchecked} not checked"] if unchecked else []
    seconds = sum(result.seconds for result in report.results)
    return f"{', '.join(parts)}; {', '.join(checks)} ({seconds:.1f} s)"
