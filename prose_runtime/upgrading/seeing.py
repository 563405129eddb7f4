"""A text as it is read now, and as it is after edits. In: a text, edits. Out: `Seen`, a new text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from prose_runtime.diagnostics import Diagnostic, Edit
from prose_runtime.resolve import resolve
from prose_runtime.resolve.program import Program
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document


@dataclass(frozen=True, slots=True)
class Seen:
    """A text as it is read and resolved now."""

    document: Document
    program: Program
    found: tuple[Diagnostic, ...]

    @property
    def source(self) -> SourceText:
        return self.document.source

    @property
    def errors(self) -> list[Diagnostic]:
        return [item for item in self.found if item.severity == "error"]


def see(source: SourceText, path: Path, loader: DiskLoader) -> Seen:
    """Read and resolve a text that stands at `path`; only what is said of itself is found."""
    document, found = read(source)
    loader.adopt(document, path)
    program, more = resolve(document, loader)
    own = [item for item in (*found, *more) if item.source is source]
    return Seen(document, program, tuple(own))


def touches(edits: Iterable[Edit], more: Sequence[Edit]) -> bool:
    """Whether any of them meets another one."""
    return any(
        (one.span.start < other.span.end and other.span.start < one.span.end) or one.span == other.span
        for one in edits
        for other in more
    )


def edited(source: SourceText, edits: Sequence[Edit]) -> SourceText:
    """The text after the edits, none of which touches another; all else stays."""
    text = source.text
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end), reverse=True):
        text = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    return SourceText(source.name, text, source.had_bom)
