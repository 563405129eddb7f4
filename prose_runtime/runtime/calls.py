"""A `call`. In: the node and a frame. Out: what the target gives, a single declared output unwrapped.

What the call passes is split into inputs and what is about the call; a service is given what it declares.
"""

from __future__ import annotations

from collections.abc import Mapping

from prose_runtime.resolve.hints import NO_HINTS, Hints
from prose_runtime.resolve.passing import BACKOFFS
from prose_runtime.resolve.program import Target
from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.contracts import unwrapped
from prose_runtime.runtime.errors import Failure
from prose_runtime.runtime.expressions import evaluate
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.paths import written
from prose_runtime.runtime.plan import MODIFIERS, Callee, ServiceTarget, UnitTarget, plain
from prose_runtime.runtime.step import ONCE, Policy, Request, perform
from prose_runtime.runtime.units import run_unit
from prose_runtime.runtime.values import ListValue, ServiceRef, Value, show
from prose_runtime.syntax.nodes import Call, Entry, Expression, Gate, Name, Resume, Session


async def call_value(call: Call, frame: Frame) -> Value:
    """Make the call and wait for its answer."""
    return (await called(call, frame))[0]


async def called(call: Call, frame: Frame) -> tuple[Value, str | None]:
    """Make the call: its answer, and the name of the only declared output of what was called."""
    segment = frame.unit.segments.get(call) or f"call:{call.target}"
    return await call_target(call, frame.unit.calls[call], segment, frame.unit.positional.get(call, ()), frame)


async def call_target(
    call: Call, target: Target, segment: str, positional: tuple[str, ...], frame: Frame
) -> tuple[Value, str | None]:
    """The same for a target that is known, under that part of the key. `positional`: what arguments stand for."""
    if frame.run.changes:
        frame.take_changes(f"{written(frame.path)}/{segment}")
    callee = callee_of(call, target, frame)
    passed = await _passed(call, callee, positional, frame)
    about = _take_modifiers(passed, callee)
    inputs = given_to(callee, passed)
    policy = policy_of(call, about, callee.hints)
    if frame.watch is not None:
        frame.watch.called(target.name, callee.name, inputs, call.span)
    if isinstance(callee, UnitTarget):
        value = await run_unit(callee, inputs, segment, policy, call, frame)
    else:
        value = await perform(
            Request(
                callee,
                inputs,
                segment,
                prompt=about.get("prompt"),
                model=about.get("model") or callee.hints.model or frame.bound.hints.model,
                context=about.get("context"),
                policy=policy,
                use=frame.run.use_of(call, frame.unit),
            ),
            frame,
        )
    value = unwrapped(callee.outputs, value)
    if target.kind in ("slot", "slot-item"):
        frame.latest[target.name] = value
    outputs = callee.outputs
    return value, outputs[0] if outputs is not None and len(outputs) == 1 else None


# ---- what is called --------------------------------------------------------------------------------------


def callee_of(call: Call, target: Target, frame: Frame) -> Callee:
    """What a call's target is in this body."""
    if target.kind == "unit" and target.unit is not None:
        return frame.bound.functions[target.unit]
    if target.kind == "instance" and target.instance is not None:
        return frame.bound.instances[target.instance]
    held = frame.names.get(call.target) if target.kind == "slot-item" else frame.bound.slots.get(target.name)
    if isinstance(held, ListValue) and len(held) == 1:
        held = held[0]
    if isinstance(held, str):
        held = _by_name(held, frame)
    if isinstance(held, ServiceRef) and isinstance(held.service, (ServiceTarget, UnitTarget)):
        return held.service
    raise complaint("not-callable", call.target_span, name=call.target, found=show(held))


def _by_name(name: str, frame: Frame) -> Value:
    """A text names a service only if that is bound to a slot of this definition."""
    for held in frame.bound.slots.values():
        for item in held if isinstance(held, ListValue) else (held,):
            if isinstance(item, ServiceRef) and item.name == name:
                return item
    return name


# ---- what is passed --------------------------------------------------------------------------------------


