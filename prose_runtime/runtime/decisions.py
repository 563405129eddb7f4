"""Decisions of a run: conditions and choices. In: a condition and a frame. Out: whether it holds, kept with its reason.

How a condition is decided is the business of `conditions.py`; what goes to a judge passes the one door like any call.
"""

from __future__ import annotations

from collections.abc import Sequence

from prose_runtime.runtime import conditions
from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.conditions import JudgeAnswer, JudgeQuestion
from prose_runtime.runtime.events import DecisionMade
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.outcome import DecisionRecord
from prose_runtime.runtime.plan import ServiceTarget
from prose_runtime.runtime.step import Request, perform
from prose_runtime.runtime.values import Value
from prose_runtime.syntax.nodes import Condition


def holds(condition: Condition, frame: Frame) -> bool:
    """Whether a condition holds that can be decided without waiting."""
    decision = conditions.decide_now(frame.unit.conditions[condition], condition, frame)
    _keep(condition, decision.how, decision.holds, decision.because, frame)
    return decision.holds


async def decide_condition(condition: Condition, frame: Frame) -> bool:
    """Whether a condition holds, asking the judge if it must."""
    plan = frame.unit.conditions[condition]
    judge = _Judge(condition, frame) if frame.run.plan.judge is not None else None
    decision = await conditions.decide(plan, condition, frame, judge)
    _keep(condition, decision.how, decision.holds, decision.because, frame)
    return decision.holds


async def choose(condition: Condition, labels: Sequence[str], frame: Frame) -> int:
    """The index of the label that a `choice` picks: a value equal to one label decides, else the judge."""
    plan = frame.unit.conditions[condition]
    judge = _Judge(condition, frame) if frame.run.plan.judge is not None else None
    choice = await conditions.choose(plan, condition, labels, frame, judge)
    _keep(condition, choice.how, True, choice.because, frame)
    return choice.index


def _keep(condition: Condition, how: str, held: bool, because: str, frame: Frame) -> None:
    run = frame.run
    record = DecisionRecord(frame.path, _segment(condition, frame), condition.text, how, held, because)
    run.decisions.append(record)
    if run.listening:
        run.tell(DecisionMade(record.key, condition.text, how, held, because))


def _segment(condition: Condition, frame: Frame) -> str:
    return frame.unit.segments.get(condition) or "if"


class _Judge:
    """Asks the judge one question through the door. Questions of one condition are numbered in their keys."""

    __slots__ = ("asked", "condition", "frame")

    def __init__(self, condition: Condition, frame: Frame) -> None:
        self.condition = condition
        self.frame = frame
        self.asked = 0

    async def __call__(self, question: JudgeQuestion) -> JudgeAnswer:
        service = self.frame.run.plan.judge
        assert service is not None
        self.asked += 1
        number = f"~{self.asked}" if self.asked > 1 else ""
        segment = f"{_segment(self.condition, self.frame)}/judge{number}"
        target = ServiceTarget("judge", service, service.signature)
        inputs: dict[str, Value] = question.inputs()
        answer = await perform(Request(target, inputs, segment, kind="judge"), self.frame)
        return self._read(answer, question)

    def _read(self, answer: Value, question: JudgeQuestion) -> JudgeAnswer:
        read = question.read(answer)
        if read is None:
            raise complaint("undecided", self.condition.span, text=question.text, because="the judge gave no answer")
        return read
