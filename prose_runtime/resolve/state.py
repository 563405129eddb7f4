"""What is known about the names of a body at one point of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from prose_runtime.syntax.nodes import Name


@dataclass(slots=True)
class State:
    """`definite`: bound on every path that leads here (None: no path does); `possible`: bound on some path;
    `constants`: where names were bound by `const`."""

    definite: set[str] | None = field(default_factory=set)
    possible: set[str] = field(default_factory=set)
    constants: dict[str, Name] = field(default_factory=dict)

    def copy(self) -> State:
        """A state that changes independently."""
        return State(None if self.definite is None else set(self.definite), set(self.possible), dict(self.constants))

    def bind(self, name: str) -> None:
        """The name is bound from here on."""
        self.possible.add(name)
        if self.definite is not None:
            self.definite.add(name)

    def may_lack(self, name: str) -> bool:
        """Whether some path to this point does not bind the name."""
        return self.definite is not None and name not in self.definite


def join(states: Sequence[State]) -> State:
    """The state where several paths meet."""
    reached = [state.definite for state in states if state.definite is not None]
    constants: dict[str, Name] = {}
    for state in states:
        constants.update(state.constants)
    return State(
        set.intersection(*reached) if reached else None, set().union(*(state.possible for state in states)), constants
    )


BodyKind = Literal["script", "block", "branch", "each", "stage"]


@dataclass(slots=True)
class Body:
    """One scope: the script, a block, a branch of `parallel:`, an iteration of a parallel loop (`each`), a pipeline
    item (`stage`). `own` are the names that were bound here so far, as opposed to those around it."""

    kind: BodyKind
    outer: Body | None
    state: State = field(default_factory=State)
    own: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Rounds:
    """The states in which the rounds of a loop were left early."""

    broken: list[State] = field(default_factory=list)
    continued: list[State] = field(default_factory=list)