async def _passed(call: Call, callee: Callee, positional: tuple[str, ...], frame: Frame) -> dict[str, Value]:
    """The values of a call's properties; one that can only be an optional input nobody gave is left out."""
    passed: dict[str, Value] = {}
    if call.arguments:
        names = positional or positional_names(callee)
        if len(names) < len(call.arguments):
            raise complaint(
                "too-many-arguments", call.span, name=call.target, takes=len(names), given=len(call.arguments)
            )
        for name, argument in zip(names, call.arguments, strict=False):
            passed[name] = await value_of_expression(argument, frame)
    for entry in call.properties:
        if not _is_left_out(entry, frame):
            passed[entry.key] = await value_of_entry(entry, frame)
    return passed


async def value_of_entry(entry: Entry, frame: Frame) -> Value:
    """The value of a property; `backoff: linear` and `model: sonnet` are mostly written without quotes."""
    value = entry.value
    if isinstance(value, Name):
        if frame.unit.names.get(value) == "word":
            return value.id
        if entry.key == "backoff" and value.id in BACKOFFS and value.id not in frame.own:
            return value.id
    return await value_of_expression(value, frame)


def positional_names(callee: Callee | None) -> tuple[str, ...]:
    """What positional arguments stand for: the declared inputs in their order."""
    signature = callee.signature if callee is not None else None
    return tuple(item.name for item in signature.parameters) if signature else ()


def _is_left_out(entry: Entry, frame: Frame) -> bool:
    value = entry.value
    return isinstance(value, Name) and value.id in frame.not_given


def _take_modifiers(passed: dict[str, Value], callee: Callee) -> dict[str, Value]:
    """Take out what is about the call: `prompt`, `retry`, … unless the target declares an input of that name."""
    about: dict[str, Value] = {}
    for name in MODIFIERS & passed.keys():
        if name not in callee.takes:
            value = passed.pop(name)
            if value is not None:
                about[name] = value
    return about


def given_to(callee: Callee, passed: dict[str, Value]) -> dict[str, Value]:
    """What the target receives: everything if it declares nothing or takes more, else what it declares."""
    signature = callee.signature
    if signature is None:
        return passed
    takes = callee.takes
    inputs: dict[str, Value] = {}
    for name, value in passed.items():
        own = takes.get(name) or takes.get(plain(name))
        if own is not None:
            if plain(own) == plain(name) or own not in inputs:  # an input's own name goes before its other names
                inputs[own] = value
        elif signature.open:
            inputs[name] = value
    return inputs


async def value_of_expression(expression: Expression, frame: Frame) -> Value:
    """An expression's value, without a detour when it cannot wait."""
    if expression in frame.unit.waiting:
        return await frame.run.walk.value(expression, frame)
    return evaluate(expression, frame)


# ---- how often and how long ------------------------------------------------------------------------------


def policy_of(call: Call | Session | Resume | Gate, about: Mapping[str, Value], hints: Hints = NO_HINTS) -> Policy:
    """What the call says, else what the `### Runtime` of its target says."""
    if not about and hints is NO_HINTS:
        return ONCE
    retry = about.get("retry", hints.retry)
    backoff = about.get("backoff", hints.backoff)
    seconds = about.get("timeout", hints.timeout)
    if retry is None and backoff is None and seconds is None:
        return ONCE
    if retry is not None and not (_is_number(retry) and retry >= 0 and retry == int(retry)):  # type: ignore[operator,arg-type]
        raise _bad_modifier(call, "retry", retry, "a whole number of further attempts")
    if backoff is not None and backoff not in BACKOFFS:
        raise _bad_modifier(call, "backoff", backoff, "none, linear or exponential")
    if seconds is not None and not (_is_number(seconds) and seconds > 0):  # type: ignore[operator]
        raise _bad_modifier(call, "timeout", seconds, "a number of seconds above 0")
    return Policy(int(retry or 0), str(backoff or "none"), float(seconds) if seconds else None)  # type: ignore[arg-type]


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _bad_modifier(call: Call | Session | Resume | Gate, name: str, value: Value, wanted: str) -> Failure:
    entry = next((item for item in call.properties if item.key == name), None)
    span = entry.value.span if entry else call.span
    return complaint("bad-modifier", span, name=name, found=show(value), wanted=wanted)
