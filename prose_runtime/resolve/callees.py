"""What calls cost: of a service, of a definition that is gone into, of an instance with its slots filled.

In: a call's target, and the scope that it stands in. Out: its `Cost`. The same definition with the same inputs is
counted once. What comes back to itself has no bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from prose_runtime.resolve.amounts import Given, Scope
from prose_runtime.resolve.counting import ZERO, endless, number
from prose_runtime.resolve.hints import hints_of
from prose_runtime.resolve.program import LinkedInstance, Target, Unit
from prose_runtime.resolve.ways import ALL, Cost, both, once, one_of, scaled
from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node
from prose_runtime.syntax import nodes as n

AGAIN = "once more"
"""Under what the further question is counted that a model gets whose answer broke its contract."""
RECURSION = "it comes back to itself"
TOO_DEEP = "it is too deep to follow"
_DEEPEST = 12
_MOST_UNITS = 500
Place: TypeAlias = "tuple[SourceText, Span]"
Own: TypeAlias = "tuple[Unit, LinkedInstance | None]"


@node
class Stand:
    """What is bound to names of the first definition, where that is known. `slots`: for each the definition that each
    of its services is, or None for a service; `services`: the definitions that a service does instead."""

    slots: Mapping[str, tuple[Unit | None, ...]]
    services: frozenset[Unit]


class Work:
    """What all definitions that are gone into share. `inside`: those that are being counted; `returning`: those of them
    that are called from inside of themselves; `done`: what was counted before. `plain`: what is passed is not looked
    at, since there is too much of it; `below`: those that call nothing further are counted first."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        self.inside: list[Own] = []
        self.returning: set[Own] = set()
        self.done: dict[tuple[object, ...], Cost] = {}
        self.units = 0
        self.plain = False
        self.below = False


