"""Comments that silence a message of one line, and severities that a project sets.

In: diagnostics of a file, its text, severities by code. Out: the diagnostics that are left, with their severities.

    # prose: off unused-name              in a script: on the line itself, or alone on the line above
    <!-- prose: off unknown-section -->   in the Markdown: on the line above

An error stays one whatever a comment or a project says: the file could not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from prose_runtime.diagnostics.codes import CODES, report
from prose_runtime.diagnostics.model import Diagnostic
from prose_runtime.diagnostics.suggestions import did_you_mean
from prose_runtime.source import SourceText, Span

Setting = Literal["off", "note", "warning", "error"]
SETTINGS: tuple[Setting, ...] = ("off", "note", "warning", "error")
_MARK = "prose: off"
_COMMENT = r"(?P<alone>^[ \t>]*)?(?:#|<!--)[ \t]*prose: off[ \t]+(?P<codes>[\w, \t-]*?)[ \t]*(?:-->)?[ \t]*\r?$"


@dataclass(frozen=True, slots=True)
class _Comment:
    """`line`: the line that it is about, from 1."""

    span: Span
    codes: tuple[str, ...]
    line: int


def silenced(found: Iterable[Diagnostic], source: SourceText) -> list[Diagnostic]:
    """What is left of the diagnostics of a file by its comments, and what is wrong with those comments."""
    every = list(found)
    if _MARK not in source.text:
        return every
    comments = _comments(source)
    used: set[tuple[int, str]] = set()
    left: list[Diagnostic] = []
    for item in every:
        matching = [
            (comment.span.start, item.code)
            for comment in comments
            if item.source is source and item.line == comment.line and item.code in comment.codes
        ]
        if not matching or item.severity == "error":
            left.append(item)
        else:
            used.update(matching)
    return [*left, *_about(comments, used, source)]


def _comments(source: SourceText) -> list[_Comment]:
    lines = source.text.split("\n")
    found: list[_Comment] = []
    at = 0
    for number, text in enumerate(lines, 1):
        match = re.search(_COMMENT, text)
        if match is not None:
            line = number
            if not text[: match.start()].strip(" \t>") and (match["alone"] is not None):
                line = next((later for later in range(number + 1, len(lines) + 1) if lines[later - 1].strip()), number)
            codes = tuple(code for code in re.split(r"[,\s]+", match["codes"]) if code)
            start = at + match.start() + len(match["alone"] or "")
            found.append(_Comment(Span(start, at + len(text.rstrip())), codes, line))
        at += len(text) + 1
    return found


def _about(comments: Iterable[_Comment], used: set[tuple[int, str]], source: SourceText) -> Iterable[Diagnostic]:
    for comment in comments:
        for code in comment.codes:
            if code not in CODES:
                text = did_you_mean(code, CODES, "`prose explain` lists all codes")
                yield report("unknown-code", source, comment.span, name=code, help=text)
            elif (comment.span.start, code) not in used:
                yield report("unneeded-comment", source, comment.span, name=code, line=str(comment.line))


def with_settings(found: Iterable[Diagnostic], settings: Mapping[str, Setting]) -> list[Diagnostic]:
    """The diagnostics with the severities of a project. An error stays one."""
    left: list[Diagnostic] = []
    for item in found:
        setting = settings.get(item.code)
        if setting is None or item.severity == "error":
            left.append(item)
        elif setting != "off":
            left.append(replace(item, severity=setting))
    return left
