"""Running cases: check the subject, bind it to the replies that the case holds, run it, compare.

In: paths. Out: a `CaseReport`. A slot, function or judge that the case gives no replies for is not bound to anything.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prose_runtime.casebook.blocks import Unreadable, read_yaml
from prose_runtime.casebook.case import Case, Replies
from prose_runtime.casebook.commands import CommandCase, Runner, command_case, run_command
from prose_runtime.casebook.comparing import compare_diagnostics, compare_outcome
from prose_runtime.casebook.discovery import find_cases
from prose_runtime.casebook.reading import read_case
from prose_runtime.casebook.report import CaseReport, CaseResult, Verdict
from prose_runtime.casebook.sentences import check_sentence, known_values
from prose_runtime.diagnostics import Diagnostic, has_errors, in_order
from prose_runtime.resolve import NotFound, resolve
from prose_runtime.resolve.program import Program
from prose_runtime.runtime import Budget, Outcome, bind, execute
from prose_runtime.runtime.port import Service
from prose_runtime.services import ScriptedService
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document, Json, Type


@dataclass(frozen=True, slots=True)
class _Seen:
    """What came of a subject: its messages, its run if there was one, and what was given to it by name."""

    diagnostics: list[Diagnostic]
    outcome: Outcome | None
    given: Mapping[str, Any]
    outputs: tuple[str, ...]


def run_cases(
    paths: Iterable[Path | str],
    *,
    on_result: Callable[[CaseResult], None] | None = None,
    command: Runner | None = None,
) -> CaseReport:
    """Run every case under the paths, one after the other; `on_result` is called after each.

    `command` runs the command lines of cases that hold one; without it such a case fails.

    Raises `FileNotFoundError` for a path that is not there.
    """
    results: list[CaseResult] = []
    for path in find_cases(Path(path) for path in paths):
        result = run_case(path, command=command)
        results.append(result)
        if on_result is not None:
            on_result(result)
    return CaseReport(tuple(results))


def run_case(path: Path, *, command: Runner | None = None) -> CaseResult:
    """Run one case. Everything that is wrong with it, its file included, is in the result; nothing is raised for it."""
    began = time.perf_counter()
    name, reason, problems = path.name, "", []
    try:
        text = SourceText.from_bytes(str(path), path.read_bytes()).text
        line = _command_case(path, text)
        if line is not None:
            name, problems = line.name, _command_problems(line, command)
        else:
            case = read_case(path, text)
            name, reason = case.name, "" if case.is_empty else case.failure or ""
            problems = asyncio.run(_problems(case))
    except Unreadable as error:
        problems = [f"{path}:{error.line}: {error.message}" if error.line else f"{path}: {error.message}"]
    except (OSError, ValueError) as error:
        problems = [f"{path} cannot be read: {error}"]
    verdict: Verdict = "failed" if problems else "passed"
    if reason:
        verdict = "failed as expected" if problems else "failed"
        problems = problems or [f"this passed, but was expected to fail: {reason}"]
    return CaseResult(path, name, verdict, tuple(problems), time.perf_counter() - began, reason)


def _command_case(path: Path, text: str) -> CommandCase | None:
    if "### command" not in text.lower():
        return None
    source = SourceText(str(path), text)
    document, _ = read(source)
    return command_case(source, document) if document.main.kind == "test" else None


def _command_problems(case: CommandCase, command: Runner | None) -> list[str]:
    if command is None:
        return ["it runs a command line, which may start what the case names: give `--commands` to allow that"]
    with TemporaryDirectory(prefix="prose-case-") as folder:
        return run_command(case, command, Path(folder))


async def _problems(case: Case) -> list[str]:
    seen = await _see(case)
    problems = compare_diagnostics(case.expects.diagnostics, seen.diagnostics)
    if case.is_empty:
        problems.append("the case expects nothing: say under ### Expects what must come out")
    if not case.expects.of_a_run:
        return problems
    if seen.outcome is None:
        if case.expects.status != "refused":
            problems.append("it did not run: its file does not check, or cannot be bound")
        return problems
    problems += compare_outcome(case.expects, seen.outcome)
    return problems + await _sentence_problems(case, seen, seen.outcome)


async def _sentence_problems(case: Case, seen: _Seen, outcome: Outcome) -> list[str]:
    values = known_values(outcome.result, seen.given, seen.outputs)
    error = outcome.error.name if outcome.error is not None else None
    found = [await check_sentence(sentence, values, error) for sentence in case.expects.sentences]
    return [problem for problem in found if problem is not None]


async def _see(case: Case) -> _Seen:
    """Read, check, bind and run the subject, as far as that goes without an error."""
    loader = DiskLoader()
    document, definition, reading = _subject(case, loader)
    program, found = resolve(document, loader, definition=definition, portable=case.portable)
    found = [*reading, *found]
    if has_errors(found) or not case.runs:
        return _Seen(in_order(found), None, {}, ())
    inputs, config = _given(case, program)
    services = {name: _service(name, replies) for name, replies in case.services.items()}
    plan, more = bind(program, services, inputs=inputs, config=config, budget=_budget(case), origin=case.origin)
    found += more
    if plan is None:
        return _Seen(in_order(found), None, {}, ())
    outcome = await execute(plan)
    defaults = {item.name: item.default for item in program.main.config}
    outputs = tuple(output.name for output in program.main.definition.outputs)
    return _Seen(in_order(found), outcome, {**defaults, **inputs, **config}, outputs)


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


def _given(case: Case, program: Program) -> tuple[dict[str, Any], dict[str, Any]]:
    """Inputs and config. A fixture that names a config entry is one, and a bare text is read by its declared type."""
    inputs, config = dict(case.fixtures), dict(case.config)
    settings = {item.name: item.type for item in program.main.config}
    types = {item.name: item.type for item in program.main.inputs} | settings
    for name, text in case.texts.items():
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
