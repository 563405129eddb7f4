"""Holding a run and its messages against what a case expects. Out: one `Problem` for each disagreement.

A problem whose expectation is a value in the YAML block says where it stands there and what would have to be written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from prose_runtime.casebook.case import Expectations, ExpectedCall, ExpectedDecision, ExpectedDiagnostic
from prose_runtime.casebook.matching import differences, shown
from prose_runtime.casebook.problem import NOTHING, Path, Problem
from prose_runtime.diagnostics import Diagnostic
from prose_runtime.runtime.outcome import CallRecord, DecisionRecord, Outcome


def compare_diagnostics(expected: Iterable[ExpectedDiagnostic], found: Iterable[Diagnostic]) -> list[Problem]:
    """Line and code are binding, wording is not; a message that nobody expected is as wrong as a missing one."""
    left = list(found)
    problems: list[Problem] = []
    written: list[Any] = []
    for want in sorted(expected, key=lambda item: (item.line == 0, item.line)):
        match = next((item for item in left if item.code == want.code and want.line in (0, item.line)), None)
        if match is not None:
            left.remove(match)
            written += [want.written] if want.written is not None else []
        else:
            at = f" on line {want.line}" if want.line else ""
            problems.append(Problem(f"no `{want.code}` was reported{at}"))
    problems += [Problem(f"unexpected: {item}") for item in left]
    if not any(want.written is not None for want in expected):
        return problems  # markers at line ends; they are moved by hand
    whole = [*written, *({"line": item.line, "code": item.code} for item in left)]
    return [replace(problem, path=("diagnostics",), instead=whole) for problem in problems]


def compare_outcome(expects: Expectations, outcome: Outcome) -> list[Problem]:
    """Everything but the diagnostics and the sentences."""
    problems = _compare_end(expects, outcome)
    if expects.result is not None:
        problems += differences(expects.result.value, outcome.result, partly=False, at="result", path=("result",))
    if expects.result_has is not None:
        where: Path = ("result has",)
        problems += differences(expects.result_has.value, outcome.result, partly=True, at="result", path=where)
    calls = [call for call in outcome.calls if call.service != "judge"]
    made = [call for call in calls if call.kind != "gate"]
    if expects.number_of_calls is not None and len(made) != expects.number_of_calls:
        text = f"expected {expects.number_of_calls} calls, found {len(made)}: {_names(made)}"
        problems.append(Problem(text, path=("number of calls",), instead=len(made)))
    if expects.calls is not None:
        compare = _compare_calls_in_any_order if expects.any_order else _compare_calls
        problems += compare(expects.calls, calls)
    if expects.decisions is not None:
        problems += _compare_decisions(expects.decisions, outcome.decisions)
    if expects.warnings is not None:
        problems += _compare_warnings(expects.warnings, [warning.code for warning in outcome.warnings])
    return problems


def _compare_end(expects: Expectations, outcome: Outcome) -> list[Problem]:
    problems: list[Problem] = []
    status = expects.status or (None if expects.error or expects.message is not None else "done")
    error = outcome.error.name if outcome.error is not None else None
    told = f" ({outcome.error.name}: {outcome.error.message})" if outcome.error is not None else ""
    if status is not None and outcome.status != status:
        text = f"expected the run to be {status}, found {outcome.status}{told}{outcome.reason}"
        problems.append(Problem(text, path=("status",), instead=outcome.status))
    if expects.error is not None and error != expects.error:
        instead = NOTHING if error is None else error
        at: Path = ("error",) if expects.message is None else ("error", "name")
        problems.append(
            Problem(f"expected the error {expects.error!r}, found {error!r}{told}", path=at, instead=instead)
        )
    if expects.message is not None:
        said = outcome.error.message if outcome.error is not None else None
        problems += differences(expects.message, said, partly=False, at="error.message", path=("error", "message"))
    return problems


def _names(calls: Sequence[CallRecord]) -> str:
    return ", ".join(call.service for call in calls) or "none"


# ---- calls ----


def _compare_calls(expected: Sequence[ExpectedCall], found: Sequence[CallRecord]) -> list[Problem]:
    wanted, made = [want.service for want in expected], [call.service for call in found]
    if wanted != made:
        text = f"expected the calls {', '.join(wanted) or 'none'}; found {_names(found)}"
        return [
            Problem(text, about="calls", expected=wanted, found=made, path=("calls",), instead=_kept(expected, made))
        ]
    problems: list[Problem] = []
    for number, (want, call) in enumerate(zip(expected, found, strict=True), 1):
        told = f"call {number} ({want.service})"
        problems += [problem.under(told, ("calls", number - 1)) for problem in _compare_call(want, call)]
    return problems


def _kept(expected: Sequence[ExpectedCall], made: list[str]) -> list[Any]:
    """The calls that were made, each as it is written where it was expected, and as a name where not."""
    whole: list[Any] = list(made)
    matcher = SequenceMatcher(None, [want.service for want in expected], made, autojunk=False)
    for start, at, size in matcher.get_matching_blocks():
        for offset in range(size):
            want = expected[start + offset]
            whole[at + offset] = want.service if want.written is None else want.written
    return whole


def _compare_calls_in_any_order(expected: Sequence[ExpectedCall], found: Sequence[CallRecord]) -> list[Problem]:
    left = list(found)
    missing: list[tuple[int, ExpectedCall]] = []
    for number, want in enumerate(expected):
        match = next((call for call in left if call.service == want.service and not _compare_call(want, call)), None)
        if match is not None:
            left.remove(match)
        else:
            missing.append((number, want))
    problems: list[Problem] = []
    whole = [want.service if want.written is None else want.written for want in expected]
    for _, want in missing:
        near = next((call for call in left if call.service == want.service), None)
        why = "; ".join(map(str, _compare_call(want, near))) if near is not None else "no more calls of it"
        problems.append(Problem(f"no call of {want.service} as expected: {why}"))
    problems += [Problem(f"an unexpected call of {call.service} with {shown(call.inputs)}") for call in left]
    gone = {number for number, _ in missing}
    kept = [item for number, item in enumerate(whole) if number not in gone]
    instead = [*kept, *({call.service: dict(call.inputs)} if call.inputs else call.service for call in left)]
    return [replace(problem, path=("calls in any order",), instead=instead) for problem in problems]


def _compare_call(want: ExpectedCall, call: CallRecord) -> list[Problem]:
    inputs = call.inputs
    seen = {**call.asked, **inputs}
    if call.kind in ("session", "gate"):  # what they are given is mostly no input
        inputs = seen
    problems: list[Problem] = []
    if want.received is not None:
        problems += differences(want.received, seen, partly=True, at="received", path=(want.received_key,))
    if want.exactly is not None:
        problems += differences(want.exactly, inputs, partly=False, at="received", path=("exactly",))
    kept = [key for key in want.without if key not in inputs]
    problems += [
        Problem(f"received.{key}: found {shown(inputs[key])}, expected none", path=("without",), instead=kept)
        for key in want.without
        if key in inputs
    ]
    if want.attempts is not None and call.attempts != want.attempts:
        text = f"expected {want.attempts} attempts, found {call.attempts}"
        problems.append(Problem(text, path=("attempts",), instead=call.attempts))
    if want.error is not None:
        name = call.error.get("name") if call.error is not None else None
        if name != want.error:
            instead = NOTHING if name is None else name
            text = f"expected the error {want.error!r}, found {name!r}"
            problems.append(Problem(text, path=("error",), instead=instead))
    return problems


# ---- decisions and warnings ----


def _compare_decisions(expected: Sequence[ExpectedDecision], found: Sequence[DecisionRecord]) -> list[Problem]:
    if len(expected) != len(found):
        texts = "; ".join(f"{item.text} ({item.how}: {str(item.holds).lower()})" for item in found) or "none"
        text = f"expected {len(expected)} decisions, found {len(found)}: {texts}"
        whole = [{"text": item.text, "how": item.how, "holds": item.holds} for item in found]
        return [Problem(text, path=("decisions",), instead=whole)]
    problems: list[Problem] = []
    for number, (want, item) in enumerate(zip(expected, found, strict=True), 1):
        at: Path = ("decisions", number - 1)
        told = f"decision {number} ({item.text})"
        holds = str(item.holds).lower()
        if want.text not in item.text:
            path = at if want.is_text else (*at, "text")
            problems.append(Problem(f"{told}: expected {want.text!r}", path=path, instead=item.text))
        if want.how is not None and want.how != item.how:
            text = f"{told}: expected to be decided by {want.how}, found {item.how} ({item.because})"
            problems.append(Problem(text, path=(*at, "how"), instead=item.how))
        if want.holds is not None and want.holds != item.holds:
            text = f"{told}: expected {str(want.holds).lower()}, found {holds} ({item.because})"
            problems.append(Problem(text, path=(*at, "holds"), instead=item.holds))
    return problems


def _compare_warnings(expected: Sequence[str], found: Sequence[str]) -> list[Problem]:
    if sorted(expected) == sorted(found):
        return []
    text = f"expected the warnings {', '.join(expected) or 'none'}; found {', '.join(found) or 'none'}"
    return [Problem(text, path=("warnings",), instead=list(found))]
