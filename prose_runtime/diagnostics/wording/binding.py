"""Binding: services, inputs, config, budgets, trust."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = ()
