"""The decorator of tree nodes, and of what reading makes on the way to them.

In: a class with annotated fields. Out: a frozen, slotted class that is compared by identity, as `@dataclass(
frozen=True, slots=True, eq=False)` gives it, and that `dataclasses` (`fields`, `replace`) takes as one of its own.

Checking a small file is mostly start-up, and with `dataclass`, which inspects each class and compiles four functions
for it, the hundred kinds of nodes were a sixth of that. Here nothing is compiled for a class: its `__init__` is one of
a few templates with other names. What only `dataclasses` asks for is made when it asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, FrozenInstanceError, dataclass
from types import CodeType, FunctionType, MappingProxyType
from typing import Any, NoReturn, TypeVar, dataclass_transform

_C = TypeVar("_C", bound=type)
_N = TypeVar("_N")

_FIELDS = "__node_fields__"


@dataclass_transform(frozen_default=True, eq_default=False)
def node(cls: _C) -> _C:
    """Make a node of a class. Fields may have plain defaults; a base class must be a node, too.

    Raises `TypeError` for a default that cannot be shared, and for a field without one behind a field that has one.
    """
    inherited = fields_of(cls)
    own = cls.__annotations__
    names = dict(vars(cls))
    defaults = {name: names.pop(name) for name in own if name in names}
    for name in ("__dict__", "__weakref__"):
        names.pop(name, None)
    names["__slots__"] = tuple(name for name in own if name not in inherited)
    names[_FIELDS] = MappingProxyType({**inherited, **own})
    names["__match_args__"] = tuple(names[_FIELDS])
    made: Any = type(cls)(cls.__name__, cls.__bases__, names)
    made.__node_defaults__ = MappingProxyType({**getattr(cls, "__node_defaults__", {}), **defaults})
    made.__init__ = _initializer(made, made.__node_defaults__)
    made.__dataclass_fields__ = _MadeWhenAsked()
    made.__setattr__, made.__delattr__, made.__repr__ = _refuse_set, _refuse_delete, _shown
    made.__getstate__, made.__setstate__ = _state, _restore
    return made  # type: ignore[no-any-return]


def fields_of(kind: type) -> Mapping[str, Any]:
    """The fields of a node class in their order, each with its type as it is written. Empty for other classes."""
    return getattr(kind, _FIELDS, {})


def changed(given: _N, **changes: Any) -> _N:
    """A node like `given` with other values in some fields. Raises `TypeError` for a field that it does not have."""
    kind: Any = type(given)
    return kind(**{name: getattr(given, name) for name in kind.__match_args__} | changes)  # type: ignore[no-any-return]


# ---- making a node ---------------------------------------------------------------------------------------


def _initializer(made: Any, defaults: Mapping[str, object]) -> FunctionType:
    """`__init__(self, span, value, constant=False)`, which fills the slots directly."""
    names = made.__match_args__
    for name, value in defaults.items():
        if type(value).__hash__ is None or isinstance(value, Field):
            raise TypeError(f"{made.__name__}.{name}: a node's default is a plain value")
    given = tuple(defaults[name] for name in names if name in defaults)
    if any(name in defaults for name in names[: len(names) - len(given)]):
        raise TypeError(f"{made.__name__}: a field without a default stands behind one that has one")
    filled = _template(len(names))(*(getattr(made, name).__set__ for name in names))
    code: CodeType = filled.__code__
    filled.__code__ = code.replace(co_varnames=("self", *names))
    filled.__qualname__ = f"{made.__qualname__}.__init__"
    filled.__defaults__ = given
    return filled


_TEMPLATES: dict[int, Callable[..., FunctionType]] = {}


def _template(count: int) -> Callable[..., FunctionType]:
    """What makes an `__init__` of `count` fields from the functions that set them: once for each number of fields."""
    if count not in _TEMPLATES:
        numbers = range(count)
        text = f"""
def make({", ".join(f"set{n}" for n in numbers)}):
    def __init__(self, {", ".join(f"value{n}" for n in numbers)}):
        {"; ".join(f"set{n}(self, value{n})" for n in numbers) or "pass"}
    return __init__
"""
        made: dict[str, Any] = {}
        exec(text, made)
        _TEMPLATES[count] = made["make"]
    return _TEMPLATES[count]


class _MadeWhenAsked:
    """`__dataclass_fields__` of a node class, which only `dataclasses` reads."""

    def __get__(self, instance: object, kind: Any) -> Any:
        plain = type(kind.__name__, (), {"__annotations__": dict(fields_of(kind)), **kind.__node_defaults__})
        made = dataclass(plain).__dataclass_fields__  # type: ignore[attr-defined]
        kind.__dataclass_fields__ = made
        return made


# ---- what all nodes share --------------------------------------------------------------------------------


def _refuse_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _shown(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({shown})"


def _state(self: Any) -> list[object]:
    return [getattr(self, name) for name in self.__match_args__]


def _restore(self: Any, state: Iterable[object]) -> None:
    for name, value in zip(self.__match_args__, state, strict=True):
        object.__setattr__(self, name, value)
