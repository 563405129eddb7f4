"""What the table holds for one code."""

from __future__ import annotations

from prose_runtime.diagnostics.model import Severity
from prose_runtime.source.node import node


@node
class Code:
    """A kind of message: `message` and `help` are `str.format` templates over the facts of one report."""

    name: str
    severity: Severity
    message: str
    help: str = ""
