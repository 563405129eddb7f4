"""A run for a person at a command line: load, trust, bind, run, show.

In: the words of `prose run`, taken apart by click. Out: the result on stdout, everything else on stderr, the status.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prose_runtime import api
from prose_runtime.cli.arguments import Setting, read_bindings, read_settings, values_of
from prose_runtime.cli.asking import asker_for
from prose_runtime.cli.faults import CONTRACT, DONE, FAILED, STOPPED, WAITING, WRONG_USE, Ended, Fault
from prose_runtime.cli.files import load_or_fault
from prose_runtime.cli.interrupt import stopping_on_interrupt
from prose_runtime.cli.limits import budget_of
from prose_runtime.cli.masking import Masking, masked_streams
from prose_runtime.cli.origins import typed_origin
from prose_runtime.cli.output import (
    as_json,
    as_text,
    give,
    is_terminal,
    paint_for,
    say,
    show_briefly,
    show_diagnostics,
    width_of,
)
from prose_runtime.cli.progress import NoProgress, PlainProgress, Progress
from prose_runtime.cli.recording import run_folder
from prose_runtime.cli.streams import stdout_for_the_result
from prose_runtime.cli.summary import ending, paragraph, warnings
from prose_runtime.cli.trusting import trusted_project
from prose_runtime.diagnostics import has_errors
from prose_runtime.reports.folder import RunFolder
from prose_runtime.runtime import Budget, Outcome
from prose_runtime.runtime.origins import Origin
from prose_runtime.services import BindingFault, Masker, Project
from prose_runtime.syntax.document import Config, Input, Json

_STDOUT = Path("-")  # as `--output -`
STATUSES = {"done": DONE, "failed": FAILED, "broken": CONTRACT, "stopped": STOPPED, "waiting": WAITING}


@dataclass(frozen=True, slots=True)
class Request:
    """What `prose run` was asked; limits are None where nothing was said."""

    file: str
    binds: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()
    model: str | None = None
    judge: str | None = None
    judge_contracts: bool = False
    output: Path | None = None
    as_record: bool = False
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    timeout: float | None = None
    max_parallel: int | None = None
    trust: bool = False
    record: Path | None = None
    progress: Literal["auto", "live", "plain", "none"] = "auto"
    debug: bool = False


def perform_run(request: Request) -> int:
    """Run it and give the exit status."""
    _check_output(request.output)
    bindings = _bindings(request)
    inputs = read_settings(request.inputs, "--input")
    configs = read_settings(request.configs, "--config")
    loaded = load_or_fault(request.file)
    if not loaded.ok:
        show_diagnostics(loaded.diagnostics)
        raise Ended(WRONG_USE)
    given = _values(inputs, loaded.definition.inputs)
    config = _values(configs, loaded.definition.config)
    with stdout_for_the_result(), masked_streams() as masking:
        origin = typed_origin(request.binds, inputs, configs)
        prepared, progress, masker = _prepare(request, loaded, bindings, given, config, origin, masking)
        folder = run_folder(request.record, loaded.program, prepared.mask) if request.record is not None else None
        outcome = asyncio.run(_execute(prepared, progress, folder))
        if folder is not None:
            outcome = folder.finish(outcome)
    return _finish(request, outcome, masker)


def _prepare(
    request: Request,
    loaded: api.Loaded,
    bindings: Mapping[str, object],
    inputs: Mapping[str, Json],
    config: Mapping[str, Json],
    origin: Origin,
    masking: Masking,
) -> tuple[api.Prepared, Progress, Masker]:
    """Everything before the first call. Raises `Ended` after showing what is wrong."""
    try:
        project = trusted_project(loaded, bindings, trusted=request.trust)
        masking.add_project(project)
        budget = _budget(request, project)
        progress = _progress(request, budget)
        prepared = api.prepare(
            loaded,
            bind=bindings,
            inputs=inputs,
            config=config,
            budget=budget,
            judge_contracts=request.judge_contracts,
            project=project,
            ask=asker_for(progress),
            origin=origin,
        )
    except BindingFault as fault:
        show_diagnostics([fault.diagnostic("prose.toml")])
        raise Ended(WRONG_USE) from None
    masking.add(prepared.masker)
    broken = prepared.plan is None or has_errors(prepared.diagnostics)
    if broken or is_terminal(sys.stderr):
        show_diagnostics(prepared.diagnostics)
    else:
        show_briefly(prepared.diagnostics)
    if broken:
        raise Ended(WRONG_USE)
    return prepared, progress, prepared.masker or Masker({})


def _bindings(request: Request) -> dict[str, str | list[str]]:
    bindings = read_bindings(request.binds)
    for word, target in (("judge", request.judge), ("model", request.model)):
        if target is None:
            continue
        if word in bindings:
            raise Fault(f"the {word} is bound twice", f"keep one of `--{word}` and `--bind {word}=…`")
        bindings = {**bindings, word: target}
    return bindings


def _check_output(path: Path | None) -> None:
    """What would go wrong after the run is found before it."""
    if path is None or path == _STDOUT:
        return
    if path.is_dir() or not path.parent.is_dir():
        found = "a folder" if path.is_dir() else f"in {path.parent}, which is no folder"
        raise Fault(f"the result cannot be written to {path}: it is {found}", "name a file in an existing folder")


def _budget(request: Request, project: Project | None) -> Budget:
    return budget_of(
        project,
        max_calls=request.max_calls,
        max_tokens=request.max_tokens,
        max_cost=request.max_cost,
        timeout=request.timeout,
        max_parallel=request.max_parallel,
    )


def _progress(request: Request, budget: Budget) -> Progress:
    kind = request.progress
    if kind == "auto":
        kind = "live" if is_terminal(sys.stderr) else "none"
    if kind == "live":
        from prose_runtime.cli.live import LiveProgress

        return LiveProgress(budget)
    return PlainProgress() if kind == "plain" else NoProgress()


def _values(settings: Mapping[str, Setting], declared: Sequence[Input | Config]) -> dict[str, Json]:
    return values_of(settings, {item.name: item.type for item in declared if getattr(item, "declared_type", True)})


async def _execute(prepared: api.Prepared, progress: Progress, folder: RunFolder | None) -> Outcome:
    """Run it, until its end or the first Ctrl-C."""
    loop, cancel = asyncio.get_running_loop(), asyncio.Event()
    with stopping_on_interrupt(lambda: loop.call_soon_threadsafe(cancel.set)):
        with progress:
            return await prepared.execute((progress,) if folder is None else (progress, folder), cancel)


def _finish(request: Request, outcome: Outcome, masker: Masker) -> int:
    """Show how it ended and give the result. The status is that of the outcome."""
    paint = paint_for(sys.stderr)
    watched = is_terminal(sys.stderr)
    if outcome.warnings and request.progress != "plain":  # there each was said in its place
        say(masker.text(warnings(outcome, paint=paint)))
    end = ending(outcome, paint=paint, debug=request.debug)
    if end:
        say(masker.text(end))
    if watched or request.progress == "plain":
        say(paragraph(outcome, width=min(width_of(sys.stderr), 100)))
    to_stdout = request.output is None or request.output == _STDOUT
    if outcome.ok and request.output is not None and not to_stdout:
        _write(request.output, as_text(outcome.result))
    if request.as_record:
        give(as_json(masker.mask(record(outcome))))
    elif outcome.ok and to_stdout:
        give(as_text(outcome.result))
    return status_of(outcome)


def record(outcome: Outcome) -> dict[str, Json]:
    """What `--json` prints: these keys, always."""
    data = outcome.to_json()
    return {
        key: data[key] for key in ("status", "result", "calls", "decisions", "contract", "warnings", "usage", "error")
    }


def status_of(outcome: Outcome) -> int:
    """The exit status. A contract that was broken inside the run is a broken contract, too."""
    if outcome.status == "failed" and outcome.error is not None and outcome.error.name == "contract":
        return CONTRACT
    return STATUSES[outcome.status]


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8", newline="")
    except OSError as error:
        give(text)  # the run was paid for: its result is not lost
        raise Fault(
            f"the result could not be written to {path}: {error.strerror}", "it is on stdout", status=FAILED
        ) from None
