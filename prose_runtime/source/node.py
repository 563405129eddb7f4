"""The decorator of tree nodes, and of what reading makes on the way to them.

In: a class with annotated fields. Out: a frozen, slotted dataclass that is compared by identity, as `@dataclass(
frozen=True, slots=True, eq=False)` gives it, with one difference that nobody sees: `dataclass` compiles four functions
for each frozen class, which for a hundred kinds of nodes is a fifth of the time that `prose check` takes for a small
file. Here only `__init__` is compiled, the rest is shared, and nodes are made in two thirds of the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, NoReturn, TypeVar, dataclass_transform

_C = TypeVar("_C", bound=type)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def node(cls: _C) -> _C:
    """Make a node of a class. Fields may have plain defaults; a base class must be a node, too."""
    cls.__doc__ = cls.__doc__ or cls.__name__  # else `dataclass` works out a signature for it
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    made.__init__ = _initializer(made)
    made.__setattr__, made.__delattr__, made.__repr__ = _refuse_set, _refuse_delete, _shown
    made.__getstate__, made.__setstate__ = _state, _restore
    return made  # type: ignore[no-any-return]


def _initializer(made: Any) -> Any:
    """`__init__(self, span, value, constant=False)`, which fills the slots directly."""
    given, parameters, lines = {}, ["self"], []
    for item in fields(made):
        if item.default_factory is not MISSING:
            raise TypeError(f"{made.__name__}.{item.name}: a node's default is a plain value")
        given[f"_set_{item.name}"] = getattr(made, item.name).__set__
        given[f"_default_{item.name}"] = item.default
        parameters.append(item.name + ("" if item.default is MISSING else f"=_default_{item.name}"))
        lines.append(f" _set_{item.name}(self, {item.name})")
    text = "def __init__(" + ", ".join(parameters) + "):\n" + ("\n".join(lines) or " pass")
    exec(text, given)
    return given["__init__"]


def _refuse_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _shown(self: Any) -> str:
    shown = ", ".join(f"{item.name}={getattr(self, item.name)!r}" for item in fields(self))
    return f"{type(self).__qualname__}({shown})"


def _state(self: Any) -> list[object]:
    return [getattr(self, item.name) for item in fields(self)]


def _restore(self: Any, state: Iterable[object]) -> None:
    for item, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, item.name, value)
