"""How a statement ends. None: it went on to the next. A `Signal`: it left by `break`, `continue` or `return`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from prose_runtime.runtime.paths import Path
from prose_runtime.runtime.values import ListValue, Value
from prose_runtime.syntax.nodes import Node


class Signal:
    """A way out of a body."""

    __slots__ = ()


class _Jump(Signal):
    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word

    def __repr__(self) -> str:
        return self.word


BREAK: Signal = _Jump("break")
CONTINUE: Signal = _Jump("continue")


@dataclass(frozen=True, slots=True)
class Returned(Signal):
    """`return v`, and where in the run it stood."""

    value: Value
    node: Node
    path: Path


class Spread(NamedTuple):
    """The elements of a loop at the end of a collecting body: they join the list around it one by one."""

    items: list[Value]


class Ended(NamedTuple):
    """How a body that has a value ended: the signal if it was left early, else the value of its last statement."""

    signal: Signal | None
    value: Value | Spread

    @property
    def plain(self) -> Value:
        """The value, a `return` counted and loop elements as a list."""
        if isinstance(self.signal, Returned):
            return self.signal.value
        return ListValue(self.value.items) if isinstance(self.value, Spread) else self.value
