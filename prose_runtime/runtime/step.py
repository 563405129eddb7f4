"""The one door for effects. In: a request to a service. Out: its answer as a value.

Order: budget, journal lookup, event, perform (with retries, time-out, cancellation), contract check, journal write,
event. Whatever must hold for every effect of a run is written here once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from prose_runtime.runtime.contracts import Mismatch, mismatch, mismatched
from prose_runtime.runtime.errors import Failure, Stopped
from prose_runtime.runtime.events import (
    AttemptStarted,
    BudgetSpent,
    CallFailed,
    CallFinished,
    CallStarted,
    ContractChecked,
    Retrying,
)
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.outcome import CallRecord
from prose_runtime.runtime.plan import ServiceTarget
from prose_runtime.runtime.port import Answer, Call, ServiceError
from prose_runtime.runtime.values import NotJson, Value, from_python, to_json
from prose_runtime.source.node import node

FIRST_WAIT = 0.5
"""Seconds before the second attempt with a `backoff`; the longest wait is `LONGEST_WAIT`."""
LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Policy:
    """How often and how long a call is tried. `timeout` in seconds, for each attempt."""

    retry: int = 0
    backoff: str = "none"
    timeout: float | None = None


ONCE = Policy()


@node
class Request:
    """What is asked of a service, and where in the script."""

    target: ServiceTarget
    inputs: Mapping[str, Value]
    segment: str
    prompt: Value = None
    model: Value = None
    context: Value = None
    schema: Mapping[str, Any] | None = None
    policy: Policy = ONCE
    kind: Literal["call", "judge"] = "call"


async def perform(request: Request, frame: Frame) -> Value:
    """One call with all its attempts. Raises `Failure` when none gave an answer, `Stopped` when the run ends."""
    run = frame.run
    await run.breathe(frame.strand)
    name = request.target.name
    record = CallRecord(frame.path, request.segment, name, request.inputs)
    began = run.clock.monotonic()
    check_inputs(request.target, request.inputs)
    run.calls.append(record)
    run.ledger.calls += 1
    if run.listening:
        run.tell(CallStarted(record.key, name, record.inputs, run.seconds(), request.kind))
    try:
        answer, value, replayed = await _attempts(request, frame, record)
    except (Failure, Stopped) as error:
        _failed(error, record, run.clock.monotonic() - began, frame)
        raise
    record.seconds = run.clock.monotonic() - began
    record.answered(value)
    if run.listening:
        usage = answer.usage
        run.tell(CallFinished(record.key, name, record.answer, record.attempts, record.seconds, usage, replayed))
    return value


def check_inputs(target: Any, inputs: Mapping[str, Value]) -> None:
    """Inputs against the declared types of what is called; null is "not given"."""
    signature = target.signature
    if signature is None:
        return
    for parameter in signature.parameters:
        value = inputs.get(parameter.name)
        if parameter.type is None or value is None:
            continue
        found = mismatch(value, parameter.type, parameter.name)
        if found is not None:
            raise contract_failure(target.name, f"`{target.name}` was given something else than it declares", found)


def contract_failure(service: str, message: str, found: Mismatch | NotJson, attempt: int | None = None) -> Failure:
    """A `contract` error: never tried again."""
    fields: dict[str, Any] = {"path": found.path, "found": found.found}
    if isinstance(found, Mismatch):
        fields["expected"] = found.expected
    text = f"{message}: {found}" if isinstance(found, Mismatch) else f"{message}: {found.at('answer')}"
    return Failure("contract", text, service=service, attempt=attempt, fields=fields, transient=False)


def _failed(error: Failure | Stopped, record: CallRecord, seconds: float, frame: Frame) -> None:
    run = frame.run
    record.seconds = seconds
    name = error.name if isinstance(error, Failure) else "stopped"
    record.error = (
        {key: to_json(value) for key, value in error.value.items()}
        if isinstance(error, Failure)
        else {"name": name, "message": error.message}
    )
    if run.listening:
        run.tell(CallFailed(record.key, record.service, name, str(error), record.attempts, seconds))


# ---- attempts --------------------------------------------------------------------------------------------


async def _attempts(request: Request, frame: Frame, record: CallRecord) -> tuple[Answer, Value, bool]:
    number = 0
    while True:
        number += 1
        try:
            return await _permitted(request, frame, record, number)
        except Failure as failure:
            if number > request.policy.retry or not failure.transient:
                raise
            wait = pause_before(request.policy.backoff, number, frame)
            if frame.run.listening:
                run, name = frame.run, request.target.name
                run.tell(Retrying(record.key, name, number, failure.name, failure.message, wait))
        await rest(wait, frame)


def pause_before(backoff: str, failed: int, frame: Frame) -> float:
    """Seconds to wait after that many failed attempts. Exponential waits have full jitter."""
    if backoff == "linear":
        return min(FIRST_WAIT * failed, LONGEST_WAIT)
    if backoff == "exponential":
        return frame.run.random.random() * min(FIRST_WAIT * 2.0 ** min(failed, 30), LONGEST_WAIT)
    return 0.0


async def rest(seconds: float, frame: Frame) -> None:
    """Wait between attempts; a cancellation ends it."""
    if seconds > 0:
        try:
            await frame.run.clock.sleep(seconds)
        except asyncio.CancelledError:
            raise frame.strand.caught() from None
    await frame.run.breathe(frame.strand)


async def _permitted(request: Request, frame: Frame, record: CallRecord, number: int) -> tuple[Answer, Value, bool]:
    """One attempt, when there is a permit for it and the budget allows it."""
    run = frame.run
    try:
        await run.permits.acquire()
    except asyncio.CancelledError:
        raise frame.strand.caught() from None
    try:
        frame.strand.check()
        refusal = run.ledger.refusal()
        if refusal is not None:
            raise refusal
        return await _attempt(request, frame, record, number)
    finally:
        run.permits.release()


async def _attempt(request: Request, frame: Frame, record: CallRecord, number: int) -> tuple[Answer, Value, bool]:
    run, name = frame.run, request.target.name
    journal = run.journal
    record.attempts = number
    run.ledger.attempts += 1
    call = _call_of(request, frame, record, number)
    if journal is not None:
        step, fingerprint = f"{call.key}@{number}", fingerprint_of(call)
        kept = journal.lookup(step, fingerprint)
        if kept is not None:
            run.ledger.spend(kept.usage)
            return kept, _checked(kept, request, number), True
        journal.started(step, fingerprint)
    if run.listening:
        run.tell(AttemptStarted(record.key, name, number, run.seconds()))
    try:
        answer = await _ask(request, frame, call)
        value = _checked(answer, request, number)
    except Failure as failure:
        if journal is not None:
            journal.failed(step, failure.name, failure.message)
        raise
    finally:
        if run.listening:
            ledger = run.ledger
            run.tell(BudgetSpent(ledger.attempts, ledger.tokens, ledger.cost, run.seconds()))
    if journal is not None:
        journal.finished(step, answer)
    if run.listening:
        run.tell(ContractChecked(record.key, "answer", True))
    return answer, value, False


def _call_of(request: Request, frame: Frame, record: CallRecord, number: int) -> Call:
    target, model = request.target, request.model
    key = record.key
    return Call(
        service=target.name,
        inputs={name: to_json(value) for name, value in request.inputs.items()},
        prompt=to_json(request.prompt),
        model=model if isinstance(model, str) else None,
        context=to_json(request.context),
        schema=request.schema,
        timeout=request.policy.timeout,
        key=key,
        attempt=number,
        idempotency_key=f"{frame.run.id}/{key}",
        definition=target.definition,
    )


async def _ask(request: Request, frame: Frame, call: Call) -> Answer:
    """The call itself. Whatever a service raises becomes a `Failure` that names the service and the attempt."""
    service, seconds = request.target.service, request.policy.timeout
    ledger = frame.run.ledger
    try:
        if seconds is None:
            answer = await service.call(call)
        else:
            async with asyncio.timeout(seconds) as deadline:
                answer = await service.call(call)
        given: object = answer
        if not isinstance(given, Answer):
            raise TypeError(f"a service must give an Answer, not {type(answer).__name__}")
    except ServiceError as error:
        ledger.spend(error.usage)
        raise _service_failure(error, call) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise frame.strand.caught() from None
        raise Failure("service-failed", f"`{call.service}` cancelled itself", **_where(call)) from error
    except TimeoutError as error:
        if seconds is not None and deadline.expired():
            raise Failure("timeout", f"`{call.service}` gave no answer within {seconds:g} s", **_where(call)) from error
        raise _unexpected(error, call) from error
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # a service may raise anything, and none of it ends the process
        raise _unexpected(error, call) from error
    ledger.spend(answer.usage)
    return answer


def _where(call: Call) -> dict[str, Any]:
    return {"service": call.service, "attempt": call.attempt}


def _service_failure(error: ServiceError, call: Call) -> Failure:
    fields: dict[str, Any] = {}
    if error.detail is not None:
        detail = from_python(error.detail)
        fields = dict(detail) if isinstance(detail, dict) else {"detail": detail}
    return Failure(error.name, error.message, fields=fields, transient=error.transient, **_where(call))


def _unexpected(error: BaseException, call: Call) -> Failure:
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Failure("service-failed", text, **_where(call))


# ---- answers ---------------------------------------------------------------------------------------------


def _checked(answer: Answer, request: Request, number: int) -> Value:
    """The answer as a value, if it is JSON and has what the service declares."""
    name = request.target.name
    try:
        value = from_python(answer.value)
    except NotJson as error:
        raise contract_failure(name, f"`{name}` gave an answer that is not JSON", error, number) from None
    if request.target.definition is not None and request.target.definition.outputs:
        for _, wrong in mismatched(request.target.definition.outputs, value):
            raise contract_failure(name, f"`{name}` did not give what it declares", wrong, number)
        return value
    outputs = request.target.outputs
    if outputs is None or len(outputs) < 2 or request.kind == "judge":
        return value
    missing = next((item for item in outputs if not isinstance(value, dict) or item not in value), None)
    if missing is not None:
        found = Mismatch(f"$.{missing}", "given", "nothing")
        raise contract_failure(name, f"`{name}` left out what it declares", found, number)
    return value


def fingerprint_of(call: Call) -> str:
    """What a step was asked, as a hash: the same question has the same fingerprint in every run."""
    asked = [call.service, call.inputs, call.prompt, call.model, call.context, call.schema]
    return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
