"""A run as a trace in OpenProse's own markers. In: the events of a run. Out: lines, each whole and none forged.

`N→` counts what happens. Branches share the number of their `∥start`, with a letter each (`3a→`, `3b→`); branches
inside of a branch have a number of their own. Data is shown in one line, without the characters that make a marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.runtime.events import (
    BranchesJoined,
    BranchesStarted,
    CallFailed,
    CallFinished,
    CallStarted,
    Event,
    Retrying,
    RunFinished,
    RunStarted,
    UnitFinished,
)
from prose_runtime.source.pattern import pattern

_MARKS = str.maketrans({mark: f"<U+{ord(mark):04X}>" for mark in "→∥✓✗∅⇒⟳"})
_NO_WORD = pattern(r"[^\w.-]+")


class Trace:
    """Turns the events of the run `name` into lines. `mask` hides secrets in data before anything else is done."""

    def __init__(self, name: str, mask: Callable[[Any], Any]) -> None:
        self.name = name
        self._mask = mask
        self._steps = 0
        self._kinds: dict[str, str] = {}
        self._places: dict[str, str] = {}
        self._groups: dict[str, tuple[str, tuple[str, ...]]] = {}

    def lines(self, event: Event) -> list[str]:
        """What an event is worth: no line, one, or several."""
        match event:
            case RunStarted(definition=definition, file=file, inputs=inputs):
                head = [f"# run:{self.name} {self._data(definition)}", f"root: {self._data(file)}", ""]
                return [*head, *(f"{self._next()}→ [input] {self._data(name)} ✓" for name in inputs)]
            case CallStarted(key=key, kind=kind):
                self._kinds[key] = kind
            case CallFinished(key=key, service=service):
                rendered = " rendered" if self._kinds.pop(key, "call") in ("call", "session") else ""
                return [f"{self._place(key)}→ {self._service(service)} ✓{rendered}"]
            case UnitFinished(key=key, definition=definition):
                return [f"{self._place(key)}→ {self._service(definition)} ✓ rendered"]
            case Retrying(key=key, service=service, error=error):
                return [f"{self._place(key)}→ {self._service(service)} ✗ {self._word(error)}"]
            case CallFailed(key=key, service=service, error=error):
                self._kinds.pop(key, None)
                return [f"{self._place(key)}→ {self._service(service)} ✗ {self._word(error)}"]
            case BranchesStarted(key=key, branches=branches):
                return [self._opened(key, branches)]
            case BranchesJoined(key=key):
                return [self._closed(key)]
            case RunFinished(status=status, error=error):
                return self._ended(status, error)
        return []

    def assertions(self, told: Iterable[tuple[str, bool]]) -> list[str]:
        """What a test expected of the run, whether each was so, and the verdict."""
        held = list(told)
        lines = [f"{self._next()}→ [eval] {self._data(text)} {'✓' if holds else '✗'}" for text, holds in held]
        good = sum(holds for _, holds in held)
        verdict = "PASS" if good == len(held) else f"FAIL ({good}/{len(held)} assertions)"
        return [*lines, f"---test {verdict}"]

    # ---- places ----

    def _next(self) -> str:
        self._steps += 1
        return str(self._steps)

    def _place(self, key: str) -> str:
        """The number of a line: that of the innermost branch in which the step stands, else the next one."""
        around = key
        while around:
            if around in self._places:
                return self._places[around]
            around = around.rpartition("/")[0]
        return self._next()

    def _opened(self, key: str, branches: tuple[str, ...]) -> str:
        number = self._next()
        self._groups[key] = number, branches
        for index, branch in enumerate(branches):
            self._places[f"{key}#{branch}"] = f"{number}{_letters(index)}"
        return f"{number}→ ∥start {','.join(map(self._data, branches))}"

    def _closed(self, key: str) -> str:
        number, branches = self._groups.pop(key)
        for branch in branches:
            self._places.pop(f"{key}#{branch}", None)
        return f"{number}→ ∥done"

    def _ended(self, status: str, error: str | None) -> list[str]:
        """A run that waits for a person is not over, which the published tools see by a trace without an end."""
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        if status == "waiting":
            return []
        return [f"---end {now}" if status == "done" else f"---error {now} {self._word(error or status)}"]

    # ---- data ----

    def _data(self, text: str) -> str:
        return visible_line(self._mask(text)).translate(_MARKS)

    def _service(self, name: str) -> str:
        """A name, which must not read as `[input] …` or `[eval] …` either."""
        shown = self._data(name)
        return f"<U+005B>{shown[1:]}" if shown.startswith("[") else shown

    def _word(self, text: str) -> str:
        return _NO_WORD.sub("-", self._mask(text)).strip("-")[:200] or "error"


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def _letters(index: int) -> str:
    """0 is a, 25 z, 26 aa."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = _ALPHABET[rest] + letters
    return letters
