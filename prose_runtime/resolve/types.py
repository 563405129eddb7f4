"""Declared types: whether a JSON value fits one, and how one reads in a message."""

from __future__ import annotations

from prose_runtime.syntax.document import Json, Type

_NAMES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "null": (type(None),),
}


def fits(kind: Type, value: Json) -> bool:
    """Whether a value has a type. `any` and `run` take everything; an integer is also a number; 3.0 is an integer."""
    match kind.kind:
        case "any" | "run":
            return True
        case "number" | "integer":
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return False
            return kind.kind == "number" or isinstance(value, int) or value.is_integer()
        case "list":
            return isinstance(value, list) and (kind.item is None or all(fits(kind.item, item) for item in value))
        case "choice":
            return isinstance(value, str) and value in kind.choices
        case "shape":
            return isinstance(value, dict) and all(
                fits(field, value[name])
                if value.get(name) is not None or (required and name in value)
                else not required
                for name, field, required in kind.fields
            )
        case "union":
            return any(fits(member, value) for member in kind.members)
        case name:
            return isinstance(value, _NAMES[name])


def describe(kind: Type) -> str:
    """The type as an author would write it: `string[]`, `"accept" | "reject"`."""
    match kind.kind:
        case "list":
            return f"{describe(kind.item)}[]" if kind.item else "any[]"
        case "choice":
            return " | ".join(f'"{choice}"' for choice in kind.choices)
        case "shape":
            return "{ " + ", ".join(f"{name}: {describe(field)}" for name, field, _ in kind.fields) + " }"
        case "union":
            return " | ".join(describe(member) for member in kind.members)
        case name:
            return name


def name_of(value: Json) -> str:
    """What a value is, for a message: `the text "abc"`, `the number 3`, `null`."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f'the text "{value if len(value) <= 40 else value[:37] + "..."}"'
        case list():
            return "a list"
        case _:
            return "an object"
