"""What a script does with an answer, as a JSON schema and as what an answer is held against.

In: what is expected of a call. Out: a schema for services that can use one, and the first part that cannot be used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prose_runtime.resolve.answers import shape_of
from prose_runtime.resolve.expected import Expected, expected_of_calls
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Asking, asked_name, sources_of
from prose_runtime.runtime.asking import type_schema
from prose_runtime.runtime.contracts import Mismatch, mismatch, shown
from prose_runtime.runtime.values import Value
from prose_runtime.source import SourceText
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Slot, Type
from prose_runtime.syntax.nodes import Call

_WHOLE = {"score": {"score": {"type": "number"}}, "verdict": {"verdict": {"type": "string"}}}


@node
class Use:
    """What the script does with the answer to one call. `numbers`: the parts that it compares with numbers, "" for the
    answer itself, each with the line; `shape`: what the slot declares that it gives; `schema`: what is best asked for,
    or None where anything will do."""

    numbers: tuple[tuple[str, int], ...] = ()
    shape: Type | None = None
    schema: dict[str, Any] | None = None

    def unusable(self, value: Value) -> Mismatch | None:
        """What is not as the slot declares, or is compared with a number and is none. A part that is not there is null,
        and scripts know null."""
        if self.shape is not None:
            return mismatch(value, self.shape)
        for part, line in self.numbers:
            if part and not isinstance(value, dict):
                continue
            found = value.get(part) if part and isinstance(value, dict) else value
            if found is None or (isinstance(found, (int, float)) and not isinstance(found, bool)):
                continue
            path = f"$.{part}" if part else "$"
            return Mismatch(path, f"a number (line {line} compares it with one)", shown(found))
        return None


NO_USE = Use()


def uses_of(unit: Unit) -> dict[Asking, Use]:
    """What the script of a definition does with the answers to its calls."""
    slots = {slot.name: slot for slot in unit.definition.slots}
    expected: dict[Asking, list[Expected]] = {call: [] for call in unit.calls}
    expected.update(expected_of_calls(unit, sources_of(unit)))
    found = {}
    for asking, items in expected.items():
        slot = slots.get(asked_name(asking, unit)) if isinstance(asking, Call) else None
        found[asking] = use_of(items, unit.source, slot)
    return found


def use_of(items: Sequence[Expected], source: SourceText, slot: Slot | None) -> Use:
    """The use of an answer of which this is expected; `slot`: the slot that is called."""
    numbers = tuple(
        (item.part, source.position(item.at.start).line)
        for item in items
        if item.exact and item.kind == "number" and item.at is not None
    )
    shape = shape_of(slot) if slot is not None else None
    return Use(numbers, shape[0] if shape is not None else None, schema_of(items, slot))


def schema_of(items: Sequence[Expected], slot: Slot | None) -> dict[str, Any] | None:
    """The schema of an answer, going by what is read of it and by the shape that the slot's `ensures` writes out."""
    shape = shape_of(slot) if slot is not None else None
    declared = shape[0].fields if shape is not None else ()
    properties: dict[str, Any] = {name: type_schema(kind) for name, kind, _ in declared}
    required = [name for name, _, needed in declared if needed]
    whole = next((item for item in items if not item.part), None)
    if whole is not None and not properties:
        properties.update(_WHOLE.get(whole.kind, {}))
        required += [name for name in properties if whole.required]
    for item in items:
        if item.part and item.part not in properties:
            properties[item.part] = {"type": "number"} if item.kind == "number" else {}
            required += [item.part] if item.required else []
    if properties:
        return {"type": "object", "properties": properties, "required": required}
    return {"type": "number"} if whole is not None and whole.kind == "number" else None
