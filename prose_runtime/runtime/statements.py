"""Statements: each is done in the order of the text. In: nodes and a frame. Out: how the body ended (`signals.py`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from prose_runtime.runtime.calls import called
from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.errors import Failure, Stopped, attach
from prose_runtime.runtime.expressions import evaluate, item_position
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.frame import Frame, Step
from prose_runtime.runtime.journaling import UNWINDING
from prose_runtime.runtime.loops import collect, run_for, run_loop, run_repeat
from prose_runtime.runtime.parallel import collect_branches, join_block, run_parallel, wants_first
from prose_runtime.runtime.signals import BREAK, CONTINUE, Ended, Returned, Signal, Spread
from prose_runtime.runtime.thrown import caught_value, thrown
from prose_runtime.runtime.values import ListValue, Value, kind_of
from prose_runtime.runtime.walk import Statements
from prose_runtime.syntax.nodes import (
    Agent,
    Assign,
    Block,
    Break,
    Call,
    Choice,
    Continue,
    Destructure,
    DoBlock,
    Evaluate,
    Expression,
    For,
    If,
    Index,
    Let,
    Loop,
    Name,
    Node,
    Parallel,
    Property,
    Record,
    Repeat,
    Return,
    Statement,
    Throw,
    Try,
    Use,
)


async def run_body(statements: Statements, frame: Frame) -> Signal | None:
    """Do statements for their effect."""
    statement: Statement | None = None
    try:
        for statement in statements:
            signal = await _EXECUTORS[type(statement)](statement, frame)
            if signal is not None:
                return signal
    except (Failure, Fault) as error:
        raise located(error, statement, frame) from error.__cause__
    return None


async def run_element(statements: Statements, frame: Frame) -> Ended:
    """Do statements, the last of which gives a value."""
    if not statements:
        return Ended(None, None)
    signal = await run_body(statements[:-1], frame)
    if signal is not None:
        return Ended(signal, None)
    last = statements[-1]
    try:
        return await _valued(last, frame)
    except (Failure, Fault) as error:
        raise located(error, last, frame) from error.__cause__


def located(error: Failure | Fault, statement: Node | None, frame: Frame) -> Failure:
    """The failure with the statement that it leaves added to its way."""
    if isinstance(error, Fault):
        error = Failure(error.name, error.message, transient=False, node=Node(error.span), help=error.help)
    if error.source is None:
        error.source = frame.source
    if statement is not None:
        error.passed(frame, frame.unit.name, frame.source, statement, frame.path)
    return error


async def value_of(expression: Expression, frame: Frame) -> Value:
    """An expression's value, without a detour when it cannot wait."""
    if expression in frame.unit.waiting:
        return await frame.run.walk.value(expression, frame)
    return evaluate(expression, frame)


# ---- names -----------------------------------------------------------------------------------------------


async def _let(node: Let | Assign, frame: Frame) -> None:
    await _bind(node, frame)


async def _bind(node: Let | Assign, frame: Frame) -> Value:
    target, expression = node.target, node.value
    if isinstance(target, (Property, Index)):
        name, steps = await _way(target, frame)
        value = await value_of(expression, frame)
        before = frame.names.get(name)
        frame.change(name, steps, value, target)
        if frame.watch is not None:
            frame.watch.changes(name, before, frame.names[name], target.span)
        return value
    single: str | None = None
    if isinstance(expression, Call):
        value, single = await called(expression, frame)
    elif isinstance(expression, Name):
        value, single = evaluate(expression, frame), frame.single_output(expression.id)
    else:
        value = await value_of(expression, frame)
    if isinstance(target, Destructure):
        _take_apart(target, value, frame)
        return value
    if frame.watch is not None:
        frame.watch.changes(target.id, frame.names.get(target.id), value, target.span)
    frame.bind(target.id, value)
    if single is not None:
        frame.singles[target.id] = single
    return value


