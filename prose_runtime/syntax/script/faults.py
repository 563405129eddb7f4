"""What is wrong with a script, as facts, before they are worded; at most one fault a line is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from prose_runtime.diagnostics import Diagnostic, Edit, Fix, report
from prose_runtime.source import SourceText, Span


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake: its code, its place, the facts of its wording, and how to mend it if that is sure."""

    code: str
    span: Span
    facts: dict[str, str] = field(default_factory=dict)
    fix: Fix | None = None

    def worded(self, source: SourceText) -> Diagnostic:
        """The diagnostic of this fault."""
        fixes = [self.fix] if self.fix else []
        facts: dict[str, Any] = dict(self.facts)
        return report(self.code, source, self.span, fixes=fixes, **facts)


def replacing(title: str, start: int, end: int, replacement: str) -> Fix:
    """A fix that keeps the meaning: one edit."""
    return Fix(title, (Edit(Span(start, end), replacement),))
