"""Which values are lists for certain. In: a unit. Out: `Lists`, which is asked about an expression.

A name is a list if everything that is ever bound to it is one.
"""

from __future__ import annotations

from prose_runtime.resolve.builtins import FUNCTIONS
from prose_runtime.resolve.program import Unit
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk
from prose_runtime.syntax.document import Config, Input


class Lists:
    """Knows of each name of a script whether it is a list."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        declared: tuple[Input | Config, ...] = (*unit.inputs, *unit.config)
        self.declared = {item.name for item in declared if item.type.kind == "list"}
        self.bound: dict[str, list[n.Expression | None]] = {}
        self.asked: set[str] = set()
        script = unit.definition.script
        for statement in script.statements if script is not None else ():
            for node in walk(statement):
                self._note(node)

    def holds(self, value: n.Expression) -> bool:
        """Whether a value is a list for certain."""
        match value:
            case n.List() | n.Pipeline() | n.Constant(value=None):
                return True
            case n.BlockValue(block=n.Repeat() | n.For() as loop):
                return loop.modifiers is None or loop.modifiers.join is None
            case n.BlockValue(block=n.Loop()):
                return True
            case n.Apply(function=name):
                return name in FUNCTIONS and FUNCTIONS[name].gives == "list"
            case n.Binary(operator="+" | "or" | "and", left=left, right=right):
                return self.holds(left) and self.holds(right)
            case n.Conditional(then=then, otherwise=otherwise):
                return self.holds(then) and self.holds(otherwise)
            case n.Property(target=n.Name(id="config"), name=name):
                return name in self.declared
            case n.Name(id=name):
                return self._name(name)
            case _:
                return False

    def _name(self, name: str) -> bool:
        """A name that is asked about while it is asked about stands for itself: `xs = xs + [1]`."""
        values = self.bound.get(name, [])
        if not values:
            return name in self.declared or name in self.unit.list_slots
        if name in self.asked:
            return True
        self.asked.add(name)
        try:
            return all(value is not None and self.holds(value) for value in values)
        finally:
            self.asked.discard(name)

    def _note(self, node: n.Node) -> None:
        match node:
            case n.Let(target=n.Name(id=name), value=value) | n.Assign(target=n.Name(id=name), value=value):
                self.bound.setdefault(name, []).append(value)
            case n.Let(target=n.Destructure(names=names)):
                self._unknown(*(part.id for part in names))
            case n.For(item=item, index=index, counter=counter):
                self._unknown(*(name.id for name in (item, index, counter) if name is not None))
            case n.Repeat(counter=n.Name(id=name)) | n.Loop(counter=n.Name(id=name)) | n.Try(error=n.Name(id=name)):
                self._unknown(name)
            case n.Block(parameters=parameters):
                self._unknown(*(name.id for name in parameters))
            case n.Pipeline(stages=stages):
                self._unknown(*(name for stage in stages for name in stage.parameters or ("item", "acc")))
            case _:
                return

    def _unknown(self, *names: str) -> None:
        for name in names:
            self.bound.setdefault(name, []).append(None)
