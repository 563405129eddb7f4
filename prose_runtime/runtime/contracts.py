"""What is declared against what is there. In: values and declared types. Out: the first mismatch and its path."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.values import ListValue, ServiceRef, Value
from prose_runtime.syntax.document import Output, Type


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A value that is not of its declared type. `path` begins with `$` or the name of what was checked."""

    path: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.path} must be {self.expected}, found {self.found}"


_ARTICLES = {"integer": "an integer", "object": "an object", "any": "any value", "run": "a run", "null": "null"}


def described(kind: Type) -> str:
    """A type in words: `a number`, `a list of texts`, `"accept" or "reject"`."""
    if kind.kind == "choice":
        return " or ".join(f'"{item}"' for item in kind.choices)
    if kind.kind == "list":
        item = kind.item.kind if kind.item else "any"
        return "a list" if item == "any" else f"a list of {item}s"
    if kind.kind == "union":
        return " or ".join(described(item) for item in kind.members)
    if kind.kind == "shape":
        return "an object with " + ", ".join(name for name, _, _ in kind.fields)
    return _ARTICLES.get(kind.kind, f"a {kind.kind}")


def shown(value: Value, width: int = 60) -> str:
    """A value in a message: its kind and the beginning of it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        text = value if len(value) <= width else value[: width - 1] + "…"
        return f"the text {text!r}"
    if isinstance(value, ServiceRef):
        return f"the service `{value.name}`"
    if isinstance(value, ListValue):
        return f"a list of {len(value)} item{'' if len(value) == 1 else 's'}"
    keys = ", ".join(list(value)[:6])
    return f"an object with {keys}" if keys else "an empty object"


def mismatch(value: Value, kind: Type, path: str = "$") -> Mismatch | None:
    """The first place where a value is not of a type, or None."""
    if kind.kind in ("any", "run"):
        return None
    if kind.kind == "list":
        return _list_mismatch(value, kind, path)
    if kind.kind == "shape":
        return _shape_mismatch(value, kind, path)
    if kind.kind == "union":
        fits = any(mismatch(value, member, path) is None for member in kind.members)
        return None if fits else Mismatch(path, described(kind), shown(value))
    return None if _is_a(value, kind) else Mismatch(path, described(kind), shown(value))


def _is_a(value: Value, kind: Type) -> bool:
    name = kind.kind
    if name == "string":
        return isinstance(value, (str, ServiceRef))
    if name == "boolean":
        return isinstance(value, bool)
    if name == "null":
        return value is None
    if name == "object":
        return isinstance(value, dict)
    if name == "choice":
        return isinstance(value, str) and value in kind.choices
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "integer":
        return number and (isinstance(value, int) or (math.isfinite(value) and value == int(value)))  # type: ignore[arg-type]
    return number


def _list_mismatch(value: Value, kind: Type, path: str) -> Mismatch | None:
    if not isinstance(value, ListValue):
        return Mismatch(path, described(kind), shown(value))
    if kind.item is None or kind.item.kind == "any":
        return None
    found = (mismatch(item, kind.item, f"{path}[{index}]") for index, item in enumerate(value))
    return next((item for item in found if item), None)


def _shape_mismatch(value: Value, kind: Type, path: str) -> Mismatch | None:
    if not isinstance(value, dict):
        return Mismatch(path, described(kind), shown(value))
    for name, field, required in kind.fields:
        if name not in value:
            if required:
                return Mismatch(f"{path}.{name}", described(field), "nothing")
            continue
        if value[name] is None and not required:
            continue
        found = mismatch(value[name], field, f"{path}.{name}")
        if found:
            return found
    return None


def output_mismatches(unit: Unit, result: Value) -> list[tuple[Output, Mismatch]]:
    """Each declared output that a result lacks or gives with the wrong type, in the order of the declaration."""
    return mismatched(unit.definition.outputs, result)


def mismatched(outputs: Sequence[Output], result: Value) -> list[tuple[Output, Mismatch]]:
    """The same for outputs that something else declares."""
    if not outputs:
        return []
    if len(outputs) == 1:
        only = outputs[0]
        value = result[only.name] if isinstance(result, dict) and only.name in result else result
        found = output_mismatch(only, value, only.name)
        return [(only, found)] if found else []
    return list(_of_object(outputs, result))


def _of_object(outputs: Iterable[Output], result: Value) -> Iterable[tuple[Output, Mismatch]]:
    for output in outputs:
        if not isinstance(result, dict) or output.name not in result:
            if not output.optional:
                wanted = described(output.type) if output.declared_type else "given"
                yield output, Mismatch(output.name, wanted, "nothing" if isinstance(result, dict) else shown(result))
            continue
        found = output_mismatch(output, result[output.name], output.name)
        if found:
            yield output, found


def output_mismatch(output: Output, value: Value, path: str) -> Mismatch | None:
    """How a value is not of an output's type, or None. One that may be null or left out may be null."""
    if value is None and (output.nullable or output.optional or not output.declared_type):
        return None
    return mismatch(value, output.type, path) if output.declared_type else None


def unwrapped(names: tuple[str, ...] | None, value: Value) -> Value:
    """The value of a single declared output: `{o: v}` is v."""
    if names is not None and len(names) == 1 and isinstance(value, dict) and len(value) == 1:
        return value.get(names[0], value)
    return value
