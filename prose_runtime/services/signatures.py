"""What a Python callable declares, read from its signature.

In: a callable. Out: the `Signature` that calls are checked against, and a `Shape` that says how to pass them.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from prose_runtime.runtime.port import Answer, Call, Parameter, Signature
from prose_runtime.syntax.document import Json, Type

_SIMPLE: dict[object, Type] = {
    str: Type("string"),
    int: Type("integer"),
    float: Type("number"),
    bool: Type("boolean"),
    dict: Type("object"),
    list: Type("list", item=Type("any")),
    tuple: Type("list", item=Type("any")),
    type(None): Type("null"),
    Any: Type("any"),
    object: Type("any"),
}
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class Shape:
    """How a callable is called: names passed by position, names passed by keyword, whether `**kwargs` takes the
    rest, and the parameter that receives the whole `Call`, if one does."""

    positional: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    open: bool = False
    call: str | None = None


def read_signature(function: Callable[..., object], *, where: str = "") -> tuple[Signature, Shape]:
    """The declaration of a callable. One whose signature Python cannot tell (some built-ins) takes any inputs.

    - A parameter without a default is required; one with a default that is not JSON has the default null.
    - `**kwargs` opens it; `*args` is left alone.
    - A parameter annotated `Call`, or named `call` without an annotation, receives the `Call` and is no input; such a
      callable takes any inputs, in the call.
    """
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return Signature(open=True, where=where), Shape(open=True)
    hints = _hints(function)
    parameters: list[Parameter] = []
    positional: list[str] = []
    keywords: list[str] = []
    opened, call = False, None
    for name, item in found.parameters.items():
        if item.kind is inspect.Parameter.VAR_KEYWORD:
            opened = True
        elif _is_call(item, hints.get(name)) and item.kind in _NAMED:
            call = name
        elif item.kind is not inspect.Parameter.VAR_POSITIONAL:
            (keywords if item.kind in _NAMED else positional).append(name)
            parameters.append(_parameter(item, hints.get(name)))
    returned = hints.get("return")
    gives = None if returned is type(None) else given_type(returned)
    signature = Signature(tuple(parameters), opened or call is not None, _outputs(returned), where, gives)
    return signature, Shape(tuple(positional), tuple(keywords), opened, call)


def type_of(annotation: object) -> Type | None:
    """The declared type that an annotation means, or None where it means none that values can be checked by."""
    try:
        if annotation in _SIMPLE:
            return _SIMPLE[annotation]
    except TypeError:  # an annotation may be any object, also one without a hash
        return None
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return type_of(arguments[0])
    if origin is Literal:
        return Type("choice", choices=arguments) if all(isinstance(item, str) for item in arguments) else None
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin in (list, tuple, Sequence):
        item = type_of(arguments[0]) if origin is not tuple or arguments[1:] == (...,) else None
        return Type("list", item=item or Type("any"))
    if origin in (dict, Mapping):
        return Type("object")
    return _shape(annotation) if typing.is_typeddict(annotation) else None


def given_type(annotation: object) -> Type | None:
    """The type of what a callable gives; of a dataclass, an object with its fields. None where it cannot be told."""
    if annotation is Answer:
        return None
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        try:
            hints = typing.get_type_hints(annotation)
        except Exception:  # an annotation may be any expression
            return None
        names = [item.name for item in dataclasses.fields(annotation)]
        return Type("shape", fields=tuple((name, type_of(hints[name]) or Type("any"), True) for name in names))
    return type_of(annotation)


def _union(arguments: tuple[object, ...]) -> Type | None:
    members = [type_of(item) for item in arguments]
    known = tuple(item for item in members if item is not None)
    return Type("union", members=known) if len(known) == len(members) else None


def _shape(annotation: Any) -> Type:
    required = _required_keys(annotation)
    hints = typing.get_type_hints(annotation)
    return Type(
        "shape", fields=tuple((key, type_of(item) or Type("any"), key in required) for key, item in hints.items())
    )


def _required_keys(annotation: Any) -> frozenset[str]:
    """The keys that a TypedDict always has. Python itself overlooks `NotRequired` in annotations that are texts."""
    marked = {key: get_origin(item) for key, item in typing.get_type_hints(annotation, include_extras=True).items()}
    declared: frozenset[str] = annotation.__required_keys__
    return frozenset(
        key
        for key, origin in marked.items()
        if origin is typing.Required or (key in declared and origin is not typing.NotRequired)
    )


def _outputs(annotation: Any) -> tuple[str, ...] | None:
    """The outputs of a return annotation where they are certain: a TypedDict or a dataclass with every field."""
    if annotation is Answer:
        return None
    if typing.is_typeddict(annotation):
        names = tuple(typing.get_type_hints(annotation))
        return names if names and _required_keys(annotation) == set(names) else None
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return tuple(item.name for item in dataclasses.fields(annotation)) or None
    return None


def _is_call(item: inspect.Parameter, hint: object) -> bool:
    return hint is Call or (item.name == "call" and item.annotation is inspect.Parameter.empty)


def _parameter(item: inspect.Parameter, hint: object) -> Parameter:
    required = item.default is inspect.Parameter.empty
    declared = type_of(hint) if item.annotation is not inspect.Parameter.empty else None
    if declared is not None and item.default is None:
        # `x: str = None` means that null is taken, whether or not the annotation says so.
        declared = _or_null(declared)
    return Parameter(item.name, declared, required, None if required else _json(item.default))


def _or_null(declared: Type) -> Type:
    null = Type("null")
    if declared.kind in ("any", "null") or null in declared.members:
        return declared
    return Type("union", members=(*(declared.members or (declared,)), null))


def _json(value: object) -> Json:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _json(item) for key, item in value.items()}
    return None


def _hints(function: Callable[..., object]) -> dict[str, object]:
    """The annotations, evaluated; where one cannot be, those that are values already."""
    target: Any = function
    while hasattr(target, "func") and hasattr(target, "keywords"):
        target = target.func  # functools.partial
    if not inspect.isroutine(target):
        target = type(target).__call__
    try:
        return dict(typing.get_type_hints(inspect.unwrap(target), include_extras=True))
    except Exception:  # an annotation may be any expression: it is a hint, never a reason to fail
        found: Mapping[str, object] = getattr(target, "__annotations__", {})
        return {key: item for key, item in found.items() if not isinstance(item, str)}
