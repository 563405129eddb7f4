"""What a run can cost, where it is said what a call of each costs. In: bounds and prices. Out: rows, and plain data.

A price is what a call costs at most, in US dollars. Without the price of one that is called there is no sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prose_runtime.resolve.bounds import PERSON, Bounds
from prose_runtime.resolve.counting import ZERO, Count
from prose_runtime.resolve.program import Program
from prose_runtime.source.node import node


@node
class Priced:
    """One that is called: how often at least and at most, and what a call costs; None if nobody said so."""

    name: str
    fewest: Count
    most: Count
    price: float | None


@node
class Costs:
    """What a run can cost. `bounds` know what names in formulas stand for."""

    items: tuple[Priced, ...]
    bounds: Bounds

    @property
    def unknown(self) -> list[str]:
        """Those that are called and have no price."""
        return [item.name for item in self.items if item.price is None]

    def to_json(self) -> dict[str, Any]:
        """Plain data; numbers are null where they cannot be told."""
        fewest, most = [(item.fewest, item) for item in self.items], [(item.most, item) for item in self.items]
        return {
            "fewest": {"formula": _formula(fewest), "number": self._sum(fewest)},
            "most": {"formula": _formula(most), "number": self._sum(most)},
            "without_a_price": self.unknown,
        }

    def rows(self) -> Iterator[tuple[str, str]]:
        """The lines of the page."""
        if self.unknown:
            yield "unknown", f"there is no price of {', '.join(f'`{name}`' for name in self.unknown)}"
            return
        yield "at least", self._written([(item.fewest, item) for item in self.items])
        yield "at most", self._written([(item.most, item) for item in self.items])

    def _sum(self, counted: Iterable[tuple[Count, Priced]]) -> float | None:
        total = 0.0
        for count, item in counted:
            number = self.bounds.number(count)
            if item.price is None or number is None:
                return None
            total += item.price * number
        return round(total, 6)

    def _written(self, counted: list[tuple[Count, Priced]]) -> str:
        endless = next((count for count, _ in counted if count.endless), None)
        if endless is not None:
            return f"no bound: {endless.endless}"
        total, formula = self._sum(counted), _formula(counted)
        return f"${formula}" if total is None else f"{formula} = ${total:g}"


def _formula(counted: Iterable[tuple[Count, Priced]]) -> str:
    parts = []
    for count, item in counted:
        if not count.is_zero:
            text = str(count)
            amount = f"({text})" if " + " in text or " - " in text else text
            parts.append(f"{item.price:g} x {amount}" if item.price is not None else f"? x {amount}")
    return " + ".join(parts) or "0"


def costs_of(program: Program, bounds: Bounds, prices: Mapping[str, float]) -> Costs:
    """The costs of a run of the main definition. A person at a gate costs nothing here."""
    run = {unit.name for unit in program.units if unit.definition.script is not None}
    run |= {instance.name for unit in program.units for instance in unit.instances.values()}
    return Costs(
        tuple(
            Priced(name, bounds.least.get(name, ZERO), count, prices.get(name))
            for name, count in bounds.most.items()
            if name not in run and name != PERSON and not count.is_zero
        ),
        bounds,
    )
