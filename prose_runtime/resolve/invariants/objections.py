"""What speaks against a sentence. In: objections, each with the places that a run must come by. Out: what a proof says.

An objection refutes only if a run certainly comes by its places; else it leaves the sentence open.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from prose_runtime.resolve.invariants.facts import LOOPS, Asked
from prose_runtime.resolve.invariants.findings import Said
from prose_runtime.resolve.invariants.questions import Questions
from prose_runtime.resolve.invariants.reaching import Reaching, Spot
from prose_runtime.resolve.origin import NOTHING, Flow, Source
from prose_runtime.source import Span
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

_TRIED = 12
"""So many are looked at: where so many are uncertain, another would hardly be certain."""


class Objection(NamedTuple):
    """`spots`: a run that comes by all of them breaks the sentence; None: that is not certain. `rounds`: it must come
    by the first in several rounds. `passed`: if that is not empty then."""

    because: str
    at: Span | None
    spots: tuple[Spot, ...] | None
    rounds: bool = False
    passed: Flow = NOTHING


class Objections:
    """Judges objections, and finds the way that a value has gone."""

    def __init__(self, questions: Questions) -> None:
        self.ask = questions
        self.facts = questions.facts
        self.reach = Reaching(questions)

    def judged(self, objections: Iterable[Objection], proved: str) -> Said:
        """Refuted by the first that certainly happens, left open by any other, proved if there is none."""
        open_: Said | None = None
        for one in islice(objections, _TRIED):
            doubt = "" if one.spots is None else self.reach.doubt(*one.spots, rounds=one.rounds, passed=one.passed)
            if one.spots is not None and not doubt:
                return "refuted", one.because, one.at
            open_ = open_ or ("open", f"{one.because}; {doubt}" if doubt else one.because, one.at)
        return open_ or ("proved", proved, None)

    def spot(self, one: Asked) -> Spot:
        """Where somebody is asked."""
        return one.node, one.inside

    # ---- ways of values ----

    def way(self, value: n.Expression, source: Source) -> tuple[Spot, ...] | None:
        """The places that a run must come by for what is named to be in a value; None if the way is not seen."""
        return self._way(value, source, frozenset())

    def _way(self, value: n.Expression, source: Source, seen: frozenset[n.Node]) -> tuple[Spot, ...] | None:
        asked = next((one for one in self.facts.asked if one.node is source.call), None)
        if asked is not None and any(part is source.call for part in walk(value)):
            return ((asked.node, asked.inside),)
        for part in walk(value):
            if isinstance(part, n.Name):
                found = self.by_name(part.id, source, seen)
                if found is not None:
                    return found
        return None

    def by_name(self, name: str, source: Source, seen: frozenset[n.Node] = frozenset()) -> tuple[Spot, ...] | None:
        if source.kind in ("input", "config") and name in (source.name, "config"):
            return ()
        for bound in self.facts.bound.get(name, ()):
            if bound.value is None or bound.node in seen or not self._may_hold(bound.value, source):
                continue
            rest = self._way(bound.value, source, seen | {bound.node})
            if rest is not None:
                return ((bound.node, bound.inside), *rest)
        for loop, inside in self.facts.every_loop:
            if isinstance(loop, n.For) and loop.item.id == name and loop not in seen:
                rest = self._way(loop.iterable, source, seen | {loop})
                if rest is not None:
                    return ((loop, inside), *rest)
        return None

    def goes_through(self, value: n.Expression, name: str) -> bool:
        """Whether a value is made of what a name holds, at once or by other names."""
        seen: set[str] = set()
        pending = [value]
        while pending:
            for part in walk(pending.pop()):
                if isinstance(part, n.Name) and part.id == name:
                    return True
                if isinstance(part, n.Name) and part.id not in seen:
                    seen.add(part.id)
                    pending += [bound.value for bound in self.facts.bound.get(part.id, ()) if bound.value is not None]
        return False

    def _may_hold(self, value: n.Expression, source: Source) -> bool:
        return any(
            (one.kind, one.name, one.call) == (source.kind, source.name, source.call) for one in self.ask.flow(value)
        )


def is_repeated(one: Asked) -> bool:
    """Whether one run may come by a call more than once."""
    return any(isinstance(part, (*LOOPS, n.Block, n.Stage)) for part in one.inside)
