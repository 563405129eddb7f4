"""A clear subset of JSON Schema. In: a schema and a value, as plain JSON. Out: what is wrong with either, by place.

A keyword that is not known here is a mistake of the schema, never passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_NOTES = {"$schema", "$id", "title", "description", "default", "examples", "$comment"}
KEYWORDS = {
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
    "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
}  # fmt: skip
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def unknown_keywords(rules: Any, place: str = "#") -> Iterator[tuple[str, str]]:
    """Each place of a schema that is not read here, with the reason."""
    if isinstance(rules, bool):
        return
    if not isinstance(rules, dict):
        yield place, "a schema is an object, true or false"
        return
    for key, value in rules.items():
        if key == "properties" and isinstance(value, dict):
            for name, inner in value.items():
                yield from unknown_keywords(inner, f"{place}/properties/{name}")
        elif key in ("items", "additionalProperties"):
            yield from unknown_keywords(value, f"{place}/{key}")
        elif key not in KEYWORDS | _NOTES:
            yield place, f"`{key}` is not read"
        elif not _well_formed(key, value):
            yield place, f"`{key}` is {json.dumps(value)[:60]}"


def _well_formed(key: str, value: Any) -> bool:
    if key == "type":
        return all(isinstance(item, str) and item in _TYPES for item in (value if isinstance(value, list) else [value]))
    if key in ("enum", "required"):
        return isinstance(value, list) and (key == "enum" or all(isinstance(item, str) for item in value))
    if key.startswith(("min", "max", "exclusive")):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return key != "properties"


def violations(value: Any, rules: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """Each place of a value that does not fit, with the reason."""
    if rules is True:
        return
    if rules is False:
        yield path, "must not be there"
        return
    kinds = rules.get("type")
    if kinds is not None:
        names = kinds if isinstance(kinds, list) else [kinds]
        if not any(_is(value, name) for name in names):
            yield path, f"is {_kind(value)}, not {' or '.join(names)}"
            return
    if "enum" in rules and not any(_same(value, item) for item in rules["enum"]):
        yield path, "is none of " + ", ".join(json.dumps(item) for item in rules["enum"][:12])
    if "const" in rules and not _same(value, rules["const"]):
        yield path, f"is not {json.dumps(rules['const'])}"
    yield from _size(value, rules, path)
    if isinstance(value, dict):
        yield from _fields(value, rules, path)
    elif isinstance(value, list) and "items" in rules:
        for index, item in enumerate(value):
            yield from violations(item, rules["items"], f"{path}[{index}]")


def _fields(value: dict[str, Any], rules: Any, path: str) -> Iterator[tuple[str, str]]:
    for name in rules.get("required", ()):
        if name not in value:
            yield path, f"has no `{name}`"
    declared = rules.get("properties", {})
    others = rules.get("additionalProperties", True)
    for name, item in value.items():
        if name in declared:
            yield from violations(item, declared[name], f"{path}.{name}")
        elif others is False:
            yield path, f"has `{name}`, which the schema does not know"
        else:
            yield from violations(item, others, f"{path}.{name}")


def _size(value: Any, rules: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str | list):
        word, unit = ("Length", "characters") if isinstance(value, str) else ("Items", "items")
        if len(value) < rules.get(f"min{word}", 0):
            yield path, f"has {len(value)} {unit}, fewer than {rules[f'min{word}']}"
        if len(value) > rules.get(f"max{word}", len(value)):
            yield path, f"has {len(value)} {unit}, more than {rules[f'max{word}']}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if value < rules.get("minimum", value):
            yield path, f"is {value}, below {rules['minimum']}"
        if value > rules.get("maximum", value):
            yield path, f"is {value}, above {rules['maximum']}"
        if "exclusiveMinimum" in rules and value <= rules["exclusiveMinimum"]:
            yield path, f"is {value}, not above {rules['exclusiveMinimum']}"
        if "exclusiveMaximum" in rules and value >= rules["exclusiveMaximum"]:
            yield path, f"is {value}, not below {rules['exclusiveMaximum']}"


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])


def _same(left: Any, right: Any) -> bool:
    """Equality as JSON has it: true is not 1."""
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _kind(value: Any) -> str:
    return next(name for name in _TYPES if _is(value, name))
