"""Which function builds what a rule of the grammar has read."""

from __future__ import annotations

from prose_runtime.syntax.script.build_statements import STATEMENTS
from prose_runtime.syntax.script.build_values import VALUES
from prose_runtime.syntax.script.builder import Build

BUILD: dict[str, Build] = STATEMENTS | VALUES
