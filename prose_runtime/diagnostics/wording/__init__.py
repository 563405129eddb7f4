"""The wording of every message, by topic. A message says what is wrong and what was found; `help`: one thing to do."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code
from prose_runtime.diagnostics.wording import binding, calls, conditions, names, reading, running, script

WORDING: tuple[Code, ...] = (
    *reading.CODES,
    *script.CODES,
    *names.CODES,
    *calls.CODES,
    *conditions.CODES,
    *binding.CODES,
    *running.CODES,
)
