"""What the table holds for one code."""

from __future__ import annotations

from dataclasses import dataclass

from prose_runtime.diagnostics.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of message: `message` and `help` are `str.format` templates over the facts of one report."""

    name: str
    severity: Severity
    message: str
    help: str = ""