def _take_apart(target: Destructure, value: Value, frame: Frame) -> None:
    if not isinstance(value, dict):
        if len(target.names) == 1:
            frame.bind(target.names[0].id, value)
            return
        raise complaint("cannot-take-apart", target.span, found=kind_of(value))
    for name in target.names:
        if name.id not in value:
            has = ", ".join(f"`{key}`" for key in list(value)[:8]) or "nothing"
            frame.warn("missing-property", name.span, name=name.id, found=f"the object has {has}")
        frame.bind(name.id, value.get(name.id))


async def _way(target: Property | Index, frame: Frame) -> tuple[str, tuple[Step, ...]]:
    """The name at the root of `a.b[i]` and the steps below it."""
    steps: list[Step] = []
    node: Expression = target
    while not isinstance(node, Name):
        if isinstance(node, Property):
            steps.append(node.name)
        elif isinstance(node, Index):
            index = await value_of(node.index, frame)
            steps.append(index if isinstance(index, str) else item_position(index, node.index.span))
        else:
            raise complaint("cannot-set", target.span, what="a part", found="a value that has no name")
        node = node.target
    return node.id, tuple(reversed(steps))


async def _record(node: Record, frame: Frame) -> None:
    await _add(node, frame)


async def _add(node: Record, frame: Frame) -> Value:
    value = await value_of(node.value, frame)
    into = node.into
    name, steps = (into.id, ()) if isinstance(into, Name) else await _way(into, frame)
    return frame.append(name, steps, value, into)


# ---- going on, going elsewhere ---------------------------------------------------------------------------


async def _evaluate(node: Evaluate, frame: Frame) -> None:
    await value_of(node.value, frame)


async def _return(node: Return, frame: Frame) -> Signal:
    value = None if node.value is None else await value_of(node.value, frame)
    return Returned(value, node, frame.path)


async def _break(node: Break, frame: Frame) -> Signal:
    return BREAK


async def _continue(node: Continue, frame: Frame) -> Signal:
    return CONTINUE


async def _if(node: If, frame: Frame) -> Signal | None:
    body = await _arm(node, frame)
    return None if body is None else await run_body(body, frame)


async def _arm(node: If, frame: Frame) -> Statements | None:
    decide = frame.run.walk.decide
    for arm in node.arms:
        if await decide(arm.condition, frame):
            return arm.body
    return node.otherwise


async def _choice(node: Choice, frame: Frame) -> Signal | None:
    return await run_body(await _option(node, frame), frame)


async def _option(node: Choice, frame: Frame) -> Statements:
    labels = [str(evaluate(option.label, frame)) for option in node.options]
    return node.options[await frame.run.walk.choose(node.criterion, labels, frame)].body


async def _do_block(node: DoBlock, frame: Frame) -> Signal | None:
    signal = await run_body(node.body, frame)
    return None if isinstance(signal, Returned) else signal


async def _nothing(node: Statement, frame: Frame) -> None:
    """Declarations: `block`, `agent`, `use`."""


# ---- errors ----------------------------------------------------------------------------------------------


async def _throw(node: Throw, frame: Frame) -> Signal | None:
    value = None if node.value is None else await value_of(node.value, frame)
    raise thrown(node, value, frame)


async def _try(node: Try, frame: Frame) -> Signal | None:
    return (await _attempted(node, frame, run_body_as_ended)).signal


async def run_body_as_ended(statements: Statements, frame: Frame) -> Ended:
    """`run_body` with the result of `run_element`."""
    return Ended(await run_body(statements, frame), None)


Runner = Callable[[Statements, Frame], Awaitable[Ended]]


async def _attempted(node: Try, frame: Frame, runner: Runner) -> Ended:
    """`try`, `catch` and `finally`. What fails in `finally` never hides why it was reached."""
    try:
        ended = await _handled(node, frame, runner)
    except (Failure, Stopped) as first:
        goes_on_later = isinstance(first, Stopped) and first.reason == "waiting"
        if node.cleanup is not None and not goes_on_later:
            await _clean_up(node.cleanup, first, frame)
        raise
    if node.cleanup is not None:
        await run_body(node.cleanup, frame)
    return ended


