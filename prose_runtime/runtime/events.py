"""The one stream of what happens in a run. In: nothing. Out: the typed events that subscribers are given, in order.

`key` is where a step stands (`refine/repeat#3/call:critic`). Times are seconds of the run's own clock, counted from its
start. Values are plain JSON; they are written only for a run that somebody listens to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from prose_runtime.runtime.port import Usage
from prose_runtime.syntax.document import Json

Status = Literal["done", "failed", "broken", "stopped", "waiting"]


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The first event. `definition` is what is run, `file` where it stands."""

    definition: str
    file: str
    inputs: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call begins; its attempts follow. `kind` "judge" is a question to the judge, "gate" one to a person."""

    key: str
    service: str
    inputs: Mapping[str, Json]
    time: float
    kind: Literal["call", "judge", "session", "gate"] = "call"


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    """One attempt of a call, counted from 1."""

    key: str
    service: str
    attempt: int
    time: float


@dataclass(frozen=True, slots=True)
class Retrying:
    """An attempt failed and another one follows after `wait` seconds."""

    key: str
    service: str
    attempt: int
    error: str
    message: str
    wait: float


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A call has its answer, after `seconds` and `attempts` attempts. `replayed`: it came from the journal."""

    key: str
    service: str
    answer: Json
    attempts: int
    seconds: float
    usage: Usage
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class CallFailed:
    """A call ended without an answer."""

    key: str
    service: str
    error: str
    message: str
    attempts: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ContractChecked:
    """Inputs, an answer or outputs were compared with what is declared."""

    key: str
    what: Literal["inputs", "answer", "outputs"]
    holds: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """A condition was decided. `how` is formal, structure, criteria or judge; `because` shows the values seen. `line`,
    counted from 1, is where it stands."""

    key: str
    text: str
    how: str
    holds: bool
    because: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class IterationStarted:
    """A round of a loop begins; `round` counts from 1."""

    key: str
    round: int


@dataclass(frozen=True, slots=True)
class BranchesStarted:
    """Branches begin side by side, in the order of their places. The keys of their steps go on with `#` and the name of
    the branch: the name that it binds, else its number from 1."""

    key: str
    branches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BranchesJoined:
    """None of these branches goes on any more, however they ended."""

    key: str


@dataclass(frozen=True, slots=True)
class UnitFinished:
    """A definition that the interpreter ran inside of the run gave what it declares. `outputs`: the declared names."""

    key: str
    definition: str
    outputs: tuple[str, ...]
    result: Json


@dataclass(frozen=True, slots=True)
class BudgetSpent:
    """After each attempt: what was spent so far."""

    attempts: int
    tokens: int
    cost: float
    seconds: float


@dataclass(frozen=True, slots=True)
class RunWarning:
    """Something that the author should know and that did not stop the run. Line and column count from 1; without a
    place `file` is "" and both are 0."""

    code: str
    message: str
    file: str
    line: int
    column: int

    @property
    def where(self) -> str:
        """`draft.prose.md:12:9`, or "" without a place."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def to_json(self) -> dict[str, Json]:
        """Plain data."""
        return {
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "column": self.column,
        }


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The last event."""

    status: Status
    seconds: float
    error: str | None = None
    message: str = ""


Event: TypeAlias = (
    RunStarted
    | CallStarted
    | AttemptStarted
    | Retrying
    | CallFinished
    | CallFailed
    | ContractChecked
    | DecisionMade
    | IterationStarted
    | BranchesStarted
    | BranchesJoined
    | UnitFinished
    | BudgetSpent
    | RunWarning
    | RunFinished
)

Subscriber: TypeAlias = Callable[[Event], object]


class Stream:
    """Passes events on. A subscriber that raises is not asked again; its fault is kept for one warning."""

    def __init__(self, subscribers: tuple[Subscriber, ...]) -> None:
        self.subscribers = list(subscribers)
        self.faults: list[str] = []

    def send(self, event: Event) -> None:
        """Give the event to everyone who listens."""
        for subscriber in tuple(self.subscribers):
            try:
                subscriber(event)
            except Exception as error:  # a listener never changes a run
                self.subscribers.remove(subscriber)
                name = getattr(subscriber, "__qualname__", type(subscriber).__name__)
                self.faults.append(f"{name}: {type(error).__name__}: {error}")
