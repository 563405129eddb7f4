"""Expressions that may wait: calls, loops as values, and whatever holds one of these. In: a node. Out: its value.

Everything else is evaluated by `expressions.py`, whose pieces are used here once the waiting parts are known.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from prose_runtime.runtime.builtins import apply
from prose_runtime.runtime.calls import call_value
from prose_runtime.runtime.expressions import (
    binary,
    evaluate,
    get_index,
    get_property,
    interpolate,
    negative,
)
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.gates import gate_value
from prose_runtime.runtime.pipelines import pipeline_value
from prose_runtime.runtime.sessions import resume_value, session_value
from prose_runtime.runtime.units import do_value
from prose_runtime.runtime.values import ListValue, Value, truth
from prose_runtime.syntax.nodes import (
    Apply,
    Binary,
    BlockValue,
    Call,
    Conditional,
    Do,
    Expression,
    Gate,
    Index,
    List,
    Name,
    Object,
    Pipeline,
    Property,
    Resume,
    Session,
    Text,
    Unary,
)


async def waiting_value(expression: Expression, frame: Frame) -> Value:
    """The value of any expression."""
    if expression not in frame.unit.waiting:
        return evaluate(expression, frame)
    evaluator = _EVALUATORS.get(type(expression))
    if evaluator is None:
        return evaluate(expression, frame)
    return await evaluator(expression, frame)


async def _text(node: Text, frame: Frame) -> Value:
    values: dict[Name | Property, Value] = {}
    for part in node.parts:
        if not isinstance(part, str):
            values[part] = await waiting_value(part, frame)
    return interpolate(node, values.__getitem__)


async def _property(node: Property, frame: Frame) -> Value:
    return get_property(await waiting_value(node.target, frame), node, frame)


async def _index(node: Index, frame: Frame) -> Value:
    target = await waiting_value(node.target, frame)
    return get_index(target, await waiting_value(node.index, frame), node, frame)


async def _list(node: List, frame: Frame) -> Value:
    return ListValue([await waiting_value(item, frame) for item in node.items])


async def _object(node: Object, frame: Frame) -> Value:
    return {entry.key: await waiting_value(entry.value, frame) for entry in node.entries}


async def _unary(node: Unary, frame: Frame) -> Value:
    value = await waiting_value(node.operand, frame)
    return not truth(value) if node.operator == "not" else negative(value, node.span)


async def _binary(node: Binary, frame: Frame) -> Value:
    left = await waiting_value(node.left, frame)
    if node.operator == "and":
        return await waiting_value(node.right, frame) if truth(left) else left
    if node.operator == "or":
        return left if truth(left) else await waiting_value(node.right, frame)
    return binary(node.operator, left, await waiting_value(node.right, frame), node.span, frame)


async def _conditional(node: Conditional, frame: Frame) -> Value:
    holds = await frame.run.walk.decide(node.condition, frame)
    return await waiting_value(node.then if holds else node.otherwise, frame)


async def _apply(node: Apply, frame: Frame) -> Value:
    return apply(node, [await waiting_value(argument, frame) for argument in node.arguments], frame)


async def _block_value(node: BlockValue, frame: Frame) -> Value:
    return await frame.run.walk.block(node.block, frame)


_EVALUATORS: dict[type, Callable[[Any, Frame], Awaitable[Value]]] = {
    Text: _text,
    Property: _property,
    Index: _index,
    List: _list,
    Object: _object,
    Unary: _unary,
    Binary: _binary,
    Conditional: _conditional,
    Apply: _apply,
    Call: call_value,
    Do: do_value,
    Session: session_value,
    Resume: resume_value,
    Gate: gate_value,
    BlockValue: _block_value,
    Pipeline: pipeline_value,
}
