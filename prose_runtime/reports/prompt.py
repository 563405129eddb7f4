"""What a model would be sent for a slot or a function, with placeholders. In: a definition and a name. Out: text.

The same functions make it that make what a run sends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Asking as Asked
from prose_runtime.resolve.sources import asked_name, sources_of
from prose_runtime.runtime.asking import Asking, asking_of, asking_of_slot, message_of
from prose_runtime.runtime.expecting import NO_USE, uses_of
from prose_runtime.runtime.port import Call
from prose_runtime.services.models.messages import messages_of
from prose_runtime.syntax import nodes as n

_NOT_GIVEN = frozenset(("model", "retry", "backoff", "timeout", "prompt", "context"))


def askable(unit: Unit) -> list[str]:
    """The names that a model may stand for in a definition: its slots, and the functions without a script."""
    functions = [target.name for target in unit.calls.values() if target.unit and target.unit.definition.script is None]
    own = [unit.name] if unit.definition.script is None else []
    return list(dict.fromkeys([*own, *(slot.name for slot in unit.definition.slots), *functions]))


def prompts_of(unit: Unit, name: str) -> str:
    """The messages for each call of `name` that the script makes, and the schema of the answer."""
    if unit.definition.script is None:
        asking = asking_of(unit.definition, unit.source, again=True)
        return _shown(asking, [item.name for item in unit.inputs], {}, None)
    sources, uses = sources_of(unit), uses_of(unit)
    calls = [node for node in sources.passed if asked_name(node, unit) == name]
    parts = []
    for node in sorted(calls, key=lambda found: found.span.start):
        keys = [key for key in sources.passed[node] if key not in _NOT_GIVEN]
        about: dict[str, str] = {key: f"<{key}>" for key in ("prompt", "context") if key in sources.passed[node]}
        line = unit.source.position(node.span.start).line
        parts.append(
            f"line {line}\n\n" + _shown(_asking_for(unit, node, name), keys, about, uses.get(node, NO_USE).schema)
        )
    return "\n\n".join(parts)


def _asking_for(unit: Unit, node: Asked, name: str) -> Asking:
    slot = next((slot for slot in unit.definition.slots if slot.name == name), None)
    target = unit.calls.get(node) if isinstance(node, n.Call) else None
    if slot is None and target is not None and target.unit is not None:
        return asking_of(target.unit.definition, target.unit.source, again=True)
    return asking_of_slot(slot, again=True) if slot is not None else Asking("")


def _shown(asking: Asking, keys: Iterable[str], about: Mapping[str, str], schema: Mapping[str, Any] | None) -> str:
    inputs = {key: f"<{key}>" for key in keys}
    given: dict[str, Any] = dict(about)
    call = Call("", inputs, instructions=asking.instructions, message=message_of(asking, inputs, **given))
    parts = [f"[{message['role']}]\n{message['content']}" for message in messages_of(call)]
    form = asking.schema or schema
    if form is not None:
        parts.append(f"[schema of the answer]\n{json.dumps(form, ensure_ascii=False, indent=2)}")
    return "\n\n".join(parts)
