"""The classified condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

How = Literal["formal", "structure", "criteria", "judge"]


@dataclass(frozen=True, slots=True, eq=False)
class ConditionPlan:
    """How a condition is decided, most certain way first; `how` names the least certain way that it may need.

    - `tree`: the decision tree (see below).
    - `names`: the names whose values it reads, for display and for the judge.
    - `judge`: "never"; "maybe" (structure that may be unreadable at run time); "always" (some part can only be judged).
    """

    text: str
    how: How
    tree: object
    names: tuple[str, ...]
    judge: Literal["never", "maybe", "always"]
