"""The table of codes. Checks raise facts; the wording of every message stands in `wording/`, once.

`report("unknown-slot", source, span, name="critc", nearest="critic")` fills the templates of that code.
Each code has a page `pages/<code>.md` (says / why / wrong / right), which `prose explain CODE` prints.
"""

from __future__ import annotations

from collections.abc import Sequence

from prose_runtime.diagnostics.code import Code
from prose_runtime.diagnostics.model import Diagnostic, Fix, Label, Severity
from prose_runtime.diagnostics.wording import WORDING
from prose_runtime.source import SourceText, Span


def _table() -> dict[str, Code]:
    table: dict[str, Code] = {}
    for code in WORDING:
        if code.name in table:
            raise ValueError(f"two wordings for {code.name}")
        table[code.name] = code
    return dict(sorted(table.items()))


CODES: dict[str, Code] = _table()


def report(
    code: str,
    source: SourceText,
    span: Span,
    *,
    also: Sequence[Label] = (),
    fixes: Sequence[Fix] = (),
    severity: Severity | None = None,
    **facts: object,
) -> Diagnostic:
    """A diagnostic from its facts. An unknown code or a fact that the template lacks is our own bug (KeyError)."""
    entry = CODES[code]
    return Diagnostic(
        code=code,
        severity=severity or entry.severity,
        message=entry.message.format(**facts),
        labels=(Label(source, span), *also),
        help=entry.help.format(**facts),
        fixes=tuple(fixes),
    )
