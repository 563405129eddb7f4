"""Reading `agent:claude?tools=Read,Grep&folder=work`. In: a target, its places, variables. Out: the service.

The program is looked for in PATH; nothing is started.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from prose_runtime.services.agents import KINDS, PATIENCE, AgentService, Leave
from prose_runtime.services.command import CommandLine, find_program, searched
from prose_runtime.services.environment import BASIC
from prose_runtime.services.faults import BindingFault, suggest
from prose_runtime.services.gates.options import Options
from prose_runtime.services.places import Places
from prose_runtime.services.targets import Target

OPTIONS = ("tools", "edits", "turns", "model", "folder", "timeout")


class _Options(Options):
    """Options whose faults are those of a target."""

    def fault(self, reason: str, suggestion: str) -> BindingFault:
        return BindingFault(
            "malformed-target", name=self.name, target=self.target, reason=reason, suggestion=suggestion
        )


def program_of(rest: str) -> str:
    """The program that `agent:REST` starts; "" for one that is not known."""
    kind = KINDS.get(rest.partition("?")[0])
    return kind.program if kind is not None else ""


def read_agent(
    target: Target, *, name: str, places: Places, granted: Sequence[str], environment: Mapping[str, str]
) -> AgentService:
    """The agent that a target means. Raises `BindingFault`."""
    word, _, text = target.rest.partition("?")
    kind = KINDS.get(word)
    if kind is None:
        reason = f"there is no coding agent `{word}` here"
        raise BindingFault(
            "malformed-target", name=name, target=target.text, reason=reason, suggestion=suggest(word, KINDS)
        )
    known = [item for item in OPTIONS if kind.lists_tools or item not in ("tools", "turns")]
    options = _Options.read(text, name=name, target=target.text, known=known)
    leave = Leave(
        tuple(item.strip() for given in options.texts("tools") for item in given.split(",") if item.strip()),
        options.flag("edits"),
        options.count("turns"),
        options.text("model"),
    )
    folder, timeout = _folder(options, places), _timeout(options)
    path = environment.get("PATH", os.defpath)
    program = find_program(kind.program, roots=(), search=path)
    if program is None:
        raise BindingFault(
            "program-not-found",
            name=name,
            target=target.text,
            program=kind.program,
            looked=searched(path),
            suggestion=kind.install,
        )
    seen = {key: environment[key] for key in (*BASIC, *kind.own, *granted) if key in environment}
    keys = {key: seen[key] for key in kind.own if key in seen and ("KEY" in key or "TOKEN" in key)}
    line = CommandLine((program,), folder, seen)
    return AgentService(word, line, name=name, target=target.text, leave=leave, keys=keys, timeout=timeout)


def _folder(options: Options, places: Places) -> Path:
    """The folder that the agent works in: the project's, or one in it."""
    written = options.text("folder")
    if written is None:
        return places.root or places.base
    path = places.base / Path(written).expanduser()
    places.check_written(path)
    if not path.is_dir():
        raise options.fault(f"there is no folder {path}", "name one that is there")
    return places.allowed_folder(path.resolve())


def _timeout(options: Options) -> float:
    text = options.text("timeout")
    try:
        value = PATIENCE if text is None else float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise options.fault(f"`timeout` is `{text}`, not a number of seconds above 0", "write `timeout=600`")
    return value
