"""What a round of cases gave: one result a file, and the whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Verdict = Literal["passed", "failed", "failed as expected"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: what became of it, every disagreement as a sentence, and how long it took in seconds.

    `reason` is the one the case gives for an expected failure.
    """

    path: Path
    name: str
    verdict: Verdict
    problems: tuple[str, ...] = ()
    seconds: float = 0.0
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether it came out as its author said: passed, or failed where a failure is expected."""
        return self.verdict != "failed"


@dataclass(frozen=True, slots=True)
class CaseReport:
    """All results, in the order in which the cases ran (by path)."""

    results: tuple[CaseResult, ...]

    @property
    def ok(self) -> bool:
        """Whether no case failed unexpectedly. No case at all is not a success."""
        return bool(self.results) and all(result.ok for result in self.results)

    def count(self, verdict: Verdict) -> int:
        """How many cases came out so."""
        return sum(result.verdict == verdict for result in self.results)
