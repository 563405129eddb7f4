"""Diagnostics for programs. In: `Diagnostic`s. Out: JSON objects with stable keys.

Lines and columns count from 1, columns in Unicode code points; `end_column` is that of the first character after the
span. `edits` of a fix give the same four numbers and the replacement.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from prose_runtime.diagnostics.model import Diagnostic, Fix, Label
from prose_runtime.source import SourceText, Span


class Place(TypedDict):
    """A span of a file."""

    line: int
    column: int
    end_line: int
    end_column: int


class LabelObject(Place):
    """A further place, and what is to be seen there."""

    file: str
    text: str


class EditObject(Place):
    """Replace a span by a text."""

    replacement: str


class FixObject(TypedDict):
    """A way to mend the file. `safe`: the meaning stays."""

    title: str
    safe: bool
    edits: list[EditObject]


class DiagnosticObject(Place):
    """One diagnostic."""

    code: str
    severity: str
    message: str
    help: str
    file: str
    labels: list[LabelObject]
    fixes: list[FixObject]


def as_object(diagnostic: Diagnostic) -> DiagnosticObject:
    """One diagnostic; `labels` holds the further places, the first being the object's own."""
    first = diagnostic.labels[0]
    return DiagnosticObject(
        code=diagnostic.code,
        severity=diagnostic.severity,
        message=diagnostic.message,
        help=diagnostic.help,
        file=first.source.name,
        **_place(first.source, first.span),
        labels=[_label(label) for label in diagnostic.labels[1:]],
        fixes=[_fix(first.source, fix) for fix in diagnostic.fixes],
    )


def as_objects(diagnostics: Iterable[Diagnostic]) -> list[DiagnosticObject]:
    """All of them, in the given order."""
    return [as_object(item) for item in diagnostics]


def _place(source: SourceText, span: Span) -> Place:
    start, end = source.position(span.start), source.position(span.end)
    return Place(line=start.line, column=start.column, end_line=end.line, end_column=end.column)


def _label(label: Label) -> LabelObject:
    return LabelObject(file=label.source.name, text=label.text, **_place(label.source, label.span))


def _fix(source: SourceText, fix: Fix) -> FixObject:
    edits = [EditObject(replacement=edit.replacement, **_place(source, edit.span)) for edit in fix.edits]
    return FixObject(title=fix.title, safe=fix.safe, edits=edits)
