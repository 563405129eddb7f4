"""A Program written out, for `prose check --dump program`: stable from run to run, as JSON data or as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prose_runtime.resolve.loader import Step
from prose_runtime.resolve.passing import literal_value
from prose_runtime.resolve.program import BoundTo, LinkedInstance, Program, Target, Unit
from prose_runtime.resolve.sessions import QUESTIONS, model_entry
from prose_runtime.resolve.types import describe
from prose_runtime.syntax.document import Config, Input
from prose_runtime.syntax.nodes import Agent, Gate, Name, Node, Resume, Session

Data = dict[str, Any]

# The steps of the search for a reference, as they are shown.
_STEPS: dict[Step, str] = {
    "path": "as a path",
    "beside": "beside this file",
    "project": "in the project",
    "src": "in the project's src/",
    "installed": "among the installed dependencies",
    "name": "by the name in a file's frontmatter",
    "tested": "beside the test's folder",
    "standard": "in the standard library",
}


def dump_program(program: Program) -> Data:
    """The program as plain JSON data."""
    return {
        "main": program.main.name,
        "documents": [document.source.name for document in program.documents],
        "units": [dump_unit(unit) for unit in program.units],
    }


def dump_unit(unit: Unit) -> Data:
    """One definition: what it takes, and what was learned about its script, each with its place."""
    data: Data = {
        "name": unit.name,
        "kind": unit.definition.kind,
        "file": unit.source.name,
        "inputs": [_input(item) for item in unit.inputs],
        "passed_on": [item.name for item in unit.passed_on],
        "config": [_config(item) for item in unit.config],
        "slots": [{"name": slot.name, "list": slot.name in unit.list_slots} for slot in unit.definition.slots],
        "instances": [_instance(unit, item) for item in unit.instances.values()],
        "uses": {name: _where(used) for name, used in unit.uses.items()},
        "found": {reference: _STEPS[step] for reference, step in sorted(unit.found.items()) if step},
        "blocks": list(unit.blocks),
        "agents": [_agent(unit, agent) for agent in unit.agents.values()],
        "calls": [
            {"at": _at(unit, call), "call": call.target, **_target(target), **_key(unit, call), **_order(unit, call)}
            for call, target in _sorted(unit.calls)
        ],
        "sessions": [
            {"at": _at(unit, node), **_session(unit, node), **_key(unit, node)}
            for node in _ordered(unit.waiting)
            if isinstance(node, (Session, Resume))
        ],
        "gates": [
            {"at": _at(unit, node), "asks": _question(node), **_key(unit, node)}
            for node in _ordered(unit.waiting)
            if isinstance(node, Gate)
        ],
        "conditions": [
            {
                "at": _at(unit, condition),
                "text": plan.text,
                "how": plan.how,
                "judge": plan.judge,
                "reads": list(plan.names),
                **_key(unit, condition),
            }
            for condition, plan in _sorted(unit.conditions)
        ],
        "keys": [{"at": _at(unit, node), "part": part} for node, part in _sorted(unit.segments)],
        "names": _names(unit),
        "collected_into_the_loop_around": [_at(unit, node) for node in _ordered(unit.flattened)],
        "waiting": [{"at": _at(unit, node), "what": type(node).__name__.lower()} for node in _ordered(unit.waiting)],
        "branches": [
            {
                "at": _at(unit, node),
                "parts": list(unit.branch_segments.get(node, ())),
                "binds": [list(names) for names in bound],
            }
            for node, bound in _sorted(unit.branch_names)
        ],
    }
    return {key: value for key, value in data.items() if value not in ([], {}, None)}


def render_program(program: Program) -> str:
    """The program as text: one line a fact."""
    return "\n".join(_lines(dump_program(program), 0)) + "\n"


def _lines(value: Any, depth: int) -> Iterator[str]:
    indent = "  " * depth
    for key, item in value.items():
        if isinstance(item, list) and item and all(isinstance(part, dict) for part in item):
            yield f"{indent}{key}:"
            for part in item:
                nested = any(isinstance(inner, (list, dict)) and _holds_data(inner) for inner in part.values())
                if nested:
                    yield f"{indent}  -"
                    yield from _lines(part, depth + 2)
                else:
                    yield f"{indent}  - " + "  ".join(f"{name}={_short(inner)}" for name, inner in part.items())
        elif isinstance(item, dict):
            yield f"{indent}{key}:"
            yield from _lines(item, depth + 1)
        else:
            yield f"{indent}{key}: {_short(item)}"


def _holds_data(value: list[Any] | dict[str, Any]) -> bool:
    return isinstance(value, dict) or any(isinstance(item, dict) for item in value)


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_short(item) for item in value) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "null"}[value]
    text = str(value)
    return f'"{text}"' if " " in text or not text else text


def _ordered(nodes: Any) -> list[Any]:
    return sorted(nodes, key=lambda node: (node.span.start, -node.span.end, type(node).__name__))


def _sorted(table: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return [(node, table[node]) for node in _ordered(table)]


def _at(unit: Unit, node: Node) -> str:
    place = unit.source.position(node.span.start)
    return f"{place.line}:{place.column}"


def _key(unit: Unit, node: Node) -> Data:
    return {"key": unit.segments[node]} if node in unit.segments else {}


def _order(unit: Unit, node: Any) -> Data:
    return {"arguments": list(unit.positional[node])} if node in unit.positional else {}


def _agent(unit: Unit, agent: Agent) -> Data:
    """An agent by its name, with the model and the memory that it is to have."""
    data: Data = {"name": agent.name.id}
    for entry in agent.properties:
        if entry.key in ("model", "persist"):
            data[entry.key] = unit.source.slice(entry.value.span)
    return data


def _session(unit: Unit, node: Session | Resume) -> Data:
    """Who is asked: an agent, a definition, a part of this one, or just the model; and by which name of a model."""
    how = "resume" if isinstance(node, Resume) else "session"
    entry = model_entry(node) or model_entry(unit.agents.get(node.agent or ""))
    model = {"model": unit.source.slice(entry.value.span)} if entry is not None else {}
    if isinstance(node, Session) and node in unit.session_targets:
        return {"how": how, **_target(unit.session_targets[node]), **_order(unit, node)}
    if isinstance(node, Session) and node in unit.session_parts:
        return {"how": how, "part": unit.session_parts[node].name, **model}
    return {"how": how, **({"agent": node.agent} if node.agent else {}), **model}


def _question(node: Gate) -> str:
    """The question of a gate, as far as it is written out."""
    entry = next((item for item in node.properties if item.key in QUESTIONS), None)
    known, text = literal_value(entry.value) if entry is not None else (False, None)
    return str(text) if known else "…"


def _where(unit: Unit) -> str:
    return f"{unit.source.name}#{unit.name}" if unit.definition.inline else unit.source.name


def _target(target: Target) -> Data:
    if target.unit is not None:
        return {"target": target.kind, "is": _where(target.unit)}
    if target.instance is not None:
        return {"target": target.kind, "is": f"{target.instance.name} of {target.instance.unit.name}"}
    return {"target": target.kind, "is": target.name}


def _input(item: Input) -> Data:
    data: Data = {"name": item.name, "type": describe(item.type), "required": item.required}
    return {**data, "default": item.default} if item.has_default else data


def _config(item: Config) -> Data:
    return {"name": item.name, "type": describe(item.type), "default": item.default}


def _instance(unit: Unit, instance: LinkedInstance) -> Data:
    return {
        "name": instance.name,
        "pattern": _where(instance.unit),
        "found": _how(unit, instance.node.pattern),
        "slots": {slot: _slot(unit, bound) for slot, bound in instance.bindings.items()},
        "config": dict(instance.config),
    }


def _how(unit: Unit, reference: str) -> str:
    return _STEPS.get(unit.found.get(reference, ""), "in this file")


def _slot(unit: Unit, bound: BoundTo | tuple[BoundTo, ...]) -> Any:
    return [_bound(unit, item) for item in bound] if isinstance(bound, tuple) else _bound(unit, bound)


def _bound(unit: Unit, value: BoundTo) -> Any:
    if isinstance(value, Unit):
        return _where(value)
    if isinstance(value, LinkedInstance):
        return value.name if value.node.name is not None else _instance(unit, value)
    return f"the slot `{value}`" if _is_slot(unit, value) else f"the run's `{value}`"


def _is_slot(unit: Unit, name: str) -> bool:
    return any(slot.name == name for slot in unit.definition.slots)


def _names(unit: Unit) -> dict[str, str]:
    """What each name is; one that is different things in different places has them all."""
    found: dict[str, list[str]] = {}
    for node in _ordered(unit.names):
        if isinstance(node, Name) and unit.names[node] not in found.setdefault(node.id, []):
            found[node.id].append(unit.names[node])
    return {name: ", then ".join(kinds) for name, kinds in found.items()}
