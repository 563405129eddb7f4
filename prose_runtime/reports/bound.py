"""What is bound: for each slot its service, what it takes and gives. In: services. Out: rows of a page, plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from prose_runtime.runtime.port import Parameter, Service, Signature
from prose_runtime.syntax.types import print_type

Bound: TypeAlias = "Mapping[str, Service | Sequence[Service]]"


def rows_of(bound: Bound) -> Iterator[tuple[str, str]]:
    """A row with the target of each service, and rows with what it takes and gives."""
    for slot, service in each(bound):
        signature = service.signature
        yield slot, service.target or service.name
        yield "", _takes(signature)
        yield "", _gives(signature)


def data_of(bound: Bound) -> list[dict[str, Any]]:
    """The same as plain data; `takes` is null for a service that takes whatever it is given."""
    return [
        {
            "slot": slot,
            "target": service.target,
            "where": service.signature.where if service.signature is not None else "",
            "takes": None if service.signature is None else [_parameter(item) for item in service.signature.parameters],
            "takes_more": service.signature is None or service.signature.open,
            "gives": _type_given(service.signature),
            "outputs": list(service.signature.outputs or ()) if service.signature is not None else [],
        }
        for slot, service in each(bound)
    ]


def each(bound: Bound) -> Iterator[tuple[str, Service]]:
    """Every service with its slot; of a list slot there are several."""
    for slot, held in bound.items():
        for service in held if isinstance(held, list | tuple) else (held,):
            yield slot, service


def _takes(signature: Signature | None) -> str:
    if signature is None:
        return "takes whatever it is given"
    names = [_written(item) for item in signature.parameters]
    more = ["anything else"] if signature.open else []
    return f"takes {', '.join([*names, *more]) or 'nothing'}"


def _written(item: Parameter) -> str:
    kind = f" ({print_type(item.type)})" if item.type is not None else ""
    return f"{'' if item.required else 'optional '}{item.name}{kind}"


def _gives(signature: Signature | None) -> str:
    kind = _type_given(signature)
    if kind is not None:
        return f"gives {kind}"
    outputs = signature.outputs if signature is not None else None
    return f"gives {', '.join(outputs)}" if outputs else "may give anything"


def _type_given(signature: Signature | None) -> str | None:
    return print_type(signature.gives) if signature is not None and signature.gives is not None else None


def _parameter(item: Parameter) -> dict[str, Any]:
    return {
        "name": item.name,
        "type": print_type(item.type) if item.type is not None else None,
        "required": item.required,
    }
