"""What the definitions of a run need of the machine, looked for before the first call: `### Environment`, `### Tools`.

In: the definitions that the run performs, the project, the environment. Out: diagnostics that name what is missing and
where it is declared. Variables are looked for by name; their values go to the masker alone. No tool is started.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.diagnostics.suggestions import did_you_mean
from prose_runtime.resolve.needs import Need, needs_of
from prose_runtime.resolve.program import LinkedInstance, Unit
from prose_runtime.runtime.port import UnitService
from prose_runtime.services.command import find_program, searched
from prose_runtime.services.environment import project_environment
from prose_runtime.services.project import Project
from prose_runtime.services.secrets import LEAST, Masker, project_masker


def missing_needs(
    units: Iterable[Unit], project: Project | None, environment: Mapping[str, str] | None = None
) -> list[Diagnostic]:
    """What is required and not there, each once. An empty variable counts as not set."""
    values = environment if environment is not None else project_environment(project)
    seen: set[tuple[str, str]] = set()
    found: list[Diagnostic] = []
    for unit in units:
        for need in needs_of(unit.definition):
            if need.required and (need.kind, need.name) not in seen:
                seen.add((need.kind, need.name))
                lack = _lack(need, project, values)
                if lack is not None:
                    code, facts = lack
                    facts["definition"] = unit.name
                    found.append(report(code, unit.source, need.span, also=(), fixes=(), severity=None, **facts))
    return found


def _lack(need: Need, project: Project | None, values: Mapping[str, str]) -> tuple[str, dict[str, Any]] | None:
    """The code and the facts of what is missing; None for what is there."""
    name = need.name
    if need.kind == "environment":
        return None if values.get(name) else ("environment-not-set", {"name": name, "help": _setting(name, project)})
    if need.kind == "cli":
        path = values.get("PATH", os.defpath)
        if find_program(name, roots=(), search=path) is not None:
            return None
        return "tool-not-found", {
            "what": f"the program `{name}`",
            "missing": f"is not found (looked in {searched(path)})",
            "help": f"install `{name}`, or add its folder to PATH",
        }
    servers = project.servers if project is not None else ()
    if name in servers:
        return None
    where = "prose.toml does not name" if project is not None else "nothing names: there is no prose.toml"
    return "tool-not-found", {
        "what": f"the MCP server `{name}`",
        "missing": where,
        "help": did_you_mean(name, servers, f"add a table `[mcp.{name}]` to prose.toml"),
    }


def _setting(name: str, project: Project | None) -> str:
    if project is not None and (project.root / ".env").is_file() and name not in project.declared_names:
        return f'set {name}, or let prose.toml take it from .env: `[environment]` with `pass = ["{name}"]`'
    return f"set {name} in the environment that the run is started from"


# ---- values that are not written down ----------------------------------------------------------------------


def masker_for(units: Iterable[Unit], project: Project | None) -> Masker:
    """The masker of the project's secrets and of the variables that definitions declare. Of these, a value that is too
    short to be told from ordinary text is left alone; of `[secrets]`, it is refused (`BindingFault`)."""
    masker = project_masker(project)
    names = [need.name for unit in units for need in needs_of(unit.definition) if need.kind == "environment"]
    if not names:
        return masker
    values = project_environment(project)
    return masker.with_values({name: values[name] for name in names if len(values.get(name, "")) >= LEAST})


def units_of(services: Iterable[object]) -> list[Unit]:
    """The definitions among services, and whatever they can reach."""
    pending = [service.unit for service in services if isinstance(service, UnitService)]
    found: dict[Unit, None] = {}
    while pending:
        unit = pending.pop()
        if unit not in found:
            found[unit] = None
            pending += _next(unit)
    return list(found)


def _next(unit: Unit) -> list[Unit]:
    instances = list(unit.instances.values())
    reached = [target.unit for target in (*unit.calls.values(), *unit.session_targets.values())]
    while instances:
        instance = instances.pop()
        reached.append(instance.unit)
        for value in instance.bindings.values():
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, LinkedInstance):
                    instances.append(item)
                elif isinstance(item, Unit):
                    reached.append(item)
    return [item for item in reached if item is not None]
