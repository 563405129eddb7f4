"""What a misspelt name may have meant. In: a name and the names that exist. Out: the nearest, by edit distance."""

from __future__ import annotations

from collections.abc import Iterable


def distance(left: str, right: str, limit: int) -> int:
    """The edits (insert, delete, replace, swap of neighbours) between two texts; `limit + 1` if more than `limit`."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        current = [i]
        for j, b in enumerate(right, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, row = row, current
    return min(row[-1], limit + 1)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate spelt most like `name`, or None when none is like it. Ties go to the first in the alphabet.

    A third of the letters may differ. Names that differ in case, `-` and `_` alone are always alike.
    """
    plain = _plain(name)
    limit = max(1, len(plain) // 3)
    best: tuple[int, str] | None = None
    for candidate in set(candidates):
        if candidate == name:
            continue
        other = _plain(candidate)
        cost = 0 if other == plain else distance(plain, other, limit)
        if cost <= limit and cost < len(plain) and (best is None or (cost, candidate) < best):
            best = (cost, candidate)
    return best[1] if best else None


def did_you_mean(name: str, candidates: Iterable[str], otherwise: str) -> str:
    """The help line of a message about an unknown name: the nearest one, else `otherwise`."""
    found = nearest(name, candidates)
    return f"write `{found}`" if found else otherwise


def listed(names: Iterable[str], nothing: str = "nothing") -> str:
    """Names for a sentence: `` `a`, `b` and `c` ``; at most eight, then how many more."""
    every = [f"`{name}`" for name in names]
    if not every:
        return nothing
    if len(every) > 8:
        return f"{', '.join(every[:8])} and {len(every) - 8} more"
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} and {every[-1]}"
