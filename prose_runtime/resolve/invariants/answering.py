"""Proofs about items and answers: in which order, whose, and whether all. In: `Objections`. Out: what each says."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prose_runtime.resolve.invariants.facts import LOOPS, Asked, Bound
from prose_runtime.resolve.invariants.findings import Said
from prose_runtime.resolve.invariants.leaving import bodies_of
from prose_runtime.resolve.invariants.objections import Objection, Objections
from prose_runtime.resolve.invariants.questions import is_parallel
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

_AGAIN = (*LOOPS, n.Parallel, n.Block, n.BlockValue)
_PARTING = (n.If, n.Try, n.Choice, n.Conditional)
_ASKING = (n.Call, n.Session, n.Resume, n.Gate, n.Do)


class Answering:
    """The proofs, by the names of their sentences."""

    def __init__(self, objections: Objections) -> None:
        self.against = objections
        self.ask = objections.ask
        self.facts = objections.facts
        self.proofs: dict[str, Callable[..., Said]] = {
            "in-order": self.in_order,
            "own-item": self.own_item,
            "all-answers": self.all_answers,
            "holds-answers": self.holds_answers,
            "from-before": self.from_before,
        }

    # ---- items ----

    def in_order(self, name: str, items: str) -> Said:
        """One at a time, as they stand in the list: a plain `for` over it is the innermost loop around the call."""
        said = f"a plain loop takes one item of `{items}` after the other"
        return self.against.judged(self._out_of_order(name, items), said)

    def _out_of_order(self, name: str, items: str) -> Iterable[Objection]:
        for one in self.facts.of(name):
            loop = next((part for part in reversed(one.inside) if isinstance(part, (*LOOPS, n.Parallel))), None)
            if not isinstance(loop, n.For) or not self.ask.goes_through(loop, items):
                yield Objection(f"this call stands in no walk through `{items}`", one.node.span, None)
                continue
            own = loop.item.id
            target = one.node.target if isinstance(one.node, n.Call) else ""
            passed = [value for _, value in self.ask.values(one)]
            if loop.concurrent:
                yield Objection("here all of them are taken at once", loop.span, (self.against.spot(one),))
            elif target != own and not any(isinstance(value, n.Name) and value.id == own for value in passed):
                yield Objection(f"`{own}` is not passed here", one.node.span, None)
            elif own in self.facts.bound:
                yield Objection(f"the script binds `{own}`", self.facts.bound[own][0].node.span, None)

    def own_item(self, name: str, items: str) -> Said:
        """What a call passes is made of the item of its own branch, and of what holds none of the others."""
        said = f"its calls pass their own item of `{items}` and nothing of the others"
        return self.against.judged(self._other_items(name, items), said)

    def _other_items(self, name: str, items: str) -> Iterable[Objection]:
        for one in self.facts.of(name):
            loop = next((part for part in reversed(one.inside) if is_parallel(part)), None)
            if not isinstance(loop, n.For) or not self.ask.goes_through(loop, items):
                yield Objection(f"this call stands in no branch of `{items}`", one.node.span, None)
                continue
            inner = one.inside[one.inside.index(loop) + 1 :]
            again = [part for part in inner if isinstance(part, n.For)]
            if any(loop.item.id in {part.item.id, getattr(part.index, "id", "")} for part in again):
                yield Objection(f"a loop in the branch has a `{loop.item.id}` of its own", one.node.span, None)
            yield from self._of_others(one, loop, items)

    def _of_others(self, one: Asked, loop: n.For, items: str) -> Iterable[Objection]:
        for key, value in self.ask.values(one):
            for part in walk(value):
                if isinstance(part, _ASKING):
                    yield Objection(f"`{key}` is made of a call", value.span, None)
                elif isinstance(part, n.Name) and part.id == items:
                    spots = (self.against.spot(one),) if value is part else None
                    yield Objection(f"`{key}` is made of `{items}`", value.span, spots)
                elif isinstance(part, n.Name) and self._may_hold_others(part.id, loop, items):
                    yield Objection(f"`{key}` is made of `{part.id}`", value.span, None)

    def _may_hold_others(self, name: str, loop: n.For, items: str) -> bool:
        if name == loop.item.id:
            return name in self.facts.bound
        held = self.ask.holding(name) if self.ask.moves(name) else ()
        return any(source.kind in ("answer", "failure") or source.name == items for source in held)

    # ---- all answers ----

    def all_answers(self, name: str, other: str) -> Said:
        return self.against.judged(self._lacking(name, other), f"it is passed the list of all that `{other}` answered")

    def _lacking(self, name: str, other: str) -> Iterable[Objection]:
        for one in self.facts.of(name):
            passed = [value for _, value in self.ask.values(one) if isinstance(value, n.Name)]
            if any(self.collects(value.id, other, one) for value in passed):
                continue
            if self._sees(one, other) or not self.facts.of(other):
                yield Objection(f"what is passed here may lack answers of `{other}`", one.node.span, None)
                continue
            for found in self.facts.of(other):
                spots = self.against.spot(one), self.against.spot(found)
                yield Objection(f"no answer of `{other}` is passed here", one.node.span, spots)

    def _sees(self, one: Asked, other: str) -> bool:
        return any(source.name == other for sources in self.ask.flows(one).values() for source in sources)

    def holds_answers(self, kept: str, other: str) -> Said:
        names = [kept, *self._returned_as(kept)]
        if not any(name in self.facts.bound for name in names):
            return "open", f"the script does not bind `{kept}`", None
        if any(self.collects(name, other) for name in names):
            return "proved", f"it is the list of all that `{other}` answered", None
        if any(source.name == other for name in names for source in self.ask.holding(name)):
            return "open", f"`{kept}` may lack answers of `{other}`, or hold more", None
        never = [
            Objection(f"no answer of `{other}` is in `{kept}`", None, (self.against.spot(one),))
            for one in self.facts.of(other)
        ]
        said = self.against.judged(never, "")
        return said if never else ("open", f"`{other}` is never called", None)

    def _returned_as(self, output: str) -> Iterable[str]:
        for node in self.facts.sources.returned:
            entries = node.value.entries if isinstance(node.value, n.Object) else ()
            yield from (entry.value.id for entry in entries if entry.key == output and isinstance(entry.value, n.Name))

    def collects(self, name: str, other: str, before: Asked | None = None) -> bool:
        """Whether a name is bound once, to a loop that gives an answer in each round: those of all calls there are.
        `before`: a call that every run comes to by way of that."""
        binds = self.facts.bound.get(name, [])
        once = len(binds) == 1 and not binds[0].grows and not any(isinstance(p, _AGAIN) for p in binds[0].inside)
        if not once or (before is not None and not _is_before(binds[0], before)):
            return False
        value = binds[0].value
        loop = value.block if isinstance(value, n.BlockValue) else None
        if not isinstance(loop, n.Repeat | n.For) or (loop.modifiers is not None and _drops(loop.modifiers)):
            return False
        inner = self.facts.of(other)
        leaving = [part for part in walk(loop) if isinstance(part, n.Return | n.Break | n.Continue)]
        last = loop.body[-1] if loop.body else None
        if (
            len(inner) != 1
            or loop not in inner[0].inside
            or any(part is not last for part in leaving)
            or _in_part(inner[0], loop)
        ):
            return False
        given = last.value if isinstance(last, n.Return | n.Evaluate) else None
        return given is inner[0].node or (isinstance(given, n.Name) and self._is_answer(given.id, inner[0], loop))

    def _is_answer(self, name: str, one: Asked, loop: n.Node) -> bool:
        binds = [bound for bound in self.facts.bound.get(name, []) if loop in bound.inside]
        return len(binds) == 1 and binds[0].value is one.node

    # ---- from one to the next ----

    def from_before(self, name: str) -> Said:
        """A plain walk through the services: the name that each is passed holds the answer of the last one."""
        return self.against.judged(self._from_elsewhere(name), "what each is passed is what the one before it answered")

    def _from_elsewhere(self, name: str) -> Iterable[Objection]:
        for one in self.facts.of(name):
            loop = next((part for part in reversed(one.inside) if isinstance(part, (*LOOPS, n.Parallel))), None)
            if not isinstance(loop, n.For) or not self.ask.goes_through(loop, name):
                yield Objection(f"this call stands in no walk through `{name}`", one.node.span, None)
                continue
            names = [value.id for _, value in self.ask.values(one) if isinstance(value, n.Name)]
            inside = {own: [b for b in self.facts.bound.get(own, []) if loop in b.inside] for own in names}
            if loop.concurrent:
                yield Objection("here all of them are asked at once", loop.span, (self.against.spot(one),))
            elif _in_part(one, loop):
                yield Objection("this call may be passed by", one.node.span, None)
            elif not any(len(binds) == 1 and binds[0].value is one.node for binds in inside.values()):
                because = "no input of this call is bound to its answer, and to nothing else"
                yield Objection(because, one.node.span, None)


def _in_part(one: Asked, loop: n.Node) -> bool:
    own = one.inside[one.inside.index(loop) + 1 :]
    return any(isinstance(part, (*_PARTING, *LOOPS)) for part in own)


def _is_before(bound: Bound, one: Asked) -> bool:
    """Whether whoever comes to a call has come by what binds a name."""
    if bound.node.span.end > one.node.span.start or any(isinstance(part, n.Block) for part in one.inside):
        return False
    way, own = (*one.inside, one.node), (*bound.inside, bound.node)
    shared = next(number for number, (part, other) in enumerate(zip(way, own, strict=False)) if part is not other)
    if any(isinstance(part, _PARTING) for part in own[shared:]):
        return False
    around = way[shared - 1] if shared else None
    bodies = list(bodies_of(around)) if around is not None else []
    return not bodies or any(way[shared] in body and own[shared] in body for body in bodies)


def _drops(modifiers: n.Modifiers) -> bool:
    """Whether branches may be left out, or hold a failure."""
    return modifiers.join is not None or modifiers.on_fail is not None
