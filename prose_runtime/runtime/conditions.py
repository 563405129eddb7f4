"""Deciding a condition. In: its plan and the names around it. Out: a `Decision`, or what only a judge can say.

What is formal or structural is decided first, from left to right and no further than needed (`begin`); what is left
open is then asked, neighbouring parts as one question, and only as long as it matters (`decide`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from prose_runtime.resolve.conditions import tree as nodes
from prose_runtime.resolve.conditions.classify import classify_criteria, criteria_texts
from prose_runtime.resolve.conditions.tokens import as_sentence
from prose_runtime.resolve.conditions.tree import ConditionPlan, Leaf, Tree
from prose_runtime.runtime.choosing import choose, choose_now
from prose_runtime.runtime.decision import Choice, Decision, Seen, least_certain
from prose_runtime.runtime.expressions import Frame, evaluate
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.judging import Judge, JudgeAnswer, JudgeQuestion
from prose_runtime.runtime.leaves import TESTS, Unreadable
from prose_runtime.runtime.values import ListValue, Value
from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node
from prose_runtime.syntax.nodes import Condition, Name

__all__ = [
    "Choice",
    "Decision",
    "Judge",
    "JudgeAnswer",
    "JudgeQuestion",
    "Pending",
    "begin",
    "choose",
    "choose_now",
    "decide",
    "decide_now",
    "finish",
]


@dataclass(slots=True)
class Pending:
    """A condition that a judge must finish. `open` is what is left of its tree."""

    plan: ConditionPlan
    open: Tree
    seen: list[Seen]
    unread: dict[Leaf, str] = field(default_factory=dict)


@node
class _Open(nodes.Part):
    """What is left of an `and` or `or`: the open parts with their positions."""

    every: bool
    parts: tuple[tuple[int, Tree], ...]


@node
class _Criterion(Leaf):
    """A text of criteria for the judge, who sees only the value that it is about."""

    value: Value
    name: str


# ---- without a judge -------------------------------------------------------------------------------------


def begin(plan: ConditionPlan, frame: Frame) -> Decision | Pending:
    """Decide what can be decided from the values alone. Raises `Fault`."""
    pending = Pending(plan, plan.tree, [])
    settled = _settle(plan.tree, frame, pending)
    if isinstance(settled, bool):
        return Decision(plan.text, least_certain(pending.seen), settled, tuple(pending.seen))
    pending.open = settled
    return pending


def decide_now(plan: ConditionPlan, condition: Condition, frame: Frame) -> Decision | None:
    """The decision if it needs no judge, else None. Raises `Fault`."""
    found = begin(plan, frame)
    return found if isinstance(found, Decision) else None


def _settle(tree: Tree, frame: Frame, pending: Pending) -> bool | Tree:
    """True or false, or what is left of the tree."""
    test = TESTS.get(type(tree))
    if test is not None:
        try:
            return test(tree, frame, pending.seen)
        except Unreadable as error:
            assert isinstance(tree, Leaf)
            pending.unread[tree] = error.seen
            return tree
    if isinstance(tree, (nodes.And, nodes.Or)):
        return _settle_joined(tree, frame, pending)
    if isinstance(tree, nodes.Not):
        inner = _settle(tree.part, frame, pending)
        return not inner if isinstance(inner, bool) else nodes.Not(tree.span, tree.start, tree.end, inner)
    return _settle_criteria(tree, frame, pending) if isinstance(tree, nodes.Criteria) else tree


def _settle_joined(tree: nodes.And | nodes.Or, frame: Frame, pending: Pending) -> bool | Tree:
    every = isinstance(tree, nodes.And)
    left: list[tuple[int, Tree]] = []
    for position, part in enumerate(tree.parts):
        settled = _settle(part, frame, pending)
        if not isinstance(settled, bool):
            left.append((position, settled))
        elif settled is not every:
            return settled
    if not left:
        return every
    return _Open(tree.span, tree.start, tree.end, every, tuple(left))


# ---- criteria --------------------------------------------------------------------------------------------


class _AboutValue:
    """The frame in which criteria are read: every name is the value that they are about."""

    def __init__(self, value: Value, frame: Frame, span: Span) -> None:
        self._value = value
        self._frame = frame
        self._span = span
        self.source: SourceText = frame.source

    def lookup(self, name: Name) -> Value:
        return self._value

    def warn(self, code: str, span: Span, **facts: object) -> None:
        self._frame.warn(code, self._span, **facts)

    def slot_answer(self, slot: str) -> tuple[bool, Value]:
        return False, None

    def slot_items(self, slot: str) -> ListValue | None:
        return None

    def single_output(self, name: str) -> str | None:
        return None

    def holds(self, condition: Condition) -> bool:
        raise TypeError("criteria hold no conditional expression")


def _settle_criteria(leaf: nodes.Criteria, frame: Frame, pending: Pending) -> bool | Tree:
    """No criteria: not a failure, acceptable. Several: one failure is enough, all must accept."""
    value = evaluate(leaf.subject, frame)
    every = leaf.wants == "acceptable"
    texts = criteria_texts(frame.lookup(leaf.criteria))
    left: list[tuple[int, Tree]] = []
    result = every
    note = "" if texts else f"no {leaf.criteria.id} are given"
    for position, text in enumerate(texts):
        formal = _formal_criterion(leaf, text, value, frame)
        if formal is None:
            left.append((position, _criterion(leaf, text, value)))
        elif formal.holds is not every:
            result, note, left = not every, formal.because, []
            break
        else:
            note = f"{note}; {formal.because}" if note else formal.because
    if left:
        rest = left[0][1] if len(left) == 1 else _Open(leaf.span, leaf.start, leaf.end, every, tuple(left))
        return nodes.Not(leaf.span, leaf.start, leaf.end, rest) if leaf.negated else rest
    holds = result is not leaf.negated
    pending.seen.append(Seen(leaf, "criteria", holds, ((leaf.subject, value),), note))
    return holds


def _formal_criterion(leaf: nodes.Criteria, text: str, value: Value, frame: Frame) -> Decision | None:
    plan = classify_criteria(text, leaf.subject_text)
    if plan is None:
        return None
    try:
        found = begin(plan, _AboutValue(value, frame, leaf.span))
    except Fault as fault:
        raise Fault(fault.code, leaf.span, **fault.facts) from None
    return found if isinstance(found, Decision) else None


def _criterion(leaf: nodes.Criteria, text: str, value: Value) -> _Criterion:
    name = leaf.subject_text.rpartition(".")[2]
    name = name if name in text else "result"
    return _Criterion(leaf.span, leaf.start, leaf.end, text, (), False, value, name)


# ---- with a judge ----------------------------------------------------------------------------------------


async def decide(plan: ConditionPlan, condition: Condition, frame: Frame, judge: Judge | None) -> Decision:
    """Decide a condition; what only a judge can say is asked of `judge`. Raises `Fault`, also if there is none."""
    found = begin(plan, frame)
    return found if isinstance(found, Decision) else await finish(found, frame, judge)


async def finish(pending: Pending, frame: Frame, judge: Judge | None) -> Decision:
    """Ask what `begin` left open."""
    tree = pending.open if judge is None else _joined(pending.open, pending)
    holds = await _ask(tree, pending, frame, judge)
    return Decision(pending.plan.text, least_certain(pending.seen), holds, tuple(pending.seen))


def _joined(tree: Tree, pending: Pending) -> Tree:
    """Neighbouring open leaves as one question."""
    if isinstance(tree, nodes.Not):
        return nodes.Not(tree.span, tree.start, tree.end, _joined(tree.part, pending))
    if not isinstance(tree, _Open):
        return tree
    kept: list[tuple[int, Tree]] = []
    last = -2
    for position, part in tree.parts:
        part = _joined(part, pending)
        before = kept[-1][1] if kept else None
        if position == last + 1 and _plain_leaf(before) and _plain_leaf(part):
            kept[-1] = (position, _one_question(before, part, pending.plan.text))
        else:
            kept.append((position, part))
        last = position
    return kept[0][1] if len(kept) == 1 else _Open(tree.span, tree.start, tree.end, tree.every, tuple(kept))


def _plain_leaf(tree: Tree | None) -> bool:
    return isinstance(tree, Leaf) and not isinstance(tree, (_Criterion, nodes.Criteria))


def _one_question(first: Tree | None, second: Tree, text: str) -> Leaf:
    assert isinstance(first, Leaf)
    assert isinstance(second, Leaf)
    asked = f"{first.asked} {as_sentence(text[first.end : second.end])}"
    if second.end <= first.end:  # two words of one phrase: its sentence says both
        asked = first.asked
    mentions = tuple(dict.fromkeys((*first.mentions, *second.mentions)))
    end = max(first.end, second.end)
    return nodes.Judged(first.span.to(second.span), first.start, end, asked, mentions, False)


async def _ask(tree: Tree, pending: Pending, frame: Frame, judge: Judge | None) -> bool:
    if isinstance(tree, nodes.Not):
        return not await _ask(tree.part, pending, frame, judge)
    if isinstance(tree, _Open):
        for _, part in tree.parts:
            if await _ask(part, pending, frame, judge) is not tree.every:
                return not tree.every
        return tree.every
    assert isinstance(tree, Leaf)
    if judge is None:
        raise _nobody_to_ask(tree, pending)
    values = _values_for(tree, frame)
    answer = await judge(JudgeQuestion(tree.asked, values, tree.span))
    operands = tuple((Name(tree.span, name), value) for name, value in values.items())
    pending.seen.append(Seen(tree, "judge", answer.holds, operands, answer.reason or "the judge says so"))
    return answer.holds


def _values_for(leaf: Leaf, frame: Frame) -> dict[str, Value]:
    if isinstance(leaf, _Criterion):
        return {leaf.name: leaf.value}
    found: dict[str, Value] = {}
    for name in leaf.mentions:
        answered, answer = frame.slot_answer(name)
        found[name] = answer if answered else frame.lookup(Name(leaf.span, name))
    return found


_WAYS = {
    nodes.Verdict: '`{"verdict": "accept"}`, `{"accepted": true}` or one word',
    nodes.Is: '`{"verdict": "…"}` or the word alone',
    nodes.Reports: "a field of that name: a boolean, a number or a list",
    nodes.Count: "a list, or an object with that list",
}


def _nobody_to_ask(leaf: Leaf, pending: Pending) -> Fault:
    if leaf in pending.unread:
        ways = _WAYS.get(type(leaf), "a value that can be read")
        return Fault("unreadable-verdict", leaf.span, text=leaf.asked, seen=pending.unread[leaf], ways=ways)
    return Fault("judge-needed", leaf.span, text=leaf.asked)
