"""Proofs that calls are handed the same. In: `Objections`. Out: what each proof says.

The same expression gives the same where none of its names may have changed between the calls. It certainly gives
something else where a name counts rounds, is an item, or holds an answer that is asked for anew in each round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain

from prose_runtime.resolve.invariants.facts import LOOPS, Asked
from prose_runtime.resolve.invariants.findings import Said
from prose_runtime.resolve.invariants.objections import Objection, Objections, is_repeated
from prose_runtime.resolve.invariants.questions import is_parallel, pairs, written
from prose_runtime.resolve.invariants.reaching import Spot
from prose_runtime.resolve.origin import NOTHING
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

_ASKING = (n.Call, n.Session, n.Resume, n.Gate, n.Do)
_ABOUT_THE_CALL = ("prompt", "context")


class Sameness:
    """The proofs, by the names of their sentences."""

    def __init__(self, objections: Objections) -> None:
        self.against = objections
        self.ask = objections.ask
        self.facts = objections.facts
        self.proofs: dict[str, Callable[..., Said]] = {
            "same-inputs": self.same_inputs,
            "same-part": self.same_part,
            "same-in-round": self.same_in_round,
        }

    def same_inputs(self, name: str) -> Said:
        """Every property is the same expression over what does not change."""
        calls = self.facts.of(name)
        keys = dict.fromkeys(key for one in calls for key in self.ask.keys(one))
        objections = (objection for key in keys for objection in self._differing(calls, key))
        return self.against.judged(objections, "its inputs are made of what does not change")

    def same_part(self, name: str, key: str) -> Said:
        calls = self.facts.of(name)
        said = f"`{key}` is made of what does not change"
        return self.against.judged(chain(self._lacking(calls, key), self._differing(calls, key)), said)

    def _lacking(self, calls: list[Asked], key: str) -> Iterable[Objection]:
        for one in calls:
            if key not in self.ask.keys(one):
                yield Objection(f"`{key}` is not passed here", one.node.span, (self.against.spot(one),))

    def _differing(self, calls: list[Asked], key: str) -> Iterable[Objection]:
        """What speaks against it that all these calls pass the same under a key."""
        certain = key not in _ABOUT_THE_CALL
        settled = self._settled(calls)
        alone = (each for one in calls for each in self._against_itself(one, key, settled))
        together = (each for one, other in pairs(calls) for each in self._against_each_other(one, other, key, settled))
        for objection in chain(alone, together):
            yield objection if certain else objection._replace(spots=None)

    def _settled(self, calls: list[Asked]) -> Callable[[str], bool]:
        """Tells of a name whether all that binds it has happened before the first of these calls, or is no matter of
        the loops around them."""
        loops = {part for one in calls for part in one.inside if isinstance(part, LOOPS)}
        apart = any(isinstance(part, (n.Block, n.Stage)) for one in calls for part in one.inside)
        begin = min((one.node.span.start for one in calls), default=0)
        moving = {name for loop in loops for name in names_of(loop)}

        @cache
        def settled(name: str) -> bool:
            bound = self.facts.bound.get(name, [])
            if name in moving or (apart and bound):
                return False
            return all(
                one.node.span.end <= begin
                and not any(part in loops or isinstance(part, (n.Block, n.Stage)) for part in one.inside)
                for one in bound
            )

        return settled

    # ---- one call, in several rounds ----

    def _against_itself(self, one: Asked, key: str, settled: Callable[[str], bool]) -> Iterable[Objection]:
        value = self.ask.value(one, key)
        if value is None or not is_repeated(one):
            return
        for part in walk(value):
            if isinstance(part, _ASKING):
                yield Objection(f"`{key}` is not the same each time: it is asked for anew", value.span, None)
            if isinstance(part, n.Name) and not settled(part.id):
                because = f"`{key}` is not the same each time: `{part.id}` changes"
                spots = self._changing(one, key, value, part.id) if _shows(value, part) else None
                yield Objection(because, value.span, spots, rounds=True)

    def _changing(self, one: Asked, key: str, value: n.Expression, name: str) -> tuple[Spot, ...] | None:
        """The places that a run must come by for a name to be another value in another round."""
        loop = next((part for part in reversed(one.inside) if isinstance(part, LOOPS)), None)
        if loop is None:
            return None
        own = self.against.spot(one)
        if name not in self.facts.bound and name in names_of(loop):
            is_item = isinstance(loop, n.For) and name == loop.item.id
            varied = not is_item or self._varies(loop)  # type: ignore[arg-type]
            return (own,) if varied else None
        for source in self.ask.flows(one).get(key, NOTHING):
            asked = next((other for other in self.facts.asked if other.node is source.call), None)
            if source.kind == "answer" and asked is not None and loop in asked.inside:
                way = self.against.way(value, source)
                if way is not None:
                    return (own, *way)
        return None

    def _varies(self, loop: n.For) -> bool:
        """Whether the items of a walk may be different ones: those of what the run is given, or of an answer."""
        return isinstance(loop.iterable, n.Name | n.Property) and bool(
            self.ask.flow(loop.iterable) or getattr(loop.iterable, "id", "") in self.ask.unit.list_slots
        )

    # ---- two calls ----

    def _against_each_other(
        self, first: Asked, then: Asked, key: str, settled: Callable[[str], bool]
    ) -> Iterable[Objection]:
        one, other = self.ask.value(first, key), self.ask.value(then, key)
        names = [
            part.id for value in (one, other) if value is not None for part in walk(value) if isinstance(part, n.Name)
        ]
        asks = any(isinstance(part, _ASKING) for value in (one, other) if value is not None for part in walk(value))
        if written(one) == written(other) and not asks and all(settled(name) for name in names):
            return
        spots = self.against.spot(first), self.against.spot(then)
        way = self._apart(first, then, key)
        because = f"`{key}` is not the same in this call"
        yield Objection(because, then.node.span, None if way is None else (*spots, *way))

    def _apart(self, first: Asked, then: Asked, key: str) -> tuple[Spot, ...] | None:
        """The places that a run must come by for one of two calls to pass what cannot be in the other; None: it may
        always be the same."""
        values = self.ask.value(first, key), self.ask.value(then, key)
        flows = self.ask.flows(first).get(key, NOTHING), self.ask.flows(then).get(key, NOTHING)
        if all(isinstance(value, n.Constant | None) for value in values):
            return () if written(values[0]) != written(values[1]) else None
        for value, own, others in zip(values, flows, flows[::-1], strict=True):
            roots = {(source.kind, source.name, source.call) for source in others}
            for source in own:
                if value is not None and (source.kind, source.name, source.call) not in roots and _is_given(value):
                    way = self.against.way(value, source)
                    if way is not None:
                        return way
        return None

    # ---- side by side ----

    def same_in_round(self, name: str, key: str) -> Said:
        """Side by side they get what was there before the branches began."""
        calls = self.facts.of(name)
        return self.against.judged(self._in_round(calls, key), f"`{key}` was there before the branches began")

    def _in_round(self, calls: list[Asked], key: str) -> Iterable[Objection]:
        yield from self._lacking(calls, key)
        within: dict[n.Node, set[str]] = {}
        besides = {next((part for part in one.inside if is_parallel(part)), None): one for one in calls}
        for one in calls:
            beside = next((part for part in one.inside if is_parallel(part)), None)
            value = self.ask.value(one, key)
            if beside is None:
                yield Objection("this call has none beside it", one.node.span, None)
            elif value is not None:
                own = within.setdefault(beside, set()) or self._bound_in(beside)
                within[beside] = own
                yield from self._of_a_branch(one, key, value, (beside, own))
        if len(besides) > 1 or len({written(self.ask.value(one, key)) for one in calls}) > 1:
            yield Objection(
                "these calls do not pass the same expression, or not beside each other", calls[-1].node.span, None
            )

    def _of_a_branch(
        self, one: Asked, key: str, value: n.Expression, branches: tuple[n.Node, set[str]]
    ) -> Iterable[Objection]:
        for part in walk(value):
            if isinstance(part, _ASKING):
                yield Objection("a call is another one in each branch", value.span, None)
            if isinstance(part, n.Name) and part.id in branches[1]:
                spots = self._own_to(branches[0], one, key, part.id) if _shows(value, part) else None
                yield Objection(f"`{part.id}` is another one in each branch", value.span, spots)

    def _own_to(self, beside: n.Node, one: Asked, key: str, name: str) -> tuple[Spot, ...] | None:
        if isinstance(beside, n.For) and name == beside.item.id and name not in self.facts.bound:
            return (self.against.spot(one),) if self._varies(beside) else None
        for source in self.ask.flows(one).get(key, NOTHING):
            asked = next((other for other in self.facts.asked if other.node is source.call), None)
            value = self.ask.value(one, key)
            if source.kind == "answer" and asked is not None and beside in asked.inside and value is not None:
                way = self.against.way(value, source)
                if way is not None and isinstance(beside, n.For | n.Repeat):
                    return (self.against.spot(one), *way)
        return None

    def _bound_in(self, around: n.Node) -> set[str]:
        """The names that are bound within a node, those of loops included."""
        found = {name for name, binds in self.facts.bound.items() if any(around in bound.inside for bound in binds)}
        for part in walk(around):
            if isinstance(part, LOOPS):
                found |= names_of(part)
        return found


def names_of(loop: n.Repeat | n.For | n.Loop) -> set[str]:
    """The names that a loop binds."""
    names = [loop.counter, *((loop.item, loop.index) if isinstance(loop, n.For) else ())]
    return {name.id for name in names if name is not None}


def _shows(value: n.Expression, part: n.Name) -> bool:
    """Whether a value is another one wherever a name in it is: it is put into it, and nothing is made of it."""
    if value is part:
        return True
    match value:
        case n.List(items=items):
            return any(_shows(item, part) for item in items)
        case n.Object(entries=entries):
            return any(_shows(entry.value, part) for entry in entries)
        case n.Text(parts=parts):
            return any(_shows(inner, part) for inner in parts if isinstance(inner, n.Expression))
        case n.Property(target=target):
            return _shows(target, part)
        case _:
            return False


def _is_given(value: n.Expression) -> bool:
    """Whether it shows what it is made of."""
    return any(isinstance(part, n.Name) and _shows(value, part) for part in walk(value))
