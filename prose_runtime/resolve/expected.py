"""What the answers of each service must hold, and may hold, going by how the script uses them.

In: a resolved definition. Out: for each service the parts of its answers that are read. What a formal comparison with a
number is about must be a number; what is only passed on, put into a text or looked at is optional.
"""

from __future__ import annotations

from collections.abc import Iterator

from prose_runtime.resolve.conditions import tree
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Source, Sources, flow_of
from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.document import Config, Input

_ORDERS = ("<", "<=", ">", ">=")


@node
class Expected:
    """A part of an answer, "" for the answer itself. `kind`: "number", "verdict" or "" where anything will do; `at`:
    where the script says so."""

    part: str
    kind: str
    required: bool
    at: Span | None = None


def expected_of(unit: Unit, sources: Sources) -> dict[str, list[Expected]]:
    """What is expected of whom, what is required first. Services of which nothing is read are left out."""
    found: dict[tuple[str, str], Expected] = {}
    for source, expected in [*_compared(unit, sources), *_read(sources)]:
        key = (source.name, expected.part)
        kept = found.get(key)
        if kept is None or (expected.required and not kept.required) or (expected.kind and not kept.kind):
            found[key] = expected
    listed: dict[str, list[Expected]] = {}
    for (name, _), expected in sorted(found.items(), key=lambda item: (not item[1].required, item[0])):
        listed.setdefault(name, []).append(expected)
    return listed


def _read(sources: Sources) -> Iterator[tuple[Source, Expected]]:
    """The parts that reach a name, a call or a result."""
    flows = [*sources.held.values()]
    flows += [flow for passed in (*sources.passed.values(), *sources.returned.values()) for flow in passed.values()]
    for flow in flows:
        for source in flow:
            if source.kind == "answer" and source.part:
                yield source, Expected(source.part, "", False)


def _compared(unit: Unit, sources: Sources) -> Iterator[tuple[Source, Expected]]:
    for condition, plan in unit.conditions.items():
        for leaf in _leaves(plan.tree):
            yield from _of_leaf(leaf, condition.span, unit, sources)


def _of_leaf(leaf: object, at: Span, unit: Unit, sources: Sources) -> Iterator[tuple[Source, Expected]]:
    def answers(expression: n.Expression) -> Iterator[Source]:
        for source in flow_of(expression, unit, sources):
            if source.kind == "answer" and not source.under:
                yield source

    match leaf:
        case tree.Compare(operator=operator, left=left, right=right) if operator in _ORDERS:
            for one, other in ((left, right), (right, left)):
                kind = "number" if _is_number(other, unit) else ""
                yield from ((source, Expected(source.part, kind, bool(kind), at)) for source in answers(one))
        case tree.Between(subject=subject):
            yield from ((source, Expected(source.part, "number", True, at)) for source in answers(subject))
        case tree.Verdict(subject=subject) | tree.Is(subject=subject, error=False):
            yield from ((source, Expected(source.part, "verdict", True, at)) for source in answers(subject))
        case tree.State(subject=subject) | tree.Contains(subject=subject) | tree.Truth(expression=subject):
            yield from ((source, Expected(source.part, "", False, at)) for source in answers(subject) if source.part)
        case tree.Reports(subject=subject, fields=fields):
            for source in answers(subject):
                yield from ((source, Expected(spelt[0], "", True, at)) for spelt in fields)
        case _:
            return


def _leaves(part: object) -> Iterator[object]:
    match part:
        case tree.And(parts=parts) | tree.Or(parts=parts):
            for inner in parts:
                yield from _leaves(inner)
        case tree.Not(part=inner):
            yield from _leaves(inner)
        case _:
            yield part


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
