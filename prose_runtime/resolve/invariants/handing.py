"""Proofs about which inputs calls are handed. In: `Objections`. Out: what each proof says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from prose_runtime.resolve.invariants.facts import LOOPS, Asked
from prose_runtime.resolve.invariants.findings import Said
from prose_runtime.resolve.invariants.objections import Objection, Objections
from prose_runtime.resolve.invariants.questions import is_parallel, pairs, within, written
from prose_runtime.resolve.invariants.reaching import Spot
from prose_runtime.resolve.origin import NOTHING, Source
from prose_runtime.syntax import nodes as n

NAMED = re.compile(r"`([^`]+)`")


class Handing:
    """The proofs, by the names of their sentences."""

    def __init__(self, objections: Objections) -> None:
        self.against = objections
        self.ask = objections.ask
        self.facts = objections.facts
        self.proofs: dict[str, Callable[..., Said]] = {
            "never-name": self.never_name,
            "never-answer": self.never_answer,
            "branches": self.branches,
            "only": self.only,
            "receives": self.receives,
            "unchanged": self.unchanged,
            "same-names": self.same_names,
            "never-both": self.never_both,
            "apart": self.apart,
        }

    def _spots(self, one: Asked, key: str, *sources: Source) -> tuple[Spot, ...] | None:
        """The places that a run must come by for that to be in what a call passes under a key."""
        value = self.ask.value(one, key)
        found = [self.against.spot(one)]
        for source in sources:
            way = self.against.way(value, source) if value is not None else None
            if way is None:
                return None
            found += way
        return tuple(found)

    # ---- what never reaches whom ----

    def never_name(self, name: str, kept: str) -> Said:
        """Neither under that name nor what that name holds under another one."""
        said = f"no property of its calls holds anything that `{kept}` holds"
        return self.against.judged(self._holding(name, kept), said)

    def _holding(self, name: str, kept: str) -> Iterable[Objection]:
        held = self.ask.holding(kept)
        for one in self.facts.of(name):
            for key, flow in self.ask.flows(one).items():
                at = self.ask.entry(one, key)
                if key == kept:
                    yield Objection(f"it is passed as `{key}`", at, (self.against.spot(one),))
                shared = sorted((source for source in flow if within(source, held)), key=str)
                for source in shared:
                    because = f"`{key}` holds {_shown(source)}, and so does `{kept}`"
                    spots = self._both_hold(one, key, kept, source)
                    yield Objection(because, at, spots, passed=frozenset({source}))

    def _both_hold(self, one: Asked, key: str, kept: str, source: Source) -> tuple[Spot, ...] | None:
        """A list or an object that is made of things is not received by who gets one of these things."""
        spots, own = self._spots(one, key, source), self.against.by_name(kept, source)
        value = self.ask.value(one, key)
        through = value is not None and self.against.goes_through(value, kept)
        binds = [bound for bound in self.facts.bound.get(kept, ()) if not isinstance(bound.value, _COMPOSING)]
        plain = not self.facts.bound.get(kept) or any(not bound.grows for bound in binds)
        return None if spots is None or own is None or not (through or plain) else (*spots, *own)

    def never_answer(self, name: str, other: str) -> Said:
        said = f"nothing that `{other}` answered reaches a property of its calls"
        return self.against.judged(self._answered(name, other), said)

    def _answered(self, name: str, other: str) -> Iterable[Objection]:
        for one in self.facts.of(name):
            for key, flow in self.ask.flows(one).items():
                for source in sorted((source for source in flow if source.name == other), key=str):
                    at = self.ask.entry(one, key)
                    if source.kind == "answer":
                        because = f"an answer of `{other}` reaches `{key}`"
                        yield Objection(because, at, self._spots(one, key, source), passed=frozenset({source}))
                    elif source.kind == "failure":
                        because = f"a failure of `{other}`, which may quote its answer, reaches `{key}`"
                        yield Objection(because, at, None)

    def branches(self, name: str) -> Said:
        """What runs side by side sees nothing of each other; what comes round by an outer loop would."""
        return self.against.judged(
            self._seeing(name), "they run side by side, or nothing that they answer reaches them"
        )

    def _seeing(self, name: str) -> Iterable[Objection]:
        for one in self.facts.of(name):
            beside = [place for place, part in enumerate(one.inside) if is_parallel(part)]
            loops = [
                part for part in one.inside[: beside[0] if beside else None] if isinstance(part, (*LOOPS, n.Block))
            ]
            for key, flow in self.ask.flows(one).items():
                for source in (part for part in flow if part.kind == "answer" and part.name == name):
                    at = self.ask.entry(one, key)
                    if not beside:
                        spots, again = self._spots(one, key, source), source.call is one.node
                        yield Objection(f"an earlier answer reaches `{key}`", at, spots, again, frozenset({source}))
                    elif loops:
                        yield Objection(f"an answer of an earlier round may reach `{key}`", at, None)

    # ---- which inputs ----

    def only(self, name: str, names: str) -> Said:
        wanted = set(NAMED.findall(names))
        objections = (
            Objection(f"`{key}` is passed here", self.ask.entry(one, key), (self.against.spot(one),))
            for one in self.facts.of(name)
            for key in self.ask.keys(one)
            if key not in wanted
        )
        return self.against.judged(objections, "its calls pass nothing else")

    def _lacking(self, name: str, key: str) -> Iterable[Objection]:
        for one in self.facts.of(name):
            if key not in self.ask.keys(one):
                yield Objection(f"`{key}` is not passed here", one.node.span, (self.against.spot(one),))

    def receives(self, name: str, key: str) -> Said:
        return self.against.judged(self._lacking(name, key), f"every call of it passes `{key}`")

    def unchanged(self, name: str, key: str) -> Said:
        return self.against.judged(self._changing(name, key), f"`{key}` is passed as it came, and nothing binds it")

    def _changing(self, name: str, key: str) -> Iterable[Objection]:
        yield from self._lacking(name, key)
        for one in self.facts.of(name):
            value = self.ask.value(one, key)
            if value is not None and not (isinstance(value, n.Name) and value.id == key):
                flow = self.ask.flows(one).get(key, NOTHING)
                other = not any(source.name == key for source in flow) or _makes(value)
                spots = (self.against.spot(one),) if other else None
                yield Objection(f"`{key}` is `{written(value)}` here", value.span, spots)
        if self.facts.of(name) and self.ask.moves(key):
            bound = self.facts.bound.get(key, [])
            yield Objection(f"the script binds `{key}`", bound[0].node.span if bound else None, None)

    def same_names(self, name: str) -> Said:
        return self.against.judged(self._differing(name), "each of its calls passes inputs of the same names")

    def _differing(self, name: str) -> Iterable[Objection]:
        every = self.facts.of(name)
        for first, one in pairs(every):
            other = sorted(set(self.ask.keys(one)) ^ set(self.ask.keys(first)))
            if other:
                spots = self.against.spot(first), self.against.spot(one)
                yield Objection(f"`{other[0]}` is not passed by every call", one.node.span, spots)

    # ---- what of what ----

    def never_both(self, name: str, first: str, second: str) -> Said:
        return self.against.judged(self._both(name, first, second), "no call of it passes anything of both")

    def _both(self, name: str, first: str, second: str) -> Iterable[Objection]:
        held = self.ask.holding(first), self.ask.holding(second)
        for one in self.facts.of(name):
            found = [
                [(key, source) for key, flow in self.ask.flows(one).items() for source in flow if within(source, each)]
                for each in held
            ]
            if all(found):
                ways = [
                    next((way for way in (self._spots(one, *part) for part in parts) if way), None) for parts in found
                ]
                spots = None if ways[0] is None or ways[1] is None else (*ways[0], *ways[1])
                yield Objection(f"both `{first}` and `{second}` are in what is passed here", one.node.span, spots)

    def _first_way(self, one: Asked, parts: list[tuple[str, Source]]) -> Iterable[tuple[Spot, ...]]:
        ways = (self._spots(one, *part) for part in parts)
        return [way for way in ways if way is not None][:1]

    def apart(self, first: str, second: str) -> Said:
        return self.against.judged(self._sharing(first, second), "nothing that one of them holds is in the other")

    def _sharing(self, first: str, second: str) -> Iterable[Objection]:
        held, other = self.ask.holding(first), self.ask.holding(second)
        for source in sorted((source for source in held if within(source, other)), key=str):
            bound = self.facts.bound.get(first, [])
            ways = self.against.by_name(first, source), self.against.by_name(second, source)
            spots = None if ways[0] is None or ways[1] is None else (*ways[0], *ways[1])
            yield Objection(f"both hold `{source.name}`", bound[0].node.span if bound else None, spots)


_COMPOSING = (n.List, n.Object, n.Text, n.Binary, n.Constant)


def _makes(value: n.Expression) -> bool:
    """Whether it gives another value than what is put in, at least of some."""
    if isinstance(value, n.Text):
        return any(isinstance(part, str) for part in value.parts)
    return isinstance(value, n.Apply | n.List | n.Object | n.Unary | n.Index)


def _shown(source: Source) -> str:
    what = f"`{source.name}.{source.part}`" if source.part else f"`{source.name}`"
    whole = source.kind == "failure" or (source.kind == "answer" and not source.part)
    return f"{'an answer' if source.kind == 'answer' else 'a failure'} of {what}" if whole else what
