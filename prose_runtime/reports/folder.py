"""What a run leaves behind for OpenProse's own tools: the files that ran, a trace in its markers, what was returned.

In: a folder, a program, the events of its run, and at the end its outcome. Out, on the disk and its owner's alone:
`root.prose.md` and `sources/` before the first call; as things happen `vm.log.md`, line by line, and
`bindings/DEFINITION/OUTPUT.md` for each definition that returned; at the end the run's own bindings and `result.json`.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from prose_runtime.reports.trace import Trace
from prose_runtime.resolve.program import Program, Unit
from prose_runtime.runtime.events import CallFinished, Event, RunWarning, UnitFinished
from prose_runtime.runtime.outcome import Outcome
from prose_runtime.source import SourceText
from prose_runtime.source.pattern import pattern

ROOT, LOG, RESULT, BINDINGS, SOURCES = "root.prose.md", "vm.log.md", "result.json", "bindings", "sources"
LONGEST = 200
"""Bytes of a file's name before its suffix; most disks take 255 for both."""
_UNSAFE = pattern(r"[^\w.-]+")


class FolderInUse(FileExistsError):
    """The folder holds something already."""


def claim(folder: Path) -> None:
    """Make a folder its owner's alone. Raises `FolderInUse` for one that is not empty, `OSError` where that fails."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FolderInUse(f"{folder} is not empty")
    folder.chmod(0o700)


class RunFolder:
    """One run on disk; it is given the events of the run. `mask` hides secrets in whatever is written.

    Raises `FolderInUse` for a folder that is not empty, and `OSError` where it cannot be made.
    """

    def __init__(self, folder: Path, program: Program, *, mask: Callable[[Any], Any] = lambda value: value) -> None:
        claim(folder)
        self.folder = folder
        self.name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        self._program = program
        self._mask = mask
        self._trace = Trace(self.name, mask)
        self._main = program.main.name
        self._scopes = Names()
        self._scopes.of(self._main)
        self._declared = {unit.name: _outputs(unit) for unit in reversed(program.units)}
        self._sources()

    def __call__(self, event: Event) -> None:
        """Note what happened."""
        self._log(self._trace.lines(event))
        match event:
            case CallFinished(service=name, answer=value) if name != self._main:
                self._publish(name, self._declared.get(name, ()), value)
            case UnitFinished(definition=name, outputs=outputs, result=value) if name != self._main:
                self._publish(name, outputs, value)

    def finish(self, outcome: Outcome) -> Outcome:
        """Write what the run gave: its record, and each declared output by its name, else the whole as `result`.

        Gives the outcome back, with a warning where that could not be written: the run itself is not lost by it.
        """
        data = self._mask(outcome.to_json())
        try:
            self._write(RESULT, json.dumps(data, ensure_ascii=False, indent=2) + "\n")
            if outcome.ok:
                self._publish(self._main, _outputs(self._program.main) or ("result",), data["result"])
        except OSError as error:
            said = f"the record in {self.folder} is not whole: {error.strerror}"
            warning = RunWarning("subscriber-failed", said, "", 0, 0)
            return replace(outcome, warnings=(*outcome.warnings, warning))
        return outcome

    def tested(self, assertions: Iterable[tuple[str, bool]]) -> None:
        """What a test expected of the run, and whether it was so. Raises `OSError` where it cannot be written."""
        self._log(self._trace.assertions(assertions))

    # ---- writing ----

    def _sources(self) -> None:
        """The files as they are: the one that ran, and every other one that it reaches."""
        root = self._program.document
        self._write(ROOT, _as_it_was(root.source))
        names = Names()
        for document in self._program.documents:
            if document is not root:
                self._write(f"{SOURCES}/{names.new(document.main.name)}.prose.md", _as_it_was(document.source))

    def _publish(self, definition: str, outputs: tuple[str, ...], value: Any) -> None:
        """What a definition returned last, each output in a file; what it does not declare is its own affair."""
        if not outputs:
            return
        scope, names = self._scopes.of(definition), Names()
        for name, given in _by_output(outputs, self._mask(value)).items():
            text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2)
            self._write(f"{BINDINGS}/{scope}/{names.of(name)}.md", text if text.endswith("\n") else text + "\n")

    def _log(self, lines: list[str]) -> None:
        if not lines:
            return
        opened = os.open(self.folder / LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(opened, "a", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write("".join(f"{line}\n" for line in lines))

    def _write(self, name: str, text: str) -> None:
        """A file that is there wholly or not at all, whenever the run is killed."""
        inside = self.folder
        for folder in name.split("/")[:-1]:
            inside /= folder
            inside.mkdir(mode=0o700, exist_ok=True)
        part = inside / ".part"
        opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text)
        part.replace(self.folder / name)


class Names:
    """Names as those of files: no way out of their folder, and no two alike, also where capitals do not count."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The file's name for `name`, always the same."""
        if name not in self._known:
            self._known[name] = self.new(name)
        return self._known[name]

    def new(self, name: str) -> str:
        """One that nothing has yet."""
        short = _UNSAFE.sub("-", name).encode("utf-8", "ignore")[:LONGEST].decode("utf-8", "ignore")
        safe = short.strip(".-") or "value"
        unique, number = safe, 1
        while unique.casefold() in self._taken:
            number += 1
            unique = f"{safe}-{number}"
        self._taken.add(unique.casefold())
        return unique


def _outputs(unit: Unit) -> tuple[str, ...]:
    return tuple(output.name for output in unit.definition.outputs)


def _by_output(outputs: tuple[str, ...], value: Any) -> Mapping[str, Any]:
    """A value by the names that are declared: one output may be given as it is, of several each has its field."""
    if len(outputs) == 1 and not (isinstance(value, dict) and outputs[0] in value):
        return {outputs[0]: value}
    if isinstance(value, dict):
        return {name: value[name] for name in outputs if name in value}
    return {}


def _as_it_was(source: SourceText) -> str:
    return ("\ufeff" if source.had_bom else "") + source.text