class Callees:
    """Who is called from one scope. `count` gives what a script costs in its own scope."""

    def __init__(self, scope: Scope, work: Work, count: Callable[[Scope, Work], Cost]) -> None:
        self.scope = scope
        self.unit = scope.unit
        self.work = work
        self.count = count

    def cost(self, target: Target, node: n.Call | n.Session | n.Resume) -> tuple[Cost, int]:
        """What a call costs, and how often it is tried again where the call says nothing."""
        if target.kind == "unit" and target.unit is not None:
            return self.unit_cost(target.unit, self.passed(node, target.unit)), retries_of(target.unit)
        if target.kind == "instance" and target.instance is not None:
            instance = target.instance
            given = self.passed(node, instance.unit)
            return self.instance_cost(instance, given, self.scope), retries_of(instance.unit)
        return self.slot_cost(target.name, self.scope)

    def slot_cost(self, name: str, scope: Scope) -> tuple[Cost, int]:
        """A slot that an instance fills costs what is bound to it."""
        filled = scope.instance.bindings.get(name) if scope.instance is not None else None
        if filled is None or scope.outer is None:
            bound = self.work.stand.slots.get(name, ()) if scope.outer is None else ()
            units = [one for one in bound if one is not None]
            own = [service_cost(name)] if len(units) < len(bound) or not bound else []
            every = [*own, *(self.unit_cost(one, {}) for one in units)]
            return one_of(every), max([0, *map(retries_of, units)])
        several = filled if isinstance(filled, tuple) else (filled,)
        costs, retries = [], [0]
        for one in several:
            if isinstance(one, str):
                cost, retry = self.slot_cost(one, scope.outer)
            elif isinstance(one, Unit):
                cost, retry = self.unit_cost(one, {}), retries_of(one)
            else:
                cost, retry = self.instance_cost(one, {}, scope.outer), retries_of(one.unit)
            costs.append(cost)
            retries.append(retry)
        return one_of(costs), max(retries)

    def passed(self, node: n.Call | n.Session | n.Resume, unit: Unit) -> dict[str, Given]:
        """What a call passes, where who is called may count by it."""
        if unit.definition.script is None or self.work.plain:
            return {}
        values = {entry.key: entry.value for entry in node.properties}
        if isinstance(node, n.Call | n.Session):
            values.update(zip(self.unit.positional.get(node, ()), node.arguments, strict=False))
        wanted = {item.name for item in (*unit.inputs, *unit.passed_on)} | {item.name for item in unit.config}
        return {name: self.scope.given_by(value) for name, value in values.items() if name in wanted}

    def unit_cost(self, unit: Unit, given: Mapping[str, Given]) -> Cost:
        if unit.definition.script is None or unit in self.work.stand.services:
            return service_cost(unit.name)
        return self.inner(unit, {}, given, None, self.scope)

    def instance_cost(self, instance: LinkedInstance, given: Mapping[str, Given], owner: Scope) -> Cost:
        """A pattern with its slots filled by what `owner` names."""
        return self.inner(instance.unit, instance.config, given, instance, owner)

    def inner(
        self,
        unit: Unit,
        config: Mapping[str, object],
        given: Mapping[str, Given],
        instance: LinkedInstance | None,
        owner: Scope,
    ) -> Cost:
        """Another definition, gone into."""
        name, work = (instance.name if instance is not None else unit.name), self.work
        shown = tuple(sorted((key, str(value)) for key, value in given.items()))
        own = (unit, instance)
        key = (*own, owner if instance is not None else None, shown)
        if key in work.done:
            return work.done[key]
        work.units += 1
        if own in work.inside:
            work.returning.update(work.inside[work.inside.index(own) :])
            return _endless(unit.name, RECURSION, (unit.source, unit.definition.name_span))
        work.plain = work.plain or work.units > _MOST_UNITS
        if len(work.inside) > _DEEPEST and instance is None and not work.below:
            self.from_below(unit)
            found = work.done.get((unit, None, None, ()))
            return found or _endless(unit.name, RECURSION, (unit.source, unit.definition.name_span))
        if len(work.inside) > 2 * _DEEPEST:
            return _endless(name, TOO_DEEP, (unit.source, unit.definition.name_span))
        script = unit.definition.script
        values = {item.name: item.default for item in unit.config} | dict(config)
        values = {key: value for key, value in values.items() if key not in given}
        scope = Scope(unit, values, self.scope.known, owner, given, instance)
        work.inside.append(own)
        try:
            cost = self.count(scope, work) if script is not None else service_cost(unit.name)
        finally:
            work.inside.pop()
        if own in work.returning:
            cost = recursive(cost, (unit.source, unit.definition.name_span))
            work.returning.discard(own)
            return both(cost, once(name))
        cost = both(cost, once(name)) if script is not None else cost
        work.done[key] = cost
        return cost

    def from_below(self, unit: Unit) -> None:
        """Count all that a definition calls, those first that call nothing further: nothing is nested deeply."""
        work = self.work
        work.below, plain, inside = True, work.plain, work.inside
        work.plain = True
        pending, seen = [(unit, iter(_called(unit)))], {unit}
        while pending:
            current, callees = pending[-1]
            further = next((one for one in callees if one not in seen), None)
            if further is not None:
                seen.add(further)
                pending.append((further, iter(_called(further))))
                continue
            pending.pop()
            work.inside = []
            self.inner(current, {}, {}, None, self.scope)
        work.below, work.plain, work.inside = False, plain, inside


def _called(unit: Unit) -> list[Unit]:
    """The definitions with a script that one calls."""
    targets = [*unit.calls.values(), *unit.session_targets.values()]
    return [one.unit for one in targets if one.unit is not None and one.unit.definition.script is not None]


def cost_alone(unit: Unit) -> Cost:
    """Of a run of a definition without a script, which a model fulfils."""
    cost = once("model", ALL, AGAIN)
    return Cost(cost.least, scaled(cost, ZERO, number(1 + retries_of(unit))).most)


def service_cost(name: str) -> Cost:
    """One call of a service."""
    return once(name, ALL, AGAIN)


def recursive(cost: Cost, place: Place) -> Cost:
    """What comes back to itself calls whom it calls without a bound."""
    return Cost(cost.least, {name: endless(RECURSION, place) for name in cost.most})


def retries_of(unit: Unit) -> int:
    """How often a definition is tried again where the call says nothing."""
    return hints_of(unit.definition).retry or 0


def no_bound(why: str, place: Place) -> Cost:
    """Nobody knows how many calls."""
    none = endless(why, place)
    return Cost({}, {ALL: none, AGAIN: none})


def _endless(name: str, why: str, place: Place) -> Cost:
    return both(no_bound(why, place), Cost({}, {name: endless(why, place)}))
