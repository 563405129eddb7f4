"""The traceback of a pattern, as text. In: a `RunError`. Out: lines; the command line gives them colour.

Traceback of the pattern (innermost last):
  retry.prose.md:14:5 in `retry`, round 2 of `repeat max_retries as attempt:` (line 12)
    let result = call target
  timeout: `target` gave no answer within 3 s (service `target`, attempt 1)
"""

from __future__ import annotations

from collections.abc import Iterator

from prose_runtime.runtime.errors import RunError, TraceFrame


def traceback_lines(error: RunError, *, python: bool = False) -> list[str]:
    """The lines. `python` adds Python's own traceback, if there is one."""
    lines: list[str] = []
    if error.frames:
        lines.append("Traceback of the pattern (innermost last):")
        for frame in error.frames:
            lines += _frame_lines(frame)
    said, *more = error.message.split("\n")
    lines += [f"{error.name}: {said}{_origin(error)}", *more]
    lines += _cause_lines(error)
    if error.help:
        lines.append(f"help: {error.help}")
    for number, other in enumerate(error.others, 1):
        lines.append(f"and failure {number + 1}:")
        lines += [f"  {line}" for line in traceback_lines(other)]
    if python and error.python:
        lines += ["", *error.python.rstrip().splitlines()]
    return lines


def _frame_lines(frame: TraceFrame) -> Iterator[str]:
    where = f"  {frame.file}:{frame.line}:{frame.column} in `{frame.definition}`"
    yield ", ".join([where, *frame.iterations])
    yield f"    {frame.text}"
    if frame.declared is not None:
        yield f"  against the declaration at {frame.declared.file}:{frame.declared.line}:{frame.declared.column}"
        yield f"    {frame.declared.text}"


def _origin(error: RunError) -> str:
    service, attempt = error.fields.get("service"), error.fields.get("attempt")
    if service is None:
        return ""
    return f" (service `{service}`, attempt {attempt})" if attempt is not None else f" (service `{service}`)"


def _cause_lines(error: RunError) -> Iterator[str]:
    cause = error.fields.get("cause")
    while isinstance(cause, dict):
        yield f"  while handling {cause.get('name')}: {cause.get('message')}"
        cause = cause.get("cause")
