"""Numbers of calls as formulas: sums of products of names (`2 x max_rounds`), and no bound at all.

In: numbers and names. Out: `Count`s, which add, multiply, write themselves out and work out their value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prose_runtime.source.node import node


@node
class Atom:
    """What a formula is made of: a name or a phrase; with `parts` the largest or, `least`, the smallest of several."""

    text: str
    parts: tuple[Count, ...] = ()
    least: bool = False

    def value(self, known: Mapping[str, float]) -> float | None:
        """Its value where all names in it are known."""
        if not self.parts:
            return known.get(self.text)
        values = [part.value(known) for part in self.parts]
        found = [value for value in values if value is not None]
        if len(found) < len(values):
            return None
        return min(found) if self.least else max(found)


@node
class Count:
    """`terms`: products of atoms (by their texts, in order) with how often each counts. `endless`: why there is no
    bound, or ""."""

    terms: tuple[tuple[tuple[Atom, ...], int], ...] = ()
    endless: str = ""

    @property
    def is_zero(self) -> bool:
        return not self.terms and not self.endless

    def plus(self, other: Count) -> Count:
        if self.endless or other.endless:
            return Count((), self.endless or other.endless)
        return _collected([*self.terms, *other.terms])

    def times(self, other: Count) -> Count:
        """Nothing times no bound is nothing."""
        if self.is_zero or other.is_zero:
            return ZERO
        if self.endless or other.endless:
            return Count((), self.endless or other.endless)
        return _collected(
            ((*atoms, *others), number * times) for atoms, number in self.terms for others, times in other.terms
        )

    def value(self, known: Mapping[str, float]) -> float | None:
        """The number, where every name in it is known; None where one is not, and where there is no bound."""
        if self.endless:
            return None
        total = 0.0
        for atoms, number in self.terms:
            product: float = number
            for atom in atoms:
                value = atom.value(known)
                if value is None:
                    return None
                product *= max(value, 0)
            total += product
        return total

    def names(self) -> set[str]:
        """The names that must be known for a value."""
        found: set[str] = set()
        for atoms, _ in self.terms:
            for atom in atoms:
                found |= {name for part in atom.parts for name in part.names()} if atom.parts else {atom.text}
        return found

    def __str__(self) -> str:
        if self.endless:
            return "no bound"
        written = [" x ".join([*([str(number)] if number != 1 or not atoms else []), *(atom.text for atom in atoms)])
                   for atoms, number in self.terms]  # fmt: skip
        return " + ".join(written) or "0"


ZERO = Count()


def number(value: int) -> Count:
    """A plain number."""
    return Count((((), value),)) if value else ZERO


def named(text: str) -> Count:
    """A name or a phrase whose value a run knows."""
    return Count((((Atom(text),), 1),))


def endless(why: str) -> Count:
    """No bound."""
    return Count((), why)


def total(counts: Iterable[Count]) -> Count:
    """The sum."""
    result = ZERO
    for count in counts:
        result = result.plus(count)
    return result


def largest(counts: Iterable[Count]) -> Count:
    """The largest of several; those that are never larger than another one are left out."""
    every = list(counts)
    for count in every:
        if count.endless:
            return count
    left = [one for place, one in enumerate(every) if not any(
        covers(other, one) and (not covers(one, other) or at < place) for at, other in enumerate(every) if at != place
    )]  # fmt: skip
    if len(left) == 1:
        return left[0]
    if not left:
        return ZERO
    text = f"the larger of ({') and ('.join(map(str, left))})"
    return Count((((Atom(text, tuple(left)),), 1),))


def smallest(first: Count, second: Count) -> Count:
    """The smaller of two."""
    if first.endless or second.endless:
        return second if first.endless else first
    if covers(first, second):
        return second
    if covers(second, first):
        return first
    text = f"the smaller of ({first}) and ({second})"
    return Count((((Atom(text, (first, second), least=True),), 1),))


def covers(larger: Count, smaller: Count) -> bool:
    """Whether one is at least the other whatever the names in them are (none of which is below 0)."""
    if len(smaller.terms) == 1 and smaller.terms[0][1] == 1 and len(smaller.terms[0][0]) == 1:
        atom = smaller.terms[0][0][0]
        if atom.least and any(covers(larger, part) for part in atom.parts):
            return True
    have = {_key(atoms): number for atoms, number in larger.terms}
    return all(have.get(_key(atoms), 0) >= number for atoms, number in smaller.terms)


def _collected(terms: Iterable[tuple[tuple[Atom, ...], int]]) -> Count:
    """Terms of the same names together, plain numbers first."""
    found: dict[tuple[str, ...], tuple[tuple[Atom, ...], int]] = {}
    for atoms, times in terms:
        ordered = tuple(sorted(atoms, key=lambda atom: atom.text))
        key = _key(ordered)
        kept, before = found.get(key, (ordered, 0))
        found[key] = kept, before + times
    return Count(tuple(item for _, item in sorted(found.items()) if item[1]))


def _key(atoms: Iterable[Atom]) -> tuple[str, ...]:
    return tuple(atom.text for atom in atoms)
