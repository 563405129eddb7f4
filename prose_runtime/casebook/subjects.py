"""What a case runs, and who answers it. In: a subject and the replies of its case. Out: the subject bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from prose_runtime.casebook.commands import Runner
from prose_runtime.diagnostics import Diagnostic
from prose_runtime.resolve.program import Program
from prose_runtime.runtime import Budget, Outcome, Plan, bind
from prose_runtime.runtime.events import Event
from prose_runtime.runtime.origins import Origin
from prose_runtime.runtime.port import Service
from prose_runtime.syntax.document import Document


@dataclass(frozen=True, slots=True)
class Subject:
    """What a case runs: its document as resolved, and where it stands."""

    path: Path
    document: Document
    program: Program
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A subject that was bound. `plan` is None where an error forbids it; `made` are services to be closed; `mask`
    hides secrets in what is written down."""

    plan: Plan | None
    diagnostics: list[Diagnostic]
    made: tuple[Service, ...] = ()
    mask: Callable[[Any], Any] = lambda value: value


class Binder(Protocol):
    """Binds a subject to the replies of its case, and to whatever else it knows."""

    def __call__(
        self,
        subject: Subject,
        services: Mapping[str, Service | list[Service]],
        *,
        inputs: Mapping[str, Any],
        config: Mapping[str, Any],
        budget: Budget,
        origin: Origin,
    ) -> Bound:
        """Bind it; nothing is called."""
        ...


def bind_to_replies(
    subject: Subject,
    services: Mapping[str, Service | list[Service]],
    *,
    inputs: Mapping[str, Any],
    config: Mapping[str, Any],
    budget: Budget,
    origin: Origin,
) -> Bound:
    """Only the replies of the case answer."""
    plan, found = bind(subject.program, services, inputs=inputs, config=config, budget=budget, origin=origin)
    return Bound(plan, found)


class Recorder(Protocol):
    """Writes down a run: it is given its events, its outcome, and what the case expected with whether it was so."""

    def __call__(self, event: Event) -> None: ...

    def finish(self, outcome: Outcome) -> Outcome: ...

    def tested(self, assertions: Iterable[tuple[str, bool]]) -> None: ...


@dataclass(frozen=True, slots=True)
class Ways:
    """How cases are run: `command` runs command lines, `binder` finds services; `lenient`: "not checked" is good;
    `recorder` is asked for whoever writes down the run of a case, with its name, what runs and what hides secrets."""

    command: Runner | None = None
    binder: Binder = bind_to_replies
    lenient: bool = False
    recorder: Callable[[str, Program, Callable[[Any], Any]], Recorder] | None = None

    @property
    def in_virtual_time(self) -> bool:
        """Whether nothing but replies answers, so that waiting need not take time."""
        return self.binder is bind_to_replies
