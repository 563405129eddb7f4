"""What the classification asks about the place where a condition stands."""

from __future__ import annotations

from collections.abc import Set
from typing import Protocol

from prose_runtime.source import SourceText


class ConditionScope(Protocol):
    """The names around a condition. `config` and `budget` are always names."""

    @property
    def source(self) -> SourceText:
        """The file."""
        ...

    def is_name(self, name: str) -> bool:
        """Whether a variable, an input or config of that name can be read here (not a slot that nothing hides)."""
        ...

    def is_slot(self, name: str) -> bool:
        """Whether it is a slot that nothing hides."""
        ...

    def is_error(self, name: str) -> bool:
        """Whether it is the name of a `catch`."""
        ...

    def is_criteria(self, name: str) -> bool:
        """Whether it is an input or config."""
        ...

    def fields(self, name: str) -> frozenset[str] | None:
        """The fields that a value is declared to have, or None when that is not known."""
        ...

    def visible(self) -> Set[str]:
        """Every name that can be read here."""
        ...
