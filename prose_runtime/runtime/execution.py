"""The phase `execute`. In: a `Plan`. Out: an `Outcome`, whatever happens on the way."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from prose_runtime.runtime.clauses.facts import Facts
from prose_runtime.runtime.clauses.judging import judged
from prose_runtime.runtime.clauses.keeping import facts_after, given_values
from prose_runtime.runtime.clock import SystemClock
from prose_runtime.runtime.contracts import output_mismatches, unwrapped
from prose_runtime.runtime.decisions import choose, decide_condition, holds
from prose_runtime.runtime.errors import Failure, RunError, Stopped, as_run_error
from prose_runtime.runtime.events import (
    ContractChecked,
    RunFinished,
    RunStarted,
    RunWarning,
    Status,
    Stream,
    Subscriber,
)
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.journaling import Journal, NotKept
from prose_runtime.runtime.outcome import Names, Outcome, Totals
from prose_runtime.runtime.paths import root
from prose_runtime.runtime.plan import BoundUnit, Plan, UnitTarget
from prose_runtime.runtime.port import Clock, MemoryStore
from prose_runtime.runtime.run import Cancel, Run
from prose_runtime.runtime.signals import Ended
from prose_runtime.runtime.statements import block_value, run_body, run_element
from prose_runtime.runtime.step import Policy, Request, check_requires, contract_failure, perform
from prose_runtime.runtime.units import broken_outputs, broken_promises, main_frame, promise_failure, run_script
from prose_runtime.runtime.values import Value, to_json
from prose_runtime.runtime.waiting import waiting_value
from prose_runtime.runtime.walk import Walk

WALK = Walk(run_body, run_element, waiting_value, block_value, holds, decide_condition, choose)


async def execute(
    plan: Plan,
    *,
    subscribers: Sequence[Subscriber] = (),
    clock: Clock | None = None,
    journal: Journal | None = None,
    cancel: Cancel | None = None,
    seed: int | None = None,
    keep_calls: int | None = None,
    run_id: str = "",
    memory: MemoryStore | None = None,
) -> Outcome:
    """Run a plan once.

    - `cancel`: once it is set, the run stops at the next safe point and keeps its names.
    - `seed`: makes the jitter of retries repeatable. `keep_calls`: how many of the last calls and decisions the outcome
      keeps (None: all). `run_id`: goes into idempotency keys.
    - `journal`: where every step is kept before anything uses it; if it knows the run already, it tells what was done.
    - `memory`: where agents with `persist: project` or `user` keep their memory; without one it ends with the run.

    Never raises for what goes wrong in the pattern or a service. When its own task is cancelled, it stops the
    run in the same way and then passes the cancellation on.
    """
    stream = Stream(tuple(subscribers))
    run = Run(plan, WALK, clock or SystemClock(), journal, stream, cancel, seed, keep_calls, memory, run_id)
    run.main.task = asyncio.current_task()
    if journal is not None:
        journal.attach(run)
    watchers = _watch(run, clock)
    if run.listening:
        inputs = {name: to_json(value) for name, value in plan.inputs.items()}
        run.tell(RunStarted(plan.program.main.name, plan.program.document.source.name, inputs))
    try:
        outcome = await _ended(run)
    finally:
        for end in watchers:
            end()
    for fault in stream.faults:
        run.note("subscriber-failed", f"a listener failed and was dropped: {fault}")
    outcome = _with_records(outcome, run)
    if journal is not None:
        outcome = _kept(outcome, run, journal)
    if run.listening:
        error = outcome.error
        name, message = (error.name, error.message) if error else (None, outcome.reason)
        run.tell(RunFinished(outcome.status, outcome.usage.seconds, name, message))
    if run.outside:
        raise asyncio.CancelledError
    return outcome


def _watch(run: Run, clock: Clock | None) -> list[Callable[[], Any]]:
    """What ends a run that waits: the host's wish and the time limit. Gives the functions that end the watching."""
    ends: list[Callable[[], Any]] = []
    cancel = run.cancel
    if cancel is not None:
        wait = cancel.wait

        async def watch() -> None:
            await wait()
            run.stop("cancelled")

        ends.append(asyncio.ensure_future(watch()).cancel)
    seconds = run.plan.budget.timeout
    if seconds is not None and run.journal is not None:
        seconds = max(seconds - run.journal.elapsed, 0.0)
    if seconds is not None and clock is None:
        ends.append(asyncio.get_running_loop().call_later(seconds, run.stop, "time").cancel)
    return ends


async def _ended(run: Run) -> Outcome:
    """Do the work and say how it ended."""
    frame: Frame | None = None
    try:
        main = run.plan.main
        if isinstance(main, UnitTarget):
            frame = main_frame(run, main, run.plan.inputs)
            check_requires(main, run.plan.inputs, run.contracts)
            await _judge_requires(run)
            ended = await run_script(frame)
        else:
            await _judge_requires(run)
            ended = Ended(None, await _asked(run))
        return await _kept_or_broken(run, ended, frame)
    except Stopped as stop:
        status: Status = "waiting" if stop.reason == "waiting" else "stopped"
        return _outcome(run, status, None, frame, _stop_error(stop), stop.message)
    except Failure as failure:
        run.failed_at = failure.step
        python = "".join(traceback.format_exception(failure.__cause__)) if failure.__cause__ else ""
        return _outcome(run, "failed", None, frame, as_run_error(failure, to_json, python), failure.message)


