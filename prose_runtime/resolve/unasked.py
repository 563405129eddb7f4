"""Conditions about what a slot said before it can have said anything. In: a unit with its conditions. Out: warnings.

A slot that has not answered yet is false in a condition. A call counts as made before if it stands before the
condition, in a loop around it, or in a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prose_runtime.resolve.conditions.classify import leaves
from prose_runtime.resolve.conditions.tree import SlotAnswer
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import Unit
from prose_runtime.syntax import children, walk
from prose_runtime.syntax.nodes import Block, Condition, For, Loop, Node, Repeat, Statement

_LOOPS = (Repeat, For, Loop)


def check_unasked(unit: Unit, statements: Iterable[Statement], findings: Findings) -> None:
    """Each condition that is about a slot which nothing has called there."""
    about = {condition: names for condition in unit.conditions if (names := _slots_in(unit, condition))}
    if not about:
        return
    blocks = [block.span for block in unit.blocks.values()]
    early = {
        target.name
        for call, target in unit.calls.items()
        if any(span.start <= call.span.start < span.end for span in blocks)
    }
    asked = {target.name for target in unit.calls.values()} - early
    for node, outermost in _conditions(statements, None):
        for name in about.get(node, ()):
            end = outermost.span.end if outermost is not None else node.span.start
            calls = (call for call, target in unit.calls.items() if target.name == name and call.span.start < end)
            if name in asked and next(calls, None) is None:
                findings.add("slot-not-asked-yet", node.span, name=name)


def _slots_in(unit: Unit, condition: Condition) -> list[str]:
    found = []
    for leaf in leaves(unit.conditions[condition].tree):
        for name in type(leaf).__match_args__:
            value = getattr(leaf, name)
            if isinstance(value, Node):
                found += [part.slot for part in walk(value) if isinstance(part, SlotAnswer)]
    return [name for name in dict.fromkeys(found) if name not in unit.list_slots]


def _conditions(nodes: Iterable[Node], outermost: Node | None) -> Iterator[tuple[Condition, Node | None]]:
    """Every condition with the outermost loop around it; blocks are left out, since they are done from elsewhere."""
    for node in nodes:
        if isinstance(node, Block):
            continue
        if isinstance(node, Condition):
            yield node, outermost
        around = outermost if outermost is not None or not isinstance(node, _LOOPS) else node
        yield from _conditions(children(node), around)
