"""Proofs about where things stand: what comes before what, what waits for an approval, what only grows.

In: `Objections`. Out: what each proof says.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from prose_runtime.resolve.conditions import tree
from prose_runtime.resolve.invariants.facts import LOOPS, Asked, Bound
from prose_runtime.resolve.invariants.findings import Said
from prose_runtime.resolve.invariants.handing import NAMED
from prose_runtime.resolve.invariants.objections import Objection, Objections
from prose_runtime.resolve.invariants.questions import Approval, is_parallel, takes_first
from prose_runtime.resolve.invariants.reaching import Spot, leaves_of
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

_PARTING = (n.Arm, n.If, n.Option, n.Conditional, n.Block, n.Stage)
_KEPT = (*LOOPS, n.Parallel, n.Block, n.BlockValue, n.DoBlock, n.Try)
"""In these, what leaves an arm may not leave the script, or a failure may go on behind it."""


class Standing:
    """The proofs, by the names of their sentences."""

    def __init__(self, objections: Objections) -> None:
        self.against = objections
        self.ask = objections.ask
        self.facts = objections.facts
        self.proofs: dict[str, Callable[..., Said]] = {
            "order": self.order,
            "order-each-round": lambda first, then: self.order(first, then, each_round=True),
            "approved": self.approved,
            "grows": self.grows,
            "grows-approved": self.grows_approved,
            "begins-empty": self.begins_empty,
            "undecided": self.undecided,
            "only-asked": self.only_asked,
            "exclusive": self.exclusive,
            "earlier-counts": self.earlier_counts,
        }

    # ---- who before whom ----

    def order(self, first: str, then: str, each_round: bool = False) -> Said:
        before, after = self.facts.of(first), self.facts.of(then)
        if not before or not after:
            return "open", f"`{then if before else first}` is never called", None
        said = f"every call of `{then}` stands behind one of `{first}` that is not passed by"
        return self.against.judged(self._too_early(first, before, after, each_round), said)

    def _too_early(self, first: str, before: list[Asked], after: list[Asked], each_round: bool) -> Iterable[Objection]:
        for one in after:
            earlier = bisect_left(before, one.node.span.start, key=lambda other: other.node.span.start)
            nearest_first = (before[place] for place in reversed(range(earlier)))
            if not earlier:
                moved = any(isinstance(part, n.Block) for part in one.inside) or self.against.reach.rests_on(
                    self.against.spot(one), first
                )
                spots = None if moved else (self.against.spot(one),)
                yield Objection(f"no call of `{first}` stands before this one", one.node.span, spots)
            elif not any(_comes_first(other, one, each_round) for other in nearest_first):
                yield Objection(f"`{first}` stands before it in some branch only", one.node.span, None)

    # ---- approvals ----

    def approved(self, then: str, first: str) -> Said:
        """The call stands where a condition about an answer of the other one held."""
        said = f"it is called only where an answer of `{first}` was read as an approval"
        because = f"nothing lets this call wait for `{first}` to approve"
        spots = [self.against.spot(one) for one in self.facts.of(then)]
        return self.against.judged(self._unapproved(spots, first, because), said)

    def grows_approved(self, name: str, first: str) -> Said:
        grown = [bound for bound in self.facts.bound.get(name, []) if bound.grows]
        if not grown:
            return "open", f"nothing is added to `{name}`", None
        said = f"it is added to only where an answer of `{first}` was read as an approval"
        because = f"nothing lets this wait for `{first}` to approve"
        return self.against.judged(self._unapproved([(one.node, one.inside) for one in grown], first, because), said)

    def _unapproved(self, spots: Iterable[Spot], first: str, because: str) -> Iterable[Objection]:
        for spot in spots:
            if not self.ask.is_approved(*spot, first):
                moved = any(isinstance(part, n.Block) for part in spot[1])  # where it is done may be approved
                certain = not moved and not self._may_be_approved(spot, first)
                yield Objection(because, spot[0].span, (spot,) if certain else None)

    def _may_be_approved(self, spot: Spot, first: str) -> bool:
        """Whether a decision on the way looks at an answer of that service in a way that is not understood here."""
        for decision in self.against.reach.decisions(*spot):
            plan = self.ask.unit.conditions.get(decision.condition) if decision and decision.condition else None
            if decision is None or decision.condition is None or plan is None:
                continue
            held = self.facts.sources.looked_at.get(decision.condition, {})
            approval = Approval(self.ask.trace, {**self.ask.given, **held}, first)
            for leaf in leaves_of(plan.tree):
                if not _is_plain(leaf, approval) and approval.mentions(leaf):
                    return True
        return False

    # ---- lists ----

    def grows(self, name: str) -> Said:
        if not any(bound.grows for bound in self.facts.bound.get(name, [])):
            return "open", f"nothing is added to `{name}`", None
        return self.against.judged(self._shrinking(name), "it is only ever added to")

    def _shrinking(self, name: str) -> Iterable[Objection]:
        binds = self.facts.bound.get(name, [])
        for bound in binds:
            if not bound.grows and not _begins(bound, name):
                because = f"here `{name}` gets another value"
                yield Objection(because, bound.node.span, None)
                for grown in (other for other in binds if other.grows):
                    yield Objection(because, bound.node.span, self._lost(grown, bound), _is_later(grown, bound))

    @staticmethod
    def _lost(grown: Bound, bound: Bound) -> tuple[Spot, ...] | None:
        """The places that a run must come by to lose what was added."""
        shared = [part for part in grown.inside if part in bound.inside and isinstance(part, LOOPS)]
        if any(is_parallel(part) or isinstance(part, n.Block) for part in (*grown.inside, *bound.inside)):
            return None  # a branch may have a list of its own by that name
        emptied = isinstance(bound.value, n.Constant | n.Text | n.Call)
        emptied |= isinstance(bound.value, n.List) and not bound.value.items
        if not emptied or (_is_later(grown, bound) and not shared):
            return None
        return (bound.node, bound.inside), (grown.node, grown.inside)

    def begins_empty(self, name: str) -> Said:
        first = min(self.facts.bound.get(name, []), key=lambda bound: bound.node.span.start, default=None)
        if first is None or first.inside or first.grows:
            return "open", f"nothing binds `{name}` at the beginning", None
        if isinstance(first.value, n.List) and not first.value.items:
            return "proved", f"`{name}` is an empty list at first", None
        filled = isinstance(first.value, n.List | n.Constant | n.Text)
        given = isinstance(first.value, n.Name) and bool(self.ask.flow(first.value))
        spots = ((first.node, first.inside),) if filled or given else None
        said = [Objection(f"here `{name}` gets its first value", first.node.span, spots)]
        return self.against.judged(said, "")

    # ---- who at all ----

    def undecided(self) -> Said:
        done = set(self.ask.unit.does.values())
        blocks = [part for part in self.facts.statements if isinstance(part, n.Block) and part not in done]
        idle = {part for block in blocks for part in walk(block)}
        met = [one for one in self.ask.unit.conditions if one not in idle]
        first = min(met, key=lambda condition: condition.span.start, default=None)
        if first is not None:
            return "refuted", "here something is decided", first.span
        return "proved", "the script has no condition and no choice", None

    def only_asked(self, names: str) -> Said:
        wanted = set(NAMED.findall(names))
        objections = (
            Objection(f"`{one.name}` is asked, too", one.node.span, (self.against.spot(one),))
            for one in self.facts.asked
            if one.name not in wanted
        )
        return self.against.judged(objections, "the script asks nobody else")

    def exclusive(self, first: str, second: str) -> Said:
        """Neither is called after the other: they stand in different arms, or an arm with one of them always leaves."""
        return self.against.judged(self._both_called(first, second), "no run comes by both")

    def _both_called(self, first: str, second: str) -> Iterable[Objection]:
        for one in self.facts.of(first):
            for other in self.facts.of(second):
                before, after = sorted((one, other), key=lambda found: found.node.span.start)
                if not (_in_other_arms(before, after) or _left_before(before, after)):
                    both = self.against.spot(one), self.against.spot(other)
                    spots = both if _unconditional(before) and _unconditional(after) else None
                    because = f"a run may come by this call and the one of `{before.name}`"
                    yield Objection(because, after.node.span, spots)

    def earlier_counts(self, name: str) -> Said:
        """Of branches that run for the first answers, the language takes the earlier one."""
        said = "of branches that end at the same moment the earlier one is taken"
        return self.against.judged(self._waiting(name), said)

    def _waiting(self, name: str) -> Iterable[Objection]:
        for one in self.facts.of(name):
            loop = next((part for part in reversed(one.inside) if isinstance(part, (*LOOPS, n.Parallel))), None)
            if not isinstance(loop, n.For | n.Repeat) or not loop.concurrent:
                yield Objection("this call has none beside it", one.node.span, None)
            elif not takes_first(loop.modifiers):
                yield Objection("here all answers are waited for", loop.span, (self.against.spot(one),))


def _is_plain(leaf: tree.Leaf, approval: Approval) -> bool:
    """Whether it is clear that a part of a condition is an approval or that it is none."""
    match leaf:
        case tree.State(state=state):
            return state in ("present", "null", "empty")
        case tree.Verdict(subject=subject) | tree.Is(subject=subject):
            return approval.is_answer(subject)
        case tree.Truth(expression=subject):
            return approval.is_answer(subject) and not leaf.negated
        case _:
            return False


def _handles(attempt: n.Try, way: tuple[n.Node, ...]) -> bool:
    """Whether the way leads through what is done after a failure."""
    inner = way[way.index(attempt) + 1]
    return inner in (attempt.catch or ()) or inner in (attempt.cleanup or ())


def _comes_first(first: Asked, then: Asked, each_round: bool) -> bool:
    """Whether whoever comes to `then` has come by `first`; with `each_round` in the same round."""
    shared = [part for part, other in zip(first.inside, then.inside, strict=False) if part is other]
    if each_round and not any(isinstance(part, LOOPS) for part in shared):
        return False
    own = first.inside[len(shared) :]
    if shared and isinstance(shared[-1], n.Parallel | n.Conditional | n.Binary):
        return False  # beside each other, or one instead of the other
    if any(isinstance(part, n.Try) and _handles(part, (*then.inside, then.node)) for part in shared):
        return False  # what failed may have stood before it
    way = (*own, first.node)
    if any(isinstance(part, n.Try) and way[way.index(part) + 1] is not part.body[0] for part in own):
        return False  # what stands before it in the body may fail
    if any(isinstance(part, n.Loop) and part.condition is not None for part in own):
        return False  # it may have no round; one that counts or walks has none only where there is nothing to do
    return not any(isinstance(part, _PARTING) for part in own)


def _begins(bound: Bound, name: str) -> bool:
    """A list at its beginning, or itself with more: `[]`, `given or []`, `x + [item]`."""
    value = bound.value
    own = isinstance(value, n.Binary) and isinstance(value.left, n.Name) and value.left.id == name
    if own and isinstance(value, n.Binary) and value.operator in ("+", "or"):
        return True
    looped = any(isinstance(part, LOOPS) for part in bound.inside)
    same = isinstance(value, n.Name) and value.id == name
    return same or (not looped and isinstance(bound.node, n.Let))


def _is_later(one: Bound, other: Bound) -> bool:
    return one.node.span.start > other.node.span.start


def _unconditional(one: Asked) -> bool:
    """Whether every run that ends well comes by it."""
    return not any(isinstance(part, (n.If, n.Choice, n.Try, n.Block, n.Conditional, *LOOPS)) for part in one.inside)


def _in_other_arms(one: Asked, other: Asked) -> bool:
    """Whether they stand in different arms of one `if`, outside of a loop that both stand in."""
    for part, own, others in zip(one.inside, one.inside[1:], other.inside[1:], strict=False):
        if part not in other.inside or isinstance(part, (*LOOPS, n.Block)):
            return False  # one round may come by one of them, the next by the other
        if isinstance(part, n.If) and own is not others:
            return isinstance(own, n.Arm) or isinstance(others, n.Arm)  # else both stand in the `else:`
    return False


def _left_before(one: Asked, other: Asked) -> bool:
    """Whether the arm with the first call ends in a `return` or `throw` of the script, before the other can be met."""
    arm = next((part for part in reversed(one.inside) if isinstance(part, n.Arm)), None)
    if arm is None or arm in other.inside or any(isinstance(part, _KEPT) for part in one.inside):
        return False
    return bool(arm.body) and isinstance(arm.body[-1], n.Return | n.Throw)
