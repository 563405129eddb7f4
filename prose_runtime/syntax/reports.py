"""What the readers of a document say about it, gathered in one place."""

from __future__ import annotations

from collections.abc import Sequence

from prose_runtime.diagnostics import Diagnostic, Fix, Label, Severity, report
from prose_runtime.source import SourceText, Span


class Reports:
    """The diagnostics of one document in the making."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.found: list[Diagnostic] = []

    def add(
        self,
        code: str,
        span: Span,
        *,
        fixes: Sequence[Fix] = (),
        also: Sequence[Label] = (),
        severity: Severity | None = None,
        **facts: object,
    ) -> None:
        """Say something about a place."""
        self.found.append(report(code, self.source, span, fixes=fixes, also=also, severity=severity, **facts))

    def twice(self, what: str, name: str, span: Span, first: Span) -> None:
        """Say that a name is listed twice."""
        also = (Label(self.source, first, "listed here first"),)
        self.add("duplicate-name", span, what=what, name=name, also=also)
