"""`choice`: one of several labels. In: a criterion's plan, the labels, a frame. Out: a `Choice`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from prose_runtime.resolve.conditions import tree as nodes
from prose_runtime.resolve.conditions.tree import ConditionPlan
from prose_runtime.runtime.decision import Choice, label, told_operand
from prose_runtime.runtime.expressions import Frame, evaluate
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.judging import Judge, JudgeQuestion, fitting_label
from prose_runtime.runtime.values import Value, show
from prose_runtime.runtime.verdicts import plain_words
from prose_runtime.syntax.nodes import Condition, Name

_VERDICT_FIELDS = ("verdict", "decision", "action", "choice", "option", "outcome", "status")


def choose_now(plan: ConditionPlan, labels: Sequence[str], frame: Frame) -> Choice | None:
    """The label that the criterion's value equals (or that a verdict field of it names), else None."""
    tree = plan.tree
    if not isinstance(tree, nodes.Truth):
        return None
    value = evaluate(tree.expression, frame)
    said: list[Value] = [value]
    if isinstance(value, dict):
        said = [item for key, item in value.items() if plain_words(key) in _VERDICT_FIELDS]
    found = {fitting_label(item, tuple(labels)) for item in said} - {None}
    if len(found) != 1:
        return None
    chosen = str(found.pop())
    because = f"{told_operand(tree.expression, value)} names {show(chosen)}"
    how: Literal["formal", "structure"] = "structure" if isinstance(value, dict) else "formal"
    return Choice(plan.text, how, chosen, labels.index(chosen), because, {label(tree.expression): value})


async def choose(
    plan: ConditionPlan, condition: Condition, labels: Sequence[str], frame: Frame, judge: Judge | None
) -> Choice:
    """The label to take. Raises `Fault` if only a judge could say and there is none, or it names no label."""
    found = choose_now(plan, labels, frame)
    if found is not None:
        return found
    if judge is None:
        raise Fault("judge-needed", condition.span, text=plan.text)
    values = {name: _value_of(name, condition, frame) for name in plan.names}
    question = JudgeQuestion(plan.text, values, condition.span, tuple(labels))
    answer = await judge(question)
    if answer.label is None or answer.label not in labels:
        raise question.unreadable(answer.label)
    reason = answer.reason or "the judge says so"
    return Choice(plan.text, "judge", answer.label, labels.index(answer.label), reason, values)


def _value_of(name: str, condition: Condition, frame: Frame) -> Value:
    answered, answer = frame.slot_answer(name)
    return answer if answered else frame.lookup(Name(condition.span, name))
