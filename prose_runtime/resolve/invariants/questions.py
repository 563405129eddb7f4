"""What proofs ask of a script. In: a definition. Out: answers about its calls, its names and its conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf

from prose_runtime.resolve.bounds import bounds_of
from prose_runtime.resolve.carrying import constant_text
from prose_runtime.resolve.conditions import tree
from prose_runtime.resolve.counting import Count, named, number
from prose_runtime.resolve.invariants.facts import LOOPS, Asked, Facts, Place
from prose_runtime.resolve.origin import Flow, Names, Source
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Sources, given_names
from prose_runtime.resolve.tracing import Trace
from prose_runtime.source import Span
from prose_runtime.source.node import fields_of
from prose_runtime.syntax import nodes as n

_ABOUT_THE_CALL = ("model", "retry", "backoff", "timeout")


class Questions:
    """One definition, as proofs see it."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.facts = Facts(unit)
        self.bounds = bounds_of(unit)
        self.trace = Trace(unit, Sources())
        self.given = given_names(unit)
        self.anywhere = {**self.given, **self.facts.sources.held}
        self.flowing: dict[n.Expression, Flow] = {}
        self.loops: dict[n.Node, Place] = dict(self.facts.loops)
        self.places: dict[n.Node | None, dict[n.Node, int]] = {}
        self.approving: dict[tuple[n.Node | None, str], float] = {}

    # ---- calls and names ----

    def flow(self, value: n.Expression) -> Flow:
        """What a value may hold anywhere."""
        if value not in self.flowing:
            self.flowing[value] = self.trace.value(value, dict(self.anywhere))
        return self.flowing[value]

    def amount(self, value: n.Expression) -> Count:
        match value:
            case n.Binary(operator="+", left=left, right=right):
                return self.amount(left).plus(self.amount(right))
            case n.Constant(value=int() as found) if not isinstance(found, bool):
                return number(max(found, 0))
            case n.Property(target=n.Name(id="config"), name=name) | n.Name(id=name):
                return named(f"`{name}`")
            case _:
                return named(f"`{written(value)}`")

    def changed(self, name: str) -> bool:
        return any(not bound.grows for bound in self.facts.bound.get(name, []))

    def moves(self, name: str) -> bool:
        """Whether a name may hold another value at another time."""
        return name in self.facts.changing or name in self.facts.bound

    def holding(self, name: str) -> Flow:
        if name in self.facts.sources.held:
            return self.facts.sources.held[name]  # with what it held at the beginning
        return frozenset({Source("input", name), Source("config", name)})

    def first(self, name: str) -> Span | None:
        return next((one.node.span for one in self.facts.of(name)), None)

    def entry(self, one: Asked, key: str) -> Span:
        return next((entry.span for entry in one.node.properties if entry.key == key), one.node.span)

    def keys(self, one: Asked) -> list[str]:
        """What a call hands over, by name."""
        return list(self.flows(one))

    def flows(self, one: Asked) -> dict[str, Flow]:
        """What is in that."""
        passed = self.facts.sources.passed.get(one.node, {})
        return {key: flow for key, flow in passed.items() if key not in _ABOUT_THE_CALL}

    def value(self, one: Asked, key: str) -> n.Expression | None:
        """What a call hands over under a name."""
        return next((value for name, value in self.values(one) if name == key), None)

    def values(self, one: Asked) -> Iterable[tuple[str, n.Expression]]:
        """All that a call hands over."""
        if isinstance(one.node, n.Call | n.Session):
            yield from zip(self.unit.positional.get(one.node, ()), one.node.arguments, strict=False)
        yield from ((entry.key, entry.value) for entry in one.node.properties if entry.key not in _ABOUT_THE_CALL)

    def place(self, loop: n.Node) -> tuple[n.Node, ...]:
        return self.loops.get(loop, ())

    def walks_through(self, one: Asked, name: str) -> bool:
        """Whether the call stands in a walk through that list and in no other loop."""
        loops = [part for part in one.inside if isinstance(part, (*LOOPS, n.Block, n.Stage))]
        only = loops[0] if len(loops) == 1 else None
        return isinstance(only, n.For) and self.goes_through(only, name)

    @staticmethod
    def goes_through(loop: n.For, name: str) -> bool:
        """Whether a loop is a walk through that list."""
        return isinstance(loop.iterable, n.Name) and loop.iterable.id == name

    # ---- conditions ----

    def is_approved(self, node: n.Node, inside: Place, first: str) -> bool:
        """Whether a node is reached only where an answer of that service was read as an approval: in an arm of such a
        condition, or behind one that leaves where it was none."""
        block = next((number for number, part in enumerate(inside) if isinstance(part, n.Block)), None)
        begin = 0 if block is None else block + 1  # a block may be done anywhere
        for outer, inner in zip((None, *inside)[begin:], (*inside, node)[begin:], strict=True):
            if any(self.is_approval(condition, first, wanted) for condition, wanted in _entered(outer, inner)):
                return True
            place = self._places(outer).get(inner)
            if place is not None and self._approved_from(outer, first) < place:
                return True
        return False

    def _body(self, outer: n.Node | None) -> Sequence[n.Node]:
        body = self.facts.statements if outer is None else getattr(outer, "body", ())
        return body if isinstance(body, tuple) else ()

    def _places(self, outer: n.Node | None) -> Mapping[n.Node, int]:
        """Where each statement stands in a body; of the script, where there is none around."""
        if outer not in self.places:
            self.places[outer] = {statement: place for place, statement in enumerate(self._body(outer))}
        return self.places[outer]

    def _approved_from(self, outer: n.Node | None, first: str) -> float:
        """The place in a body of the first statement that leaves where that service did not approve."""
        if (outer, first) not in self.approving:
            leaving = ((place, _left_by(part)) for place, part in enumerate(self._body(outer)))
            places = (place for place, left in leaving if left is not None and self.is_approval(left, first, False))
            self.approving[outer, first] = next(places, inf)
        return self.approving[outer, first]

    def is_approval(self, condition: n.Condition, first: str, wanted: bool) -> bool:
        """Whether an answer of that service was read as an approval, where the condition holds (or does not)."""
        plan = self.unit.conditions.get(condition)
        held = self.facts.sources.looked_at.get(condition)
        if plan is None or held is None:
            return False
        return Approval(self.trace, {**self.given, **held}, first).is_said(plan.tree, wanted)


