"""Annotations for workflows: one line each, whatever the message and the file's name hold."""

from __future__ import annotations

from prose_runtime.diagnostics import Diagnostic, Label
from prose_runtime.diagnostics.annotations import as_annotations
from prose_runtime.source import SourceText, Span


def test_each_has_its_level_place_and_escaped_text() -> None:
    source = SourceText("a, b:c%.prose.md", "one\ntwo\nthree\n")
    found = [
        Diagnostic("some-code", "error", "100% wrong\nhere", (Label(source, Span(4, 7)),), help="mend: it"),
        Diagnostic("other", "note", "look", (Label(source, Span(0, 9)),)),
    ]
    assert as_annotations(found).split("\n") == [
        "::error file=a%2C b%3Ac%25.prose.md,line=2,endLine=2,col=1,title=some-code,endColumn=4::"
        "100%25 wrong%0Ahere%0Amend: it",
        "::notice file=a%2C b%3Ac%25.prose.md,line=1,endLine=3,col=1,title=other::look",
    ]
