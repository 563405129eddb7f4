"""The ports of the runtime: what a service is, what a call carries, what comes back, and the host's own effects.

Everything that a run needs from outside is one of these small protocols, so that a test can give its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from prose_runtime.resolve.program import Unit
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Definition, Json, Type


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call spent. Unknown figures are None, never 0. `cost` is in US dollars."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared input of a service. `also`: further names under which a slot's call may pass it."""

    name: str
    type: Type | None = None
    required: bool = True
    default: Json = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    """What a service declares. `open`: it takes any further inputs. `outputs`: declared output names, or None
    when it declares none. `where`: the place of the declaration, for a second label (`path:line`). `gives`: the type of
    its answer, or None where none is declared."""

    parameters: tuple[Parameter, ...] = ()
    open: bool = False
    outputs: tuple[str, ...] | None = None
    where: str = ""
    gives: Type | None = None

    def parameter(self, name: str) -> Parameter | None:
        return next((item for item in self.parameters if item.name == name), None)


@node
class Turn:
    """One thing that an agent was asked and what it answered, as its memory holds it. `context`: what it was given with
    it. `run` and `key` say where that was."""

    asked: Json
    answered: Json
    context: Json = None
    run: str = ""
    key: str = ""


@node
class Call:
    """One attempt of one call, as a service sees it: exactly what the script passes, as plain JSON values.

    A service that declares its inputs uses `inputs`; the rest is about the call. `timeout` is in seconds.
    `key` is the step's key (`refine/repeat#3/call:critic`); `idempotency_key` is equal for every attempt that is
    made of the same step of the same run. `definition` is the contract of a function that has no script: what a
    model is asked to fulfil. `instructions` is that contract as a text, `message` what is given this time as a text
    (for a model: the system's and the user's part), `schema` the JSON schema of the answer. `correction` says why the
    answer before this one was not accepted, or is "".

    Of a session, `prompt` is what is asked, `agent` the agent's name, `instructions` its own prompt, `memory` what it
    was asked and answered before, oldest first (for a model: the messages between the system's and the user's), and
    `skills` the names of what it is meant to have. Of a gate, `prompt` is the question, `options` the answers to choose
    from, and `default` the one that no answer stands for.
    """

    service: str
    inputs: Mapping[str, Json]
    prompt: Json = None
    model: str | None = None
    context: Json = None
    schema: Mapping[str, Any] | None = None
    timeout: float | None = None
    key: str = ""
    attempt: int = 1
    idempotency_key: str = ""
    definition: Definition | None = None
    instructions: str = ""
    message: str = ""
    correction: str = ""
    agent: str = ""
    memory: tuple[Turn, ...] = ()
    skills: tuple[str, ...] = ()
    options: tuple[Json, ...] = ()
    default: Json = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service gives: any JSON value, and what it spent."""

    value: Any
    usage: Usage = Usage()


@runtime_checkable
class Service(Protocol):
    """Anything that can be bound to a slot. `name` is what a trace shows; `target` is the text it was bound by."""

    @property
    def name(self) -> str:
        """What a trace shows."""
        ...

    @property
    def target(self) -> str:
        """The text that it was bound by."""
        ...

    @property
    def signature(self) -> Signature | None:
        """What it declares, or None when it takes whatever it is given."""
        ...

    async def call(self, call: Call) -> Answer:
        """Perform one attempt. Raises `ServiceError`; any other exception becomes one named `service-failed`.
        A cancellation must stop the work before it is passed on."""
        ...

    async def close(self) -> None:
        """Release what it holds; called once at the end of a run that started it."""
        ...


@runtime_checkable
class TakesTurns(Protocol):
    """A service that can do one thing at a time, like a person. The time of a call begins with its turn."""

    def turn(self) -> AbstractAsyncContextManager[object]:
        """Entered before a call and left after it."""
        ...


def turn_of(service: Service) -> AbstractAsyncContextManager[object]:
    """The turn of a call; of a service that takes no turns it begins at once."""
    return service.turn() if isinstance(service, TakesTurns) else nullcontext()


def is_model(service: object) -> bool:
    """Whether a service reads words: it is asked with the contract, or with what a pattern says of its slot, as a text.
    Such a service says so by an attribute `is_model`."""
    return bool(getattr(service, "is_model", False))


def keys_of(service: object) -> Mapping[str, str]:
    """The keys by which a service is let in somewhere, name to value: its attribute `keys`. They are masked like
    secrets."""
    found = getattr(service, "keys", None)
    return found if isinstance(found, dict) else {}


class ServiceError(Exception):
    """A service could not answer. `name` is the error's name in scripts (`timeout`, `service-failed`, …);
    `transient` False says that another attempt of the same call cannot help. `detail`, if it is an object, gives
    the error further fields; `usage` is what the failed attempt spent."""

    def __init__(
        self,
        message: str,
        *,
        name: str = "service-failed",
        transient: bool = True,
        detail: Json = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.transient = transient
        self.detail = detail
        self.usage = usage


class NobodyThere(ServiceError):
    """A person who is not there now. A run with a journal waits for the answer; any other fails."""

    def __init__(self, message: str) -> None:
        super().__init__(message, transient=False)


@dataclass(frozen=True, slots=True, eq=False)
class UnitService:
    """A definition of another file, bound like a service (`--bind critic=./critic.prose.md`).

    The interpreter runs its script itself, inside the run and with nested keys; without a script its contract goes
    to the service `model`. `services` are those that its own slots and functions are bound to, by name; `inputs`
    renames what calls pass: its own name for an input -> the name in the script.
    """

    name: str
    target: str
    unit: Unit
    services: Mapping[str, Service] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def signature(self) -> Signature | None:
        """The declared inputs and outputs of the definition."""
        return signature_of(self.unit)

    async def call(self, call: Call) -> Answer:
        """Never called: binding replaces this service by the definition."""
        raise ServiceError(f"`{self.name}` is a definition and runs only inside a run.", transient=False)

    async def close(self) -> None:
        """Nothing is held."""


def signature_of(unit: Unit) -> Signature:
    """What a definition declares, as a service's signature."""
    source = unit.source
    parameters = tuple(
        Parameter(
            item.name,
            item.type if item.declared_type else None,
            item.required and not item.has_default,
            item.default,
            also_called(item.text),
        )
        for item in (*unit.inputs, *unit.passed_on)
    )
    outputs = tuple(item.name for item in unit.definition.outputs) or None
    return Signature(parameters, outputs=outputs, where=source.where(unit.definition.name_span))


def also_called(text: str) -> tuple[str, ...]:
    """The further names that the text of an input gives it: ``also called `output` or `draft` ``."""
    said = re.search(r"\balso called ((?:`[^`\s]+`(?:,? or |, | and )?)+)", text)
    return tuple(re.findall(r"`([^`\s]+)`", said[1])) if said else ()


class Clock(Protocol):
    """The host's time: `now` in seconds since the epoch, `monotonic` for durations, `sleep` to wait."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class MemoryStore(Protocol):
    """Where agents with `persist: project` and `persist: user` keep what they were asked and answered.

    `scope` is "project" or "user"; `name` is plain: letters, digits, `_` and `-`, with `/` between parts.
    """

    async def read(self, scope: str, name: str) -> Sequence[Turn]:
        """Everything that is kept, oldest first; () for an agent that has nothing yet. Raises `ServiceError`."""
        ...

    async def keep(self, scope: str, name: str, run: str, turns: Sequence[Turn]) -> int:
        """Replace what is kept of that run by `turns`; what other runs kept stays. Gives how many turns were left out
        because there is a limit, the oldest first. Raises `ServiceError`."""
        ...