async def _clean_up(body: Statements, first: Failure | Stopped, frame: Frame) -> None:
    unwinding = UNWINDING.set(True)
    try:
        await run_body(body, frame)
    except Failure as second:
        attach(first, [second])
    except Stopped as stop:
        if isinstance(first, Failure):
            attach(stop, [first])
            raise
    finally:
        UNWINDING.reset(unwinding)


async def _handled(node: Try, frame: Frame, runner: Runner) -> Ended:
    path = frame.path
    try:
        return await runner(node.body, frame)
    except Failure as failure:
        if node.catch is None:
            raise
        frame.path = path
        return await _caught(node, node.catch, failure, frame, runner)


async def _caught(node: Try, body: Statements, failure: Failure, frame: Frame, runner: Runner) -> Ended:
    name = node.error.id if node.error else None
    hidden = frame.set_aside(name)
    before = frame.failing
    frame.failing = failure
    if name is not None:
        frame.names[name] = caught_value(failure)
    try:
        return await runner(body, frame)
    except Failure as second:
        if second is not failure and second.value.get("cause") is None:
            second.value["cause"] = caught_value(failure)
        raise
    finally:
        frame.failing = before
        frame.put_back(hidden)


# ---- statements with a value -----------------------------------------------------------------------------


async def _valued(node: Statement, frame: Frame) -> Ended:
    """The last statement of a body whose value is asked for."""
    if isinstance(node, Evaluate):
        return Ended(None, await value_of(node.value, frame))
    if isinstance(node, (Let, Assign)):
        return Ended(None, await _bind(node, frame))
    if isinstance(node, Record):
        return Ended(None, await _add(node, frame))
    if isinstance(node, If):
        body = await _arm(node, frame)
        return Ended(None, None) if body is None else await run_element(body, frame)
    if isinstance(node, Choice):
        return await run_element(await _option(node, frame), frame)
    if isinstance(node, Try):
        return await _attempted(node, frame, run_element)
    if isinstance(node, DoBlock):
        ended = await run_element(node.body, frame)
        return Ended(None, ended.signal.value) if isinstance(ended.signal, Returned) else ended
    if isinstance(node, Parallel):
        return Ended(None, await join_block(node, frame))
    if isinstance(node, (Repeat, For)) and node in frame.unit.flattened:
        return Ended(None, Spread(await _elements(node, frame)))
    return Ended(await _EXECUTORS[type(node)](node, frame), None)


async def _elements(node: Repeat | For | Loop, frame: Frame) -> list[Value]:
    if isinstance(node, (Repeat, For)) and node.concurrent:
        return await collect_branches(node, frame)
    return await collect(node, frame)


async def block_value(node: Statement, frame: Frame) -> Value:
    """A loop, `parallel` or `do:` in a value position."""
    if isinstance(node, (Repeat, For, Loop)):
        elements = await _elements(node, frame)
        if not isinstance(node, Loop) and wants_first(node.modifiers):
            return elements[0] if elements else None
        return ListValue(elements)
    if isinstance(node, Parallel):
        return await join_block(node, frame)
    if isinstance(node, DoBlock):
        return (await run_element(node.body, frame)).plain
    raise TypeError(f"{type(node).__name__} is no value")


_EXECUTORS: dict[type, Callable[[Any, Frame], Awaitable[Signal | None]]] = {
    Let: _let,
    Assign: _let,
    Record: _record,
    Evaluate: _evaluate,
    Return: _return,
    Break: _break,
    Continue: _continue,
    If: _if,
    Choice: _choice,
    Repeat: run_repeat,
    For: run_for,
    Loop: run_loop,
    Parallel: run_parallel,
    DoBlock: _do_block,
    Throw: _throw,
    Try: _try,
    Block: _nothing,
    Agent: _nothing,
    Use: _nothing,
}
