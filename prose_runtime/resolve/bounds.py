"""How many calls a run makes at least and at most, as formulas over config, inputs and lengths of lists.

In: a resolved definition. Out: its `Bounds`, for each that is called and in all. Most: the branch that costs most,
every round, every retry. Least: a run that ends well as soon as it can. A judge is counted apart; so is a person, who
is no service, and what a model is asked once more because its answer broke its contract.
"""

from __future__ import annotations

from collections.abc import Mapping

from prose_runtime.resolve.amounts import Scope
from prose_runtime.resolve.callees import AGAIN, Stand, Work, cost_alone
from prose_runtime.resolve.counting import ZERO, Count, put_in
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.questions import JUDGE
from prose_runtime.resolve.spending import NOBODY, PERSON, Spending
from prose_runtime.resolve.ways import ALL
from prose_runtime.source import SourceText
from prose_runtime.source.node import node

__all__ = ["JUDGE", "NOBODY", "PERSON", "Bounds", "Stand", "bounds_of"]


@node
class Bounds:
    """`least` and `most` calls of each that is called by its name, in the order of the script: services, and
    definitions and instances, which make calls of their own. `known`: what the names in the formulas stand for, as far
    as config says so. `fewest_calls`, `most_calls`: of all services together, judge and person left out. `most_again`:
    how often at most a model is asked once more because its answer broke its contract."""

    least: Mapping[str, Count]
    most: Mapping[str, Count]
    known: Mapping[str, float]
    fewest_calls: Count = ZERO
    most_calls: Count = ZERO
    most_again: Count = ZERO

    def number(self, count: Count) -> float | None:
        """The number that a formula is with these values of config; None where they do not tell."""
        return count.value(self.known)

    def filled(self, count: Count) -> str:
        """The formula with these values of config: a number, as far as they tell."""
        return str(put_in(count, self.known))

    def written(self, count: Count, source: SourceText | None = None) -> str:
        """The formula and what it is with these values: `2 x max_rounds = 6`; without a bound why, and the line.
        `source`: the text that lines are of where no file is named."""
        if count.endless:
            return f"no bound: {count.endless}{_place_of(count, source)}"
        formula, filled = str(count), self.filled(count)
        return formula if formula == filled else f"{formula} = {filled}"


def _place_of(count: Count, own: SourceText | None) -> str:
    if count.place is None:
        return ""
    source, span = count.place
    return f" (line {source.position(span.start).line}{'' if source is own else f' of {source.name}'})"


def bounds_of(unit: Unit, config: Mapping[str, object] | None = None, stand: Stand | None = None) -> Bounds:
    """The bounds of a definition; `config` are values in place of the defaults, `stand` says what is bound."""
    values = {item.name: item.default for item in unit.config} | dict(config or {})
    known: dict[str, float] = {}
    if unit.definition.script is None:
        cost = cost_alone(unit)
    else:
        work = Work(stand or Stand({}, frozenset()))
        work.inside.append((unit, None))
        cost = Spending(Scope(unit, values, known), work).all()
    apart = (ALL, AGAIN)
    return Bounds(
        {name: count for name, count in cost.least.items() if name not in apart},
        {name: count for name, count in cost.most.items() if name not in apart},
        known,
        cost.least.get(ALL, ZERO),
        cost.most.get(ALL, ZERO),
        cost.most.get(AGAIN, ZERO),
    )
