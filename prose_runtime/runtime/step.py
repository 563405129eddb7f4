"""The one door for effects. In: a request to a service. Out: its answer as a value.

Order: journal lookup, budget, event, perform (with retries, time-out, cancellation), contract check, journal write,
event. Whatever must hold for every effect of a run is written here once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from prose_runtime.runtime.answering import read_answer, reported
from prose_runtime.runtime.asking import Asking, correction_of, message_of
from prose_runtime.runtime.clauses.facts import Facts
from prose_runtime.runtime.clauses.keeping import Contracts, facts_after, given_values
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
from prose_runtime.runtime.expecting import NO_USE, Use
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.journaling import Question, Step, Told
from prose_runtime.runtime.outcome import CallRecord
from prose_runtime.runtime.plan import Callee, ServiceTarget, UnitTarget
from prose_runtime.runtime.port import Answer, Call, NobodyThere, ServiceError, Turn, turn_of
from prose_runtime.runtime.recalling import begins, failed, gave, told_of, turn
from prose_runtime.runtime.values import ListValue, NotJson, Value, from_python, render_text, to_json
from prose_runtime.source.node import changed, node

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
    """What is asked of a service, and where in the script. `about`: further fields of the `Call`. `accept` reads an
    answer and raises `NotAccepted` for one that is not taken; it is asked for `again` so many times. `late`
    is asked for an answer, with what happened, where none comes in time; without it that is a `timeout`. `use`: what
    the script does with an answer."""

    target: ServiceTarget
    inputs: Mapping[str, Value]
    segment: str
    prompt: Value = None
    model: Value = None
    context: Value = None
    schema: Mapping[str, Any] | None = None
    policy: Policy = ONCE
    kind: Literal["call", "judge", "session", "gate"] = "call"
    about: Mapping[str, Any] | None = None
    accept: Callable[[Value], Value] | None = None
    again: int = 0
    late: Callable[[str], Answer] | None = None
    use: Use = NO_USE


class NotAccepted(Exception):
    """An answer that is not one of those that were asked for. `message` says what is wrong with it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BrokenAnswer(Failure):
    """A `contract` error of an answer, which is kept to say what was wrong with it."""

    answer: Any = None


async def perform(request: Request, frame: Frame) -> Value:
    """One call with all its attempts. Raises `Failure` when none gave an answer, `Stopped` when the run ends."""
    run = frame.run
    await run.breathe(frame.strand)
    request = _with_defaults(request)
    name = request.target.name
    record = CallRecord(frame.path, request.segment, name, request.inputs, request.kind, _asked_of(request))
    began = run.clock.monotonic()
    check_inputs(request.target, request.inputs)
    check_requires(request.target, request.inputs, run.contracts)
    if run.journal is not None and run.journal.telling:
        await turn(run.journal, record.key, 1, frame)
    run.calls.append(record)
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


def _with_defaults(request: Request) -> Request:
    """A contract's own defaults for the inputs that the call does not pass."""
    asking = request.target.asking
    if asking is None or not asking.defaults:
        return request
    takes = request.target.takes
    missing = {name: value for name, value in asking.defaults.items() if name not in request.inputs and name in takes}
    if not missing:
        return request
    return changed(request, inputs={**request.inputs, **{key: from_python(value) for key, value in missing.items()}})


def _asked_of(request: Request) -> dict[str, Any] | None:
    """What a record keeps of a request beside its inputs: what is there at all."""
    asked: dict[str, Any] = {
        name: value for name in ("prompt", "context", "model") if (value := getattr(request, name)) is not None
    }
    for name, value in (request.about or {}).items():
        if value not in (None, "", ()):
            asked[name] = ListValue(_remembered(item) for item in value) if isinstance(value, tuple) else value
    if request.kind == "session" and request.target.asking is not None and request.target.asking.instructions:
        asked["instructions"] = request.target.asking.instructions
    return asked or None


def _remembered(item: Any) -> Value:
    plain = {"asked": item.asked, "answered": item.answered} if isinstance(item, Turn) else item
    return from_python(plain)


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


def check_requires(target: Callee, inputs: Mapping[str, Value], contracts: Contracts) -> None:
    """Inputs against the sentences by which a definition says what it asks for."""
    unit = target.unit
    if unit is None or not contracts.of(unit, "requires"):
        return
    for wrong in contracts.rule(unit, "requires", Facts(_given_to(target, inputs))):
        asked = f"`{target.name}` was given something else than it asks for"
        raise contract_failure(target.name, asked, wrong.mismatch())


