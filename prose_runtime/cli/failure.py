"""The error that ended a run, for people: a traceback of the pattern, outermost statement first.

In: a `RunError`. Out: lines of text.

    error: timeout: `critic` did not answer within 5 s
      draft.prose.md:31:5 in worker-critic, round 3 of `repeat max_rounds:` (line 28)
        let review = call critic
"""

from __future__ import annotations

from collections.abc import Iterator

from prose_runtime.diagnostics.terminal import Paint, plain
from prose_runtime.diagnostics.visible import cut, visible, visible_line
from prose_runtime.runtime.errors import RunError, TraceFrame

_LONGEST = 2000


def render_error(error: RunError, *, paint: Paint = plain, debug: bool = False) -> str:
    """The whole error; Python's own traceback, if there is one, only with `debug`."""
    return "\n".join(_lines(error, paint, debug, "error:"))


def _lines(error: RunError, paint: Paint, debug: bool, title: str) -> Iterator[str]:
    yield f"{paint('error', title)} {visible(error.name)}: {visible(_cut(error.message))}"
    for frame in error.frames:
        yield from _frame(frame, paint)
    for other in error.others:
        yield from _lines(other, paint, debug, "also failed:")
    if debug and error.python:
        yield visible(error.python.rstrip())


def _frame(frame: TraceFrame, paint: Paint) -> Iterator[str]:
    place = visible_line(f"{frame.file}:{frame.line}:{frame.column}")
    rounds = "".join(f", {visible_line(text)}" for text in frame.iterations)
    yield f"  {paint('place', place)} in {visible_line(frame.definition)}{rounds}"
    yield f"    {cut(visible_line(frame.text), 110)}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
