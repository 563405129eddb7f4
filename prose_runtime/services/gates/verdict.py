"""What every gate answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from prose_runtime.syntax.document import Json


@dataclass(frozen=True, slots=True)
class Verdict:
    """`issues`: what is wrong, one sentence each; `suggestions`: what to do about it; `score`: 0 to 1, 1 if passed."""

    issues: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    score: float = 0.0

    def as_json(self) -> dict[str, Json]:
        """The answer of the gate."""
        passed = not self.issues
        return {
            "passed": passed,
            "score": 1.0 if passed else round(min(self.score, 0.99), 4),
            "issues": list(self.issues),
            "suggestions": list(self.suggestions),
        }


PASSED = Verdict(score=1.0)
Check: TypeAlias = Callable[[str], Awaitable[Verdict]]
