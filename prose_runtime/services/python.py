"""Python callables as services, and the `@service` decorator.

In: a function, method, partial or object with `__call__`, sync or async. Out: a `PythonService`.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, overload

from prose_runtime.runtime.port import Answer, Call, Parameter, ServiceError, Signature
from prose_runtime.services.answers import plain
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.signatures import read_signature
from prose_runtime.services.threads import Threads

_F = TypeVar("_F", bound=Callable[..., Any])
_MARK = "__prose_service__"
_ABOUT_THE_CALL = ("prompt", "model", "context")
_OF_SESSIONS = ("agent", "instructions", "message", "memory", "skills", "options", "default", "correction")


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """What `@service` says about a callable."""

    name: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: tuple[str, ...] | None = None
    inline: bool = False


@overload
def service(function: _F, /) -> _F: ...


@overload
def service(
    *,
    name: str | None = None,
    inputs: Mapping[str, str] | None = None,
    outputs: Sequence[str] | None = None,
    inline: bool = False,
) -> Callable[[_F], _F]: ...


def service(
    function: _F | None = None,
    /,
    *,
    name: str | None = None,
    inputs: Mapping[str, str] | None = None,
    outputs: Sequence[str] | None = None,
    inline: bool = False,
) -> _F | Callable[[_F], _F]:
    """Say more about a callable that is to be a service. The callable stays what it is and is called as before.

    - `name`: what a trace shows, instead of the name it is bound by.
    - `inputs`: `{parameter: input}`, for a parameter that takes an input of another name.
    - `outputs`: the names of the fields that the returned object has.
    - `inline`: call a sync function directly in the event loop. By default it runs in a thread of its own, so that
      calls in parallel overlap and a time-out is kept, for about 100 microseconds a call. Only for functions that
      never wait. An async function always runs in the loop.
    """
    options = ServiceOptions(name, dict(inputs or {}), tuple(outputs) if outputs is not None else None, inline)

    def mark(target: _F) -> _F:
        setattr(target, _MARK, options)
        return target

    return mark if function is None else mark(function)


class PythonService:
    """A Python callable as a service. Its declared inputs are its parameters; `-` and `_` in names are the same."""

    def __init__(self, function: Callable[..., Any], *, name: str, target: str = "") -> None:
        options = getattr(function, _MARK, ServiceOptions())
        where = _where(function)
        signature, self._shape = read_signature(function, where=where)
        self._function = function
        self._parameters = {_python_name(given): parameter for parameter, given in options.inputs.items()}
        self._required = tuple(item.name for item in signature.parameters if item.required)
        own = {*self._shape.positional, *self._shape.keywords}
        self._about = tuple(name for name in (*_ABOUT_THE_CALL, *_OF_SESSIONS) if name in own)
        self._inline = options.inline
        self._async = _is_async(function)
        self._threads = Threads(f"prose-{name}")
        self.name = options.name or name
        self.target = target or f"python {_qualified(function)}"
        self.signature: Signature | None = _renamed(signature, options.inputs, options.outputs)

    async def call(self, call: Call) -> Answer:
        """Call the function. What it raises becomes a `ServiceError`; a `TimeoutError` is named `timeout`.

        A sync function that is cancelled or timed out cannot be ended: it goes on in its thread, and its answer
        is dropped.
        """
        arguments, named = self._arguments(call)
        work = functools.partial(self._function, *arguments, **named)
        try:
            value = work() if self._async or self._inline else await self._threads.run(functools.partial(_safely, work))
            if inspect.isawaitable(value):
                value = await value
            if isinstance(value, Answer):  # so that a function can tell what it spent
                return Answer(plain(value.value), value.usage)
            return Answer(plain(value))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise ServiceError(f"`{self.name}` cancelled itself") from None
        except ServiceError:
            raise
        except TimeoutError as error:
            raise ServiceError(_said(error), name="timeout") from error
        except (KeyboardInterrupt, GeneratorExit):
            raise  # in the loop's own thread these come from outside
        except BaseException as error:
            cause = error.cause if isinstance(error, _Odd) else error
            said = f"`{self.name}` asked Python to exit" if isinstance(cause, SystemExit) else _said(cause)
            raise ServiceError(said, detail={"exception": type(cause).__name__}) from cause

    async def close(self) -> None:
        """End the threads; those of functions that hang end with them."""
        self._threads.close()

    def _arguments(self, call: Call) -> tuple[list[Any], dict[str, Any]]:
        given: dict[str, Any] = {_python_name(key): item for key, item in call.inputs.items()}
        if self._parameters:
            given |= {name: given.pop(key) for key, name in self._parameters.items() if key in given}
        for name in self._about:
            value = getattr(call, name)
            there = value is not None and value != "" and value != ()
            if name not in given and (there or (name in self._required and name in _OF_SESSIONS)):
                given[name] = value
        shape = self._shape
        missing = [name for name in self._required if name not in given]
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            raise ServiceError(f"`{self.name}` needs {names}", name="contract", transient=False)
        taken = _prefix(shape.positional, given)
        named: dict[str, Any] = {name: given[name] for name in shape.keywords if name in given}
        if shape.open:
            known = {*shape.positional, *shape.keywords}
            own = {_python_name(key): key for key in call.inputs}
            named |= {own[key]: item for key, item in given.items() if key not in known and key in own}
        if shape.call is not None:
            named[shape.call] = call
        return [given[name] for name in taken], named


class _Odd(Exception):
    """What a function raised in a worker thread that would do something else when it is raised in the loop."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(cause)
        self.cause = cause