class Approval:
    """What the parts of a condition say of one service. `held`: what the names hold where it is decided."""

    def __init__(self, trace: Trace, held: Names, first: str) -> None:
        self.trace = trace
        self.held = held
        self.first = first

    def is_said(self, part: tree.Tree, wanted: bool) -> bool:
        """Whether a part that holds (or, unless `wanted`, does not) is an approval."""
        match part:
            case tree.And(parts=parts):
                return wanted and any(self.is_said(inner, True) for inner in parts)
            case tree.Or(parts=parts):
                return not wanted and any(self.is_said(inner, False) for inner in parts)
            case tree.Not(part=inner):
                return self.is_said(inner, not wanted)
            case tree.Verdict(subject=subject, verb=verb, explicit=explicit, negated=negated):
                if verb in _REJECTING:
                    return not explicit and negated is wanted and self.is_answer(subject)
                return negated is not wanted and self.is_answer(subject)
            case tree.Is(subject=subject, word=word, negated=negated):
                return negated is not wanted and word.lower() in _APPROVING and self.is_answer(subject)
            case tree.Truth(expression=subject, negated=negated):
                return negated is not wanted and self.is_answer(subject)
            case _:
                return False

    def is_answer(self, subject: n.Expression) -> bool:
        """Whether it is an answer of that service and of nobody else, or a part of one."""
        flow = self.trace.value(subject, dict(self.held))
        return bool(flow) and all(
            source.kind == "answer" and source.name == self.first and source.way == "same" and not source.under
            for source in flow
        )

    def mentions(self, leaf: tree.Leaf) -> bool:
        """Whether a part of a condition may look at an answer of that service."""
        flows = [self.trace.value(part, dict(self.held)) for part in expressions_of(leaf)]
        flows += [self.held.get(name, frozenset()) for name in leaf.mentions]
        return any(source.kind == "answer" and source.name == self.first for flow in flows for source in flow)


def _entered(outer: n.Node | None, inner: n.Node) -> Iterable[tuple[n.Condition, bool]]:
    """The conditions that let a run into a part."""
    match outer:
        case n.Arm(condition=condition):
            yield condition, True
        case n.If(arms=arms):
            before = arms if inner not in arms else arms[: arms.index(inner)]
            yield from ((arm.condition, False) for arm in before)
        case n.Conditional(condition=condition, then=then):
            yield condition, inner is then
        case n.Loop(test="while", condition=n.Condition() as condition):
            yield condition, True
        case _:
            pass


def _left_by(statement: n.Node) -> n.Condition | None:
    """The condition of a statement that leaves the body where it holds: its first, since that is asked in any case."""
    if not isinstance(statement, n.If):
        return None
    arm = statement.arms[0]
    leaves = arm.body and isinstance(arm.body[-1], n.Return | n.Throw | n.Break | n.Continue)
    return arm.condition if leaves else None


_REJECTING = frozenset({"reject", "fail"})
_APPROVING = frozenset(("accept", "accepted", "acceptable", "approve", "approved", "certify", "certified")) | {
    "pass", "passed", "passes", "proceed", "ok", "okay", "yes", "true",
}  # fmt: skip


def is_parallel(part: n.Node) -> bool:
    """Whether what is in it runs side by side."""
    return isinstance(part, n.Parallel) or (isinstance(part, n.Repeat | n.For) and part.concurrent)


def within(source: Source, held: Flow) -> bool:
    """Whether a value holds something of what a name holds: the same part of an answer, or the whole of it."""
    for other in held:
        if (source.kind, source.name, source.call) != (other.kind, other.name, other.call):
            continue
        composed = len(other.under)
        if composed and source.under[len(source.under) - composed :] != other.under:
            continue  # the name holds an object around it; what was put into that is not the object
        if source.part == other.part or (source.kind == "answer" and not source.part):
            return True
    return False


def expressions_of(leaf: tree.Leaf) -> Iterable[n.Expression]:
    """The values that a part of a condition looks at."""
    for name in fields_of(type(leaf)):
        value = getattr(leaf, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, n.Expression):
                yield part


def pairs(asked: Sequence[Asked]) -> Iterable[tuple[Asked, Asked]]:
    """Each with the first one, and with the one before it."""
    yield from ((asked[0], other) for other in asked[1:])
    yield from pairwise(asked[1:])


def takes_first(modifiers: n.Modifiers | None) -> bool:
    """Whether branches run for the first answers."""
    join = modifiers.join if modifiers is not None else None
    return join is not None and constant_text(join) in ("first", "any")


def written(value: n.Expression | None) -> str:
    from prose_runtime.syntax import print_expression
    from prose_runtime.syntax.printer import Unprintable

    try:
        return print_expression(value) if value is not None else ""
    except Unprintable:
        return f"at {value.span.start if value is not None else 0}"