def _given_to(target: Callee, inputs: Mapping[str, Value]) -> dict[str, Value]:
    unit = target.unit
    assert unit is not None
    if isinstance(target, UnitTarget):
        return given_values(unit, inputs, target.bound.defaults, target.bound.config)
    return given_values(unit, inputs, {}, {})


def contract_failure(
    service: str,
    message: str,
    found: Mismatch | NotJson,
    attempt: int | None = None,
    kind: type[Failure] = Failure,
) -> Failure:
    """A `contract` error: never tried again, but a model is asked once more for an answer that it has broken."""
    fields: dict[str, Any] = {"path": found.path, "found": found.found}
    if isinstance(found, Mismatch):
        fields["expected"] = found.expected
    text = f"{message}: {found}" if isinstance(found, Mismatch) else f"{message}: {found.at('answer')}"
    return kind("contract", text, service=service, attempt=attempt, fields=fields, transient=False)


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
    number, tried, correction = 0, 0, ""
    again = request.again or int(request.target.asking is not None and request.target.asking.again)
    while True:
        number += 1
        wait = 0.0
        try:
            return await _permitted(request, frame, record, number, correction)
        except Failure as failure:
            if isinstance(failure, BrokenAnswer) and again:
                again -= 1
                asks_person = request.kind == "gate"
                correction = failure.message if asks_person else correction_of(failure.message, failure.answer)
            elif tried >= request.policy.retry or not failure.transient:
                raise
            else:
                tried += 1
                wait = pause_before(request.policy.backoff, tried, frame)
            if frame.run.listening:
                run, name = frame.run, request.target.name
                run.tell(Retrying(record.key, name, number, failure.name, failure.message, wait))
        await rest(wait, frame)
        journal = frame.run.journal
        if journal is not None and journal.telling:
            await turn(journal, record.key, number + 1, frame)


def pause_before(backoff: str, failed: int, frame: Frame) -> float:
    """Seconds to wait after that many failed attempts. Exponential waits have full jitter."""
    if backoff == "linear":
        return min(FIRST_WAIT * failed, LONGEST_WAIT)
    if backoff == "exponential":
        return frame.run.random.random() * min(FIRST_WAIT * 2.0 ** min(failed, 30), LONGEST_WAIT)
    return 0.0


async def rest(seconds: float, frame: Frame) -> None:
    """Wait between attempts; a cancellation ends it. What is told from a journal was waited for already."""
    run = frame.run
    if seconds > 0 and not (run.journal is not None and run.journal.telling):
        try:
            with run.busy:
                await run.clock.sleep(seconds)
        except asyncio.CancelledError:
            raise frame.strand.caught() from None
    await run.breathe(frame.strand)


async def _permitted(
    request: Request, frame: Frame, record: CallRecord, number: int, correction: str
) -> tuple[Answer, Value, bool]:
    """One attempt: told by the journal, or made, when there is a permit for it and the budget allows it. Waiting for a
    person takes up no permit and no call."""
    run = frame.run
    step = None
    if run.journal is not None:
        step = _step_of(request, record, number, correction)
        told = await told_of(run.journal, step, frame)
        if told is not None:
            return _again(told, request, frame, record, number)
    if request.kind == "gate":
        frame.strand.check()
        return await _attempt(request, frame, record, number, correction, step)
    try:
        await run.permits.acquire()
    except asyncio.CancelledError:
        raise frame.strand.caught() from None
    try:
        frame.strand.check()
        refusal = run.ledger.refusal()
        if refusal is not None:
            run.refused(refusal)
            raise refusal
        return await _attempt(request, frame, record, number, correction, step)
    finally:
        run.permits.release()


async def _attempt(
    request: Request, frame: Frame, record: CallRecord, number: int, correction: str, step: Step | None
) -> tuple[Answer, Value, bool]:
    run, name, journal = frame.run, request.target.name, frame.run.journal
    _count(request, frame, record, number)
    call = _call_of(request, frame, record, number, correction)
    answer: Answer | None = None
    try:
        if journal is not None and step is not None:
            await begins(journal, step, frame)
        if run.listening:
            run.tell(AttemptStarted(record.key, name, number, run.seconds()))
        answer = await _asked(request, frame, call)
        value = _checked(answer, request, number, run.contracts)
    except Failure as failure:
        if journal is not None and step is not None:
            await failed(journal, step, failure, _told_as(failure, answer), frame)
        raise
    except Stopped as stop:
        if journal is not None and step is not None:
            journal.stopped(step, stop.reason)
        raise
    finally:
        _tell_budget(frame)
    if journal is not None and step is not None:
        kept = value if request.target.asking is None and request.accept is None else from_python(answer.value)
        await gave(journal, step, kept, answer.usage, frame)
    if run.listening:
        run.tell(ContractChecked(record.key, "answer", True))
    return answer, value, False


