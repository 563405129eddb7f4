"""Whether a run certainly comes by some places of a script: what a refutation needs.

In: `Questions`, and places. Out: what makes it uncertain, or "". A run comes there if every decision on the way can
turn out either way whatever the others do: each rests on inputs, config and answers, and no two of them on the same.
What rests on anything else (a counter, a flag that the script sets) may have been arranged so that no run comes there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from prose_runtime.resolve.conditions import tree
from prose_runtime.resolve.invariants.facts import LOOPS, Place
from prose_runtime.resolve.invariants.leaving import bodies_of, ends, leaves
from prose_runtime.resolve.invariants.questions import Questions, expressions_of, written
from prose_runtime.resolve.origin import NOTHING, Flow, Source
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

_MANY = 40
"""So many decisions are held against each other."""

Spot: TypeAlias = "tuple[n.Node, Place]"
"""A node, and what it stands in."""


class Decision(NamedTuple):
    """What must turn out one way. `wanted`: of a condition, whether it holds; None: a list or a number of rounds must
    not be too small. `rests`: what its parts rest on; an empty one is nothing that a run is free in. `spares`: it also
    holds of a list with items and of a number that is not small; `lacks`: it only holds of what is empty."""

    text: str
    wanted: bool | None
    rests: tuple[Flow, ...]
    spares: bool
    lacks: bool = False
    condition: n.Condition | None = None


class Reaching:
    """One definition."""

    def __init__(self, questions: Questions) -> None:
        self.ask = questions
        self.facts = questions.facts
        self.unit = questions.unit
        self.trace = questions.trace
        self.given = questions.given
        self.decided: dict[tuple[n.Condition, bool, bool], Decision] = {}
        self.leaving: dict[int, list[n.Node]] = {}

    def doubt(self, *spots: Spot, rounds: bool = False, passed: Flow = NOTHING) -> str:
        """Why it is uncertain that one run comes by all of these; "" if one does. `rounds`: by the first of them in
        several rounds of the loop around it. `passed`: what must not be empty then."""
        found: dict[tuple[object, ...], Decision] = {}
        for spot in spots:
            for one in (*self.decisions(*spot), *(self._rounds(spot[1]) if rounds and spot is spots[0] else ())):
                if one is None:
                    return "it is uncertain whether a run comes there"
                found[one.text, one.wanted, one.rests] = one
                if len(found) > _MANY:
                    return "too much is decided before it"
        if not _may_be_caught(spots):
            return "what fails there ends it before"
        every = list(found.values())
        for number, one in enumerate(every):
            empty = one.lacks and any(_meet(source, other) for flow in one.rests for source in flow for other in passed)
            if empty or not all(one.rests):
                return f"that depends on `{one.text}`"
            against = next((other for other in every[:number] if _overlap(one, other)), None)
            if against is not None:
                return f"that depends on `{against.text}` and on `{one.text}`"
        return ""

    def rests_on(self, spot: Spot, name: str) -> bool:
        """Whether a decision on the way to a place rests on what a name holds or somebody answers."""
        decisions = [one for one in self.decisions(*spot) if one is not None]
        return any(source.name == name for one in decisions for flow in one.rests for source in flow)

    # ---- the decisions on the way ----

    def decisions(self, node: n.Node, inside: Place) -> Iterable[Decision | None]:
        """All that must turn out one way for a run to come by. None: what cannot be told."""
        way = (*inside, node)
        yield from self._passing(self.facts.statements, way[0])
        for outer, inner in pairwise(way):
            yield from self._entering(outer, inner)
            for body in bodies_of(outer):
                if inner in body:
                    yield from self._passing(body, inner)

    def _entering(self, outer: n.Node, inner: n.Node) -> Iterable[Decision | None]:
        match outer:
            case n.Arm(condition=condition):
                yield self._condition(condition, True)
            case n.If(arms=arms):
                before = arms if inner not in arms else arms[: arms.index(inner)]
                yield from (self._condition(arm.condition, False) for arm in before)
            case n.Conditional(condition=condition, then=then):
                yield self._condition(condition, inner is then)
            case n.For() | n.Repeat() | n.Loop():
                yield from self._round(outer, inner)
            case n.Try(body=body) if inner in (outer.catch or ()):
                if not any(isinstance(part, _FAILING) for statement in body for part in walk(statement)):
                    yield None
            case n.Block():
                yield from self._done(outer)
            case n.Stage():
                yield None
            case n.Binary(operator="and" | "or", right=right) if inner is right:
                yield None
            case _:
                pass

    def _round(self, loop: n.For | n.Repeat | n.Loop, inner: n.Node) -> Iterable[Decision | None]:
        """There are rounds."""
        if inner not in tuple(loop.body):
            return
        amount = loop.iterable if isinstance(loop, n.For) else None
        amount = loop.count if isinstance(loop, n.Repeat) else loop.maximum if isinstance(loop, n.Loop) else amount
        if isinstance(amount, n.List) and len(amount.items) < 2:
            yield None
        elif amount is not None and not isinstance(amount, n.List) and not _is_several(amount):
            services = isinstance(amount, n.Name) and amount.id in self.unit.list_slots
            flow = self.ask.flow(amount)
            rests = frozenset({Source("input", written(amount))}) if services else flow
            yield Decision(written(amount), None, (rests,), True)
        if isinstance(loop, n.Loop) and loop.condition is not None:
            plan = self.unit.conditions.get(loop.condition)
            binds = [bound for name in (plan.names if plan else ()) for bound in self.facts.bound.get(name, ())]
            at_once = loop.test == "while" or any(bound.node.span.end <= loop.span.start for bound in binds)
            yield self._condition(loop.condition, loop.test == "while", staying=at_once)

    def _rounds(self, inside: Place) -> Iterable[Decision | None]:
        """No round of the loop around it leaves that."""
        found = [
            (part, around) for around, part in zip((None, *inside), inside, strict=False) if isinstance(part, LOOPS)
        ]
        loop, around = found[-1] if found else (None, None)
        if loop is None:
            yield None
        elif not (isinstance(loop, n.For | n.Repeat) and loop.concurrent):
            alone = isinstance(around, n.BlockValue) and not ends(loop, as_value=True)
            if not alone or any(isinstance(part, n.Throw) for part in walk(loop)):
                for part in loop.body:
                    yield from self._staying(part, in_loop=False)

    def _passing(self, body: Sequence[n.Node], inner: n.Node) -> Iterable[Decision | None]:
        """No statement before it leaves the body."""
        if id(body) not in self.leaving:
            self.leaving[id(body)] = [statement for statement in body if leaves(statement)]
        for statement in self.leaving[id(body)]:
            if statement.span.start >= inner.span.start:
                return
            yield from self._staying(statement, in_loop=False)

    def _staying(self, node: n.Node, in_loop: bool) -> Iterable[Decision | None]:
        """What must hold for a run to come behind a statement."""
        if not leaves(node, in_loop):
            return
        match node:
            case n.If(arms=arms, otherwise=otherwise):
                yield from self._staying_in(arms, otherwise, in_loop)
            case n.For() | n.Repeat() | n.Loop():
                for part in node.body:
                    yield from self._staying(part, in_loop=True)
            case n.Try() | n.DoBlock():
                for body in bodies_of(node):
                    for inner in body:
                        yield from self._staying(inner, in_loop)
            case _:
                yield None

    def _staying_in(
        self, arms: Sequence[n.Arm], otherwise: Sequence[n.Node] | None, in_loop: bool
    ) -> Iterable[Decision | None]:
        out = [any(leaves(part, in_loop) for part in body) for body in (*(arm.body for arm in arms), otherwise or ())]
        if out[-1] and (len(arms) > 1 or out[0]):
            yield None
        elif out[-1]:
            yield self._condition(arms[0].condition, True, staying=True)
        yield from (
            self._condition(arm.condition, False, staying=True) for arm, left in zip(arms, out, strict=False) if left
        )

    def _done(self, block: n.Block) -> Iterable[Decision | None]:
        """It is done by a statement of the script itself."""
        for statement in self.facts.statements:
            parts = walk(statement) if isinstance(statement, n.Evaluate | n.Let | n.Assign) else ()
            if any(isinstance(part, n.Do) and self.unit.does.get(part) is block for part in parts):
                yield from self._passing(self.facts.statements, statement)
                return
        yield None

    # ---- what a decision rests on ----

    def _condition(self, condition: n.Condition, wanted: bool, staying: bool = False) -> Decision:
        asked = (condition, wanted, staying)
        if asked not in self.decided:
            self.decided[asked] = self._decision(*asked)
        return self.decided[asked]

    def _decision(self, condition: n.Condition, wanted: bool, staying: bool) -> Decision:
        plan = self.unit.conditions.get(condition)
        if plan is None:
            return Decision(condition.text, wanted, (NOTHING,), False, condition=condition)
        held = {**self.given, **self.facts.sources.looked_at.get(condition, {})}
        if not all(self._is_answered(name, condition, staying) for name in plan.names):
            return Decision(condition.text, wanted, (NOTHING,), False, condition=condition)
        rests = tuple(
            self.flow(leaf, held)
            for leaf in leaves_of(plan.tree)
            if not isinstance(leaf, tree.Judged | tree.Criteria)  # that rests on the judge
        )
        spares = _spares(plan.tree, wanted)
        lacks = isinstance(plan.tree, tree.State | tree.Truth) and not spares
        if lacks and isinstance(plan.tree, tree.State) and plan.tree.state in ("null", "present"):
            rests = tuple(flow if all(map(self._may_be_null, flow)) else NOTHING for flow in rests)
        return Decision(condition.text, wanted, rests, spares, lacks, condition)

    def _may_be_null(self, source: Source) -> bool:
        if source.kind == "config":
            return any(item.name == source.name and item.default is None for item in self.unit.config)
        needed = any(item.name == source.name and item.required for item in self.unit.inputs)
        return source.kind != "input" or not needed

    def _is_answered(self, name: str, condition: n.Condition, every_round: bool) -> bool:
        """Whether what a name holds there is what something gave it on the way there, and not what it began with.
        Unless in `every_round`, that may be an earlier round."""
        binds = self.facts.bound.get(name, ())
        around = [bound for bound in binds if all(_spans(part, condition) for part in bound.inside)]
        before = [bound for bound in around if bound.node.span.end <= condition.span.start and not bound.grows]
        last = max(before, key=lambda bound: bound.node.span.start, default=None)
        if not binds:
            return True
        if last is not None and last.value is not None and self.ask.flow(last.value):
            return True
        looped = [bound for bound in around if any(isinstance(part, LOOPS) for part in bound.inside)]
        return not every_round and any(isinstance(bound.value, _FAILING) for bound in looped)

    def flow(self, leaf: tree.Leaf, held: dict[str, Flow]) -> Flow:
        """What a part of a condition rests on; the services of a slot are given to a run like an input."""
        parts = list(expressions_of(leaf))
        names = [name.id for part in parts for name in walk(part) if isinstance(name, n.Name)]
        services = frozenset(Source("input", name) for name in names if name in self.unit.list_slots)
        return services.union(*[self.trace.value(part, dict(held)) for part in parts])


def _may_be_caught(spots: Sequence[Spot]) -> bool:
    """Whether something may fail behind each place of a `try` that another place in its `catch` comes after."""
    for node, inside in spots:
        for number, part in enumerate(inside):
            if not isinstance(part, n.Try) or (*inside, node)[number + 1] not in part.body:
                continue
            caught = any(one in (part.catch or ()) for other, around in spots for one in (*around, other))
            beside = next((inner for inner in inside[number:] if isinstance(inner, n.Parallel)), node)
            end = node.span.start if isinstance(node, _FAILING) else beside.span.end
            if caught and not any(_may_fail(statement, end) for statement in part.body):
                return False
    return True


def _may_fail(statement: n.Node, behind: int) -> bool:
    return any(isinstance(part, _FAILING) and part.span.start >= behind for part in walk(statement))


def _spans(part: n.Node, other: n.Node) -> bool:
    return part.span.start <= other.span.start and other.span.end <= part.span.end


_FAILING = (n.Call, n.Session, n.Resume, n.Gate, n.Throw, n.Do)


def leaves_of(part: tree.Tree) -> Iterable[tree.Leaf]:
    """The parts of a condition that are decided as a whole."""
    if isinstance(part, tree.Leaf):
        yield part
    for inner in (part.part,) if isinstance(part, tree.Not) else getattr(part, "parts", ()):
        yield from leaves_of(inner)


def _is_several(amount: n.Expression) -> bool:
    return isinstance(amount, n.Constant) and isinstance(amount.value, int) and amount.value > 1


def _spares(part: tree.Tree, wanted: bool) -> bool:
    """Whether a condition only wants that something is there."""
    if isinstance(part, tree.State):
        return (part.state in ("null", "empty")) is (part.negated is wanted)
    return isinstance(part, tree.Truth) and part.negated is not wanted


def _overlap(one: Decision, other: Decision) -> bool:
    if one.spares and other.spares:
        return False
    return any(_meet(source, seen) for own in one.rests for source in own for others in other.rests for seen in others)


def _meet(one: Source, other: Source) -> bool:
    if (one.kind, one.name) != (other.kind, other.name):
        return False
    if one.call is not None and other.call is not None and one.call is not other.call:
        return False
    return one.part == other.part or not one.part or not other.part
