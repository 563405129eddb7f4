"""What a judge may be asked for a condition. In: a condition's plan. Out: the fewest and the most questions.

The runtime asks neighbouring parts of which each is a judge's as one question, and each of several criteria by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from prose_runtime.resolve.amounts import Scope
from prose_runtime.resolve.conditions.classify import leaves, needs_judge
from prose_runtime.resolve.conditions.tree import And, ConditionPlan, Criteria, Judged, Leaf, Not, Or, Tree
from prose_runtime.resolve.counting import ZERO, Count, number, total
from prose_runtime.resolve.ways import FREE, Cost

JUDGE = "judge"


def questions_of(plan: ConditionPlan | None, scope: Scope) -> Cost:
    """What one decision costs, as calls of the judge."""
    if plan is None or plan.judge == "never":
        return FREE
    most = _questions(plan.tree, scope)
    sure = all(isinstance(leaf, Judged) for leaf in leaves(plan.tree))
    return Cost({JUDGE: number(1)} if sure else {}, {JUDGE: most if not most.is_zero else number(1)})


def _questions(tree: Tree, scope: Scope) -> Count:
    if isinstance(tree, Not):
        return _questions(tree.part, scope)
    if isinstance(tree, And | Or):
        return number(_runs(tree.parts)).plus(
            total(_questions(part, scope) for part in tree.parts if not _is_plain(part))
        )
    if isinstance(tree, Criteria):
        return _criteria(tree, scope)
    return number(1) if isinstance(tree, Leaf) and needs_judge(tree) != "never" else ZERO


def _runs(parts: Sequence[Tree]) -> int:
    """How many runs of neighbours may be left open at most: what only a judge decides always is, what may be read may
    be, and all else stands between."""
    opened, closed = -1, 0
    for part in parts:
        judge = needs_judge(part) if isinstance(part, Leaf) and _is_plain(part) else "never"
        as_open = max(opened, closed + 1) if judge != "never" and closed >= 0 else opened if judge != "never" else -1
        as_closed = max(opened, closed) if judge != "always" else -1
        opened, closed = as_open, as_closed
    return max(opened, closed)


def _is_plain(tree: Tree) -> bool:
    return isinstance(tree, Leaf) and not isinstance(tree, Criteria)


def _criteria(leaf: Criteria, scope: Scope) -> Count:
    """A text is one question, a list as many as it has."""
    lists = [item.name for item in scope.unit.inputs if item.type.kind == "list"]
    lists += [item.name for item in scope.unit.config if item.type.kind == "list"]
    return scope.length(leaf.criteria, least=False) if leaf.criteria.id in lists else number(1)
