"""What sentences may speak of: the outputs, inputs and config of a run, its calls and its end.

In: a run and the names around it. Out: `Facts`, and the value that a sentence is about. A declared output that was
not given is `ABSENT`; what is neither is `Undecidable`, so that a misspelt name never passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from prose_runtime.diagnostics.suggestions import listed, nearest
from prose_runtime.resolve.clauses.names import WHOLE, Known, taken_apart
from prose_runtime.resolve.clauses.tree import Undecidable
from prose_runtime.runtime.outcome import CallRecord, Outcome
from prose_runtime.runtime.values import ListValue, Value, from_python
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Json
from prose_runtime.syntax.nodes import Condition, Name


class Absent(Enum):
    """A declared output that was not given, or a key that is not there."""

    ABSENT = 0


ABSENT = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Facts:
    """`outputs` are the declared outputs, `services` every name that could have been called; `complete`: whether
    `calls` are all that were made."""

    values: Mapping[str, Value] = field(default_factory=dict)
    result: Value = None
    outputs: frozenset[str] = frozenset()
    services: frozenset[str] = frozenset()
    calls: Sequence[CallRecord] = ()
    error: str | None = None
    status: str = "done"
    complete: bool = True

    def about(self, name: str) -> list[Value] | Absent:
        """The values that a name or path speaks of: one, or with `[*]` one for each item. Raises `Undecidable`."""
        root, steps = taken_apart(name)
        if root in self.values:
            found: list[Value] = [self.values[root]]
        elif root in self.outputs:
            return ABSENT
        elif root == WHOLE:
            found = [self.result]
        else:
            raise Undecidable(self._unknown(name))
        for step in steps:
            every = [inner for value in found for inner in _below(value, step)]
            if not every or len(every) < len(found):
                return ABSENT
            found = every
        return found

    @property
    def known(self) -> Known:
        """The names that a sentence may be about."""
        return Known(self.values.keys() | self.outputs, self.services)

    def _unknown(self, name: str) -> str:
        known = sorted({*self.values, *self.outputs})
        near = nearest(name, known)
        advice = f"; it may be `{near}`" if near else f"; there is {listed(known)}" if known else ""
        return f"`{name}` is no output, input or config of the run{advice}"


def _below(value: Value, step: str) -> list[Value]:
    if isinstance(value, dict):
        return [value[step]] if step in value else []
    if isinstance(value, ListValue):
        if step == "*":
            return list(value)
        return [value[int(step)]] if step.isdigit() and int(step) < len(value) else []
    return []


def facts_of(outcome: Outcome, given: Mapping[str, Json], outputs: Sequence[str], services: set[str]) -> Facts:
    """The facts of a run: inputs and config by name, over them the fields of the result, or the result itself under
    its one name."""
    result = from_python(outcome.result)
    values = {name: from_python(value) for name, value in given.items()}
    if isinstance(result, dict):
        values |= result
    if len(outputs) == 1 and outcome.ok and not (isinstance(result, dict) and outputs[0] in result):
        values[outputs[0]] = result
    calls = [call for call in outcome.calls if call.service != "judge"]
    error = outcome.error.name if outcome.error is not None else None
    names = frozenset(services | {call.service for call in calls})
    return Facts(values, result, frozenset(outputs), names, calls, error, outcome.status)


class ValueFrame:
    """The frame in which a condition over facts is decided."""

    def __init__(self, source: SourceText, values: Mapping[str, Value]) -> None:
        self.source = source
        self._values = values

    def lookup(self, name: Name) -> Value:
        """The value of a name."""
        return self._values.get(name.id)

    def slot_answer(self, slot: str) -> tuple[bool, Value]:
        """No slot answers here."""
        return False, None

    def slot_items(self, slot: str) -> ListValue | None:
        """Nor do the services of a list slot."""
        return None

    def single_output(self, name: str) -> str | None:
        """Values come from no call here."""
        return None

    def holds(self, condition: Condition) -> bool:
        """A sentence has no conditional expression."""
        raise TypeError("a sentence has no conditional expression")

    def warn(self, code: str, span: Span, **facts: object) -> None:
        """A missing key is null; the sentence says the rest."""
