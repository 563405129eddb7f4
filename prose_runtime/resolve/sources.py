"""Where what is passed on comes from: for each property of each call, the inputs, config values and answers in it.

In: a resolved definition. Out: `Sources`. Names are followed through values, lists, objects, loops, branches, blocks
and caught errors, and along every way on which a body can be left. What reaches a name on any path counts; conditions
and positions do not, nor how many items a list has: that a value decided something does not put it into what is passed.
So nothing is missing here, and something may be too much. Not followed: what the interpreter's own messages quote.
"""

from __future__ import annotations

from typing import TypeAlias

from prose_runtime.resolve.origin import NOTHING, Flow, Names, Source
from prose_runtime.resolve.program import Unit
from prose_runtime.syntax import nodes as n

Asking: TypeAlias = "n.Call | n.Session | n.Resume | n.Gate"
"""What gives an answer from outside."""


class Sources:
    """`passed`: for each call, session, resume and gate, what each of its properties holds. `returned`: for each
    `return`, what each entry of the returned object holds, or "" for another value; `thrown`: the same of each `throw`.
    `held`: what each name that the script binds holds at any time; `looked_at`: what the names of a condition hold
    where it is decided."""

    def __init__(self) -> None:
        self.passed: dict[Asking, dict[str, Flow]] = {}
        self.returned: dict[n.Return, dict[str, Flow]] = {}
        self.thrown: dict[n.Throw, dict[str, Flow]] = {}
        self.held: Names = {}
        self.looked_at: dict[n.Condition, Names] = {}


def sources_of(unit: Unit) -> Sources:
    """The sources of a definition; of one without a script there are none."""
    from prose_runtime.resolve.tracing import Trace

    found = Sources()
    script = unit.definition.script
    if script is not None:
        Trace(unit, found).script(script.statements)
    return found


def flow_of(expression: n.Expression, unit: Unit, sources: Sources) -> Flow:
    """What an expression may hold anywhere in the script, whatever its names hold there at other times."""
    from prose_runtime.resolve.tracing import Trace

    return Trace(unit, sources).value(expression, {**given_names(unit), **sources.held})


def given_names(unit: Unit) -> Names:
    """The names that a script begins with."""
    names: Names = {item.name: frozenset({Source("config", item.name)}) for item in unit.config}
    names.update((item.name, frozenset({Source("input", item.name)})) for item in (*unit.inputs, *unit.passed_on))
    slots = _slots(unit)
    return {name: flow for name, flow in names.items() if name not in slots}


def asked_name(node: Asking, unit: Unit) -> str:
    """Who is asked: of a name that holds an item of a list slot, the slot."""
    if isinstance(node, n.Call):
        target = unit.calls.get(node)
        return target.name if target is not None and target.kind == "slot-item" else node.target
    if isinstance(node, n.Gate):
        return "gate"
    return node.agent or "model"


def _slots(unit: Unit) -> frozenset[str]:
    """A service is no value of an input, also where an input of that name hands it over."""
    return frozenset(slot.name for slot in unit.definition.slots)


__all__ = ["NOTHING", "Asking", "Flow", "Source", "Sources", "asked_name", "flow_of", "given_names", "sources_of"]
