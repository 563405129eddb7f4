"""Running one case: check the subject, bind it to the replies that the case holds, run it, compare.

In: a path. Out: a `CaseResult`. A slot, function or judge that the case gives no replies for is not bound to anything,
unless a `Binder` knows of something.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prose_runtime.casebook.blocks import Unreadable, read_yaml
from prose_runtime.casebook.case import Case, Fixture, Replies
from prose_runtime.casebook.commands import CommandCase, Runner, command_case, run_command
from prose_runtime.casebook.comparing import compare_diagnostics, compare_outcome
from prose_runtime.casebook.matching import shown
from prose_runtime.casebook.places import place_of
from prose_runtime.casebook.problem import Problem
from prose_runtime.casebook.reading import read_case
from prose_runtime.casebook.report import CaseResult, Verdict
from prose_runtime.casebook.sentences import Judge, JudgeFailed, Ruling, rule_on
from prose_runtime.casebook.subjects import Subject, Ways
from prose_runtime.casebook.virtual_time import LoopClock, VirtualLoop
from prose_runtime.diagnostics import Diagnostic, has_errors, in_order
from prose_runtime.diagnostics.suggestions import listed
from prose_runtime.resolve import NotFound, resolve
from prose_runtime.resolve.program import Program
from prose_runtime.runtime import Budget, Outcome, Plan, execute
from prose_runtime.runtime.clauses.facts import Facts, facts_of
from prose_runtime.runtime.judging import JudgeAnswer, JudgeQuestion
from prose_runtime.runtime.port import Call, Service
from prose_runtime.runtime.values import from_python, to_json
from prose_runtime.services import ScriptedService
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document, Json, Type


@dataclass(slots=True)
class _Tally:
    """What came of the expectations of a case so far. `lacks` says why it could not be run."""

    problems: list[Problem] = field(default_factory=list)
    unchecked: list[Problem] = field(default_factory=list)
    checked: int = 0
    judged: int = 0
    lacks: str = ""


def run_case(path: Path, *, command: Runner | None = None, ways: Ways | None = None) -> CaseResult:
    """Run one case. Everything that is wrong with it, its file included, is in the result; nothing is raised for it."""
    ways = ways or Ways(command)
    began = time.perf_counter()
    name, reason, tally = path.name, "", _Tally()
    try:
        text = SourceText.from_bytes(str(path), path.read_bytes()).text
        line = _command_case(path, text)
        if line is not None:
            name = line.name
            _run_command(line, ways.command, tally)
        else:
            case = read_case(path, text)
            name, reason = case.name, "" if case.is_empty else case.failure or ""
            with asyncio.Runner(loop_factory=VirtualLoop if ways.in_virtual_time else None) as runner:
                runner.run(_run(case, ways, tally))
    except Unreadable as error:
        tally.problems.append(Problem(f"{path}:{error.line}: {error.message}" if error.line else error.message))
    except (OSError, ValueError) as error:
        tally.problems.append(Problem(f"{path} cannot be read: {error}"))
    seconds = time.perf_counter() - began
    verdict, problems = _verdict(tally, reason)
    counts = (tally.checked, tally.judged, tuple(tally.unchecked))
    return CaseResult(path, name, verdict, problems, seconds, reason, *counts, may_be_unchecked=ways.lenient)


def _verdict(tally: _Tally, reason: str) -> tuple[Verdict, tuple[Problem, ...]]:
    if tally.lacks:
        return "not run", (Problem(tally.lacks),)
    if reason:
        passed = Problem(f"this passed, but was expected to fail: {reason}")
        return ("failed as expected", tuple(tally.problems)) if tally.problems else ("failed", (passed,))
    if tally.problems:
        return "failed", tuple(tally.problems)
    return ("not checked" if tally.unchecked and not (tally.checked or tally.judged) else "passed"), ()


def _command_case(path: Path, text: str) -> CommandCase | None:
    if "### command" not in text.lower():
        return None
    source = SourceText(str(path), text)
    document, _ = read(source)
    return command_case(source, document) if document.main.kind == "test" else None


def _run_command(case: CommandCase, command: Runner | None, tally: _Tally) -> None:
    if command is None:
        tally.lacks = "it runs a command line, which may start what the case names: give `--commands` to allow that"
        return
    with TemporaryDirectory(prefix="prose-case-") as folder:
        tally.problems += run_command(case, command, Path(folder))
    tally.checked += len(case.expected) or 1


# ---- a run ----


async def _run(case: Case, ways: Ways, tally: _Tally) -> None:
    """Read, check, bind and run the subject with each of the fixtures, as far as that goes without an error."""
    tally.checked += case.expects.values
    subject = _resolved(case)
    found = list(subject.diagnostics)
    if has_errors(found) or not case.runs:
        tally.problems += compare_diagnostics(case.expects.diagnostics, in_order(found))
        if case.expects.of_a_run and case.expects.status != "refused":
            tally.problems.append(Problem("it did not run: its file does not check"))
    else:
        for number, fixture in enumerate(case.fixtures):
            tale = await _run_one(case, subject, fixture, ways, first=number == 0)
            _add(tally, tale, fixture.name)
    if case.is_empty:
        tally.problems.append(Problem("the case expects nothing: say under ### Expects what must come out"))


def _add(tally: _Tally, one: _Tally, name: str) -> None:
    tally.problems += [item.under(f"fixture {name}") if name else item for item in one.problems]
    tally.unchecked += one.unchecked
    tally.checked += one.checked
    tally.judged += one.judged
    tally.lacks = tally.lacks or one.lacks


async def _run_one(case: Case, subject: Subject, fixture: Fixture, ways: Ways, *, first: bool) -> _Tally:
    tally = _Tally()
    inputs, config = _given(case, fixture, subject.program)
    services = {name: _service(name, replies) for name, replies in (case.services or {}).items()}
    bound = ways.binder(subject, services, inputs=inputs, config=config, budget=_budget(case), origin=case.origin)
    try:
        found = in_order([*subject.diagnostics, *bound.diagnostics])
        if bound.plan is None:
            _refused(case, found, tally)
            return tally
        tally.problems += compare_diagnostics(case.expects.diagnostics, found)
        if not (case.expects.of_a_run or fixture.sentences):
            return tally
        told_of = " ".join([case.name, fixture.name]).strip()
        recorder = ways.recorder(told_of, subject.program, bound.mask) if ways.recorder else None
        clock = LoopClock() if ways.in_virtual_time else None
        outcome = await execute(bound.plan, subscribers=(recorder,) if recorder else (), clock=clock)
        different = compare_outcome(case.expects, outcome)
        tally.problems += locate(case, different)
        facts = _facts(case, subject.program, outcome, {**inputs, **config})
        judge = _judge(bound.plan)
        told = [("the values under Expects", not different)] if case.expects.values else []
        for sentence in (*case.expects.sentences, *fixture.sentences):
            ruling = await rule_on(sentence, facts, judge)
            _count(ruling, tally)
            told.append(
                (f"{sentence.name}: {sentence.text}" if sentence.name else sentence.text, ruling.problem is None)
            )
        if recorder is not None:
            recorder.finish(outcome)
            recorder.tested(told)
    finally:
        for service in bound.made:
            await service.close()
    return tally


def _refused(case: Case, found: list[Diagnostic], tally: _Tally) -> None:
    """The subject could not be bound. Where the case gives no replies at all, that alone is what is to be said."""
    lacking = [item for item in found if item.severity == "error" and item.code in _LACKING]
    wanted = {item.code for item in case.expects.diagnostics}
    if case.services is None and lacking and not wanted and case.expects.status != "refused":
        tally.lacks = _needs(lacking)
        return
    tally.problems += compare_diagnostics(case.expects.diagnostics, found)
    if case.expects.of_a_run and case.expects.status != "refused":
        tally.problems.append(Problem("it did not run: it cannot be bound"))


_LACKING = frozenset(
    {"function-not-bound", "slot-not-bound", "list-slot-not-bound", "session-not-bound", "judge-not-bound"}
)


def _needs(lacking: list[Diagnostic]) -> str:
    names = list(dict.fromkeys(item.source.slice(item.labels[0].span).strip("`") for item in lacking))
    return (
        f"it needs replies for {listed(names)}: write them under `### Services`, "
        "or give `--live` in a project that binds them"
    )


def locate(case: Case, problems: list[Problem]) -> list[Problem]:
    """The problems with the lines of the values that they are about."""
    root = case.expects.block
    if root is None:
        return problems
    return [
        replace(item, line=case.source.position(place_of(root, item.path).start).line) if item.path else item
        for item in problems
    ]


def _count(ruling: Ruling, tally: _Tally) -> None:
    if ruling.how == "nobody":
        tally.unchecked += [ruling.problem] if ruling.problem else []
        return
    tally.problems += [ruling.problem] if ruling.problem else []
    tally.checked += ruling.how == "rule"
    tally.judged += ruling.how == "judge"


def _facts(case: Case, program: Program, outcome: Outcome, given: dict[str, Any]) -> Facts:
    defaults = {item.name: item.default for item in program.main.config}
    inputs = {item.name: item.default for item in program.main.inputs if item.has_default}
    services = set(case.services or {})
    for unit in program.units:
        services |= {slot.name for slot in unit.definition.slots} | {target.name for target in unit.calls.values()}
    outputs = [output.name for output in program.main.definition.outputs]
    return facts_of(outcome, {**defaults, **inputs, **given}, outputs, services)


def _judge(plan: Plan) -> Judge | None:
    """Whoever judges in the run judges the sentences too."""
    if plan.judge is None:
        return None
    service = plan.judge.service

    async def ask(question: JudgeQuestion) -> JudgeAnswer:
        inputs: dict[str, Json] = {
            "text": question.text,
            "values": {key: to_json(value) for key, value in question.values.items()},
        }
        try:
            said = await service.call(Call("judge", inputs))
        except Exception as error:
            raise JudgeFailed(str(error)) from None
        answer = question.read(from_python(said.value))
        if answer is None:
            raise JudgeFailed(f"it answered {shown(said.value)}")
        return answer

    return ask


def _resolved(case: Case) -> Subject:
    loader = DiskLoader()
    document, definition, reading = _subject(case, loader)
    program, found = resolve(document, loader, definition=definition, portable=case.portable)
    return Subject(Path(document.source.name), document, program, (*reading, *found))


def _subject(case: Case, loader: DiskLoader) -> tuple[Document, str | None, list[Diagnostic]]:
    """The document under test, which definition of it, and what reading it reported."""
    if case.document is not None:
        loader.adopt(case.document, case.path)
        name = case.subject if case.document.definition(case.subject or "") is not None else None
        return case.document, name, list(case.reading)
    if case.subject is None:
        raise Unreadable("the case names no `subject` and holds no `### Document`", 1)
    reference, _, definition = case.subject.partition("#")
    near, _ = read(case.source)
    loader.adopt(near, case.path)
    document = loader.load(reference, near)
    if isinstance(document, NotFound):
        raise Unreadable(f"there is no subject {reference!r}: {document.because}", 1)
    return document, definition or None, list(loader.diagnostics(document))


def _given(case: Case, fixture: Fixture, program: Program) -> tuple[dict[str, Any], dict[str, Any]]:
    """Inputs and config. A fixture that names a config entry is one, and a bare text is read by its declared type."""
    inputs, config = dict(fixture.values), dict(case.config)
    settings = {item.name: item.type for item in program.main.config}
    types = {item.name: item.type for item in program.main.inputs} | settings
    for name, text in {**fixture.texts, **case.config_texts}.items():
        inputs[name] = read_as(text, types.get(name))
    for name in inputs.keys() & settings:
        config[name] = inputs.pop(name)
    return inputs, config


def read_as(text: str, declared: Type | None) -> Json:
    """A bare text as a value of its declared type; a text stays one, and so does what nothing was declared for."""
    if declared is None or declared.kind in ("string", "any", "run", "choice", "null"):
        return text
    if declared.kind == "union" and any(member.kind == "string" for member in declared.members):
        return text
    value: Json = read_yaml(text)
    return value


def _service(name: str, replies: Replies) -> Service | list[Service]:
    if isinstance(replies, dict):
        return [ScriptedService(each, name=one) for one, each in replies.items()]
    return ScriptedService(replies, name=name)


def _budget(case: Case) -> Budget:
    try:
        return Budget(**{str(name): value for name, value in case.budget.items()})  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise Unreadable(f"### Budget cannot be used: {error}") from None
