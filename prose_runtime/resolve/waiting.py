"""Which expressions may have an effect. In: a script whose conditions are classified. Out: `Unit.waiting`."""

from __future__ import annotations

from prose_runtime.resolve.program import Unit
from prose_runtime.syntax import children
from prose_runtime.syntax.nodes import (
    Block,
    BlockValue,
    Call,
    Conditional,
    Constant,
    Do,
    Expression,
    Gate,
    Name,
    Node,
    Pipeline,
    Resume,
    Session,
    Text,
)

_EFFECTS = (Call, Session, Resume, Gate, Do, BlockValue, Pipeline)
_LEAVES = (Constant, Name, Text)


def find_waiting(unit: Unit, node: Node) -> bool:
    """Note every expression below `node` that may wait; whether `node` is one."""
    waits = isinstance(node, _EFFECTS)
    if isinstance(node, Conditional):
        plan = unit.conditions.get(node.condition)
        waits = plan is not None and plan.judge != "never"
    for child in children(node):
        if not isinstance(child, _LEAVES) and find_waiting(unit, child):
            waits = True
    if not isinstance(node, Expression):
        return waits and not isinstance(node, Block)
    if waits:
        unit.waiting.add(node)
    return waits