async def _judge_requires(run: Run) -> None:
    """What the definition asks for and only reading can tell, if the judge is to decide it. Raises `Failure`."""
    unit = run.plan.program.main
    if run.plan.judge_contracts and run.contracts.of(unit, "requires"):
        message = f"`{unit.name}` was given something else than it asks for"
        for wrong in await judged(unit, "requires", Facts(_given(run)), _beside(run)):
            raise contract_failure(unit.name, message, wrong.mismatch())


def _given(run: Run) -> dict[str, Value]:
    main = run.plan.main
    bound = main.bound if isinstance(main, UnitTarget) else BoundUnit(run.plan.program.main)
    return given_values(run.plan.program.main, run.plan.inputs, bound.defaults, bound.config)


def _beside(run: Run) -> Frame:
    """A frame for what the run does outside of its script."""
    unit = run.plan.program.main
    return Frame(run, run.main, BoundUnit(unit), root(unit.name))


async def _asked(run: Run) -> Value:
    """A function without a script: one call."""
    main = run.plan.main
    assert not isinstance(main, UnitTarget)
    frame = _beside(run)
    hints = main.hints
    policy = Policy(hints.retry or 0, hints.backoff or "none", hints.timeout)
    request = Request(main, run.plan.inputs, f"call:{main.name}", model=hints.model, policy=policy)
    return unwrapped(main.outputs, await perform(request, frame))


async def _kept_or_broken(run: Run, ended: Ended, frame: Frame | None) -> Outcome:
    unit = run.plan.program.main
    result = ended.plain
    main, path = run.plan.main, frame.path if frame is not None else root(unit.name)
    promised = broken_promises(main, run.plan.inputs, ended, path, run) if isinstance(main, UnitTarget) else []
    wrong = broken_outputs(unit, ended, path) or promised
    if not wrong and run.plan.judge_contracts:
        try:
            facts = facts_after(unit, _given(run), result, run.calls, complete=run.calls.maxlen is None)
            judged_wrong = await judged(unit, "ensures", facts, _beside(run))
        except Stopped as stop:  # the result was paid for
            return _outcome(run, "stopped", result, frame, _stop_error(stop), stop.message)
        wrong = [promise_failure(promise, unit, ended, path) for promise in judged_wrong]
    if run.listening and unit.definition.outputs:
        said = "; ".join(str(item) for _, item in output_mismatches(unit, result)) if wrong else ""
        run.tell(ContractChecked(unit.name, "outputs", not wrong, said))
    if not wrong:
        return _outcome(run, "done", result, frame)
    first, *others = wrong
    first.others += others
    return _outcome(run, "broken", result, frame, as_run_error(first, to_json), first.message)


def _stop_error(stop: Stopped) -> RunError | None:
    if stop.reason == "waiting":
        return None
    name = "cancelled" if stop.reason in ("cancelled", "loser", "sibling") else "budget"
    if stop.reason == "journal":
        name = "journal"
    fields: Mapping[str, Any] = {"name": name, "message": stop.message, "reason": stop.reason}
    others = tuple(as_run_error(item, to_json) for item in stop.others)
    return RunError(name, stop.message, fields, (), others)


def _outcome(
    run: Run, status: Status, result: Value, frame: Frame | None, error: RunError | None = None, reason: str = ""
) -> Outcome:
    names = Names(frame.bound_here() if frame is not None else {})
    return Outcome(status, to_json(result), error=error, names=names, reason=reason)


def _with_records(outcome: Outcome, run: Run) -> Outcome:
    ledger = run.ledger
    known = ledger.known
    usage = Totals(
        ledger.calls,
        ledger.attempts,
        ledger.input_tokens if "input_tokens" in known else None,
        ledger.output_tokens if "output_tokens" in known else None,
        ledger.cost if "cost" in known else None,
        run.seconds(),
    )
    return Outcome(
        outcome.status,
        outcome.result,
        tuple(record for record in run.calls if record.attempts),  # what was refused was not made
        tuple(run.decisions),
        tuple(run.warnings),
        usage,
        outcome.error,
        outcome.names,
        outcome.reason,
        run.plan.warnings,
        run.contracts.records,
        tuple(run.waiting) if outcome.status == "waiting" else (),
    )


def _kept(outcome: Outcome, run: Run, journal: Journal) -> Outcome:
    """The outcome, written down. That this fails does not take it from the caller."""
    data = outcome.to_json()
    ending = {
        "status": outcome.status,
        "result": outcome.result,
        "names": data.get("names"),
        "error": data["error"],
        "reason": outcome.reason,
        "usage": data["usage"],
    }
    try:
        journal.ended(ending, run.failed_at)
    except NotKept as error:
        warning = RunWarning("not-kept", error.message, "", 0, 0)
        return replace(outcome, warnings=(*outcome.warnings, warning))
    return outcome
