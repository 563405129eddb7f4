"""The figures: by pattern and in all, and the survivors with their diffs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from mutation.trial import Finder

FINDERS: tuple[Finder, ...] = ("error", "warning", "proof", "case")
REQUIRED = 0.9
"""The least share of the mutants that are not equivalent which must be found."""


@dataclass
class Figures:
    """What became of the mutants of one pattern, or of several added up. `survivors`: a place, a kind and a diff."""

    made: int = 0
    equivalent: int = 0
    found: Counter[Finder] = field(default_factory=Counter)
    survivors: list[str] = field(default_factory=list)

    def __add__(self, other: Figures) -> Figures:
        made, equivalent = self.made + other.made, self.equivalent + other.equivalent
        return Figures(made, equivalent, self.found + other.found, self.survivors + other.survivors)

    @property
    def share(self) -> float:
        """The share that was found, of all that could be."""
        could = self.made - self.equivalent
        return sum(self.found.values()) / could if could else 1.0


def table(figures: dict[str, Figures]) -> str:
    """One line a pattern, the sum below."""
    finders = "".join(f"{name:>9}" for name in FINDERS)
    head = f"{'pattern':22}{'made':>6}{'same':>6}{finders}{'left':>6}{'found':>9}"
    rows = [head, *(_row(name, each) for name, each in figures.items())]
    return "\n".join([*rows, _row("all", total(figures.values()))])


def total(figures: Iterable[Figures]) -> Figures:
    """All of them added up."""
    return sum(figures, Figures())


def _row(name: str, figures: Figures) -> str:
    counts = "".join(f"{figures.found[finder]:>9}" for finder in FINDERS)
    left = len(figures.survivors)
    return f"{name:22}{figures.made:>6}{figures.equivalent:>6}{counts}{left:>6}{figures.share:>9.1%}"