def _count(request: Request, frame: Frame, record: CallRecord, number: int, attempts: int = 1) -> None:
    record.attempts = number
    if request.kind != "gate":
        frame.run.ledger.calls += number == 1
        frame.run.ledger.attempts += attempts


def _tell_budget(frame: Frame) -> None:
    run, ledger = frame.run, frame.run.ledger
    for said in ledger.nearly():
        run.note("budget-nearly-spent", said)
    if run.listening:
        run.tell(BudgetSpent(ledger.attempts, ledger.tokens, ledger.cost, run.seconds()))


# ---- what a journal keeps and tells ----------------------------------------------------------------------


def _step_of(request: Request, record: CallRecord, number: int, correction: str) -> Step:
    asking = request.target.asking
    schema = request.schema or (asking.schema if asking else None) or request.use.schema
    unseen = (schema, asking.instructions if asking else "", correction)
    return Step(record.key, number, request.kind, request.target.name, request.inputs, record.about, unseen)


def _again(told: Told, request: Request, frame: Frame, record: CallRecord, number: int) -> tuple[Answer, Value, bool]:
    """An attempt that was made before: it counts, and ends as it ended. What comes from another run costs nothing."""
    _count(request, frame, record, number, attempts=0 if told.reused else 1)
    if not told.reused:
        frame.run.ledger.spend(told.usage)
    _tell_budget(frame)
    if told.error is not None:
        raise _failure_of(told, record, number)
    answer = Answer(told.answer, told.usage)
    return answer, _checked(answer, request, number, frame.run.contracts), True


def _told_as(failure: Failure, answer: Answer | None) -> Told:
    """A failure as it is kept."""
    refused = isinstance(failure, BrokenAnswer)
    usage = answer.usage if answer is not None else failure.usage
    given = _json_or_text(failure.answer) if isinstance(failure, BrokenAnswer) else None
    return Told(given, usage, failure.value, failure.transient, refused)


def _json_or_text(answer: Any) -> Value:
    try:
        return from_python(answer)
    except NotJson:
        return repr(answer)


def _failure_of(told: Told, record: CallRecord, number: int) -> Failure:
    error = dict(told.error or {})
    name, message = str(error.get("name", "")), str(error.get("message", ""))
    kind = BrokenAnswer if told.refused else Failure
    failure = kind(name, message, fields=error, transient=told.transient)
    failure.step = record.key, number
    if isinstance(failure, BrokenAnswer):
        failure.answer = to_json(told.answer)
    return failure


# ---- asking ----------------------------------------------------------------------------------------------


async def _asked(request: Request, frame: Frame, call: Call) -> Answer:
    """The answer to a call. A run with a journal waits for a person who is not there: it ends, and goes on later."""
    run = frame.run
    try:
        with run.busy:
            return await _ask(request, frame, call)
    except NobodyThere as nobody:
        if run.journal is None:
            raise _service_failure(nobody, call) from nobody
        seconds, now = request.policy.timeout, run.clock.now()
        asked = run.journal.asks(_question(call, None if seconds is None else now + seconds))
        if asked.until is None or now < asked.until:
            await run.wait_for(asked, frame.strand)
        late = f"`{call.service}` gave no answer within {seconds or 0:g} s"
        if request.late is None:
            raise Failure("timeout", late, **_where(call)) from nobody
        return request.late(late)


def _question(call: Call, until: float | None) -> Question:
    parts = [] if call.prompt is None else [_text(call.prompt)]
    parts += [f"{name}: {_text(value)}" for name, value in call.inputs.items()]
    asked = "\n".join(parts)
    return Question(call.key, call.attempt, call.service, asked, call.options, call.schema, call.default, until)


def _text(value: Any) -> str:
    return render_text(from_python(value))


