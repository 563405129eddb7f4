"""The gate `json-schema`: a clear subset of JSON Schema.

In: a schema file. Out: a check. A keyword that is not known here is refused when the gate is bound, never passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prose_runtime.services.gates.options import Options
from prose_runtime.services.gates.texts import read_json
from prose_runtime.services.gates.verdict import PASSED, Check, Verdict

_NOTES = {"$schema", "$id", "title", "description", "default", "examples", "$comment"}
_KNOWN = {
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
_LIMIT = 1_000_000
_MOST = 20


def json_schema(options: Options, schema: Path) -> Check:
    """`schema=FILE`: the text is JSON that fits the schema."""
    rules = _load(options, schema)

    async def check(text: str) -> Verdict:
        value, verdict = read_json(text)
        if verdict.issues:
            return verdict
        issues = [f"{path}: {issue}" for path, issue in _violations(value, rules, "$")]
        return Verdict(tuple(issues[:_MOST]), ("change these places",)) if issues else PASSED

    return check


def _load(options: Options, path: Path) -> Any:
    try:
        if path.stat().st_size > _LIMIT:
            raise options.fault(f"{path} is larger than {_LIMIT:,} bytes", "use a smaller schema")
        rules = json.loads(path.read_bytes())
    except OSError as error:
        raise options.fault(f"{path} cannot be read: {error.strerror}", "give the path of a JSON file") from None
    except (ValueError, RecursionError) as error:
        raise options.fault(f"{path} is not JSON: {error}", "mend the schema") from None
    for place, problem in _unknown(rules, "#"):
        raise options.fault(f"{path} at {place}: {problem}", "use " + ", ".join(sorted(_KNOWN)))
    return rules


def _unknown(rules: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(rules, bool):
        return
    if not isinstance(rules, dict):
        yield place, "a schema is an object, true or false"
        return
    for key, value in rules.items():
        if key == "properties" and isinstance(value, dict):
            for name, inner in value.items():
                yield from _unknown(inner, f"{place}/properties/{name}")
        elif key in ("items", "additionalProperties"):
            yield from _unknown(value, f"{place}/{key}")
        elif key not in _KNOWN | _NOTES:
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


def _violations(value: Any, rules: Any, path: str) -> Iterator[tuple[str, str]]:
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
            yield from _violations(item, rules["items"], f"{path}[{index}]")


def _fields(value: dict[str, Any], rules: Any, path: str) -> Iterator[tuple[str, str]]:
    for name in rules.get("required", ()):
        if name not in value:
            yield path, f"has no `{name}`"
    declared = rules.get("properties", {})
    others = rules.get("additionalProperties", True)
    for name, item in value.items():
        if name in declared:
            yield from _violations(item, declared[name], f"{path}.{name}")
        elif others is False:
            yield path, f"has `{name}`, which the schema does not know"
        else:
            yield from _violations(item, others, f"{path}.{name}")


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
