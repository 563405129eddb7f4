"""What the answers of each service must hold, and may hold, going by how the script uses them.

In: a resolved definition. Out: for each service, and for each call, the parts of its answers that are read. What a
formal comparison with a number is about must be a number; what is only passed on, put into a text or looked at is
optional.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from prose_runtime.resolve.conditions import tree
from prose_runtime.resolve.conditions.classify import leaves
from prose_runtime.resolve.origin import Names, Source
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Asking, Sources, asked_name, given_names
from prose_runtime.source import Span
from prose_runtime.source.node import changed, node
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.document import Config, Input

if TYPE_CHECKING:
    from prose_runtime.resolve.tracing import Trace

Kind = Literal["number", "score", "verdict", ""]
_ORDERS = ("<", "<=", ">", ">=")
_RANKS: tuple[Kind, ...] = ("", "verdict", "score", "number")


@node
class Expected:
    """A part of an answer, "" for the answer itself. `kind`: a "number"; a "score", which is a number or holds one; a
    "verdict"; or "" where anything will do. `at`: where the script says so. `exact`: what is looked at there is that
    part as it was given, so that an answer can be held against it."""

    part: str
    kind: Kind
    required: bool
    at: Span | None = None
    exact: bool = False


_K = TypeVar("_K")
Found: TypeAlias = "Iterable[tuple[Source, Expected]]"


def expected_of(unit: Unit, sources: Sources) -> dict[str, list[Expected]]:
    """What is expected of whom, what is required first. Services of which nothing is read are left out."""
    return _best((source.name, expected) for source, expected in _found(unit, sources))


def expected_of_calls(unit: Unit, sources: Sources) -> dict[Asking, list[Expected]]:
    """What is expected of the answer to each call; what is said of a slot's latest answer, of all its calls."""
    by_slot: dict[str, list[Asking]] = {}
    for asking in sources.passed:
        by_slot.setdefault(asked_name(asking, unit), []).append(asking)

    def each() -> Iterator[tuple[Asking, Expected]]:
        for source, expected in _found(unit, sources):
            asked = by_slot.get(source.name, []) if source.call is None else [source.call]
            if source.call is None and not (len(asked) == 1 and _stands_before(asked[0], expected)):
                expected = changed(expected, exact=False)  # another call may answer before anybody looks
            yield from ((one, expected) for one in asked if isinstance(one, n.Call | n.Session | n.Resume | n.Gate))

    return _best(each())


def _stands_before(asking: n.Expression, expected: Expected) -> bool:
    return expected.at is not None and asking.span.start < expected.at.start


def _best(found: Iterable[tuple[_K, Expected]]) -> dict[_K, list[Expected]]:
    """One for each part, that which says most."""
    kept: dict[tuple[_K, str], Expected] = {}
    for key, expected in found:
        other = kept.get((key, expected.part))
        if other is None or _says(expected) > _says(other):
            kept[key, expected.part] = expected
    listed: dict[_K, list[Expected]] = {}
    for (key, _), expected in kept.items():
        listed.setdefault(key, []).append(expected)
    return {key: sorted(items, key=lambda one: (not one.required, one.part)) for key, items in listed.items()}


def _says(expected: Expected) -> tuple[bool, int, bool]:
    return expected.required, _RANKS.index(expected.kind), expected.exact


def _found(unit: Unit, sources: Sources) -> Found:
    yield from _compared(unit, sources)
    yield from _read(sources)


def _read(sources: Sources) -> Found:
    """The parts that reach a name, a call or a result."""
    flows = [*sources.held.values()]
    flows += [flow for passed in (*sources.passed.values(), *sources.returned.values()) for flow in passed.values()]
    for flow in flows:
        for source in flow:
            if source.kind == "answer" and source.part:
                yield source, Expected(source.part, "", False)


# ---- conditions ------------------------------------------------------------------------------------------


def _compared(unit: Unit, sources: Sources) -> Found:
    from prose_runtime.resolve.tracing import Trace

    trace, given = Trace(unit, Sources()), given_names(unit)
    for condition, plan in unit.conditions.items():
        held = sources.looked_at.get(condition)
        if held is not None:
            looking = _Looking(trace, {**given, **held}, condition.span)
            for leaf in leaves(plan.tree):
                yield from looking.leaf(leaf)


class _Looking:
    """A condition, where it is decided."""

    def __init__(self, trace: Trace, held: Names, at: Span) -> None:
        self.trace = trace
        self.unit = trace.unit
        self.held = held
        self.at = at

    def answers(self, expression: n.Expression) -> Iterator[Source]:
        for source in self.trace.value(expression, dict(self.held)):
            if source.kind == "answer" and not source.under:
                yield source

    def leaf(self, leaf: object) -> Found:
        match leaf:
            case tree.Compare(operator=operator, left=left, right=right):
                for one, other in ((left, right), (right, left)):
                    number = operator in _ORDERS and _is_number(other, self.unit)
                    yield from (self.number(source) if number else self.read(source) for source in self.answers(one))
            case tree.Between(subject=subject):
                yield from map(self.number, self.answers(subject))
            case tree.Verdict(subject=subject) | tree.Is(subject=subject, error=False):
                for source in self.answers(subject):
                    yield source, Expected(source.part, "verdict", True, self.at, source.way == "same")
            case (
                tree.State(subject=subject)
                | tree.Contains(subject=subject)
                | tree.Truth(expression=subject)
                | tree.IsOneOf(subject=subject)
                | tree.Count(subject=subject)
            ):
                yield from (self.read(source) for source in self.answers(subject) if source.part)
            case tree.Reports(subject=subject, fields=fields):
                for source in self.answers(subject):
                    yield from ((source, Expected(spelt[0], "", True, self.at)) for spelt in fields)
            case _:
                return

    def number(self, source: Source) -> tuple[Source, Expected]:
        """What is compared with a number."""
        if source.way == "made":
            return self.read(source)
        kind: Kind = "number" if source.way == "same" else "score"
        return source, Expected(source.part, kind, True, self.at, source.way == "same")

    def read(self, source: Source) -> tuple[Source, Expected]:
        """What is only looked at."""
        return source, Expected(source.part, "", False, self.at)


def _is_number(expression: n.Expression, unit: Unit) -> bool:
    """Whether it is a number for certain: written as one, or config that is declared as one."""
    declared: tuple[Config | Input, ...] = (*unit.config, *unit.inputs)
    types = {item.name: item.type for item in declared}
    match expression:
        case n.Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case n.Name(id=name) | n.Property(target=n.Name(id="config"), name=name):
            return name in types and types[name].kind in ("number", "integer")
        case _:
            return False
