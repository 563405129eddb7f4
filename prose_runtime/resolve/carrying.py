"""What an expression holds, by what its names hold. In: a node and names. Out: a `Flow`; what calls are passed is kept.

`Trace` in `tracing.py` adds the statements, whose values loops and blocks are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from prose_runtime.resolve.conditions.tree import SlotAnswer
from prose_runtime.resolve.lists import Lists
from prose_runtime.resolve.origin import (
    NOTHING,
    Flow,
    Names,
    Source,
    entries_of,
    into,
    joined,
    made_of,
    mixed,
    part_of,
    single,
)
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Asking, Sources, asked_name
from prose_runtime.syntax import nodes as n

_COUNTS = ("length", "count")
_NUMBERS = ("number", "score", "round", "sum")


class Carrying:
    """Follows values. `failing`: what each `try` around may catch; `given`: what `return` gives the body around."""

    def __init__(self, unit: Unit, found: Sources) -> None:
        self.unit = unit
        self.found = found
        self.lists = Lists(unit)
        self.given: list[set[Source]] = []
        self.failing: list[set[Source]] = []

    def body(self, statements: Sequence[n.Statement], names: Names) -> Flow:
        """Do statements; gives what the last of them is worth."""
        raise NotImplementedError

    def block(self, node: n.Statement, names: Names) -> Flow:
        """What a loop, `parallel:` or `do:` is worth as a value."""
        raise NotImplementedError

    def do(self, node: n.Do, names: Names) -> Flow:
        """What a block is worth that is called."""
        raise NotImplementedError

    def staged(self, stage: n.Stage, flow: Flow, names: Names) -> Flow:
        """What a stage of a pipeline gives for items that hold so much."""
        raise NotImplementedError

    def value(self, node: n.Expression, names: Names) -> Flow:
        """What an expression holds."""
        match node:
            case n.Name(id=name):
                return names.get(name) or self._name(node, name, names)
            case n.Property():
                return self._property(node, names)
            case n.Index(target=target, index=index):
                return self._index(target, index, names)
            case n.Call() | n.Session() | n.Resume() | n.Gate():
                return self.asked(node, names)
            case n.Do():
                return self.do(node, names)
            case n.Object(entries=entries):
                return NOTHING.union(*[into(self.value(entry.value, names), entry.key) for entry in entries])
            case n.Text(parts=parts):
                inside = [self.value(part, names) for part in parts if not isinstance(part, str)]
                return mixed(NOTHING.union(*inside))
            case n.Apply():
                return self._applied(node, names)
            case n.BlockValue(block=block):
                with self.collecting() as given:
                    flow = self.block(block, names)
                return made_of(flow | frozenset(given))
            case n.Pipeline(source=source, stages=stages):
                flow = self.value(source, names)
                for stage in stages:
                    flow = self.staged(stage, flow, names)
                return flow
            case SlotAnswer(slot=slot):  # of a list slot, these are the services that are bound
                return NOTHING if slot in self.unit.list_slots else frozenset({Source("answer", slot)})
            case n.Conditional(condition=condition, then=then, otherwise=otherwise):
                self.looked_at(condition, names)
                return self.value(then, names) | self.value(otherwise, names)
            case n.Binary(operator="or"):
                return self.value(node.left, names) | self.value(node.right, names)
            case _:
                return made_of(NOTHING.union(*[self.value(part, names) for part in _parts(node)]))

    def looked_at(self, condition: n.Condition | None, names: Names) -> None:
        """A condition is decided here, from what these names hold."""
        plan = self.unit.conditions.get(condition) if condition is not None else None
        if condition is not None and plan is not None:
            held = {name: names[name] for name in plan.names if name in names}
            kept = self.found.looked_at.get(condition)
            self.found.looked_at[condition] = held if kept is None else joined([kept, held])

    def _name(self, node: n.Name, name: str, names: Names) -> Flow:
        """A name that nothing bound: `config` itself holds every config value."""
        if name == "config" and self.unit.names.get(node) == "builtin":
            return frozenset(Source("config", item.name, under=(item.name,)) for item in self.unit.config)
        return NOTHING

    def _property(self, node: n.Property, names: Names) -> Flow:
        target, name = node.target, node.name
        if isinstance(target, n.Name) and target.id == "config" and self.unit.names.get(target) == "builtin":
            return frozenset({Source("config", name)})
        flow = self.value(target, names)
        if name in _COUNTS and (self.lists.holds(target) or isinstance(target, n.Text)):
            return NOTHING
        return part_of(flow, name)

    def _index(self, target: n.Expression, index: n.Expression, names: Names) -> Flow:
        flow = self.value(target, names)
        key = constant_text(index)
        if key is not None:
            return part_of(flow, key)
        self.value(index, names)
        if isinstance(index, n.Constant) or self.lists.holds(target):
            return made_of(flow)
        return made_of(flow) | entries_of(flow)

    def _applied(self, node: n.Apply, names: Names) -> Flow:
        values = [self.value(argument, names) for argument in node.arguments]
        match node.function:
            case "len":
                return NOTHING
            case "named":
                return mixed(values[-1])
            case "field" if len(values) > 1:
                key = constant_text(node.arguments[1])
                read = part_of(values[0], key, alike=True) if key is not None else values[0] | entries_of(values[0])
                return read.union(*values[2:])
            case "first" | "last" | "top" | "items" | "distinct" | "most_common":
                return made_of(values[0]) if values else NOTHING
            case "min" | "max":
                return made_of(NOTHING.union(*values))
            case name if name in _NUMBERS:
                return single(values[0], "score" if name == "score" else "made") if values else NOTHING
            case _:
                return mixed(NOTHING.union(*values))

    def asked(self, node: Asking, names: Names) -> Flow:
        """Keep what is passed; gives the answer."""
        passed = self.found.passed.setdefault(node, {})
        for key, value in self._properties(node):
            passed[key] = passed.get(key, NOTHING) | self.value(value, names)
        name = asked_name(node, self.unit)
        if self.failing:
            self.failing[-1].add(Source("failure", name, "", node))
        return frozenset({Source("answer", name, "", node)})

    def _properties(self, node: Asking) -> Iterator[tuple[str, n.Expression]]:
        arguments: tuple[n.Expression, ...] = getattr(node, "arguments", ())
        positions = self.unit.positional.get(node, ()) if isinstance(node, n.Call | n.Session) else ()
        for number, argument in enumerate(arguments):
            own = argument.id if isinstance(argument, n.Name) else str(number + 1)
            yield positions[number] if number < len(positions) else own, argument
        if isinstance(node, n.Session) and node.prompt is not None:
            yield "prompt", node.prompt
        for entry in node.properties:
            yield entry.key, entry.value

    @contextmanager
    def collecting(self) -> Iterator[set[Source]]:
        """What `return` gives in here stays here."""
        given: set[Source] = set()
        self.given.append(given)
        try:
            yield given
        finally:
            self.given.pop()


def constant_text(value: n.Expression) -> str | None:
    """A text that is written out, without names in it."""
    if isinstance(value, n.Text) and all(isinstance(part, str) for part in value.parts):
        return "".join(part for part in value.parts if isinstance(part, str))
    return None


def _parts(node: n.Expression) -> Iterable[n.Expression]:
    """The values that a value is made of."""
    match node:
        case n.List(items=items):
            return items
        case n.Unary(operand=operand):
            return (operand,)
        case n.Binary(left=left, right=right):
            return (left, right)
        case _:
            return ()
