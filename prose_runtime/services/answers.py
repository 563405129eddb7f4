"""What Python functions return, as plain JSON values.

In: any object. Out: the same with dataclasses, named tuples, enumerations, models and tuples turned into objects,
lists and scalars. What is not JSON beyond that is left as it is: the runtime names it, with its path.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import Any

_SCALARS = frozenset({str, int, float, bool, type(None)})


def plain(value: Any) -> Any:
    """`value` as plain lists, dicts and scalars, as far as it can be told what is meant. Cycles are left in place."""
    return value if type(value) in _SCALARS else _plain(value, ())


def _plain(value: Any, above: tuple[int, ...]) -> Any:
    kind = type(value)
    if kind in _SCALARS or id(value) in above or len(above) > 200:
        return value
    inside = (*above, id(value))
    if kind is dict:  # what nearly all services give comes first
        return {key: item if type(item) in _SCALARS else _plain(item, inside) for key, item in value.items()}
    if kind is list:
        return [item if type(item) in _SCALARS else _plain(item, inside) for item in value]
    if isinstance(value, Enum):
        return _plain(value.value, inside)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name), inside) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item, inside) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict(), inside)
    if isinstance(value, list | tuple):
        return [_plain(item, inside) for item in value]
    dump = getattr(value, "model_dump", None)  # a pydantic model, without importing pydantic
    if callable(dump) and not isinstance(value, type):
        return _plain(dump(mode="json"), inside)
    return value
