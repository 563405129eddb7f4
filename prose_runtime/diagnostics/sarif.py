"""Diagnostics for code hosts. In: `Diagnostic`s. Out: one SARIF 2.1.0 log (OASIS, "Static Analysis Results
Interchange Format 2.1.0") as a JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote

from prose_runtime.diagnostics.codes import CODES
from prose_runtime.diagnostics.model import Diagnostic, Fix, Label
from prose_runtime.source import SourceText, Span
from prose_runtime.version import __version__

Object = dict[str, object]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "note": "note"}


def as_sarif(diagnostics: Sequence[Diagnostic]) -> Object:
    """The whole log: one run of the tool `prose`, its rules being the codes that occur."""
    codes = sorted({item.code for item in diagnostics})
    rules = [_rule(code) for code in codes]
    driver: Object = {"name": "prose", "semanticVersion": __version__, "rules": rules}
    run: Object = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, codes.index(item.code)) for item in diagnostics],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> Object:
    return {"id": code, "defaultConfiguration": {"level": _LEVELS[CODES[code].severity]}}


def _result(diagnostic: Diagnostic, rule: int) -> Object:
    text = f"{diagnostic.message} {diagnostic.help}".rstrip()
    result: Object = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": text},
        "locations": [_location(diagnostic.labels[0])],
    }
    related = [
        {**_location(label), "id": index, "message": {"text": label.text}}
        for index, label in enumerate(diagnostic.labels[1:], 1)
    ]
    if related:
        result["relatedLocations"] = related
    if diagnostic.fixes:
        result["fixes"] = [_fix(diagnostic.source, fix) for fix in diagnostic.fixes]
    return result


def _location(label: Label) -> Object:
    place: Object = {"artifactLocation": {"uri": _uri(label.source.name)}, "region": _region(label.source, label.span)}
    return {"physicalLocation": place}


def _uri(name: str) -> str:
    return quote(PurePath(name).as_posix(), safe="/")


def _region(source: SourceText, span: Span) -> Object:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def _fix(source: SourceText, fix: Fix) -> Object:
    replacements = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.replacement}}
        for edit in fix.edits
    ]
    change: Object = {"artifactLocation": {"uri": _uri(source.name)}, "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}
