"""Numbers and lengths of a script as formulas. In: an expression and the scope that it stands in. Out: a `Count`.

Config and inputs are names; what a caller passes stands for the inputs of who is called. A name that is bound once is
what it is bound to. Of one that changes only the greatest length may be known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from prose_runtime.resolve.counting import ZERO, Count, largest, named, number, one_less, smallest
from prose_runtime.resolve.program import LinkedInstance, Unit
from prose_runtime.source.node import node
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk
from prose_runtime.syntax.document import Config, Input
from prose_runtime.syntax.printer import Unprintable, print_expression

_DEEPEST = 12
_LONGEST = 60


@node
class Given:
    """What a caller passes: as a number, and its least and greatest length; None where it is not known as such."""

    amount: Count | None
    shortest: Count | None
    longest: Count | None

    def __str__(self) -> str:
        return f"{self.amount}|{self.shortest}|{self.longest}"


class Scope:
    """A definition with what its names stand for. `outer`: where it is called from, if it is not the first; `config`
    its values; `given` what is passed; `instance`: who fills its slots."""

    def __init__(
        self,
        unit: Unit,
        config: Mapping[str, object],
        known: dict[str, float],
        outer: Scope | None = None,
        given: Mapping[str, Given] | None = None,
        instance: LinkedInstance | None = None,
    ) -> None:
        self.unit = unit
        self.config = config
        self.known = known
        self.outer = outer
        self.given = given or {}
        self.instance = instance
        self.bound: dict[str, list[n.Expression | None]] = {}
        self.growing: set[str] = set()
        self.measured: list[str] = []
        self.lengths: dict[tuple[str, bool], Count] = {}
        script = unit.definition.script
        if script is not None:
            self._find(script)
        for name in (*_names(unit.inputs), *_names(unit.passed_on), *_names(unit.config)):
            if name in self.bound:  # what it holds at first is none of these
                self.bound[name].append(None)

    def _find(self, script: n.Script) -> None:
        """What each name is bound to; None where that is no expression."""
        for part in walk(script):
            names: list[n.Name | None] = []
            match part:
                case n.Let(target=n.Name(id=name), value=value) | n.Assign(target=n.Name(id=name), value=value):
                    self.bound.setdefault(name, []).append(value)
                case n.Let(target=n.Destructure(names=several)):
                    names += several
                case n.For():
                    names += [part.item, part.index, part.counter]
                case n.Repeat() | n.Loop():
                    names.append(part.counter)
                case n.Try():
                    names.append(part.error)
                case n.Block(parameters=several):
                    names += several
                case n.Stage(parameters=texts):
                    for text in texts:
                        self.bound.setdefault(text, []).append(None)
                case n.Record(into=n.Name(id=name)):
                    self.growing.add(name)
            for one in names:
                if one is not None:
                    self.bound.setdefault(one.id, []).append(None)

    def changes(self, node: n.Expression) -> bool:
        """Whether the script binds a name in it."""
        return any(isinstance(part, n.Name) and (part.id in self.bound or part.id in self.growing)
                   for part in walk(node))  # fmt: skip

    # ---- numbers ----

    def amount(self, node: n.Expression, depth: int = 0) -> Count:
        """A number as a formula."""
        match node:
            case n.Constant(value=int() as value) if not isinstance(value, bool):
                return number(value)
            case n.Constant(value=float() as value) if value == int(value):
                return number(int(value))
            case n.Binary(operator="+", left=left, right=right):
                return self.amount(left, depth).plus(self.amount(right, depth))
            case n.Binary(operator="*", left=left, right=right):
                return self.amount(left, depth).times(self.amount(right, depth))
            case n.Binary(operator="-", left=left, right=n.Constant(value=1)):
                return one_less(self.amount(left, depth))
            case n.Apply(function="min", arguments=(_, _, *_) as several):
                return smallest(*(self.amount(one, depth) for one in several))
            case n.Apply(function="max", arguments=(_, _, *_) as several):
                return largest(self.amount(one, depth) for one in several)
            case n.Property(target=n.Name(id="config"), name=name):
                return self._config(name, node)
            case n.Property(target=target, name="length") | n.Apply(function="len", arguments=(target,)):
                return self.length(target, least=True, depth=depth) if depth < _DEEPEST else self._unknown(node)
            case n.Name(id=name):
                return self._named(node, name, depth)
            case _:
                return self._unknown(node)

    def _named(self, node: n.Expression, name: str, depth: int) -> Count:
        values = self.bound.get(name)
        if values is not None:
            only = values[0] if len(values) == 1 else None
            if only is None or depth >= _DEEPEST or not _is_number(only):
                return self._unknown(node)
            return self.amount(only, depth + 1)
        given = self.given.get(name)
        if given is not None and given.amount is not None:
            return given.amount
        return self._config(name, node)

    def _config(self, name: str, node: n.Expression) -> Count:
        value = self.config.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            return self._unknown(node)
        if self.outer is None:
            self.known[f"`{name}`"] = value
            return named(f"`{name}`")
        return number(int(value)) if value == int(value) else self._unknown(node)

    # ---- lengths ----

    def length(self, node: n.Expression, *, least: bool, depth: int = 0) -> Count:
        """How many items a value has; `least`: it may have more, else it may have less."""
        match node:
            case n.List(items=items):
                return number(len(items))
            case n.Constant(value=None):
                return ZERO
            case n.Apply(function="first" | "last" | "top", arguments=(of, most, *_)):
                have, limit = self.length(of, least=least, depth=depth), self.amount(most, depth)
                return limit if not least and have.is_local else smallest(have, limit)
            case n.Binary(operator="+", left=left, right=right) if not least:
                return self.length(left, least=least, depth=depth).plus(self.length(right, least=least, depth=depth))
            case n.BlockValue(block=block) if not least and depth < _DEEPEST:
                return self._collected(block, depth)
            case n.Pipeline(source=source, stages=stages) if not least and _keeps_length(stages):
                return self.length(source, least=False, depth=depth)
            case n.Name(id=name):
                if depth or self.measured:
                    return self._length_of(node, name, least, depth)
                if (name, least) not in self.lengths:
                    self.lengths[name, least] = self._length_of(node, name, least, depth)
                return self.lengths[name, least]
            case _:
                return self._unknown(node, "the number of ")

    def _length_of(self, node: n.Expression, name: str, least: bool, depth: int) -> Count:
        values = self.bound.get(name)
        if values is not None or name in self.growing:
            known = None if name in self.growing or name in self.measured or depth >= _DEEPEST else values
            if not known or None in known or (least and len(known) > 1):
                return self._unknown(node, "the number of ")
            self.measured.append(name)
            longest = largest(self.length(one, least=least, depth=depth + 1) for one in known if one is not None)
            self.measured.pop()
            return longest if not longest.is_local or longest.value({}, "most") is not None else self._unknown(
                node, "the number of "
            )  # fmt: skip
        given = self.given.get(name)
        if given is not None:
            count = given.shortest if least else given.longest
            if count is not None:
                return count
        return self.length_of_slot(name, node)

    def length_of_slot(self, name: str, node: n.Expression | None = None) -> Count:
        """Of a list slot, an input or config that is a list."""
        filled = self.instance.bindings.get(name) if self.instance is not None else None
        if isinstance(filled, tuple):
            return number(len(filled))
        if isinstance(filled, str) and self.outer is not None and name in self.unit.list_slots:
            return self.outer.length_of_slot(filled)
        value = self.config.get(name)
        text = f"the number of `{name}`"
        if self.outer is not None:
            return number(len(value)) if isinstance(value, list) else named(self.named_here(text), local=True)
        if isinstance(value, list):
            self.known[text] = len(value)
        return named(text)

    def _collected(self, block: n.Statement, depth: int) -> Count:
        """How many items a loop collects at most: one a round, or those of the loop at its end."""
        match block:
            case n.Repeat(count=count, body=body):
                rounds = self.amount(count, depth + 1)
            case n.For(iterable=iterable, body=body):
                rounds = self.length(iterable, least=False, depth=depth + 1)
            case n.Loop(maximum=maximum, body=body) if maximum is not None:
                rounds = self.amount(maximum, depth + 1)
            case n.Parallel(branches=branches):
                return number(len(branches))
            case _:
                return named("the number of what a loop collects", local=True)
        last = body[-1] if body else None
        if last in self.unit.flattened and isinstance(last, n.Repeat | n.For | n.Loop):
            inner = self._collected(last, depth + 1)
            alone = not any(isinstance(part, n.Return) for one in body[:-1] for part in walk(one))
            return rounds.times(inner if alone else largest([number(1), inner]))
        return rounds

    def items(self, node: n.Expression) -> list[object] | None:
        """The items of a list that config gives."""
        held = self.config.get(node.id) if isinstance(node, n.Name) and node.id not in self.bound else None
        return held if isinstance(held, list) else None

    # ---- what is passed ----

    def given_by(self, value: n.Expression) -> Given:
        """What an expression is for who is called."""
        if not isinstance(value, n.Name | n.List | n.Property | n.Binary | n.Constant | n.Apply):
            return Given(None, None, None)
        amount = self.amount(value) if _is_number(value) else None
        counted = isinstance(value, n.Name | n.List | n.Apply | n.Property)
        shortest = self.length(value, least=True) if counted else None
        longest = self.length(value, least=False) if counted else None
        return Given(amount, shortest, longest)

    def _unknown(self, node: n.Expression, before: str = "") -> Count:
        text = f"{before}`{written(node)}`"
        if self.outer is not None:
            return named(self.named_here(text), local=True)
        return named(text, local=not _is_path(node) or self.changes(node))

    def named_here(self, text: str) -> str:
        """A name in formulas: outside of the first definition with whose it is."""
        return text if self.outer is None else f"{text} in {self.unit.name}"


def _is_path(node: n.Expression) -> bool:
    """`briefs`, `config.briefs`, `plan.steps`."""
    return isinstance(node, n.Name) or (isinstance(node, n.Property) and _is_path(node.target))


def _names(items: Iterable[Input | Config]) -> Iterator[str]:
    return (item.name for item in items)


def _is_number(node: n.Expression) -> bool:
    """Whether it may be a number that a formula can say."""
    match node:
        case n.Constant(value=value):
            return isinstance(value, int) and not isinstance(value, bool)
        case n.Binary(operator="+" | "*" | "-", left=left, right=right):
            return _is_number(left) and _is_number(right)
        case n.Apply(function="min" | "max", arguments=(_, _, *_) as several):
            return all(_is_number(one) for one in several)
        case n.Name() | n.Property(name="length") | n.Apply(function="len") | n.Property(target=n.Name(id="config")):
            return True
        case _:
            return False


def _keeps_length(stages: tuple[n.Stage, ...]) -> bool:
    return all(stage.operation in ("map", "pmap", "filter") for stage in stages)


def written(node: n.Expression) -> str:
    """An expression as it would be typed, cut where it is long."""
    try:
        text = print_expression(node)
    except Unprintable:
        return "…"
    return text if len(text) <= _LONGEST and "\n" not in text else f"{text.splitlines()[0][:_LONGEST]}…"
