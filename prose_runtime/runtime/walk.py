"""The walker's own seam: what loops, branches and calls need from the statements around them, and the other way round.

`execute` puts the functions together once, so that the modules of the interpreter need not import each other in a ring.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.signals import Ended, Signal
from prose_runtime.runtime.values import Value
from prose_runtime.syntax.nodes import Condition, Expression, Statement

Statements = Sequence[Statement]


@dataclass(frozen=True, slots=True)
class Walk:
    """What the parts of the walker ask of each other.

    - `body`: statements for their effect. `element`: statements whose last one gives a value.
    - `value`: an expression. `block`: a loop, `parallel` or `do:` as a value.
    - `holds`: whether a condition holds that never waits. `decide`: whether a condition holds.
    - `choose`: which label of a `choice` fits, by index.
    """

    body: Callable[[Statements, Frame], Awaitable[Signal | None]]
    element: Callable[[Statements, Frame], Awaitable[Ended]]
    value: Callable[[Expression, Frame], Awaitable[Value]]
    block: Callable[[Statement, Frame], Awaitable[Value]]
    holds: Callable[[Condition, Frame], bool]
    decide: Callable[[Condition, Frame], Awaitable[bool]]
    choose: Callable[[Condition, Sequence[str], Frame], Awaitable[int]]
