"""Names that a document gives to services are names only: a target text among them is refused.

In: a resolved program. Out: a diagnostic for each instance that writes a program, an address or a path for a slot, and
for each agent or session that writes one for its model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.resolve.program import LinkedInstance, Program
from prose_runtime.resolve.sessions import model_alias, model_entries
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.targets import refuse_target_text


def refused_names(program: Program, bound: Iterable[str]) -> list[Diagnostic]:
    """What the instances, agents and sessions of the program may not name. `bound`: the names of bound services."""
    known_names = list(bound)
    found: list[Diagnostic] = []
    for unit in program.units:
        for linked in unit.instances.values():
            for name in _names(linked):
                try:
                    refuse_target_text(name, origin=f"the instance `{linked.name}`", bound=known_names)
                except BindingFault as fault:
                    found.append(fault.at(unit.source, linked.node.span).diagnostic(""))
        for entry in model_entries(unit):
            known, alias = model_alias(entry, unit, {})
            try:
                refuse_target_text(alias if known else "", origin="`model:`", bound=known_names)
            except BindingFault as fault:
                found.append(fault.at(unit.source, entry.value.span).diagnostic(""))
    return found


def _names(linked: LinkedInstance) -> Iterator[str]:
    for value in linked.bindings.values():
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, LinkedInstance):
                yield from _names(item)
            elif isinstance(item, str):
                yield item
