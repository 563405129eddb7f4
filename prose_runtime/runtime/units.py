"""Definitions and blocks that the interpreter runs itself. In: a definition and its inputs, or a `do`. Out: values.

Each runs in a frame of its own, with its keys below the call's. What nests deeply moves to a task of its own, so that a
recursion ends with an error of the pattern and never with one of Python's.
"""

from __future__ import annotations

from collections.abc import Mapping

from prose_runtime.resolve.clauses.contract import ContractClause
from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.clauses.keeping import Broken, facts_after, given_values
from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.contracts import output_mismatches
from prose_runtime.runtime.errors import Failure
from prose_runtime.runtime.events import UnitFinished
from prose_runtime.runtime.expressions import evaluate
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.paths import Path, root, written
from prose_runtime.runtime.plan import BoundUnit, UnitTarget
from prose_runtime.runtime.run import Run
from prose_runtime.runtime.signals import Ended, Returned
from prose_runtime.runtime.step import Policy, check_inputs, check_requires, contract_failure, pause_before, rest
from prose_runtime.runtime.strands import Strand, alone, deeper
from prose_runtime.runtime.values import Value, to_json
from prose_runtime.runtime.walk import Statements
from prose_runtime.runtime.watching import watch_of
from prose_runtime.syntax import children
from prose_runtime.syntax.nodes import Do, Expression, Node

DEEPEST = 200
"""How many block and function calls may be inside of each other."""
FRAMES_OF_CALL = 12
FRAMES_OF_LEVEL = 4


def new_frame(run: Run, strand: Strand, bound: BoundUnit, inputs: Mapping[str, Value], path: Path, level: int) -> Frame:
    """The frame of a definition's script: its inputs with their defaults, its config and its slots."""
    frame = Frame(run, strand, bound, path, level)
    frame.watch = watch_of(bound)
    names = frame.names
    names["config"] = bound.config
    names.update(bound.slots)
    names.update(bound.config)
    overridden = {name: value for name, value in inputs.items() if name in bound.config and value is not None}
    if overridden:
        names["config"] = {**bound.config, **overridden}
        names.update(overridden)
    missing: list[str] = []
    for item in (*bound.unit.inputs, *bound.unit.passed_on):
        if item.name in inputs:
            names[item.name] = inputs[item.name]
        else:
            names[item.name] = bound.defaults.get(item.name)
            if not item.has_default:
                missing.append(item.name)
    frame.not_given = frozenset(missing)
    return frame


def main_frame(run: Run, target: UnitTarget, inputs: Mapping[str, Value]) -> Frame:
    """The frame that a run begins with."""
    return new_frame(run, run.main, target.bound, inputs, root(target.bound.unit.name), 0)


async def run_script(frame: Frame) -> Ended:
    """The script of a definition. Without a `return` it gives the value of its last statement."""
    script = frame.unit.definition.script
    return await frame.run.walk.element(script.statements if script else (), frame)


def broken_outputs(unit: Unit, ended: Ended, path: Path) -> list[Failure]:
    """What a script gave that is not as its definition declares: each points at the `return` and at the declaration."""
    message = f"`{unit.name}` did not give what it declares"
    return [
        _at_the_end(contract_failure(unit.name, message, wrong), output, unit, ended, path)
        for output, wrong in output_mismatches(unit, ended.plain)
    ]


def _at_the_end(failure: Failure, declared: Node | ContractClause, unit: Unit, ended: Ended, path: Path) -> Failure:
    """A failure of what a script gave: it points at the `return` and at the declaration."""
    script = unit.definition.script
    if isinstance(ended.signal, Returned):
        failure.passed(failure, unit.name, unit.source, ended.signal.node, ended.signal.path)
    else:
        last = script.statements[-1] if script and script.statements else unit.definition
        failure.passed(failure, unit.name, unit.source, last, path)
    failure.breaks(declared.span, unit.name, unit.source)
    return failure


def broken_promises(
    target: UnitTarget, inputs: Mapping[str, Value], ended: Ended, path: Path, run: Run
) -> list[Failure]:
    """The sentences of its contract that a definition did not keep, as failures."""
    unit = target.unit
    if not run.contracts.of(unit, "ensures"):
        return []
    given = given_values(unit, inputs, target.bound.defaults, target.bound.config)
    calls = [call for call in run.calls if call.is_under(path)]
    facts = facts_after(unit, given, ended.plain, calls, complete=run.calls.maxlen is None)
    return [promise_failure(promise, unit, ended, path) for promise in run.contracts.rule(unit, "ensures", facts)]


