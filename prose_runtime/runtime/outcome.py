"""What a run leaves behind. In: the records made at the door. Out: `Outcome`, plain data for people and programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.diagnostics.exceptions import ProseError
from prose_runtime.runtime.clauses.record import ClauseRecord
from prose_runtime.runtime.decision import Choice, Decision
from prose_runtime.runtime.errors import RunError
from prose_runtime.runtime.events import RunWarning, Status
from prose_runtime.runtime.journaling import Question
from prose_runtime.runtime.paths import Path, written
from prose_runtime.runtime.values import Value, to_json
from prose_runtime.syntax.document import Json


class Names(Mapping[str, Json]):
    """What the names of a run held when it ended; each value is written out when it is read."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Json:
        return to_json(self._values[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Names({', '.join(self._values)})"


class CallRecord:
    """One call, whatever its number of attempts. Key, inputs and answer are written out when they are read.

    `error` is the error object of a call that gave no answer; `seconds` includes retries and their waits. `kind` is
    "call", "judge", "session" or "gate".
    """

    __slots__ = ("_about", "_answer", "_inputs", "_path", "_segment", "attempts", "error", "kind", "seconds", "service")

    def __init__(
        self,
        path: Path,
        segment: str,
        service: str,
        inputs: Mapping[str, Value],
        kind: str = "call",
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self._path = path
        self._segment = segment
        self._inputs = inputs
        self._answer: Value = None
        self._about = about
        self.kind = kind
        self.service = service
        self.attempts = 0
        self.error: Mapping[str, Json] | None = None
        self.seconds = 0.0

    @property
    def key(self) -> str:
        """Where the call stands: `refine/repeat#3/call:critic`."""
        return f"{written(self._path)}/{self._segment}"

    @property
    def about(self) -> Mapping[str, Any] | None:
        """What `asked` is made of, as values."""
        return self._about

    def is_under(self, path: Path) -> bool:
        """Whether the call was made below that step."""
        step: Path | None = self._path
        while step is not None and step is not path:
            step = step[0]
        return step is path

    @property
    def inputs(self) -> dict[str, Json]:
        """What the service received."""
        return {name: to_json(value) for name, value in self._inputs.items()}

    @property
    def asked(self) -> dict[str, Json]:
        """What it was asked beside the inputs, as far as there is something: `prompt`, `context` and `model`; of a
        session also `agent`, `instructions`, `memory`, `skills`; of a gate `options` and `default`."""
        return {} if self._about is None else {name: to_json(value) for name, value in self._about.items()}

    @property
    def answer(self) -> Json:
        """What it answered, or None."""
        return to_json(self._answer)

    def answered(self, value: Value) -> None:
        """Keep the answer."""
        self._answer = value

    def to_json(self) -> dict[str, Json]:
        """Plain data."""
        return {
            "key": self.key,
            "service": self.service,
            **({} if self.kind == "call" else {"kind": self.kind}),
            "inputs": self.inputs,
            **({"asked": asked} if (asked := self.asked) else {}),
            "answer": self.answer,
            "error": None if self.error is None else dict(self.error),
            "attempts": self.attempts,
            "seconds": round(self.seconds, 6),
        }

    def __repr__(self) -> str:
        return f"CallRecord({self.key!r}, attempts={self.attempts}, error={self.error!r})"


class DecisionRecord:
    """One condition that was decided: `text`, `how` (formal, structure, criteria, judge), whether it `holds`.

    Key and reason are written out when they are read.
    """

    __slots__ = ("_decided", "_path", "_segment", "holds", "how", "text")

    def __init__(self, path: Path, segment: str, text: str, decided: Decision | Choice) -> None:
        self._path = path
        self._segment = segment
        self._decided = decided
        self.text = text
        self.how = decided.how
        self.holds = decided.holds if isinstance(decided, Decision) else True

    @property
    def because(self) -> str:
        """The reason in one line, with the values that were seen."""
        return self._decided.because

    @property
    def key(self) -> str:
        """Where the condition stands."""
        return f"{written(self._path)}/{self._segment}"

    def to_json(self) -> dict[str, Json]:
        """Plain data."""
        return {
            "key": self.key,
            "text": self.text,
            "how": self.how,
            "holds": self.holds,
            "because": self.because,
        }

    def __repr__(self) -> str:
        return f"DecisionRecord({self.text!r}, {self.how}, {self.holds})"


@dataclass(frozen=True, slots=True)
class Totals:
    """What the whole run spent. Figures that no service told are None. `cost` in US dollars, `seconds` of the run."""

    calls: int = 0
    attempts: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0

    def to_json(self) -> dict[str, Json]:
        """Plain data."""
        return {
            "calls": self.calls,
            "attempts": self.attempts,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": self.cost,
            "seconds": round(self.seconds, 6),
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.

    - `status`: done; failed (an error that nothing caught); broken (its outputs are not as declared); stopped
      (cancelled, out of budget or out of time); waiting (for a person).
    - `result`: what the script returned, plain JSON. `names`: what its names held when it ended.
    - `warnings`: those of the run. `diagnostics`: what binding had to say, which was no error.
    - `clauses`: the sentences of the contracts that were met, each with how it was decided and why.
    - `error`: why it did not end well. `reason`: why it was stopped, in a sentence.
    - `waiting`: what people are asked who are not there, in a run that waits for them.
    """

    status: Status
    result: Json
    calls: tuple[CallRecord, ...] = ()
    decisions: tuple[DecisionRecord, ...] = ()
    warnings: tuple[RunWarning, ...] = ()
    usage: Totals = field(default_factory=Totals)
    error: RunError | None = None
    names: Mapping[str, Json] = field(default_factory=dict)
    reason: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    clauses: tuple[ClauseRecord, ...] = ()
    waiting: tuple[Question, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the run was done and kept what it promised."""
        return self.status == "done"

    def _bound_with(self) -> Iterator[Diagnostic]:
        return (item for item in self.diagnostics if item.severity == "warning")

    def raise_for_status(self) -> None:
        """Raise `RunFailed` unless the run was done."""
        if not self.ok:
            raise RunFailed(self)

    def to_json(self) -> dict[str, Any]:
        """Plain data; its `warnings` are those of binding, then those of the run. `names` are added for a run that was
        not done."""
        data: dict[str, Any] = {
            "status": self.status,
            "result": self.result,
            "calls": [item.to_json() for item in self.calls],
            "decisions": [item.to_json() for item in self.decisions],
            "contract": [item.to_json() for item in self.clauses],
            "warnings": [item.to_json() for item in (*map(_as_warning, self._bound_with()), *self.warnings)],
            "usage": self.usage.to_json(),
            "error": None if self.error is None else self.error.to_json(),
        }
        if self.status != "done":
            data["names"] = dict(self.names)
        if self.waiting:
            data["waiting"] = [item.to_json() for item in self.waiting]
        return data


def _as_warning(item: Diagnostic) -> RunWarning:
    place = item.source.position(item.labels[0].span.start)
    return RunWarning(item.code, item.message, item.source.name, place.line, place.column)


class RunFailed(ProseError):
    """A run that was not done, raised by `Outcome.raise_for_status`. `outcome` is all that it left behind."""

    def __init__(self, outcome: Outcome) -> None:
        error = outcome.error
        reason = f"{error.name}: {error.message}" if error is not None else outcome.reason
        super().__init__(f"the run is not done ({outcome.status}): {reason}")
        self.outcome = outcome
