"""What a round of cases gave: one result a file, and the whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prose_runtime.casebook.problem import Problem

Verdict = Literal["passed", "failed", "failed as expected", "not checked", "not run"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: what became of it, every disagreement, and how long it took in seconds.

    - `verdict` "not checked": nothing of what it expects could be decided. "not run": it lacks what a run needs, and
      `problems` says what.
    - `checked` and `judged` count the expectations that were decided by a rule and by a judge; `unchecked` are the
      sentences that nobody decided.
    - `reason` is the one the case gives for an expected failure.
    - `may_be_unchecked`: whoever ran it takes "not checked" as good.
    """

    path: Path
    name: str
    verdict: Verdict
    problems: tuple[Problem, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    checked: int = 0
    judged: int = 0
    unchecked: tuple[Problem, ...] = ()
    may_be_unchecked: bool = False

    @property
    def ok(self) -> bool:
        """Whether it came out as its author said: passed, or failed where a failure is expected."""
        if self.verdict == "not checked":
            return self.may_be_unchecked
        return self.verdict in ("passed", "failed as expected")


@dataclass(frozen=True, slots=True)
class CaseReport:
    """All results, by path. `found` is how many cases there were before some were chosen."""

    results: tuple[CaseResult, ...]
    found: int = 0

    @property
    def ok(self) -> bool:
        """Whether every case came out well. No case at all is not a success."""
        return bool(self.results) and all(result.ok for result in self.results)

    def count(self, verdict: Verdict) -> int:
        """How many cases came out so."""
        return sum(result.verdict == verdict for result in self.results)
