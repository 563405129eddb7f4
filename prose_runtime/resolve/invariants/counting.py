"""Proofs about how often: rounds, calls, the first success. In: `Objections`. Out: what each proof says."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prose_runtime.resolve.counting import Count, covers, named, number
from prose_runtime.resolve.invariants.facts import LOOPS, Asked, Place
from prose_runtime.resolve.invariants.findings import Said
from prose_runtime.resolve.invariants.leaving import ends
from prose_runtime.resolve.invariants.objections import Objection, Objections
from prose_runtime.resolve.invariants.questions import pairs, takes_first
from prose_runtime.resolve.invariants.reaching import Spot
from prose_runtime.syntax import nodes as n


class Counting:
    """The proofs, by the names of their sentences."""

    def __init__(self, objections: Objections) -> None:
        self.against = objections
        self.ask = objections.ask
        self.facts = objections.facts
        self.proofs: dict[str, Callable[..., Said]] = {
            "rounds": self.rounds,
            "later-rounds": lambda name: self.rounds(name, further=1),
            "calls": self.calls,
            "once": self.once,
            "once-at-most": self.once_at_most,
            "once-each": self.once_each,
            "stops": self.stops,
        }

    # ---- rounds ----

    def rounds(self, name: str, further: int = 0) -> Said:
        """Every loop that is no walk through a list goes round at most so often, each counted by itself."""
        wanted = _amount(name).plus(number(further))
        if all(isinstance(loop, n.For) for loop, _ in self.facts.loops):
            return "open", "there is no such loop", None
        if self.ask.changed(name):
            return "open", f"the script changes `{name}`", None
        said = f"every loop that asks anybody goes round at most {wanted} times"
        return self.against.judged(self._too_many_rounds(wanted, name), said)

    def _too_many_rounds(self, wanted: Count, name: str) -> Iterable[Objection]:
        for loop, inside in self.facts.loops:
            if isinstance(loop, n.For):
                continue
            limit = loop.count if isinstance(loop, n.Repeat) else loop.maximum
            if limit is None:
                yield Objection(
                    "no number bounds this loop", loop.span, self._asked_in(loop, inside, name), rounds=True
                )
            elif not any(covers(wanted, self.ask.amount(part)) for part in _smallest_of(limit)):
                because = f"this loop goes round up to {self.ask.amount(limit)} times"
                spots = self._asked_in(loop, inside, name) if self._is_free(limit) else None
                yield Objection(because, limit.span, spots, rounds=True)

    def _asked_in(self, loop: n.Node, inside: Place, name: str) -> tuple[Spot, ...] | None:
        """A call that a run comes by in every round of a loop, if no decision before it rests on that name."""
        if self.against.reach.rests_on((loop, inside), name):
            return None
        return next(((self.against.spot(one),) for one in self.facts.asked if _innermost(one) is loop), None)

    def _is_free(self, limit: n.Expression) -> bool:
        """Whether it is a number, or made of what the run is given, by adding up alone."""
        match limit:
            case n.Binary(operator="+", left=left, right=right):
                return self._is_free(left) and self._is_free(right)
            case n.Property(target=target):
                return self._is_free(target)
            case n.Name(id=name):
                return not self.ask.moves(name)
            case _:
                return isinstance(limit, n.Constant)

    # ---- calls ----

    def calls(self, name: str, most: str) -> Said:
        bound = self.ask.bounds.most.get(name, number(0))
        if not bound.endless and covers(_amount(most), bound):
            return "proved", f"at most {bound} calls", None
        if not bound.endless:
            return "open", f"up to {bound} calls, as far as the script alone tells", None
        endless = (
            Objection(bound.endless, one.node.span, (self.against.spot(one),) if _is_endless(one) else None, True)
            for one in self.facts.of(name)
        )
        said = self.against.judged(endless, "")
        return said if said[0] != "proved" else ("open", bound.endless, None)

    def once(self, name: str) -> Said:
        asked = self.facts.of(name)
        least, most = self.ask.bounds.least.get(name, number(0)), self.ask.bounds.most.get(name, number(0))
        if str(least) == str(most) == "1":
            return "proved", "there is one call, and every run that ends well comes to it", None
        if not asked:
            return "refuted", f"`{name}` is never called", None
        said = self.against.judged(self._several(asked), "")
        why = f"{least} to {most} calls, as far as the script alone tells"
        return said if said[0] == "refuted" else ("open", why, None)

    def _several(self, asked: list[Asked]) -> Iterable[Objection]:
        for one, other in pairs(asked):
            spots = self.against.spot(one), self.against.spot(other)
            yield Objection("this is another call of it", other.node.span, spots)
        for one in asked:
            if any(isinstance(part, LOOPS) for part in one.inside):
                yield Objection("this call stands in a loop", one.node.span, (self.against.spot(one),), rounds=True)

    def once_at_most(self, name: str) -> Said:
        asked = self.facts.of(name)
        bound = self.ask.bounds.most.get(name, number(0))
        if str(bound) in ("0", "1") or (len(asked) == 1 and self.ask.walks_through(asked[0], name)):
            return "proved", "the one call of it takes each once", None
        said = self.against.judged(self._again(name, asked), "")
        return said if said[0] == "refuted" else ("open", f"up to {bound} calls", None)

    def _again(self, name: str, asked: list[Asked]) -> Iterable[Objection]:
        for one, other in pairs(asked):
            walks = self.ask.walks_through(one, name), self.ask.walks_through(other, name)
            alike = walks[0] is walks[1] and (walks[0] or name not in self.ask.unit.list_slots)
            spots = (self.against.spot(one), self.against.spot(other)) if alike else None
            yield Objection("this is another call of it", other.node.span, spots)
        if name not in self.ask.unit.list_slots:
            yield from self._several(asked)

    def once_each(self, name: str, items: str) -> Said:
        wanted = named(f"the number of `{items}`")
        least, most = self.ask.bounds.least.get(name, number(0)), self.ask.bounds.most.get(name, number(0))
        if str(least) == str(most) == str(wanted):
            return "proved", f"{most} calls in every run that ends well", None
        if str(least) == str(most) and not self.ask.moves(items):
            return "refuted", f"{most} calls, whatever is in `{items}`", self.ask.first(name)
        said = self.against.judged(self._twice_an_item(name, items), "")
        why = f"{least} to {most} calls, as far as the script alone tells"
        return said if said[0] == "refuted" else ("open", why, None)

    def _twice_an_item(self, name: str, items: str) -> Iterable[Objection]:
        walks = [one for one in self.facts.of(name) if self.ask.walks_through(one, items)]
        for one, other in pairs(walks):
            spots = self.against.spot(one), self.against.spot(other)
            yield Objection("this is another call for each item", other.node.span, spots)

    # ---- the first success ----

    def stops(self) -> Said:
        """Every loop that asks anybody can be left, or takes the first that comes."""
        if not self.facts.loops:
            return "open", "there is no loop", None
        return self.against.judged(self._going_on(), "every loop ends with the first success")

    def _going_on(self) -> Iterable[Objection]:
        for loop, inside in self.facts.loops:
            first = isinstance(loop, n.Repeat | n.For) and takes_first(loop.modifiers)
            as_value = bool(inside) and isinstance(inside[-1], n.BlockValue)
            outermost = not any(isinstance(part, LOOPS) for part in inside)
            if outermost and not first and not ends(loop, as_value):
                spots = tuple(self.against.spot(one) for one in self.facts.asked if _innermost(one) is loop)[:1]
                yield Objection("nothing ends this loop early", loop.span, spots or None)


def _amount(text: str) -> Count:
    return number(int(text)) if text.isdecimal() else named(f"`{text}`")


def _innermost(one: Asked) -> n.Node | None:
    return next((part for part in reversed(one.inside) if isinstance(part, LOOPS)), None)


def _is_endless(one: Asked) -> bool:
    """Whether the loop around it has no bound of its own."""
    loop = _innermost(one)
    return isinstance(loop, n.Loop) and loop.maximum is None


def _smallest_of(limit: n.Expression) -> tuple[n.Expression, ...]:
    """The values of which it is the smallest."""
    match limit:
        case n.Apply(function="min", arguments=(n.List(items=items),)):
            return items
        case n.Apply(function="min", arguments=arguments):
            return arguments
        case _:
            return (limit,)