def promise_failure(promise: Broken, unit: Unit, ended: Ended, path: Path) -> Failure:
    """The failure of a sentence that was not kept."""
    because = f" ({promise.because})" if promise.because else ""
    fields = {"path": promise.clause.about or "$", "found": promise.because, "expected": promise.clause.text}
    text = f"`{unit.name}` broke its contract: {promise}{because}"
    failure = Failure("contract", text, service=unit.name, fields=fields, transient=False)
    return _at_the_end(failure, promise.clause, unit, ended, path)


async def run_unit(
    target: UnitTarget, inputs: Mapping[str, Value], segment: str, policy: Policy, node: Node, frame: Frame
) -> Value:
    """Call a definition: its inputs are checked, its script run, its outputs checked; `retry` runs all of it again."""
    check_inputs(target, inputs)
    check_requires(target, inputs, frame.run.contracts)
    number = 0
    while True:
        number += 1
        try:
            return await _timed(target, inputs, segment, policy, node, frame, number)
        except Failure as failure:
            if number > policy.retry or not failure.transient:
                raise
            wait = pause_before(policy.backoff, number, frame)
        await rest(wait, frame)


async def _timed(
    target: UnitTarget,
    inputs: Mapping[str, Value],
    segment: str,
    policy: Policy,
    node: Node,
    frame: Frame,
    attempt: int,
) -> Value:
    path: Path = (frame.path, segment, attempt if attempt > 1 else 0, node)
    level = frame.level + 1
    if level > DEEPEST:
        raise complaint("too-deep", node.span, name=target.name, levels=DEEPEST)
    unit = target.bound.unit

    async def work(strand: Strand) -> Ended:
        return await run_script(new_frame(frame.run, strand, target.bound, inputs, path, level))

    if policy.timeout is not None:
        try:
            ended = await alone(frame.strand, work, policy.timeout, written(path))
        except TimeoutError:
            message = f"`{target.name}` gave no answer within {policy.timeout:g} s"
            raise Failure("timeout", message, service=target.name) from None
    else:
        body = unit.definition.script
        ended = await deeper(frame.strand, frames_of(frame.run, body.statements if body else ()), work)
    promised = broken_promises(target, inputs, ended, path, frame.run)
    wrong = broken_outputs(unit, ended, path) or promised
    if wrong:
        raise wrong[0]
    if frame.run.listening:
        declared = tuple(output.name for output in unit.definition.outputs)
        frame.run.tell(UnitFinished(written(path), unit.name, declared, to_json(ended.plain)))
    return ended.plain


async def do_value(node: Do, frame: Frame) -> Value:
    """`do name(…)`: a block in a frame of its own that reads the names of the script around it."""
    block = frame.unit.does[node]
    level = frame.level + 1
    if level > DEEPEST:
        raise complaint("too-deep", node.span, name=node.block, levels=DEEPEST)
    values = [await _value(argument, frame) for argument in node.arguments]
    segment = frame.unit.segments.get(node) or f"do:{node.block}"

    async def work(strand: Strand) -> Ended:
        inner = frame.block(strand, (frame.path, segment, 0, node))
        inner.level = level
        inner.hold({name.id: value for name, value in zip(block.parameters, values, strict=False)})
        try:
            return await frame.run.walk.element(block.body, inner)
        finally:
            frame.take_from_block(inner, node)

    return (await deeper(frame.strand, frames_of(frame.run, block.body), work)).plain


async def _value(expression: Expression, frame: Frame) -> Value:
    if expression in frame.unit.waiting:
        return await frame.run.walk.value(expression, frame)
    return evaluate(expression, frame)


def frames_of(run: Run, body: Statements) -> int:
    """About how many Python frames a body stacks up, from how deeply it nests; found once a run."""
    known = run.depths.get(body)
    if known is None:
        known = run.depths[body] = FRAMES_OF_CALL + FRAMES_OF_LEVEL * _depth(body)
    return known


def _depth(nodes: Statements) -> int:
    """How deeply the nodes of a body nest."""
    deepest, level = 0, list(nodes)
    while level:
        deepest += 1
        level = [inner for node in level for inner in children(node)]  # type: ignore[misc]
    return deepest
