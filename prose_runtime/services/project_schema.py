"""The JSON schema of `prose.toml`, for editors: what `prose services --schema` prints.

In: the tables of keys that the reader has. Out: a schema (draft 2020-12). It says no to nothing that the reader takes.
"""

from __future__ import annotations

from typing import Any

from prose_runtime.diagnostics import CODES
from prose_runtime.diagnostics.silencing import SETTINGS
from prose_runtime.services.project import BUDGET_KEYS, SERVER_KEYS, SERVICE_KEYS, WHOLE

_ABOVE_ZERO = {"exclusiveMinimum": 0}
_VARIABLES = {
    "type": "array",
    "items": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
    "description": "names of environment variables, never values",
}
_HEADERS = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "headers of each request; ${VARIABLE} stands for a variable, which is masked",
}
_TIMEOUT = {"type": "number", **_ABOVE_ZERO, "description": "seconds for one attempt"}
_ADDRESS = "^[Hh][Tt][Tt][Pp][Ss]?://"

_SERVICE: dict[str, Any] = {
    "use": {"type": "string", "description": "the target"},
    "inputs": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "the service's own name for an input -> the name in the script",
    },
    "answer": {"type": "string", "description": "gives the answer as this field of an object"},
    "environment": _VARIABLES,
    "headers": _HEADERS,
    "send": {"enum": ["inputs", "call"], "description": "what is sent to a web address"},
    "timeout": _TIMEOUT,
}
_SERVER: dict[str, Any] = {
    "command": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "description": "the program that is the server, and its arguments",
    },
    "url": {"type": "string", "pattern": _ADDRESS, "description": "the address of the server"},
    "environment": _VARIABLES,
    "headers": _HEADERS,
    "timeout": _TIMEOUT,
}
_BUDGET = {
    "max_calls": "calls of one run, all attempts counted",
    "max_tokens": "tokens of one run, as far as services tell them",
    "max_cost": "US dollars of one run, as far as services tell them",
    "timeout": "seconds of one run",
    "max_parallel": "calls at a time",
}


def project_schema() -> dict[str, Any]:
    """The schema. A key without an entry here is our own mistake (KeyError)."""
    service = _table({key: _SERVICE[key] for key in SERVICE_KEYS}, required=["use"])
    one = {"anyOf": [{"type": "string", "description": "a target"}, service]}
    names = {"not": {"enum": list(SERVICE_KEYS)}}
    named = {"type": "object", "minProperties": 1, "propertyNames": names, "additionalProperties": one}
    server = _table({key: _SERVER[key] for key in SERVER_KEYS})
    server["oneOf"] = [{"required": ["command"]}, {"required": ["url"]}]
    tables = {
        "services": {
            "type": "object",
            "description": "slots, functions, `judge` and `model`, and what is bound to each",
            "additionalProperties": {"anyOf": [*one["anyOf"], {"type": "array", "items": one, "minItems": 1}, named]},
        },
        "budget": _table({key: _limit(key) for key in BUDGET_KEYS}),
        "environment": _table({"pass": _VARIABLES}),
        "secrets": _table({"names": _VARIABLES}),
        "mcp": {"type": "object", "description": "MCP servers by name", "additionalProperties": server},
        "check": _table({code: _severity(code) for code in CODES}),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "prose.toml",
        "description": "What a project binds, grants and limits.",
        **_table(tables),
    }


def _table(properties: dict[str, Any], *, required: list[str] | None = None) -> dict[str, Any]:
    more = {"required": required} if required else {}
    return {"type": "object", "properties": properties, **more, "additionalProperties": False}


def _limit(key: str) -> dict[str, Any]:
    return {"type": "integer" if key in WHOLE else "number", **_ABOVE_ZERO, "description": _BUDGET[key]}


def _severity(code: str) -> dict[str, Any]:
    return {"enum": ["error"] if CODES[code].severity == "error" else list(SETTINGS)}
