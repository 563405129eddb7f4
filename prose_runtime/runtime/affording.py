"""Whether a run can end well within its budget of calls. In: what is bound. Out: an error if no run can.

What is bound counts: a file in the place of a service makes calls of its own, or none; a service in the place of a
function makes one. Where it cannot be told what a call makes, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.resolve.bounds import JUDGE, Stand, bounds_of
from prose_runtime.resolve.counting import ZERO
from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.plan import BoundUnit, Callee, ServiceTarget, UnitTarget
from prose_runtime.runtime.values import ListValue, ServiceRef, Value, to_json


def check_budget(
    unit: Unit,
    bound: Iterable[BoundUnit],
    most: int,
    given: Mapping[str, Value],
    settings: Mapping[str, Value],
) -> list[Diagnostic]:
    """A budget of calls that no run can end well within, as far as the script and what is given tell. `bound`: all
    definitions of the run."""
    every = list(bound)
    main = next((one for one in every if one.unit is unit), None)
    stand: Stand | None = None
    if main is not None:
        if any(_is_foreign(one, main) for one in every):
            return []
        slots = {name: tuple(_unit_of(one) for one in _callees(value)) for name, value in main.slots.items()}
        replaced = {key for one in every for key, callee in one.functions.items() if isinstance(callee, ServiceTarget)}
        stand = Stand(slots, frozenset(replaced))
    bounds = bounds_of(unit, {name: to_json(value) for name, value in settings.items()}, stand)
    fewest = bounds.fewest_calls.plus(bounds.least.get(JUDGE, ZERO))
    least = fewest.value({**bounds.known, **_numbers(given), **_numbers(main.slots if main else {})}, "least")
    if least is None or least <= most:
        return []
    formula = "" if str(fewest) == f"{least:g}" else f" ({fewest})"
    place = unit.definition.name_span
    return [
        report("budget-too-small", unit.source, place, name=unit.name, fewest=f"{least:g}", formula=formula, most=most)
    ]


def _numbers(values: Mapping[str, Value]) -> dict[str, float]:
    """What names stand for in formulas: numbers, and the lengths of lists."""
    found: dict[str, float] = {}
    for name, value in values.items():
        if isinstance(value, ListValue):
            found[f"the number of `{name}`"] = len(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[f"`{name}`"] = value
    return found


def _is_foreign(bound: BoundUnit, main: BoundUnit) -> bool:
    """Whether something is a file whose calls are not those of the script: the model, a function, or what fills a slot
    of an instance."""
    functions = any(isinstance(one, UnitTarget) and one.bound.unit is not unit for unit, one in bound.functions.items())
    models = any(isinstance(one, UnitTarget) for one in bound.models.values())
    linked = {slot for one in bound.unit.instances.values() for slot in one.bindings.values() if isinstance(slot, Unit)}
    for target in bound.instances.values():
        inner = target.bound if isinstance(target, UnitTarget) else None
        for value in inner.slots.values() if inner is not None else ():
            for callee in _callees(value):
                own = isinstance(callee, UnitTarget) and (
                    callee.bound.unit in linked or callee in bound.instances.values()
                )
                outer = callee in [one for held in main.slots.values() for one in _callees(held)]
                if isinstance(callee, UnitTarget) and not own and not outer:
                    return True
    return functions or models


def _callees(value: Value) -> Iterator[Callee]:
    for item in value if isinstance(value, ListValue) else (value,):
        if isinstance(item, ServiceRef) and isinstance(item.service, ServiceTarget | UnitTarget):
            yield item.service


def _unit_of(callee: Callee) -> Unit | None:
    return callee.bound.unit if isinstance(callee, UnitTarget) else None
