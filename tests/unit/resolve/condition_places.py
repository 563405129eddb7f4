"""A place for conditions in tests: which names there are, and the condition as the reader gives it."""

from __future__ import annotations

from dataclasses import dataclass, field

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.resolve.conditions import ConditionPlan, classify
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.nodes import Condition

NAMES = frozenset({"score", "threshold", "result", "results", "review", "verdict", "decision", "action", "flag"}) | {
    *("force", "done", "tags", "xs", "a", "b", "c", "x", "severity", "report", "summary"),
    *("topic", "attempt", "state", "validation", "lint_report"),
}


@dataclass
class Place:
    text: str
    names: frozenset[str] = NAMES
    slots: frozenset[str] = frozenset({"critic", "editor"})
    errors: frozenset[str] = frozenset({"err"})
    criteria: frozenset[str] = frozenset({"failure_criteria", "acceptance_criteria"})
    source: SourceText = field(init=False)

    def __post_init__(self) -> None:
        self.source = SourceText("place.prose.md", self.text)

    def is_name(self, name: str) -> bool:
        return name in self.names | self.errors | self.criteria

    def is_slot(self, name: str) -> bool:
        return name in self.slots

    def is_error(self, name: str) -> bool:
        return name in self.errors

    def is_criteria(self, name: str) -> bool:
        return name in self.criteria

    def fields(self, name: str) -> frozenset[str] | None:
        return None

    def visible(self) -> frozenset[str]:
        return self.names | self.slots | self.errors | self.criteria


def condition_of(text: str) -> Condition:
    return Condition(Span(0, len(text)), text, tuple(range(len(text))))


def classified(text: str) -> tuple[ConditionPlan, list[Diagnostic]]:
    return classify(condition_of(text), Place(text))
