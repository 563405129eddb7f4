"""JSON from those who answer in words, and schemas for those who take only strict ones.

In: a text; a JSON schema. Out: the JSON value in it; the schema with every property required and none beside them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_FENCE = re.compile(r"(`{3,})(?:json)?[ \t]*\r?\n(.*?)\r?\n[ \t]*\1", re.DOTALL | re.IGNORECASE)


def json_in(text: str) -> Any:
    """The JSON value that a text is, or that stands alone in its one fence, or between its first `{` and last `}`; None
    where there is none."""
    fences = _FENCE.findall(text)
    tried = [text, *([fences[0][1]] if len(fences) == 1 else []), text[text.find("{") : text.rfind("}") + 1]]
    for part in tried:
        try:
            return json.loads(part)
        except (ValueError, RecursionError):
            continue
    return None


def strict(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """A schema as strict servers take it: objects name all their properties as required and allow no others; one that
    may be left out may be null. None where a part says no type, which these refuse."""
    if "anyOf" in schema:
        members = [strict(item) for item in schema["anyOf"]]
        kept = [item for item in members if item is not None]
        return {**_said(schema), "anyOf": kept} if len(kept) == len(members) else None
    kind = schema.get("type")
    if kind == "array":
        items = strict(schema["items"]) if "items" in schema else None
        return None if items is None else {**_said(schema), "type": "array", "items": items}
    if kind == "object":
        needed = schema.get("required", ())
        properties = {}
        for name, item in schema.get("properties", {}).items():
            found = strict(item)
            if found is None:
                return None
            properties[name] = found if name in needed else {"anyOf": [found, {"type": "null"}]}
        if not properties:
            return None
        return {
            **_said(schema),
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    return dict(schema) if kind is not None else None


def _said(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": schema["description"]} if "description" in schema else {}
