"""The gates by name, each with its options.

In: what follows `gate:` in a target. Out: a `GateService`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prose_runtime.services.command import CommandLine
from prose_runtime.services.faults import BindingFault, suggest
from prose_runtime.services.gates import schema, texts, workers
from prose_runtime.services.gates.options import Options
from prose_runtime.services.gates.service import GateService
from prose_runtime.services.gates.verdict import Check
from prose_runtime.services.threads import Threads

# What each gate takes; `of` names the input to look at, for every gate.
GATES: dict[str, tuple[str, ...]] = {
    "command": ("run", "seconds"),
    "contains": ("text", "without", "case"),
    "json": (),
    "json-schema": ("schema",),
    "python-syntax": (),
    "regex": ("pattern", "absent", "flags", "seconds"),
    "word-count": ("min", "max"),
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a gate may reach: how its paths are found, and how its command line is."""

    find: Callable[[str], Path]
    command: Callable[[str], CommandLine]


def split_gate(text: str) -> tuple[str, str]:
    """The gate's name and its options as written."""
    gate, _, options = text.partition("?")
    return gate.strip(), options


def command_of(text: str) -> str | None:
    """The command line of a `gate:command`, None of other gates."""
    gate, options = split_gate(text)
    if gate != "command":
        return None
    return Options.read(options, name="", target=text, known=("of", *GATES[gate])).text("run")


def read_gate(text: str, *, name: str, target: str, around: Surroundings) -> GateService:
    """The gate of a target. Raises `BindingFault`: `unknown-gate`, `gate-option`, or that of its program."""
    gate, written = split_gate(text)
    if gate not in GATES:
        raise BindingFault("unknown-gate", name=name, target=target, gate=gate, suggestion=suggest(gate, GATES))
    options = Options.read(written, name=name, target=target, known=("of", *GATES[gate]))
    threads = Threads(f"prose-{name}")
    return GateService(
        _check(gate, options, threads, around), name=name, target=target, of=options.text("of"), threads=threads
    )


def _check(gate: str, options: Options, threads: Threads, around: Surroundings) -> Check:
    match gate:
        case "word-count":
            return texts.word_count(options)
        case "contains":
            return texts.contains(options)
        case "json":
            return texts.json_text(options)
        case "json-schema":
            return schema.json_schema(options, around.find(options.needed("schema", "gate:json-schema?schema=FILE")))
        case "regex":
            return workers.regex(options, threads)
        case "python-syntax":
            return workers.python_syntax(options, threads)
        case _:
            line = around.command(options.needed("run", "gate:command?run=PROGRAM ARGS"))
            return workers.command(options, threads, line)
