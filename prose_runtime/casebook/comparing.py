"""Holding a run and its messages against what a case expects. Out: one sentence for each disagreement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prose_runtime.casebook.case import Expectations, ExpectedCall, ExpectedDecision, ExpectedDiagnostic
from prose_runtime.casebook.matching import differences, shown
from prose_runtime.diagnostics import Diagnostic
from prose_runtime.runtime.outcome import CallRecord, DecisionRecord, Outcome


def compare_diagnostics(expected: Iterable[ExpectedDiagnostic], found: Iterable[Diagnostic]) -> list[str]:
    """Line and code are binding, wording is not; a message that nobody expected is as wrong as a missing one."""
    left = list(found)
    problems: list[str] = []
    for want in sorted(expected, key=lambda item: (item.line == 0, item.line)):
        match = next((item for item in left if item.code == want.code and want.line in (0, item.line)), None)
        if match is not None:
            left.remove(match)
        else:
            at = f" on line {want.line}" if want.line else ""
            problems.append(f"no `{want.code}` was reported{at}")
    return problems + [f"unexpected: {item}" for item in left]


def compare_outcome(expects: Expectations, outcome: Outcome) -> list[str]:
    """Everything but the diagnostics and the sentences."""
    problems = _compare_end(expects, outcome)
    if expects.result is not None:
        problems += differences(expects.result.value, outcome.result, partly=False, at="result")
    if expects.result_has is not None:
        problems += differences(expects.result_has.value, outcome.result, partly=True, at="result")
    calls = [call for call in outcome.calls if call.service != "judge"]
    if expects.number_of_calls is not None and len(calls) != expects.number_of_calls:
        problems.append(f"expected {expects.number_of_calls} calls, found {len(calls)}: {_names(calls)}")
    if expects.calls is not None:
        compare = _compare_calls_in_any_order if expects.any_order else _compare_calls
        problems += compare(expects.calls, calls)
    if expects.decisions is not None:
        problems += _compare_decisions(expects.decisions, outcome.decisions)
    if expects.warnings is not None:
        problems += _compare_warnings(expects.warnings, [warning.code for warning in outcome.warnings])
    return problems


def _compare_end(expects: Expectations, outcome: Outcome) -> list[str]:
    problems: list[str] = []
    status = expects.status or (None if expects.error else "done")
    error = outcome.error.name if outcome.error is not None else None
    told = f" ({outcome.error.name}: {outcome.error.message})" if outcome.error is not None else ""
    if status is not None and outcome.status != status:
        problems.append(f"expected the run to be {status}, found {outcome.status}{told}{outcome.reason}")
    if expects.error is not None and error != expects.error:
        problems.append(f"expected the error {expects.error!r}, found {error!r}{told}")
    return problems


def _names(calls: Sequence[CallRecord]) -> str:
    return ", ".join(call.service for call in calls) or "none"


def _compare_calls(expected: Sequence[ExpectedCall], found: Sequence[CallRecord]) -> list[str]:
    problems: list[str] = []
    if [want.service for want in expected] != [call.service for call in found]:
        wanted = ", ".join(want.service for want in expected) or "none"
        problems.append(f"expected the calls {wanted}; found {_names(found)}")
        return problems
    for number, (want, call) in enumerate(zip(expected, found, strict=True), 1):
        problems += [f"call {number} ({want.service}): {problem}" for problem in _compare_call(want, call)]
    return problems


def _compare_calls_in_any_order(expected: Sequence[ExpectedCall], found: Sequence[CallRecord]) -> list[str]:
    left = list(found)
    problems: list[str] = []
    for want in expected:
        match = next((call for call in left if call.service == want.service and not _compare_call(want, call)), None)
        if match is not None:
            left.remove(match)
            continue
        near = next((call for call in left if call.service == want.service), None)
        why = "; ".join(_compare_call(want, near)) if near is not None else "no more calls of it"
        problems.append(f"no call of {want.service} as expected: {why}")
    return problems + [f"an unexpected call of {call.service} with {shown(call.inputs)}" for call in left]


def _compare_call(want: ExpectedCall, call: CallRecord) -> list[str]:
    inputs = call.inputs
    problems: list[str] = []
    if want.received is not None:
        problems += differences(want.received, inputs, partly=True, at="received")
    if want.exactly is not None:
        problems += differences(want.exactly, inputs, partly=False, at="received")
    problems += [f"received.{key}: found {shown(inputs[key])}, expected none" for key in want.without if key in inputs]
    if want.attempts is not None and call.attempts != want.attempts:
        problems.append(f"expected {want.attempts} attempts, found {call.attempts}")
    if want.error is not None:
        name = call.error.get("name") if call.error is not None else None
        if name != want.error:
            problems.append(f"expected the error {want.error!r}, found {name!r}")
    return problems


def _compare_decisions(expected: Sequence[ExpectedDecision], found: Sequence[DecisionRecord]) -> list[str]:
    if len(expected) != len(found):
        texts = "; ".join(f"{item.text} ({item.how}: {str(item.holds).lower()})" for item in found) or "none"
        return [f"expected {len(expected)} decisions, found {len(found)}: {texts}"]
    problems: list[str] = []
    for number, (want, item) in enumerate(zip(expected, found, strict=True), 1):
        at = f"decision {number} ({item.text})"
        holds = str(item.holds).lower()
        if want.text not in item.text:
            problems.append(f"{at}: expected {want.text!r}")
        if want.how is not None and want.how != item.how:
            problems.append(f"{at}: expected to be decided by {want.how}, found {item.how} ({item.because})")
        if want.holds is not None and want.holds != item.holds:
            problems.append(f"{at}: expected {str(want.holds).lower()}, found {holds} ({item.because})")
    return problems


def _compare_warnings(expected: Sequence[str], found: Sequence[str]) -> list[str]:
    if sorted(expected) == sorted(found):
        return []
    return [f"expected the warnings {', '.join(expected) or 'none'}; found {', '.join(found) or 'none'}"]
