"""A disagreement between a case and what came out, and what would have to be written for them to agree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

Path = tuple[str | int, ...]
"""The way from the YAML block of `### Expects` to a value in it: keys and positions."""


class _Nothing(Enum):
    """Where there is no value; null is one."""

    NOTHING = 0


NOTHING = _Nothing.NOTHING


@dataclass(frozen=True, slots=True)
class Problem:
    """One disagreement. `text` says all of it in a line; `about`, `expected` and `found` are its parts where it is a
    value that differs.

    `path` is the expectation in the YAML block and `instead` the value that would agree, if there is one. `line` is the
    line of the expectation in the case's file, 0 where none stands there.
    """

    text: str
    line: int = 0
    about: str = ""
    expected: Any = NOTHING
    found: Any = NOTHING
    path: Path = ()
    instead: Any = NOTHING

    def __str__(self) -> str:
        return self.text

    def under(self, prefix: str, path: Path = ()) -> Problem:
        """The same, told as a part of something that stands at `path`."""
        about = f"{prefix}: {self.about}" if self.about else ""
        return replace(self, text=f"{prefix}: {self.text}", about=about, path=(*path, *self.path))
