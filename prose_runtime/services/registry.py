"""The services that a program written in Python binds by name.

In: names and callables, services or target texts. Out: a mapping that `run(bind=…)` takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, overload

_F = TypeVar("_F", bound=Callable[..., Any])


class Registry(Mapping[str, object]):
    """A mapping from names to what is bound to them: a callable, an object with `__call__`, a `Service`, a target
    text, or a list of these for a list slot. What a name is given first stays unless `replace` says otherwise."""

    def __init__(self, services: Mapping[str, object] | None = None, /, **named: object) -> None:
        self._services: dict[str, object] = {**(services or {}), **named}

    @overload
    def register(self, name: str, value: object, *, replace: bool = False) -> None: ...

    @overload
    def register(self, name: str, *, replace: bool = False) -> Callable[[_F], _F]: ...

    def register(self, name: str, value: object = None, *, replace: bool = False) -> Callable[[_F], _F] | None:
        """Bind `name` to `value`; without a value, a decorator that binds the function below it.

        Raises `ValueError` when the name is bound already and `replace` is not given.
        """
        if value is None:

            def decorate(function: _F) -> _F:
                self.register(name, function, replace=replace)
                return function

            return decorate
        if name in self._services and not replace:
            raise ValueError(f"`{name}` is registered already; give replace=True to bind it anew")
        self._services[name] = value
        return None

    def __getitem__(self, name: str) -> object:
        return self._services[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._services)

    def __len__(self) -> int:
        return len(self._services)

    def __repr__(self) -> str:
        return f"Registry({', '.join(self._services)})"
