"""`prose new`: a pattern or function that checks clean, with its test beside it; or a test of a file that is there."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from prose_runtime.cli import starting
from prose_runtime.cli.faults import FAILED, WRONG_USE, Ended, Fault
from prose_runtime.cli.files import load_or_fault
from prose_runtime.cli.output import give, is_terminal, show_diagnostics
from prose_runtime.diagnostics import has_errors

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_REPLIES = 20


@click.command("new", short_help="Begin a pattern, a function or a test.")
@click.argument("kind", type=click.Choice(["pattern", "function", "test"]))
@click.argument("name")
@click.option("--slots", metavar="A,B", help="The slots of a pattern (default: worker).")
@click.option("--inputs", metavar="A,B", help="What it is given (default: topic).")
@click.option("--outputs", metavar="A,B", help="What it gives (default: result).")
@click.option("--subject", metavar="FILE|std/…", help="What a test is about.")
@click.option("--directory", type=click.Path(file_okay=False, path_type=Path), default=Path(), help="Where to write.")
@click.option("--force", is_flag=True, help="Write over files that are there.")
@click.option("--debug", is_flag=True, help="Let Python's own tracebacks through.")
def command(
    kind: str,
    name: str,
    slots: str | None,
    inputs: str | None,
    outputs: str | None,
    subject: str | None,
    directory: Path,
    force: bool,
    debug: bool,
) -> None:
    """Write NAME.prose.md and NAME.test.prose.md: a pattern or function to begin with, and a test that passes.

    `prose new test NAME --subject FILE` writes only the test, of a file that is there: what that file does now with
    answers that are plain texts. At a terminal what is not given is asked for.
    """
    _check(name, "NAME")
    if kind == "test":
        files = {f"{name}.test.prose.md": _test_of(name, subject, directory)}
    else:
        given = _names(inputs, "inputs", "What is it given?", "topic")
        made = _names(outputs, "outputs", "What does it give?", "result")
        if kind == "pattern":
            asked = _names(slots, "slots", "Which slots does it have?", "worker")
            if shared := sorted({*asked} & {*given}):
                raise Fault(f"`{shared[0]}` is both a slot and an input", "give one of them another name")
            files = {
                f"{name}.prose.md": starting.pattern_text(name, asked, given, made),
                f"{name}.test.prose.md": starting.pattern_test(name, asked, given, made),
            }
        else:
            if slots is not None:
                raise Fault("a function has no slots", "leave `--slots` out, or make a pattern")
            files = {
                f"{name}.prose.md": starting.function_text(name, given, made),
                f"{name}.test.prose.md": starting.function_test(name, given, made),
            }
    _write(files, directory, force)


def _names(given: str | None, option: str, question: str, default: str) -> list[str]:
    text = given
    if text is None:
        asks = is_terminal(sys.stdin) and is_terminal(sys.stderr)
        text = click.prompt(question, default=default, err=True) if asks else default
    names = [part.strip() for part in text.split(",") if part.strip()]
    if not names:
        raise Fault(f"`--{option}` names nothing", f"write one name or several, like `--{option} {default}`")
    for one in names:
        _check(one.replace("_", "-"), f"--{option}")
    if len(set(names)) < len(names):
        raise Fault(f"`--{option} {text}` names one of them twice", "name each once")
    return names


def _check(name: str, what: str) -> None:
    if _NAME.fullmatch(name):
        return
    better = re.sub(r"[^a-z0-9]+", "-", re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name).lower()).strip("-")
    advice = f"write `{better}`" if _NAME.fullmatch(better) else "use lower-case letters, digits and hyphens"
    raise Fault(f"`{name}` cannot be a name ({what})", advice)


def _test_of(name: str, subject: str | None, directory: Path) -> str:
    """A test of what a file does now: it is run once, with answers that are plain texts."""
    from prose_runtime.runtime import bind, execute
    from prose_runtime.services import ScriptedService

    if subject is None:
        raise Fault("a test is about something", "name it: `--subject FILE`")
    loaded = load_or_fault(subject)
    if has_errors(loaded.diagnostics):
        show_diagnostics(loaded.diagnostics)
        raise Ended(WRONG_USE)
    unit = loaded.program.main
    given = {item.name: starting.example_of(item) for item in unit.inputs if item.required and not item.has_default}
    names = [slot.name for slot in unit.definition.slots] or ["model"]
    replies = {one: [f"answer of {one}"] * _REPLIES for one in names}
    services = {
        one: [ScriptedService(said, name="one")] if one in unit.list_slots else ScriptedService(said, name=one)
        for one, said in replies.items()
    }
    plan, found = bind(loaded.program, services, inputs=given)
    if plan is None:
        show_diagnostics(found)
        raise Ended(WRONG_USE)
    outcome = asyncio.run(execute(plan))
    expects = [f"status: {outcome.status}", f"number of calls: {sum(call.kind != 'judge' for call in outcome.calls)}"]
    lines = [
        f"{one}: {{one: {_flow(said)}}}" if one in unit.list_slots else f"{one}: {_flow(said)}"
        for one, said in replies.items()
    ]
    reference = subject
    if Path(subject.partition("#")[0]).exists():
        path = Path(subject).resolve()
        here = directory.resolve()
        reference = f"./{path.relative_to(here)}" if path.is_relative_to(here) else str(path)
    return starting.test_text(name, reference, given, lines, expects)


def _flow(said: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{text}"' for text in said) + "]"


def _write(files: dict[str, str], directory: Path, force: bool) -> None:
    there = [directory / name for name in files if (directory / name).exists()]
    if there and not force:
        raise Fault(f"{there[0]} is there already", "use another name, or `--force` to write over it")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise Fault(f"{directory} cannot be written: {error.strerror}", "name another folder", status=FAILED) from None
    lines = [f"wrote {directory / name}" for name in files]
    give("\n".join([*lines, f"next: `prose test {directory / list(files)[-1]}`"]))
