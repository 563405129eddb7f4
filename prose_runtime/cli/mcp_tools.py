"""Files as tools that an MCP client may call. In: what was loaded, what is bound, limits. Out: `ServedTool`s: a name, a
description, schemas, and everything a call needs. A client chooses inputs, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from prose_runtime import api
from prose_runtime.cli.faults import WRONG_USE, Ended
from prose_runtime.cli.output import say, say_fault
from prose_runtime.diagnostics import Diagnostic
from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.runtime import Budget
from prose_runtime.runtime.asking import answer_schema, type_schema
from prose_runtime.services import Project
from prose_runtime.syntax.document import Definition, Input

# What is said about the inputs of one call, not about the file.
_OF_INPUTS = frozenset(("input-not-given", "bad-input", "unknown-given-input", "requirement-not-met"))
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True, eq=False)
class ServedTool:
    """A pattern or function under the name that clients call it by."""

    name: str
    loaded: api.Loaded
    bind: Mapping[str, object]
    budget: Budget
    project: Project | None

    @property
    def description(self) -> str:
        """What the file says of itself, and what it gives."""
        definition = self.loaded.definition
        gives = [f"- {item.name}: {item.text}" if item.text else f"- {item.name}" for item in definition.outputs]
        parts = [said_by(definition), "Gives:\n" + "\n".join(gives) if gives else ""]
        return "\n\n".join(part for part in parts if part)

    @property
    def input_schema(self) -> dict[str, Any]:
        """The inputs as the properties of one object."""
        return inputs_schema(self.loaded.definition.inputs)

    @property
    def output_schema(self) -> dict[str, Any]:
        """Several outputs are the properties of the result; what else it is, its description says."""
        outputs = self.loaded.definition.outputs
        schema = answer_schema(outputs, ()) if len(outputs) > 1 else None
        if schema is None:
            return {"type": "object"}
        return {**schema, "properties": {name: _or_null(item) for name, item in schema["properties"].items()}}

    def structured(self, result: Any) -> dict[str, Any]:
        """A result as an object: what is none stands under the name of the one output, else under `result`."""
        outputs = self.loaded.definition.outputs
        return result if isinstance(result, dict) else {outputs[0].name if len(outputs) == 1 else "result": result}

    def prepare(self, inputs: Mapping[str, Any]) -> api.Prepared:
        """One run, ready. Nobody can be asked: the protocol has the terminal."""
        return api.prepare(self.loaded, bind=self.bind, inputs=inputs, budget=self.budget, project=self.project)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """An output may be null where a script says so, whatever its type."""
    if not schema.keys() - {"description"}:
        return schema
    inner = {key: value for key, value in schema.items() if key != "description"}
    said = {"description": schema["description"]} if "description" in schema else {}
    return {"anyOf": [inner, {"type": "null"}], **said}


def said_by(definition: Definition) -> str:
    """What a definition says of itself."""
    section = definition.section("description")
    return section.text if section is not None and section.text else definition.description


def inputs_schema(inputs: Iterable[Input]) -> dict[str, Any]:
    """The schema of the object that gives all inputs."""
    properties: dict[str, Any] = {}
    for item in inputs:
        schema = dict(type_schema(item.type)) if item.declared_type else {}
        if item.text:
            schema["description"] = item.text
        if item.has_default and item.default is not None:
            schema["default"] = item.default
        properties[item.name] = schema
    needed = [item.name for item in inputs if item.required and not item.has_default]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def tool_name(name: str, taken: Iterable[str]) -> str:
    """A name as clients allow it, other than those that are taken: the second `refine` is `refine-2`."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", name)[:_LONGEST_NAME] or "run"
    used, number, found = set(taken), 1, plain
    while found in used:
        number += 1
        found = f"{plain[: _LONGEST_NAME - 4]}-{number}"
    return found


async def faults_of(tool: ServedTool) -> list[Diagnostic]:
    """Why it cannot be called by anybody, whatever the inputs; [] for one that can."""
    prepared = tool.prepare({})
    for service in prepared.services:
        await service.close()
    return [item for item in prepared.diagnostics if item.severity == "error" and item.code not in _OF_INPUTS]


async def usable(tools: Iterable[ServedTool]) -> list[ServedTool]:
    """The tools that somebody can call, each with a name of its own; why others are not served is said. Raises `Ended`
    where there is none."""
    found: list[ServedTool] = []
    for tool in tools:
        wrong = await faults_of(tool)
        if wrong:
            place = visible_line(tool.loaded.document.source.name)
            say(f"not served: {place}: {visible_line(wrong[0].message)}")
            continue
        found.append(replace(tool, name=tool_name(tool.name, [item.name for item in found])))
    if not found:
        say_fault("there is nothing to serve", "name a file, and bind its slots with `--bind` or in prose.toml")
        raise Ended(WRONG_USE)
    return found
