"""Faults and warnings of a run."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = ()
