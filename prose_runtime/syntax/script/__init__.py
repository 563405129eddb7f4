"""Reading scripts: the text of one fence in, a `Script` and what is wrong with it out."""

from __future__ import annotations

from prose_runtime.syntax.script.reading import parse_script

__all__ = ["parse_script"]
