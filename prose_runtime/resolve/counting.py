"""Numbers of calls as formulas: sums of products of names (`2 x max_rounds`), largest and smallest, and no bound.

In: numbers and names. Out: `Count`s, which add, multiply, write themselves out and work out their value. All names
stand for numbers of at least 0. A formula that grows too long to be read is kept as one name, so that work stays small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node

Kind = Literal["name", "mark", "max", "min", "less", "long"]
Mode = Literal["exact", "most", "least"]
_TERMS = 24
_LETTERS = 400
_LARGEST = 10**100


@node
class Atom:
    """What a formula is made of. `name`: a name or a phrase; `local` if only the script knows it. `mark`: something
    between 0 and 1. `max`, `min`: of its `parts`; `less`: one less than its part; `long`: its part, which is too long
    to write."""

    text: str
    kind: Kind = "name"
    parts: tuple[Count, ...] = ()
    local: bool = False

    def value(self, known: Mapping[str, float], mode: Mode = "exact") -> float | None:
        """Its value where all names in it are known; with "most" and "least" what is certain of it."""
        if not self.parts:
            unknown = 0.0 if mode == "least" else 1.0 if self.kind == "mark" else None
            return unknown if self.local else known.get(self.text, unknown)
        found = [part.value(known, mode) for part in self.parts]
        values = [value for value in found if value is not None]
        if not values or (len(values) < len(found) and not (mode == "most" and self.kind == "min")):
            return None
        if self.kind == "less":
            return max(values[0] - 1, 0)
        return min(values) if self.kind == "min" else max(values)


Term = tuple[tuple[Atom, ...], int]


@node
class Count:
    """`terms`: products of atoms (by their texts, in order) with how often each counts. `endless`: why there is no
    bound, or "", and `place` where."""

    terms: tuple[Term, ...] = ()
    endless: str = ""
    place: tuple[SourceText, Span] | None = None

    @property
    def is_zero(self) -> bool:
        return not self.terms and not self.endless

    @property
    def is_local(self) -> bool:
        """Whether it depends on what only the script knows."""
        return any(atom.local or any(part.is_local for part in atom.parts) for atoms, _ in self.terms for atom in atoms)

    def plus(self, other: Count) -> Count:
        if self.endless or other.is_zero:
            return self
        if other.endless or self.is_zero:
            return other
        return _collected([*self.terms, *other.terms])

    def times(self, other: Count) -> Count:
        """Nothing times no bound is nothing."""
        if self.is_zero or other.is_zero:
            return ZERO
        if self.endless or other.endless:
            return self if self.endless else other
        if len(self.terms) * len(other.terms) > _TERMS:
            return _long(self).times(other) if len(self.terms) > 1 else self.times(_long(other))
        return _collected(
            ((*atoms, *others), number * times) for atoms, number in self.terms for others, times in other.terms
        )

    def value(self, known: Mapping[str, float], mode: Mode = "exact") -> float | None:
        """The number, where every name in it is known; None where one is not, and where there is no bound. "least":
        what it is at least whatever the other names are; "most": also where a smallest is known by one of its parts."""
        if self.endless:
            return None
        total = 0.0
        for atoms, number in self.terms:
            product: float = min(number, _LARGEST)
            for atom in atoms:
                value = atom.value(known, mode)
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
        return _sum_written(self.terms)


def _sum_written(terms: Iterable[Term]) -> str:
    """`n x (1 + m)`: what all terms share stands before the rest. `(n - 1) + 2 x n` is written as `3 x n - 1`."""
    every = [([atom.text for atom in atoms], number) for atoms, number in _folded(terms)]
    if not every:
        return "0"
    shared: list[str] = []
    if len(every) > 1:
        shared = [text for text in dict.fromkeys(every[0][0]) if all(text in texts for texts, _ in every)]
        for text in shared:
            for texts, _ in every:
                texts.remove(text)
    inner = ""
    for texts, number in sorted(every, key=lambda one: one[1] < 0):
        written = " x ".join([*([str(abs(number))] if abs(number) != 1 or not texts else []), *texts])
        inner += f" {'-' if number < 0 else '+'} {written}" if inner else written
    return f"{' x '.join(shared)} x ({inner})" if shared else inner


def _folded(terms: Iterable[Term]) -> list[Term]:
    """One less than a name, beside the name itself, as the name and a number."""
    found = {_key(atoms): (atoms, number) for atoms, number in terms}
    for key, (atoms, number) in list(found.items()):
        inner = atoms[0].parts[0].terms if len(atoms) == 1 and atoms[0].kind == "less" else ()
        if len(inner) != 1 or inner[0][1] != 1 or not inner[0][0]:
            continue
        name = _key(inner[0][0])
        if name in found or () in found:
            del found[key]
            found[name] = inner[0][0], found.get(name, ((), 0))[1] + number
            found[()] = (), found.get((), ((), 0))[1] - number
    return [term for _, term in sorted(found.items(), key=lambda one: one[0]) if term[1]]


ZERO = Count()


def number(value: int) -> Count:
    """A plain number of at least 0."""
    return Count((((), value),)) if value > 0 else ZERO


def named(text: str, *, local: bool = False) -> Count:
    """A name or a phrase whose value a run knows; `local`: only while it runs."""
    return Count((((Atom(text, "name", (), local),), 1),))


def mark(text: str) -> Count:
    """Something between 0 and 1 that `rounds` takes out again."""
    return Count((((Atom(text, "mark"),), 1),))


def endless(why: str, place: tuple[SourceText, Span] | None = None) -> Count:
    """No bound."""
    return Count((), why, place)


def total(counts: Iterable[Count]) -> Count:
    """The sum."""
    result = ZERO
    for count in counts:
        result = result.plus(count)
    return result


def largest(counts: Iterable[Count]) -> Count:
    """The largest of several; those that are never larger than another one are left out."""
    left: list[Count] = []
    for count in counts:
        if count.endless:
            return count
        for part in _parts(count, "max"):
            if not any(covers(kept, part) for kept in left):
                left = [kept for kept in left if not covers(part, kept)] + [part]
        if len(left) > _TERMS:
            left = [total(left)]
    return left[0] if len(left) == 1 else _several("max", left) if left else ZERO


def smallest(*counts: Count) -> Count:
    """The smallest of several; those that are never smaller than another one are left out."""
    left: list[Count] = []
    for count in counts:
        if count.endless:
            continue
        for part in _parts(count, "min"):
            if not any(covers(part, kept) for kept in left):
                left = [kept for kept in left if not covers(kept, part)] + [part]
        if len(left) > _TERMS:
            return ZERO
    return left[0] if len(left) == 1 else _several("min", left) if left else counts[0]


def one_less(count: Count) -> Count:
    """One less, and nothing of nothing."""
    if count.endless or count.is_zero:
        return count
    if not count.terms[0][0]:
        return _collected([((), count.terms[0][1] - 1), *count.terms[1:]])
    return Count((((Atom(f"({count} - 1)", "less", (count,)),), 1),))


def times_rounds(count: Count, rounds: Count, instead: Mapping[str, Count]) -> Count:
    """What a round costs, for all rounds. A term with one of the atoms of `instead`, which differ from round to round,
    counts by that number in place of the rounds: it is the sum of the atom over all rounds."""
    if not instead or count.endless:
        return count.times(rounds)
    found = ZERO
    for atoms, times in count.terms:
        special = next((atom for atom in atoms if atom.text in instead), None)
        others = tuple(atom for atom in atoms if atom is not special)
        factor = rounds if special is None else instead[special.text]
        found = found.plus(Count(((others, times),)).times(factor))
    return found


def without_mark(count: Count, text: str) -> Count:
    """The same with a mark as 1."""
    if count.endless or text not in count.names():
        return count
    terms = []
    for atoms, times in count.terms:
        kept = [atom for atom in atoms if atom.text != text or atom.kind != "mark"]
        terms.append((tuple(_unmarked(atom, text) for atom in kept), times))
    return _collected(terms)


def _unmarked(atom: Atom, text: str) -> Atom:
    if not atom.parts or not any(text in part.names() for part in atom.parts):
        return atom
    parts = tuple(without_mark(part, text) for part in atom.parts)
    return _atom(atom.kind, parts)


def put_in(count: Count, known: Mapping[str, float]) -> Count:
    """The formula with the numbers of the names that are known."""
    if count.endless:
        return count
    found = ZERO
    for atoms, times in count.terms:
        product = number(times)
        for atom in atoms:
            product = product.times(_put_in(atom, known))
        found = found.plus(product)
    return found


def _put_in(atom: Atom, known: Mapping[str, float]) -> Count:
    value = atom.value(known)
    if value is not None and value == int(value):
        return number(int(value))
    parts = [put_in(part, known) for part in atom.parts]
    if atom.kind == "max":
        return largest(parts)
    if atom.kind == "min":
        return smallest(*parts)
    if atom.kind == "less":
        return one_less(parts[0])
    return parts[0] if atom.kind == "long" else Count((((atom,), 1),))


def covers(larger: Count, smaller: Count) -> bool:
    """Whether one is at least the other whatever the names in them are (none of which is below 0)."""
    if larger.endless or smaller.endless:
        return bool(larger.endless)
    lone = _lone(smaller)
    if lone is not None and lone.kind == "min" and any(covers(larger, part) for part in lone.parts):
        return True
    if lone is not None and lone.kind == "less" and covers(larger, lone.parts[0]):
        return True
    lone = _lone(larger)
    if lone is not None and lone.kind == "max" and any(covers(part, smaller) for part in lone.parts):
        return True
    return _has_terms(larger.terms, smaller) or _has_terms(_folded(larger.terms), smaller)


def _has_terms(terms: Iterable[Term], smaller: Count) -> bool:
    have = {_key(atoms): number for atoms, number in terms}
    for atoms, wanted in smaller.terms:
        for key in (_key(atoms), _key(atom for atom in atoms if atom.kind != "mark")):
            taken = min(have.get(key, 0), wanted)
            wanted -= taken
            if taken:
                have[key] -= taken
        if wanted:
            return False
    return True


def _lone(count: Count) -> Atom | None:
    """The one atom that a count is."""
    if len(count.terms) == 1 and count.terms[0][1] == 1 and len(count.terms[0][0]) == 1:
        return count.terms[0][0][0]
    return None


def _parts(count: Count, kind: Kind) -> tuple[Count, ...]:
    lone = _lone(count)
    return lone.parts if lone is not None and lone.kind == kind else (count,)


def _several(kind: Literal["max", "min"], parts: list[Count]) -> Count:
    ordered = sorted(parts, key=lambda part: any(atoms for atoms, _ in part.terms))  # plain numbers first
    return Count((((_atom(kind, tuple(ordered)),), 1),))


def _atom(kind: Kind, parts: tuple[Count, ...]) -> Atom:
    written = f"({parts[0]} - 1)" if kind == "less" else f"{kind}({', '.join(map(str, parts))})"
    if len(written) > _LETTERS or kind == "long":
        written = _short(written)
    return Atom(written, kind, parts)


def _short(written: str) -> str:
    """A name for what is too long to write: the same for the same text."""
    import hashlib  # hardly ever needed

    return f"[a long formula, {hashlib.sha256(written.encode()).hexdigest()[:8]}]"


def _long(count: Count) -> Count:
    return Count((((_atom("long", (count,)),), 1),))


def _collected(terms: Iterable[Term]) -> Count:
    """Terms of the same names together, plain numbers first."""
    found: dict[tuple[str, ...], Term] = {}
    for atoms, times in terms:
        ordered = tuple(sorted(atoms, key=lambda atom: atom.text)) if len(atoms) > 1 else atoms
        key = _key(ordered)
        kept, before = found.get(key, (ordered, 0))
        found[key] = kept, before + times
    count = Count(tuple(item for _, item in sorted(found.items(), key=lambda item: item[0]) if item[1]))
    return count if len(count.terms) <= _TERMS else _long(count)


def _key(atoms: Iterable[Atom]) -> tuple[str, ...]:
    return tuple(atom.text for atom in atoms)
