"""What goes wrong at one place of a script. In: a code with its facts. Out: the exception that carries them.

A `Fault` is raised by the pure side (values, expressions, conditions) and becomes an error of the pattern, which
`catch as err` sees by the fault's `name`.
"""

from __future__ import annotations

from typing import Any

from prose_runtime.diagnostics import CODES, Diagnostic, report
from prose_runtime.source import SourceText, Span


class Fault(Exception):
    """A script cannot go on at `span`. `name` is the error's name in scripts; it equals the code."""

    def __init__(self, code: str, span: Span, /, **facts: Any) -> None:
        super().__init__(CODES[code].message.format(**facts))
        self.code = code
        self.span = span
        self.facts = facts

    @property
    def name(self) -> str:
        """What `err is NAME` and `err.name` see."""
        return self.code

    @property
    def message(self) -> str:
        """What is wrong and what was found, in one sentence."""
        return str(self)

    @property
    def help(self) -> str:
        """One thing to do."""
        return CODES[self.code].help.format(**self.facts)

    def diagnostic(self, source: SourceText) -> Diagnostic:
        """The same as a diagnostic, for showing the place."""
        return report(self.code, source, self.span, **self.facts)
