"""Names, scopes and statements."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = ()
