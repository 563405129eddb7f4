"""What a run leaves behind for OpenProse's own tools: the files that ran, a trace in its markers, what was returned.

In: a folder, a program, the events of its run, and at the end its outcome. Out: `root.prose.md`, `sources/`,
`vm.log.md` (written line by line, as things happen), `bindings/` and `result.json`. All are their owner's alone.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.resolve.program import Program
from prose_runtime.runtime.events import CallFailed, CallFinished, CallStarted, Event, Retrying, RunFinished, RunStarted
from prose_runtime.runtime.outcome import Outcome

ROOT, LOG, RESULT = "root.prose.md", "vm.log.md", "result.json"
_SAFE = re.compile(r"[^\w.-]+")


class FolderInUse(Exception):
    """The folder holds something already."""


class RunFolder:
    """One run on disk; it is given the events of the run. `mask` hides secrets in whatever is written.

    Raises `FolderInUse` for a folder that is not empty, and `OSError` where it cannot be made.
    """

    def __init__(self, folder: Path, program: Program, *, mask: Callable[[Any], Any] = lambda value: value) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise FolderInUse(str(folder))
        self.folder = folder
        self._program = program
        self._mask = mask
        self._steps = 0
        self._kinds: dict[str, str] = {}
        began = datetime.now(UTC)
        self.name = f"{began:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        self._sources()

    def __call__(self, event: Event) -> None:
        """Note what happened."""
        match event:
            case RunStarted(inputs=inputs):
                root = _line(self._program.document.source.name)
                self._write(LOG, f"# run:{self.name} {_line(self._program.main.name)}\nroot: {root}\n\n")
                for name in inputs:
                    self._step(f"[input] {_line(name)} ✓")
            case CallStarted(key=key, kind=kind):
                self._kinds[key] = kind
            case Retrying(service=service, error=error):
                self._step(f"{_line(service)} ✗ {_word(error)}")
            case CallFinished(key=key, service=service):
                rendered = " rendered" if self._kinds.pop(key, "call") in ("call", "session") else ""
                self._step(f"{_line(service)} ✓{rendered}")
            case CallFailed(key=key, service=service, error=error):
                self._kinds.pop(key, None)
                self._step(f"{_line(service)} ✗ {_word(error)}")
            case RunFinished(status=status, error=error):
                now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
                self._log(f"---end {now}" if status == "done" else f"---error {now} {_word(error or status)}")
            case _:
                return

    def finish(self, outcome: Outcome) -> None:
        """Publish what was returned: each declared output by its name, else the whole as `result`."""
        data = self._mask(outcome.to_json())
        self._write(RESULT, json.dumps(data, ensure_ascii=False, indent=2) + "\n")
        if not outcome.ok:
            return
        for name, value in _published(self._program, data["result"]).items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
            self._write(Path("bindings") / f"{_file(name)}.md", text if text.endswith("\n") else text + "\n")

    def tested(self, assertions: Iterable[tuple[str, bool]]) -> None:
        """What a test expected of the run, and whether it was so."""
        held = [(text, holds) for text, holds in assertions]
        for text, holds in held:
            self._step(f"[eval] {_line(text)} {'✓' if holds else '✗'}")
        good = sum(holds for _, holds in held)
        self._log("---test PASS" if good == len(held) else f"---test FAIL ({good}/{len(held)} assertions)")

    # ---- writing ----

    def _sources(self) -> None:
        """The files as they are: the one that ran, and every other one that it reaches."""
        self._write(ROOT, self._program.document.source.text)
        taken: set[str] = set()
        for document in self._program.documents:
            if document is self._program.document:
                continue
            name = _file(document.main.name)
            while name in taken:
                name += "-2"
            taken.add(name)
            self._write(Path("sources") / f"{name}.prose.md", document.source.text)

    def _step(self, text: str) -> None:
        self._steps += 1
        self._log(f"{self._steps}→ {text}")

    def _log(self, line: str) -> None:
        with (self.folder / LOG).open("a", encoding="utf-8") as file:
            file.write(self._mask(line) + "\n")

    def _write(self, name: str | Path, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8", newline="")


def _published(program: Program, result: Any) -> Mapping[str, Any]:
    outputs = [output.name for output in program.main.definition.outputs]
    if len(outputs) == 1 and not (isinstance(result, dict) and outputs[0] in result):
        return {outputs[0]: result}
    if outputs and isinstance(result, dict):
        return {name: result[name] for name in outputs if name in result}
    return {"result": result}


def _line(text: str) -> str:
    """Data in one line of the trace, so that no answer can write a line of its own."""
    return visible_line(text)


def _word(text: str) -> str:
    return _SAFE.sub("-", text).strip("-") or "error"


def _file(name: str) -> str:
    """A name as that of a file: no way out of its folder."""
    return _SAFE.sub("-", name).strip(".-") or "value"
