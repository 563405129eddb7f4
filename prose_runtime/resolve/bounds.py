"""How many calls a run makes at least and at most, as formulas over config, inputs and lengths of lists.

In: a resolved definition. Out: its `Bounds`, for each service and in all. Most: the branch that costs most, every
round, every retry. Least: a run that ends well as soon as it can. What only a judge decides counts as calls of `judge`.
An answer that a model is asked for once more because it broke its contract is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from prose_runtime.resolve.counting import ZERO, Count, endless, largest, named, number, smallest, total
from prose_runtime.resolve.program import LinkedInstance, Target, Unit
from prose_runtime.resolve.sources import asked_name
from prose_runtime.source.node import node
from prose_runtime.syntax import children
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.printer import Unprintable, print_expression

JUDGE = "judge"
PERSON = "a person"
"""Under what gates are counted, which are no calls of a service; no slot has such a name."""
NOBODY = "no number bounds this loop"
RECURSION = "it comes back to itself"
_DEEPEST = 20


@node
class Bounds:
    """`least` and `most` calls of each service by its name, in the order of the script. `known`: what the names in the
    formulas stand for, as far as config says so."""

    least: Mapping[str, Count]
    most: Mapping[str, Count]
    known: Mapping[str, float]

    @property
    def fewest_calls(self) -> Count:
        """Of all services together; nobody needs a judge for sure, and a person is no service."""
        return total(count for name, count in self.least.items() if name not in (JUDGE, PERSON))

    @property
    def most_calls(self) -> Count:
        """Of all services together, judge and person left out."""
        return total(count for name, count in self.most.items() if name not in (JUDGE, PERSON))


def bounds_of(unit: Unit, config: Mapping[str, object] | None = None) -> Bounds:
    """The bounds of a definition; `config` are values in place of the defaults."""
    values = {item.name: item.default for item in unit.config} | dict(config or {})
    known: dict[str, float] = {}
    if unit.definition.script is None:
        asked = {"model": number(1)}
        return Bounds(asked, asked, known)
    counted = _Counting(unit, values, known, ())
    used = counted.body(unit.definition.script.statements)
    return Bounds(used.least, used.most, known)


@node
class Use:
    """What something costs. `leaves`: how it may end the body that it stands in (`return`, `break`, `continue`);
    `fails`: it always ends in a `throw`, so that a run that goes well does not come here."""

    least: Mapping[str, Count]
    most: Mapping[str, Count]
    leaves: frozenset[str] = frozenset()
    fails: bool = False

    def leaving(self, leaves: frozenset[str] = frozenset()) -> Use:
        """The same where only these ways out count."""
        return Use(self.least, self.most, self.leaves & leaves, self.fails)


FREE = Use({}, {})
OUT = frozenset({"return"})


class _Counting:
    """One definition. `inside` are the definitions that called this one."""

    def __init__(
        self, unit: Unit, config: Mapping[str, object], known: dict[str, float], inside: tuple[Unit, ...]
    ) -> None:
        self.unit = unit
        self.config = config
        self.known = known
        self.inside = (*inside, unit)
        self.blocks: list[n.Block] = []

    # ---- statements ----

    def body(self, statements: Sequence[n.Statement]) -> Use:
        """One after the other. What may be left early costs at least what stands before."""
        least: dict[str, Count] = {}
        most: dict[str, Count] = {}
        left: frozenset[str] = frozenset()
        for statement in statements:
            use = self.statement(statement)
            most = _sum(most, use.most)
            least = least if left else _sum(least, use.least)
            left |= use.leaves
            if use.fails or isinstance(statement, n.Return | n.Break | n.Continue):
                return Use(least, most, left, use.fails)
        return Use(least, most, left)

    def statement(self, node: n.Statement) -> Use:
        match node:
            case n.If(arms=arms, otherwise=otherwise):
                asked = _joined(self.condition(arm.condition) for arm in arms)
                return _after(asked, _either([*(self.body(arm.body) for arm in arms), self.body(otherwise or ())]))
            case n.Choice(criterion=criterion, options=options):
                asked = self.condition(criterion)
                return _after(asked, _either([self.body(option.body) for option in options]))
            case n.Try(body=body, catch=caught, cleanup=cleanup):
                tried = self.tried(self.body(body), self.body(caught or ()), caught is not None)
                end = self.body(cleanup or ())
                return Use(_sum(tried.least, end.least), _sum(tried.most, end.most), tried.leaves | end.leaves)
            case n.Repeat() | n.For() | n.Loop() | n.Parallel() | n.DoBlock():
                return self.loop(node)
            case n.Return(value=value) | n.Throw(value=value):
                use = self.value(value) if value is not None else FREE
                fails = isinstance(node, n.Throw)
                return Use(use.least, use.most, frozenset() if fails else OUT, fails)
            case n.Break():
                return Use({}, {}, frozenset({"break"}))
            case n.Continue():
                return Use({}, {}, frozenset({"continue"}))
            case n.Block() | n.Agent() | n.Use():
                return FREE
            case _:
                return self.parts(node)

    def tried(self, body: Use, caught: Use, has_catch: bool) -> Use:
        """What fails has cost one call at least, if it asks anybody; then the failure is dealt with."""
        least = {} if body.fails else body.least
        if has_catch and not body.fails:
            failing = {name: number(1) if not count.is_zero else ZERO for name, count in body.most.items()}
            one = dict(list(failing.items())[:1]) if len(failing) == 1 else {}
            least = _min(least, _sum(one, caught.least))
        return Use(least, _sum(body.most, caught.most), body.leaves | caught.leaves)

    def loop(self, node: n.Statement, *, collects: bool = False) -> Use:
        """A loop, or what stands beside each other. One that collects is not left by `return`."""
        match node:
            case n.DoBlock(body=body):
                return self.body(body).leaving(frozenset() if collects else OUT)
            case n.Parallel(branches=branches, modifiers=modifiers):
                uses = [self.statement(branch) for branch in branches]
                least = _joined(uses).least if modifiers is None or modifiers.join is None else {}
                return Use(least, _joined(uses).most)
            case n.Repeat(count=count, body=body, modifiers=modifiers):
                rounds = self.amount(count)
                return _after(self.value(count), self.rounds(self.body(body), rounds, rounds, modifiers, collects))
            case n.For(iterable=iterable, body=body, maximum=maximum, modifiers=modifiers):
                rounds = self.length(iterable)
                rounds = smallest(rounds, self.amount(maximum)) if maximum is not None else rounds
                use = self.each(node, self.body(body), iterable)
                return _after(self.value(iterable), self.rounds(use, rounds, rounds, modifiers, collects))
            case n.Loop(test=test, condition=condition, maximum=maximum, body=body):
                use = self.body(body)
                if condition is not None:
                    asked = self.condition(condition)
                    use = Use(use.least, _sum(use.most, asked.most), use.leaves, use.fails)
                most = self.amount(maximum) if maximum is not None else endless(NOBODY)
                fewest = self.amount(maximum) if maximum is not None else number(1)
                return self.rounds(use, fewest if test is None else ZERO, most, None, collects)
            case _:
                return FREE

    def rounds(self, body: Use, least: Count, most: Count, modifiers: n.Modifiers | None, collects: bool) -> Use:
        """A body so many times; one that may be left costs the first round only, if there is one."""
        few = least
        ends = body.leaves & (frozenset({"break"}) if collects else frozenset({"break", "return"}))
        if ends or body.fails or (modifiers is not None and (modifiers.join or modifiers.on_fail) is not None):
            few = smallest(least, number(1))
        out = frozenset() if collects else body.leaves & OUT
        return Use(_scaled(body.least, few), _scaled(body.most, most), out)

    def each(self, node: n.For, body: Use, iterable: n.Expression) -> Use:
        """What a round costs may depend on its item: `tier.count` becomes the mean of it, so that the rounds add up."""
        item, items = node.item.id, self.listed(iterable)
        prefix = f"`{item}."
        fields = {name for count in (*body.most.values(), *body.least.values()) for name in count.names()
                  if name.startswith(prefix)}  # fmt: skip
        for name in fields:
            field = name[len(prefix) : -1]
            if items and all(isinstance(one, dict) and isinstance(one.get(field), int) for one in items):
                self.known[name] = sum(one[field] for one in items) / len(items)  # type: ignore[index]
        return body

    # ---- values ----

    def value(self, node: n.Node) -> Use:
        match node:
            case n.BlockValue(block=block):
                return self.loop(block, collects=True).leaving()
            case n.Pipeline(source=source, stages=stages):
                rounds = self.length(source)
                uses = [self.value(source)]
                for stage in stages:
                    uses.append(self.rounds(self.body(stage.body), ZERO if uses[1:] else rounds, rounds, None, True))
                return _joined(uses)
            case n.Do(arguments=arguments):
                return _joined([*(self.value(item) for item in arguments), self.do(node)])
            case n.Conditional(condition=condition, then=then, otherwise=otherwise):
                return _after(self.condition(condition), _either([self.value(then), self.value(otherwise)]))
            case n.Binary(operator="and" | "or", left=left, right=right):
                later = self.value(right)
                return _joined([self.value(left), Use({}, later.most)])
            case n.Call() | n.Session() | n.Resume() | n.Gate():
                return _joined([self.parts(node), self.asked(node)])
            case _:
                return self.parts(node)

    def parts(self, node: n.Node) -> Use:
        return _joined(self.value(part) for part in children(node))

    def asked(self, node: n.Call | n.Session | n.Resume | n.Gate) -> Use:
        """Whoever is asked, and each further attempt."""
        target = self.unit.calls.get(node) if isinstance(node, n.Call) else None
        if isinstance(node, n.Session) and node in self.unit.session_targets:
            target = self.unit.session_targets[node]
        use = self.target(target) if target is not None else None
        if use is None:
            name = asked_name(node, self.unit)
            asked = {(PERSON if isinstance(node, n.Gate) else name): number(1)}
            use = Use(asked, asked)
        retry = next((entry.value for entry in node.properties if entry.key == "retry"), None)
        if retry is None:
            return use
        return Use(use.least, _scaled(use.most, self.amount(retry).plus(number(1))))

    def target(self, target: Target) -> Use | None:
        """A definition or an instance, which is gone into; None for a slot."""
        if target.kind == "unit" and target.unit is not None:
            return self.unit_use(target.unit, {})
        if target.kind == "instance" and target.instance is not None:
            return self.instance_use(target.instance)
        return None

    def unit_use(self, unit: Unit, config: Mapping[str, object]) -> Use:
        if unit.definition.script is None:
            return Use({unit.name: number(1)}, {unit.name: number(1)})
        if unit in self.inside or len(self.inside) > _DEEPEST:
            return Use({}, {unit.name: endless(RECURSION)})
        values = {item.name: item.default for item in unit.config} | dict(config)
        inner = _Counting(unit, values, self.known, self.inside)
        return inner.body(unit.definition.script.statements).leaving()

    def instance_use(self, instance: LinkedInstance) -> Use:
        """A pattern with its slots filled: each call of a slot costs what is bound to it."""
        use = self.unit_use(instance.unit, instance.config)
        filled = {slot: bound for slot, bound in instance.bindings.items() if not isinstance(bound, tuple)}
        return Use(self._filled(use.least, filled, 0), self._filled(use.most, filled, 1))

    def _filled(self, counts: Mapping[str, Count], filled: Mapping[str, object], which: int) -> dict[str, Count]:
        found: dict[str, Count] = {}
        for name, count in counts.items():
            bound = filled.get(name)
            if isinstance(bound, Unit):
                inner = self.unit_use(bound, {})
            elif isinstance(bound, LinkedInstance):
                inner = self.instance_use(bound)
            else:
                found = _sum(found, {name: count})
                continue
            found = _sum(found, _scaled((inner.least, inner.most)[which], count))
        return found

    def do(self, node: n.Do) -> Use:
        block = self.unit.does.get(node)
        if block is None:
            return FREE
        if block in self.blocks:
            return Use({}, {block.name.id: endless(RECURSION)})
        self.blocks.append(block)
        try:
            return self.body(block.body).leaving()
        finally:
            self.blocks.pop()

    def condition(self, node: n.Condition) -> Use:
        plan = self.unit.conditions.get(node)
        return Use({}, {JUDGE: number(1)}) if plan is not None and plan.judge != "never" else FREE

    # ---- numbers ----

    def amount(self, node: n.Expression) -> Count:
        """A number as a formula."""
        match node:
            case n.Constant(value=int() as value) if not isinstance(value, bool):
                return number(max(value, 0))
            case n.Binary(operator="+", left=left, right=right):
                return self.amount(left).plus(self.amount(right))
            case n.Binary(operator="*", left=left, right=right):
                return self.amount(left).times(self.amount(right))
            case n.Property(target=target, name="length" | "count") if not isinstance(target, n.Name) or (
                self.unit.names.get(target) != "builtin" and node.name == "length"
            ):
                return self.length(target)
            case n.Apply(function="len", arguments=(of,)):
                return self.length(of)
            case n.Name(id=name):
                return self.symbol(f"`{name}`", self.config.get(name))
            case n.Property(target=n.Name(id="config"), name=name):
                return self.symbol(f"`{name}`", self.config.get(name))
            case _:
                return self.symbol(f"`{_written(node)}`", None)

    def length(self, node: n.Expression) -> Count:
        """How many items a value has."""
        match node:
            case n.List(items=items):
                return number(len(items))
            case n.Apply(function="first" | "last" | "top", arguments=(of, most, *_)):
                return smallest(self.length(of), self.amount(most))
            case n.Name(id=name):
                held = self.listed(node)
                return self.symbol(f"the number of `{name}`", None if held is None else len(held))
            case _:
                return self.symbol(f"the number of `{_written(node)}`", None)

    def listed(self, node: n.Expression) -> list[object] | None:
        held = self.config.get(node.id) if isinstance(node, n.Name) else None
        return held if isinstance(held, list) else None

    def symbol(self, text: str, value: object) -> Count:
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.known[text] = value
        return named(text)


def _written(node: n.Expression) -> str:
    try:
        return print_expression(node)
    except Unprintable:
        return "…"


# ---- several services ------------------------------------------------------------------------------------


def _sum(first: Mapping[str, Count], second: Mapping[str, Count]) -> dict[str, Count]:
    found = dict(first)
    for name, count in second.items():
        found[name] = found.get(name, ZERO).plus(count)
    return found


def _min(first: Mapping[str, Count], second: Mapping[str, Count]) -> dict[str, Count]:
    return {name: smallest(count, second.get(name, ZERO)) for name, count in first.items()}


def _scaled(counts: Mapping[str, Count], times: Count) -> dict[str, Count]:
    return {name: count.times(times) for name, count in counts.items()}


def _joined(uses: Iterable[Use]) -> Use:
    """One after the other."""
    least: dict[str, Count] = {}
    most: dict[str, Count] = {}
    for use in uses:
        least, most = _sum(least, use.least), _sum(most, use.most)
    return Use(least, most)


def _after(first: Use, then: Use) -> Use:
    joined = _joined([first, then])
    return Use(joined.least, joined.most, then.leaves, then.fails)


def _either(uses: Sequence[Use]) -> Use:
    """One of them. That one fails does not make the others cheaper."""
    well = [use for use in uses if not use.fails] or list(uses)
    names = dict.fromkeys(name for use in uses for name in use.most)
    least: dict[str, Count] = {}
    for name in names:
        fewest = [use.least.get(name, ZERO) for use in well]
        few = fewest[0]
        for count in fewest[1:]:
            few = smallest(few, count)
        least[name] = few
    most = {name: largest(use.most.get(name, ZERO) for use in uses) for name in names}
    leaves = frozenset[str]().union(*(use.leaves for use in uses))
    return Use(least, most, leaves, all(use.fails for use in uses))
