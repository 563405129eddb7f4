"""What something costs, on each of the ways on which it can end. In: counts of calls by who is called. Out: the same of
what is put together: one after the other, one of several, so many times.

A `Cost` has the fewest and the most calls of each, by name; `ALL` is the sum of all, which is kept beside them since
one branch may call one and another branch another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from prose_runtime.resolve.counting import (
    ZERO,
    Count,
    covers,
    largest,
    number,
    one_less,
    smallest,
    times_rounds,
    without_mark,
)
from prose_runtime.source.node import node

Counts: TypeAlias = "dict[str, Count]"
Exit = Literal["next", "return", "break", "continue", "throw"]
ALL = "all calls"
"""Under what the sum of all calls is kept; nobody who is called can have such a name."""


@node
class Cost:
    """At least and at most."""

    least: Counts
    most: Counts

    def names(self) -> Iterable[str]:
        return self.most


FREE = Cost({}, {})
Ways: TypeAlias = "dict[Exit, Cost]"
"""How a body may end, and what it has cost until then. What always fails has no way but `throw`."""


def once(*names: str) -> Cost:
    """Exactly one of each."""
    one = {name: number(1) for name in names}
    return Cost(one, one)


def both(first: Cost, then: Cost) -> Cost:
    """One after the other."""
    if first is FREE or then is FREE:
        return then if first is FREE else first
    return Cost(_sum(first.least, then.least), _sum(first.most, then.most))


def together(costs: Iterable[Cost]) -> Cost:
    """All of them."""
    found = FREE
    for cost in costs:
        found = both(found, cost)
    return found


def one_of(costs: Iterable[Cost]) -> Cost:
    """One of them."""
    every = list(costs)
    if len(every) < 2:
        return every[0] if every else FREE
    few: dict[str, list[Count]] = {}
    many: dict[str, list[Count]] = {}
    for cost in every:
        for name, count in cost.least.items():
            few.setdefault(name, []).append(count)
        for name, count in cost.most.items():
            many.setdefault(name, []).append(count)
    least = {name: smallest(*counts) for name, counts in few.items() if len(counts) == len(every)}
    return Cost(least, {name: largest(counts) for name, counts in many.items()})


def scaled(cost: Cost, least: Count, most: Count, instead: Mapping[str, Count] | None = None) -> Cost:
    """So many times; `instead` as in `times_rounds`."""
    if cost is FREE:
        return FREE
    few = {} if least.is_zero else {name: times_rounds(one, least, instead or {}) for name, one in cost.least.items()}
    many = {name: times_rounds(one, most, instead or {}) for name, one in cost.most.items()}
    return Cost(few, many)


def not_less(cost: Cost) -> Cost:
    """Perhaps not at all."""
    return Cost({}, cost.most)


# ---- ways ------------------------------------------------------------------------------------------------


def merged(every: Iterable[Ways]) -> Ways:
    """One of several bodies."""
    found: dict[Exit, list[Cost]] = {}
    for ways in every:
        for end, cost in ways.items():
            found.setdefault(end, []).append(cost)
    return {end: one_of(costs) for end, costs in found.items()}


def behind(first: Cost, ways: Ways) -> Ways:
    """A body behind something else."""
    return ways if first is FREE else {end: both(first, cost) for end, cost in ways.items()}


def well(ways: Ways) -> Cost:
    """What it costs, however it ends well. What never does: the least is nothing."""
    good = [cost for end, cost in ways.items() if end != "throw"]
    least = one_of(good).least if good else {}
    return Cost(least, one_of(ways.values()).most)


def looped(ways: Ways, least: Count, most: Count, instead: Mapping[str, Count], *, collects: bool) -> Ways:
    """A body so many times. One that is left has cost the rounds before, of which there may be none; one that
    `collects` takes what is returned as the element of the round."""
    on: tuple[Exit, ...] = ("next", "continue", "return") if collects else ("next", "continue")
    rounds = [ways[end] for end in on if end in ways]
    again = one_of(rounds) if rounds else None
    found: Ways = {}
    if again is not None:
        found["next"] = scaled(again, least, most, instead)
    for end, cost in ways.items():
        if end in on:
            continue
        left = _left(again, cost, most, instead)
        to: Exit = "next" if end == "break" else end
        if to == "next" and again is not None:
            found[to] = Cost(_least_left(again, cost, least), one_of([found[to], left]).most)
        elif to == "next":
            found[to] = Cost(scaled(cost, smallest(least, number(1)), most).least, left.most)
        else:
            found[to] = left
    if "next" not in found and not covers(least, number(1)):
        found["next"] = FREE
    return {end: _unmarked(cost, instead) for end, cost in found.items()}


def _least_left(again: Cost, last: Cost, rounds: Count) -> Counts:
    """All rounds, or a first one that ends otherwise."""
    first = smallest(rounds, number(1))
    found: Counts = {}
    for name in last.least:
        usual, end = again.least.get(name, ZERO), last.least[name]
        count = end.times(first)
        found[name] = count if covers(usual, end) else smallest(count, usual.times(rounds))
    return {name: count for name, count in found.items() if not count.is_zero}


def _left(again: Cost | None, last: Cost, rounds: Count, instead: Mapping[str, Count]) -> Cost:
    """All rounds but one, and a last one that ends otherwise."""
    if again is None:
        return last
    most: Counts = {}
    for name in dict.fromkeys((*again.most, *last.most)):
        usual, end = again.most.get(name, ZERO), last.most.get(name, ZERO)
        if covers(usual, end):
            most[name] = times_rounds(usual, rounds, instead)
        else:
            most[name] = times_rounds(usual, one_less(rounds), instead).plus(end)
    return Cost(last.least, most)


def _unmarked(cost: Cost, instead: Mapping[str, Count]) -> Cost:
    for text in instead:
        cost = Cost(
            {name: without_mark(count, text) for name, count in cost.least.items()},
            {name: without_mark(count, text) for name, count in cost.most.items()},
        )
    return cost


def _sum(first: Counts, second: Counts) -> Counts:
    found = dict(first)
    for name, count in second.items():
        before = found.get(name)
        found[name] = count if before is None else before.plus(count)
    return found
