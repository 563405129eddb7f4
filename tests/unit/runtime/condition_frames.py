"""A body for conditions and expressions in tests: the names with their values, and what was warned of."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from prose_runtime.resolve.conditions import ConditionPlan, classify
from prose_runtime.runtime.conditions import Decision, Judge, JudgeAnswer, JudgeQuestion, decide, decide_now
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import ListValue, Value, from_python
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.nodes import Condition, Name

T = TypeVar("T")

SLOTS = frozenset({"critic", "evaluator"})


@dataclass
class Body:
    """The place of a condition for the classification, and the frame in which it is decided."""

    values: dict[str, Value]
    answers: dict[str, Value] = field(default_factory=dict)
    singles: dict[str, str] = field(default_factory=dict)
    warned: list[tuple[str, Span]] = field(default_factory=list)
    source: SourceText = field(default_factory=lambda: SourceText("body.prose.md", ""))

    def is_name(self, name: str) -> bool:
        return name in self.values

    def is_slot(self, name: str) -> bool:
        return name in SLOTS and name not in self.values

    def is_error(self, name: str) -> bool:
        return name == "err"

    def is_criteria(self, name: str) -> bool:
        return name.endswith("criteria")

    def fields(self, name: str) -> frozenset[str] | None:
        return None

    def visible(self) -> frozenset[str]:
        return frozenset(self.values)

    def lookup(self, name: Name) -> Value:
        return self.values.get(name.id)

    def warn(self, code: str, span: Span, **facts: object) -> None:
        Fault(code, span, **facts)  # the facts fill the wording
        self.warned.append((code, span))

    def slot_answer(self, slot: str) -> tuple[bool, Value]:
        return slot in self.answers, self.answers.get(slot)

    def slot_items(self, slot: str) -> ListValue | None:
        return None

    def single_output(self, name: str) -> str | None:
        return self.singles.get(name)

    def holds(self, condition: Condition) -> bool:
        decision = decide_now(classify(condition, self)[0], condition, self)
        assert decision is not None
        return decision.holds


def body(values: Mapping[str, object] | None = None, *, answers: Mapping[str, object] | None = None) -> Body:
    def taken(given: Mapping[str, object] | None) -> dict[str, Value]:
        return {name: from_python(value) for name, value in (given or {}).items()}

    return Body(taken(values), taken(answers))


def condition_of(text: str) -> Condition:
    return Condition(Span(0, len(text)), text, tuple(range(len(text))))


def planned(text: str, frame: Body) -> ConditionPlan:
    frame.source = SourceText("body.prose.md", text)
    return classify(condition_of(text), frame)[0]


def now(text: str, frame: Body) -> Decision | None:
    return decide_now(planned(text, frame), condition_of(text), frame)


def finished(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never really waits, without the cost of an event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        return cast("T", end.value)
    raise AssertionError("it waits")


def decided(text: str, frame: Body, judge: Judge | None = None) -> Decision:
    return finished(decide(planned(text, frame), condition_of(text), frame, judge))


class Asked:
    """A judge that answers in order and keeps what it was asked."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.questions: list[JudgeQuestion] = []

    async def __call__(self, question: JudgeQuestion) -> JudgeAnswer:
        self.questions.append(question)
        return JudgeAnswer(self.answers.pop(0), "so it seems")
