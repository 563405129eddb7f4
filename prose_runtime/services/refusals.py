"""Names that a document gives to services are names only: a target text among them is refused.

In: a resolved program. Out: a diagnostic for each instance that writes a program, an address or a path for a slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.resolve.program import LinkedInstance, Program
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.targets import refuse_target_text


def refused_names(program: Program, bound: Iterable[str]) -> list[Diagnostic]:
    """What the instances of the program may not bind. `bound` are the names that services are bound to."""
    known = list(bound)
    found: list[Diagnostic] = []
    for unit in program.units:
        for linked in unit.instances.values():
            for name in _names(linked):
                try:
                    refuse_target_text(name, origin=f"the instance `{linked.name}`", bound=known)
                except BindingFault as fault:
                    found.append(fault.at(unit.source, linked.node.span).diagnostic(""))
    return found


def _names(linked: LinkedInstance) -> Iterator[str]:
    for value in linked.bindings.values():
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, LinkedInstance):
                yield from _names(item)
            elif isinstance(item, str):
                yield item
