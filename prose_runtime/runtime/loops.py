"""Loops, one round after the other. In: the node and a frame. Out: how the loop ended, or the elements it collected.

A round is done by a `Step`: for a loop as a statement it is the body; for one as a value it also keeps the element.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.events import IterationStarted
from prose_runtime.runtime.expressions import evaluate
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.paths import Path, written
from prose_runtime.runtime.signals import BREAK, CONTINUE, Returned, Signal, Spread
from prose_runtime.runtime.values import ListValue, Value, kind_of, show
from prose_runtime.runtime.walk import Statements
from prose_runtime.syntax.nodes import Expression, For, Loop, Node, Repeat

Step: TypeAlias = Callable[[Statements, Frame], Awaitable[Signal | None]]


async def run_repeat(node: Repeat, frame: Frame) -> Signal | None:
    """`repeat` as a statement."""
    return await _concurrent(node, frame) if node.concurrent else await _repeat(node, frame, frame.run.walk.body)


async def run_for(node: For, frame: Frame) -> Signal | None:
    """`for` as a statement."""
    return await _concurrent(node, frame) if node.concurrent else await _for(node, frame, frame.run.walk.body)


async def run_loop(node: Loop, frame: Frame) -> Signal | None:
    """`loop` as a statement."""
    return await _loop(node, frame, frame.run.walk.body)


async def collect(node: Repeat | For | Loop, frame: Frame) -> list[Value]:
    """A loop as a value: the elements of its rounds."""
    elements: list[Value] = []
    element = frame.run.walk.element

    async def step(body: Statements, inner: Frame) -> Signal | None:
        ended = await element(body, inner)
        return take(elements, ended.signal, ended.value)

    drive: Callable[..., Awaitable[Signal | None]] = (
        _repeat if isinstance(node, Repeat) else _for if isinstance(node, For) else _loop
    )
    await drive(node, frame, step)
    return elements


def take(elements: list[Value], signal: Signal | None, value: Value | Spread) -> Signal | None:
    """Add what a round gave; what is left is how the round acts on the loop."""
    if isinstance(signal, Returned):
        elements.append(signal.value)
        return None
    if signal is not None:
        return signal
    if isinstance(value, Spread):
        elements.extend(value.items)
    else:
        elements.append(value)
    return None


async def _concurrent(node: Repeat | For, frame: Frame) -> Signal | None:
    await frame.run.walk.block(node, frame)
    return None


# ---- the rounds ------------------------------------------------------------------------------------------


async def _repeat(node: Repeat, frame: Frame, step: Step) -> Signal | None:
    number = count(await _value(node.count, frame), node.count)
    return await _rounds(node, node.body, range(number), frame, step, [(node.counter.id, 1)] if node.counter else [])


async def _for(node: For, frame: Frame, step: Step) -> Signal | None:
    pairs = await items(node, frame)
    names = [node.item.id, node.index.id] if node.index else [node.item.id]
    hidden = frame.set_aside(*names, node.counter.id if node.counter else None)
    before = frame.path
    try:
        for number, pair in enumerate(pairs, 1):
            await enter(node, number, before, frame)
            for name, value in zip(names, pair, strict=False):
                frame.names[name] = value
            if node.counter:
                frame.names[node.counter.id] = number
            signal = await step(node.body, frame)
            if signal is BREAK:
                break
            if signal is not None and signal is not CONTINUE:
                return signal
    finally:
        frame.path = before
        frame.put_back(hidden)
    return None


async def _rounds(
    node: Repeat, body: Statements, rounds: range, frame: Frame, step: Step, counters: Sequence[tuple[str, int]]
) -> Signal | None:
    hidden = frame.set_aside(*(name for name, _ in counters))
    before = frame.path
    try:
        for index in rounds:
            await enter(node, index + 1, before, frame)
            for name, first in counters:
                frame.names[name] = index + first
            signal = await step(body, frame)
            if signal is BREAK:
                break
            if signal is not None and signal is not CONTINUE:
                return signal
    finally:
        frame.path = before
        frame.put_back(hidden)
    return None


async def _loop(node: Loop, frame: Frame, step: Step) -> Signal | None:
    most = None if node.maximum is None else count(await _value(node.maximum, frame), node.maximum)
    counter = node.counter.id if node.counter else None
    hidden = frame.set_aside(counter)
    before = frame.path
    number = 0
    try:
        if most == 0 or await _ends_before_first(node, frame, before):
            return None
        while True:
            number += 1
            _check_ceiling(node, number, most, frame)
            await enter(node, number, before, frame)
            if number > 1 and node.test == "while" and not await _test(node, frame):
                return None
            if counter is not None:
                frame.names[counter] = number
            signal = await step(node.body, frame)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
            if number == most or (node.test == "until" and await _test(node, frame)):
                return None
    finally:
        frame.path = before
        frame.put_back(hidden)


async def _ends_before_first(node: Loop, frame: Frame, before: Path) -> bool:
    """`while` is tested first of all; `until` only if what it names is all bound already."""
    if node.condition is None:
        return False
    if node.test == "while":
        frame.path = (before, segment(node, frame), 1, node)
        return not await _test(node, frame)
    names = frame.unit.conditions[node.condition].names
    if not names or not all(_is_bound(name, frame) for name in names):
        return False
    frame.path = (before, segment(node, frame), 0, node)
    return await _test(node, frame)


def _is_bound(name: str, frame: Frame) -> bool:
    """Whether a name that a condition reads has a value; a slot has one once it has answered."""
    first = name.split(".")[0]
    if first in frame.bound.slots and first not in frame.own:
        return frame.slot_answer(first)[0]
    return frame.has(first)


async def _test(node: Loop, frame: Frame) -> bool:
    return node.condition is not None and await frame.run.walk.decide(node.condition, frame)


def _check_ceiling(node: Loop, number: int, most: int | None, frame: Frame) -> None:
    ceiling = frame.run.plan.budget.max_iterations
    if most is None and number > ceiling:
        raise complaint("loop-ceiling", node.condition.span if node.condition else node.span, rounds=ceiling)


async def enter(node: Node, number: int, before: Path, frame: Frame) -> None:
    """A round begins: its place in the keys, its event, and a safe point."""
    frame.path = (before, segment(node, frame), number, node)
    run = frame.run
    if run.listening:
        run.tell(IterationStarted(written(frame.path), number))
    if run.changes:
        frame.take_changes(written(frame.path))
    await run.breathe(frame.strand)


def segment(node: Node, frame: Frame) -> str:
    """The part of the key that a loop or branch stands for."""
    return frame.unit.segments.get(node) or type(node).__name__.lower()


async def _value(expression: Expression, frame: Frame) -> Value:
    if expression in frame.unit.waiting:
        return await frame.run.walk.value(expression, frame)
    return evaluate(expression, frame)


def count(value: Value, node: Node) -> int:
    """A number of rounds: a whole number of at least 0."""
    whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1
    if not whole or value < 0:  # type: ignore[operator]
        raise complaint("bad-count", node.span, found=show(value))
    return int(value)  # type: ignore[arg-type]


async def items(node: For, frame: Frame) -> Sequence[tuple[Value, Value]]:
    """What a `for` goes over: (item, position) of a list, (key, value) of an object; at most its `max`."""
    value = await _value(node.iterable, frame)
    if isinstance(value, ListValue):
        pairs: list[tuple[Value, Value]] = [(item, index) for index, item in enumerate(value)]
    elif isinstance(value, dict):
        pairs = list(value.items())
    else:
        raise complaint("not-a-collection", node.iterable.span, found=kind_of(value), shown=show(value))
    if node.maximum is not None:
        pairs = pairs[: count(await _value(node.maximum, frame), node.maximum)]
    return pairs
