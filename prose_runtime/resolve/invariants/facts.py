"""What proofs look at: who is asked where, and what binds a name. In: a unit. Out: `Facts`, from one walk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from prose_runtime.resolve.program import LinkedInstance, Unit
from prose_runtime.resolve.sources import Asking, asked_name, sources_of
from prose_runtime.source.node import node
from prose_runtime.syntax import children, walk
from prose_runtime.syntax import nodes as n

Place: TypeAlias = "tuple[n.Node, ...]"
"""What a node stands in, from the outside in."""

LOOPS = (n.Repeat, n.For, n.Loop)


@node
class Asked:
    """Somebody is asked. `name`: who."""

    node: Asking
    name: str
    inside: Place


@node
class Bound:
    """A name gets a value, or is added to (`grows`)."""

    node: n.Statement
    value: n.Expression | None
    inside: Place
    grows: bool


class Facts:
    """One definition with a script. `every_loop`: all loops; `loops`: those in which somebody is asked; `lent`: the
    services that another definition is given to ask them itself, with its name."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.sources = sources_of(unit)
        self.asked: list[Asked] = []
        self.bound: dict[str, list[Bound]] = {}
        self.every_loop: list[tuple[n.Repeat | n.For | n.Loop, Place]] = []
        self.changing: set[str] = set()
        self.lent: dict[str, str] = {}
        script = unit.definition.script
        self.statements: Sequence[n.Statement] = script.statements if script is not None else ()
        for statement in self.statements:
            self._walk(statement, ())
        asking = {part for one in self.asked for part in one.inside}
        self.loops = [(loop, inside) for loop, inside in self.every_loop if loop in asking]

    def of(self, name: str) -> list[Asked]:
        """Who is asked by that name, in the order of the text."""
        return [one for one in self.asked if one.name == name]

    def _walk(self, node: n.Node, inside: Place) -> None:
        match node:
            case n.Let(target=target, value=value) | n.Assign(target=target, value=value):
                self._bind(target, Bound(node, value, inside, grows=False))
            case n.Record(into=into, value=value):
                self._bind(into, Bound(node, value, inside, grows=True))
            case n.For(item=item, index=index, counter=counter):
                self.every_loop.append((node, inside))
                self.changing |= {name.id for name in (item, index, counter) if name is not None}
            case n.Repeat(counter=counter) | n.Loop(counter=counter):
                self.every_loop.append((node, inside))
                self.changing |= {counter.id} if counter is not None else set()
            case n.Call() | n.Session() | n.Resume() | n.Gate():
                self._lend(node)
                self.asked.append(Asked(node, asked_name(node, self.unit), inside))
            case _:
                pass
        for child in children(node):
            self._walk(child, (*inside, node))

    def _lend(self, node: Asking) -> None:
        """Services that stand in what is passed, or that an instance was made with."""
        target = self.unit.calls.get(node) if isinstance(node, n.Call) else None
        if not isinstance(node, n.Call) or target is None or target.kind not in ("unit", "instance"):
            return
        names = [part.id for part in walk(node) if isinstance(part, n.Name) and self.unit.names.get(part) == "slot"]
        names += [] if target.instance is None else _bound_in(target.instance)
        self.lent.update(dict.fromkeys(names, node.target))

    def _bind(self, target: n.Node, bound: Bound) -> None:
        whole = isinstance(target, n.Name | n.Destructure)
        while isinstance(target, n.Property | n.Index):
            target = target.target
        parts = target.names if isinstance(target, n.Destructure) else (target,)
        for part in parts:
            if isinstance(part, n.Name):
                grows = bound.grows and whole
                self.bound.setdefault(part.id, []).append(Bound(bound.node, bound.value, bound.inside, grows))


def _bound_in(instance: LinkedInstance) -> list[str]:
    """The services of the run that an instance, or one inside of it, was made with."""
    names: list[str] = []
    for bound in instance.bindings.values():
        for one in bound if isinstance(bound, tuple) else (bound,):
            if isinstance(one, str):
                names.append(one)
            elif isinstance(one, LinkedInstance):
                names += _bound_in(one)
    return names
