"""The port of a journal: where the steps of a run are kept, and told again to a run that is resumed or replayed.

In: steps as they begin and end. Out: how they ended before. Without a journal nothing is looked up or hashed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

from prose_runtime.runtime.port import Usage
from prose_runtime.runtime.values import Value
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Json

UNWINDING: ContextVar[bool] = ContextVar("unwinding", default=False)
"""Whether what is done now is on the way out after a failure or a stop. Tasks inherit it from who started them."""


class NotKept(Exception):
    """A journal could not do its part: it cannot be written, or what it tells does not belong to this run. The run
    ends with it, and no `catch` sees it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@node
class Step:
    """One attempt, as a journal sees it. `key` and `attempt` say which; `asked` is what the service is asked beside its
    inputs, `unseen` what only counts for whether it is the same question."""

    key: str
    attempt: int
    kind: str
    service: str
    inputs: Mapping[str, Value]
    asked: Mapping[str, Any] | None = None
    unseen: Sequence[Any] = ()


@node
class Told:
    """How an attempt ended before: `error` holds the fields of its failure, or is None where it gave `answer`.
    `refused`: the answer was given and not accepted. `reused`: it comes from another run."""

    answer: Value = None
    usage: Usage = Usage()
    error: Mapping[str, Value] | None = None
    transient: bool = True
    refused: bool = False
    reused: bool = False


@node
class Question:
    """What a person is asked who is not there now. `step` and `attempt` say where, `service` who asks; `schema` is the
    form of an answer, `default` what counts without one, from `until` on (seconds since the epoch) if that is given."""

    step: str
    attempt: int
    service: str
    question: str
    options: tuple[Json, ...] = ()
    schema: Mapping[str, Any] | None = None
    default: Json = None
    until: float | None = None

    def to_json(self) -> dict[str, Json]:
        """Plain data; what is not there is left out."""
        data: dict[str, Any] = {
            "step": self.step,
            "attempt": self.attempt,
            "service": self.service,
            "question": self.question,
            "options": list(self.options),
            "schema": self.schema,
            "default": self.default,
            "until": self.until,
        }
        return {name: value for name, value in data.items() if value not in (None, [], "")}


class Host(Protocol):
    """The run, as its journal sees it."""

    def seconds(self) -> float:
        """The run's own time."""
        ...

    def lost(self, attempts: int, usage: Usage) -> None:
        """Attempts that were made before and count, though nothing is told of them."""
        ...

    def stop(self, reason: str) -> None:
        """End the run as it ended then."""
        ...

    def note(self, code: str, message: str) -> None:
        """A warning about what happened."""
        ...


class Journal(Protocol):
    """While it is `telling`, whoever is about to do something waits for its `turn`. Any method may raise `NotKept`.

    `elapsed`: seconds that the run took in earlier processes. `changes`: names that a fork gives other values, by the
    key of the step that they are changed before.
    """

    @property
    def telling(self) -> bool: ...

    @property
    def elapsed(self) -> float: ...

    @property
    def changes(self) -> Mapping[str, Mapping[str, Value]]: ...

    def attach(self, host: Host) -> None:
        """The run begins."""
        ...

    async def turn(self, key: str, attempt: int) -> None:
        """Wait until an attempt may begin: in the order in which attempts began; new ones after all that are kept."""
        ...

    async def told(self, step: Step) -> Told | None:
        """How it ended, when that is told, or None for one that is to be made."""
        ...

    def reused(self, step: Step) -> Told | None:
        """The answer that another run has to the same question, each of its answers once."""
        ...

    def started(self, step: Step) -> None: ...

    def answered(self, step: Step, value: Value, usage: Usage, *, reused: bool = False) -> None: ...

    def failed(self, step: Step, told: Told) -> None: ...

    def stopped(self, step: Step, reason: str) -> None: ...

    async def secured(self) -> None:
        """Wait until all of that is as safe as it is meant to be."""
        ...

    def alarm(self, key: str, seconds: float, ring: Callable[[], object]) -> Callable[[], object]:
        """Call `ring` after that time, or when it rang before. Gives the function that takes it back."""
        ...

    def rang(self, key: str) -> None:
        """That time was over, and what went on there is ended."""
        ...

    def asks(self, question: Question) -> Question:
        """Note that a person is asked. Gives the question as it was put first."""
        ...

    def budget(self, path: str, value: Mapping[str, Value]) -> Mapping[str, Value]:
        """What a script reads as `budget`: as it read it then, or `value`."""
        ...

    def decided(self, decision: Mapping[str, Json]) -> None: ...

    def warned(self, warning: Mapping[str, Json]) -> None: ...

    def stopping(self, reason: str) -> None: ...

    def ended(self, ending: Mapping[str, Any], failed: tuple[str, int] | None) -> None:
        """The last record: plain data, and the step that ended the run, if it was one that failed."""
        ...
