"""Cycles: instances bound to themselves, patterns and files that need themselves, calls that come back.

In: all units, linked. Out: a diagnostic at the reference that closes a cycle, with the path round.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.linker import alias_of
from prose_runtime.resolve.program import LinkedInstance, Unit
from prose_runtime.source import Span
from prose_runtime.syntax.nodes import Use

K = TypeVar("K", bound=Hashable)


def closing(
    start: K, edges: Callable[[K], Iterator[tuple[K, object]]], done: set[K]
) -> Iterator[tuple[list[K], object]]:
    """Each cycle that is met when everything below `start` is visited once: its path and what the last edge carries."""
    path: list[K] = [start]
    on_path = {start}
    open_edges = [edges(start)]
    while open_edges:
        edge = next(open_edges[-1], None)
        if edge is None:
            open_edges.pop()
            node = path.pop()
            on_path.discard(node)
            done.add(node)
            continue
        target, carried = edge
        if target in on_path:
            yield [*path[path.index(target) :], target], carried
        elif target not in done:
            path.append(target)
            on_path.add(target)
            open_edges.append(edges(target))


def check_cycles(units: Iterable[Unit], findings: Mapping[Unit, Findings]) -> None:
    """Report every cycle once."""
    every = list(units)
    done: set[Unit] = set()
    for unit in every:
        if unit not in done:
            for path, carried in closing(unit, _needs, done):
                _report("cycle", path, carried, findings)
    called: set[Unit] = set()
    for unit in every:
        if unit not in called:
            for path, carried in closing(unit, _calls, called):
                _report("call-cycle", path, carried, findings)
    for unit in every:
        seen: set[LinkedInstance] = set()
        for instance in unit.instances.values():
            if instance not in seen:
                for trail, carried in closing(instance, _bound, seen):
                    names = " -> ".join(f"`{item.name}`" for item in trail)
                    findings[unit].add(
                        "cycle", carried if isinstance(carried, Span) else instance.node.span, path=names
                    )


def _report(code: str, path: list[Unit], carried: object, findings: Mapping[Unit, Findings]) -> None:
    assert isinstance(carried, Span)
    names = " -> ".join(f"`{unit.name}`" for unit in path)
    findings[path[-2]].add(code, carried, path=names)


def _needs(unit: Unit) -> Iterator[tuple[Unit, object]]:
    """What a unit cannot be without: the patterns of its instances and the files that it uses."""
    for instance in unit.instances.values():
        yield instance.unit, instance.node.pattern_span
    script = unit.definition.script
    for use in script.statements if script else ():
        if isinstance(use, Use) and alias_of(use) in unit.uses:
            yield unit.uses[alias_of(use)], use.path.span


def _calls(unit: Unit) -> Iterator[tuple[Unit, object]]:
    for call, target in unit.calls.items():
        if target.unit is not None:
            yield target.unit, call.target_span


def _bound(instance: LinkedInstance) -> Iterator[tuple[LinkedInstance, object]]:
    for binding in instance.node.bindings:
        bound = instance.bindings.get(binding.slot)
        for item in bound if isinstance(bound, tuple) else (bound,):
            if isinstance(item, LinkedInstance):
                yield item, binding.slot_span
