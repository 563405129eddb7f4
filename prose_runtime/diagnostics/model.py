"""The data of a diagnostic: a code, a sentence, the places it speaks of, and a way out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from prose_runtime.source import SourceText, Span

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Label:
    """A place, possibly in another file, and what is to be seen there ("" for the primary place)."""

    source: SourceText
    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace a span by a text."""

    span: Span
    replacement: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits to the primary file. `safe`: the meaning that the author wrote is kept."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message. `labels[0]` is where the fault is; further labels explain it. `help` is one thing to do."""

    code: str
    severity: Severity
    message: str
    labels: tuple[Label, ...]
    help: str = ""
    fixes: tuple[Fix, ...] = ()

    @property
    def source(self) -> SourceText:
        """The file that the message is about."""
        return self.labels[0].source

    @property
    def line(self) -> int:
        """The line, counted from 1, at which the fault is."""
        return self.source.position(self.labels[0].span.start).line

    def __str__(self) -> str:
        label = self.labels[0]
        return f"{label.source.where(label.span)}: {self.severity}[{self.code}] {self.message}"


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops a run."""
    return any(item.severity == "error" for item in diagnostics)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By file, place and code, each message once: if it is a warning here and an error there, the error."""
    seen: dict[tuple[str, Span, str, str], Diagnostic] = {}
    for item in diagnostics:
        label = item.labels[0]
        key = (label.source.name, label.span, item.code, item.message)
        if key not in seen or (item.severity == "error" and seen[key].severity != "error"):
            seen[key] = item
    return [seen[key] for key in sorted(seen, key=lambda key: (key[0], key[1], key[2]))]
