"""What is sent for a call, as plain data: the same object for programs and for web addresses.

In: a `Call`. Out: a JSON object.
"""

from __future__ import annotations

from typing import Any

from prose_runtime.runtime.memory import turns_as_json
from prose_runtime.runtime.port import Call


def whole_call(call: Call) -> dict[str, Any]:
    """`inputs`, `prompt`, `model`, `context`, `schema`, and what a model or a person is asked with, where there is
    something."""
    return {
        "inputs": dict(call.inputs),
        "prompt": call.prompt,
        "model": call.model,
        "context": call.context,
        "schema": call.schema,
        **_asked(call),
    }


def is_only_inputs(call: Call) -> bool:
    """Whether the inputs are all that a call says."""
    return call.prompt is None and call.context is None and call.model is None and not _asked(call)


def _asked(call: Call) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "instructions": call.instructions,
        "message": call.message,
        "correction": call.correction,
        "agent": call.agent,
        "memory": turns_as_json(call.memory),
        "skills": list(call.skills),
        "options": list(call.options),
    }
    found = {name: value for name, value in asked.items() if value}
    return found if call.default is None else {**found, "default": call.default}
