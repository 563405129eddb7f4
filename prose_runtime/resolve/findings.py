"""Where the checks of one unit put what they find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prose_runtime.diagnostics import CODES, Diagnostic, Fix, Label, Severity, report
from prose_runtime.source import SourceText, Span


class Findings:
    """Collects diagnostics about one file. `lenient` makes errors warnings: the script would never run here."""

    __slots__ = ("items", "lenient", "source")

    def __init__(self, source: SourceText, lenient: bool = False) -> None:
        self.source = source
        self.lenient = lenient
        self.items: list[Diagnostic] = []

    def add(
        self,
        code: str,
        span: Span,
        *,
        also: Sequence[Label] = (),
        fixes: Sequence[Fix] = (),
        severity: Severity | None = None,
        **facts: Any,
    ) -> None:
        """Report a fact at a place of the file. `severity`: another one than the code has by itself."""
        if severity is None and self.lenient and CODES[code].severity == "error":
            severity = "warning"
        self.items.append(report(code, self.source, span, also=also, fixes=fixes, severity=severity, **facts))

    def label(self, span: Span, text: str) -> Label:
        """A second place in the same file."""
        return Label(self.source, span, text)
