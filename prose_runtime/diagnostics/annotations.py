"""Diagnostics as workflow commands, which a code host shows beside the lines. In: diagnostics. Out: one line each.

The form is that of GitHub Actions: `::error file=…,line=…,col=…,title=…::message`.
"""

from __future__ import annotations

from collections.abc import Sequence

from prose_runtime.diagnostics.model import Diagnostic

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def as_annotations(diagnostics: Sequence[Diagnostic]) -> str:
    """The workflow commands; lines and columns count from 1, columns in characters."""
    return "\n".join(_line(item) for item in diagnostics)


def _line(item: Diagnostic) -> str:
    label = item.labels[0]
    start, end = (label.source.position(at) for at in (label.span.start, label.span.end))
    places = {
        "file": label.source.name,
        "line": start.line,
        "endLine": end.line,
        "col": start.column,
        "title": item.code,
    }
    if end.line == start.line:
        places["endColumn"] = end.column
    properties = ",".join(f"{name}={_escaped(str(value), _PROPERTY)}" for name, value in places.items())
    message = f"{item.message}\n{item.help}" if item.help else item.message
    return f"::{_LEVELS[item.severity]} {properties}::{_escaped(message, _DATA)}"


def _escaped(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)
