"""What a judge is asked and what it answers. In: a text with the values it names. Out: `JudgeAnswer`.

A judge is a service like any other; it gets the inputs `text`, `values` and, for a `choice`, `labels`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import ListValue, Value, show, to_json
from prose_runtime.runtime.verdicts import as_yes_or_no, document_in, plain_words
from prose_runtime.source import Span


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """`holds` answers a question, `label` a choice."""

    holds: bool
    reason: str
    label: str | None = None


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """Whether `text` holds, or which of `labels` fits it. The judge sees these values and no others."""

    text: str
    values: Mapping[str, Value]
    span: Span
    labels: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """The same for the same question about the same values."""
        values = {name: to_json(value) for name, value in self.values.items()}
        return json.dumps([self.text, values, list(self.labels)], sort_keys=True, ensure_ascii=False)

    def inputs(self) -> dict[str, Value]:
        """What the service `judge` is called with."""
        given: dict[str, Value] = {"text": self.text, "values": dict(self.values)}
        if self.labels:
            given["labels"] = ListValue(self.labels)
        return given

    def read(self, answer: Value) -> JudgeAnswer | None:
        """What the service answered: `{holds, reason}`, `{choice, reason}`, or just true, false, yes, no or a label.

        None if it says neither.
        """
        document = document_in(answer) if isinstance(answer, str) else answer
        fields = document if isinstance(document, dict) else {}
        keys = ("choice", "label", "option") if self.labels else ("holds", "answer", "verdict")
        said = next((fields[key] for key in keys if key in fields), None) if fields else answer
        reason = fields.get("reason")
        told = reason if isinstance(reason, str) else ""
        if self.labels:
            label = fitting_label(said, self.labels)
            return None if label is None else JudgeAnswer(True, told, label)
        holds = as_yes_or_no(said) if isinstance(said, str) else said
        return JudgeAnswer(holds, told) if isinstance(holds, bool) else None

    def unreadable(self, answer: Value) -> Fault:
        """The fault of a judge that does not say."""
        form = '`{"choice": LABEL, "reason": …}`' if self.labels else '`{"holds": true, "reason": …}`'
        return Fault("unreadable-judgement", self.span, text=self.text, seen=show(answer), form=form)


Judge = Callable[[JudgeQuestion], Awaitable[JudgeAnswer]]


def fitting_label(said: Value, labels: tuple[str, ...]) -> str | None:
    """The one label that a text names, without regard to case and punctuation."""
    if not isinstance(said, str):
        return None
    exact = [label for label in labels if label == said]
    fitting = exact or [label for label in labels if plain_words(label) == plain_words(said)]
    return fitting[0] if len(fitting) == 1 else None
