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

    def visible(self) -> Set[str]:
        """Every name that can be read here."""
        ...


class PlainNames:
    """A scope of values alone: no slot, no error and no criteria is among the names."""

    def __init__(self, names: Set[str], source: SourceText) -> None:
        self._names = names
        self.source = source

    def is_name(self, name: str) -> bool:
        """Whether it is one of the names."""
        return name in self._names

    def is_slot(self, name: str) -> bool:
        """Never."""
        return False

    def is_error(self, name: str) -> bool:
        """Never."""
        return False

    def is_criteria(self, name: str) -> bool:
        """Never."""
        return False

    def visible(self) -> Set[str]:
        """The names."""
        return self._names
