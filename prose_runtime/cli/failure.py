"""The error that ended a run, for people. In: a `RunError`. Out: its traceback of the pattern, safe to print."""

from __future__ import annotations

from prose_runtime.diagnostics.terminal import Paint, plain
from prose_runtime.diagnostics.visible import cut, visible
from prose_runtime.runtime import RunError, traceback_lines

_WIDEST = 2000


def render_error(error: RunError, *, paint: Paint = plain, debug: bool = False) -> str:
    """The traceback and the error, with what other branches failed of; Python's own traceback only with `debug`."""
    named = f"{error.name}: "
    lines = (cut(visible(line), _WIDEST) for line in traceback_lines(error, python=debug))
    return "\n".join(paint("error", line) if line.startswith(named) else line for line in lines)