def _safely(work: Callable[[], Any]) -> Any:
    """`work()` in a worker thread, where even `KeyboardInterrupt` and `GeneratorExit` are the function's own."""
    try:
        return work()
    except asyncio.CancelledError:
        raise
    except StopIteration as error:
        raise _Odd(error) from error
    except Exception:
        raise
    except BaseException as error:
        raise _Odd(error) from error


def from_callable(value: object, *, name: str, target: str = "") -> PythonService:
    """The service of a callable. Raises `BindingFault` (`not-a-service`) for a class or anything not callable."""
    if isinstance(value, type):
        raise BindingFault(
            "not-a-service",
            name=name,
            found=f"the class `{value.__name__}`",
            suggestion=_object_of(value, target),
            target=target,
        )
    if not callable(value):
        raise BindingFault(
            "not-a-service",
            name=name,
            found=_kind(value),
            suggestion="give a function, an object with `__call__`, a service or a target text",
            target=target,
        )
    return PythonService(value, name=name, target=target)


def _object_of(value: type, target: str) -> str:
    """What to do about a class: in code an object can be given, behind `py:` it needs a name."""
    made = f"{value.__name__}()"
    if not target:
        return f"give an object of it: `{made}`"
    name = value.__name__.lower()
    return f"write `{name} = {made}` in that module, and bind `{name}`"


def _renamed(signature: Signature, inputs: Mapping[str, str], outputs: tuple[str, ...] | None) -> Signature:
    parameters = tuple(
        Parameter(inputs.get(item.name, item.name), item.type, item.required, item.default)
        for item in signature.parameters
    )
    if outputs is not None:
        return replace(signature, parameters=parameters, outputs=outputs, gives=None)
    return replace(signature, parameters=parameters)


def _prefix(names: Sequence[str], given: Mapping[str, Any]) -> list[str]:
    """The positional-only names up to the first that is not given: what follows it keeps its default."""
    taken: list[str] = []
    for name in names:
        if name not in given:
            break
        taken.append(name)
    return taken


def _is_async(function: Callable[..., Any]) -> bool:
    unwrapped: Any = function
    while isinstance(unwrapped, functools.partial):
        unwrapped = unwrapped.func
    return inspect.iscoroutinefunction(unwrapped) or (
        not inspect.isroutine(unwrapped) and inspect.iscoroutinefunction(type(unwrapped).__call__)
    )


def _where(function: Callable[..., Any]) -> str:
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    if not inspect.isroutine(target):
        target = type(target).__call__
    code = getattr(inspect.unwrap(target), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def _qualified(function: Callable[..., Any]) -> str:
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    return str(getattr(target, "__qualname__", type(target).__qualname__))


def _python_name(name: str) -> str:
    return name.replace("-", "_")


def _kind(value: object) -> str:
    return "nothing (`None`)" if value is None else f"a value of type `{type(value).__name__}`"


def _said(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
