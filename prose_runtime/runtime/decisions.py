"""Decisions of a run: conditions and choices. In: a condition and a frame. Out: whether it holds, kept with its reason.

How a condition is decided is the business of `conditions.py`; what goes to a judge passes the one door like any call.
"""

from __future__ import annotations

from collections.abc import Sequence

from prose_runtime.runtime.calls import given_to
from prose_runtime.runtime.choosing import choose as choose_label
from prose_runtime.runtime.conditions import begin, finish
from prose_runtime.runtime.decision import Choice, Decision
from prose_runtime.runtime.events import DecisionMade
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.judging import JudgeAnswer, JudgeQuestion
from prose_runtime.runtime.outcome import DecisionRecord
from prose_runtime.runtime.plan import ServiceTarget
from prose_runtime.runtime.step import Request, perform
from prose_runtime.syntax.nodes import Condition


def holds(condition: Condition, frame: Frame) -> bool:
    """Whether a condition holds that can be decided without waiting."""
    plan = frame.unit.conditions[condition]
    found = begin(plan, frame)
    if not isinstance(found, Decision):
        raise Fault("judge-needed", condition.span, text=plan.text)
    _keep(condition, found, frame)
    return found.holds


async def decide_condition(condition: Condition, frame: Frame) -> bool:
    """Whether a condition holds, asking the judge if it must."""
    found = begin(frame.unit.conditions[condition], frame)
    if not isinstance(found, Decision):
        found = await finish(found, frame, _judge(condition, frame))
    _keep(condition, found, frame)
    return found.holds


async def choose(condition: Condition, labels: Sequence[str], frame: Frame) -> int:
    """The index of the label that a `choice` picks: a value equal to one label decides, else the judge."""
    plan = frame.unit.conditions[condition]
    found = await choose_label(plan, condition, labels, frame, _judge(condition, frame))
    _keep(condition, found, frame)
    return found.index


def _keep(condition: Condition, decided: Decision | Choice, frame: Frame) -> None:
    run = frame.run
    record = DecisionRecord(frame.path, _segment(condition, frame), condition.text, decided)
    run.decisions.append(record)
    if run.listening or run.journal is not None:
        source = frame.unit.source
        line = source.position(condition.span.start).line
        if run.journal is not None:
            run.journal.decided({**record.to_json(), "file": source.name, "line": line})
        if run.listening:
            run.tell(DecisionMade(record.key, record.text, record.how, record.holds, record.because, source.name, line))


def _segment(condition: Condition, frame: Frame) -> str:
    return frame.unit.segments.get(condition) or "if"


class _Judge:
    """Asks the judge through the door. Several questions of one condition are numbered in their keys."""

    __slots__ = ("asked", "condition", "frame", "target")

    def __init__(self, target: ServiceTarget, condition: Condition, frame: Frame) -> None:
        self.target = target
        self.condition = condition
        self.frame = frame
        self.asked = 0

    async def __call__(self, question: JudgeQuestion) -> JudgeAnswer:
        known = self.frame.run.judged.get(question.identity)
        if known is not None:  # the same text about the same values: it was paid for
            return known
        self.asked += 1
        number = f"~{self.asked}" if self.asked > 1 else ""
        segment = f"{_segment(self.condition, self.frame)}/judge{number}"
        request = Request(self.target, given_to(self.target, question.inputs()), segment, kind="judge")
        answer = await perform(request, self.frame)
        read = question.read(answer)
        if read is None:
            raise question.unreadable(answer)
        self.frame.run.judged[question.identity] = read
        return read


def _judge(condition: Condition, frame: Frame) -> _Judge | None:
    target = frame.run.plan.judge
    return None if target is None else _Judge(target, condition, frame)