def _call_of(request: Request, frame: Frame, record: CallRecord, number: int, correction: str) -> Call:
    target, model, asking = request.target, request.model, request.target.asking
    key = record.key
    inputs = {name: to_json(value) for name, value in request.inputs.items()}
    prompt, context = to_json(request.prompt), to_json(request.context)
    return Call(
        service=target.name,
        inputs=inputs,
        prompt=prompt,
        model=model if isinstance(model, str) else None,
        context=context,
        schema=request.schema or (asking.schema if asking else None) or request.use.schema,
        timeout=request.policy.timeout,
        key=key,
        attempt=number,
        idempotency_key=f"{frame.run.id}/{key}",
        definition=target.definition,
        instructions=asking.instructions if asking else "",
        message=message_of(asking, inputs, prompt=prompt, context=context, correction=correction) if asking else "",
        correction=correction,
        **(request.about or {}),
    )


async def _ask(request: Request, frame: Frame, call: Call) -> Answer:
    """The call itself. Whatever a service raises becomes a `Failure` that names the service and the attempt."""
    service, seconds = request.target.service, request.policy.timeout
    ledger = frame.run.ledger
    try:
        async with turn_of(service):
            if seconds is None:
                answer = await service.call(call)
            else:
                async with asyncio.timeout(seconds) as deadline:
                    answer = await service.call(call)
        given: object = answer
        if not isinstance(given, Answer):
            raise TypeError(f"a service must give an Answer, not {type(answer).__name__}")
    except NobodyThere:
        raise
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
            late = f"`{call.service}` gave no answer within {seconds:g} s"
            if request.late is None:
                raise Failure("timeout", late, **_where(call)) from error
            return request.late(late)
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
    failure = Failure(error.name, error.message, fields=fields, transient=error.transient, **_where(call))
    failure.usage = error.usage or failure.usage
    return failure


def _unexpected(error: BaseException, call: Call) -> Failure:
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Failure("service-failed", text, **_where(call))


# ---- answers ---------------------------------------------------------------------------------------------


def _checked(answer: Answer, request: Request, number: int, contracts: Contracts) -> Value:
    """The answer as a value, if it is JSON and has what the service declares. Raises the error that it reports."""
    target = request.target
    name, asking = target.name, target.asking
    given = answer.value if asking is None else read_answer(asking, answer.value)
    try:
        value = from_python(given)
    except NotJson as error:
        raise _broken(request, f"`{name}` gave an answer that is not JSON", error, number, repr(given)) from None
    declared = f"`{name}` did not give what it declares"
    if asking is not None and asking.errors and (report := reported(value)) and not _gives_error(asking):
        if report[0] in asking.errors:
            raise Failure(report[0], report[1] or report[0], service=name, attempt=number)
        known = " or ".join(f"`{item}`" for item in asking.errors)
        raise _broken(request, declared, Mismatch("error", known, f"the text {report[0]!r}"), number, given)
    if target.definition is not None and target.definition.outputs:
        first = target.definition.outputs[0]
        if value == {} and asking is not None and asking.again and not first.optional:
            # To a model the outputs are the keys of an object: in an empty one there is none of them.
            raise _broken(request, declared, Mismatch(first.name, "given", "nothing"), number, given)
        for _, wrong in mismatched(target.definition.outputs, value):
            raise _broken(request, declared, wrong, number, given)
    if target.unit is not None:
        facts = facts_after(target.unit, _given_to(target, request.inputs), value, ())
        for promise in contracts.rule(target.unit, "ensures", facts):
            raise _broken(request, declared, promise.mismatch(), number, given)
        return value
    unusable = request.use.unusable(value)
    if unusable is not None:
        raise _broken(request, f"`{name}` gave what this script cannot use", unusable, number, given)
    if request.accept is not None:
        try:
            return request.accept(value)
        except NotAccepted as error:
            raise _broken(request, error.message, None, number, given) from None
    outputs = target.outputs
    if outputs is None or len(outputs) < 2 or request.kind != "call":
        return value
    missing = next((item for item in outputs if not isinstance(value, dict) or item not in value), None)
    if missing is not None:
        found = Mismatch(f"$.{missing}", "given", "nothing")
        raise _broken(request, f"`{name}` left out what it declares", found, number, given)
    return value


def _broken(request: Request, message: str, found: Mismatch | NotJson | None, number: int, answer: Any) -> Failure:
    name = request.target.name
    if found is None:
        failure: Failure = BrokenAnswer("contract", message, service=name, attempt=number, transient=False)
    else:
        failure = contract_failure(name, message, found, number, BrokenAnswer)
    if isinstance(failure, BrokenAnswer):
        failure.answer = answer
    return failure


def _gives_error(asking: Asking) -> bool:
    """Whether `error` is one of the names of what comes back, so that an object with it is an answer."""
    return any(item.name == "error" for item in asking.outputs)
