"""Where something stands that a run was given from outside. It is in no document, so it has no line and column.

In: what kind of thing it is, its name and its value. Out: a source and a span for messages about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from prose_runtime.source import SourceText, Span

Kind = Literal["bind", "inputs", "config"]
Origin: TypeAlias = Callable[[Kind, str, object], tuple[SourceText, Span]]
"""Gives the place of one binding, input or config value. The command line shows its own words, a case its line."""

_WIDEST = 60


def given_in_code(kind: Kind, name: str, value: object) -> tuple[SourceText, Span]:
    """`inputs={'topic': 3}`, as an argument of `run` would write it."""
    return outside(f"{kind}={{{name!r}: {_short(_written(value))}}}")


def outside(text: str) -> tuple[SourceText, Span]:
    """A place that is shown as this text alone."""
    return SourceText(text, "", is_file=False), Span(0, 0)


def _written(value: object) -> str:
    """A service is shown by its target: what a person wrote, or the name of a function."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(item) for item in value)}]"
    target = getattr(value, "target", None)
    if isinstance(target, str) and target:
        return target
    return repr(value) if isinstance(value, str | int | float | dict | None) else getattr(value, "__name__", "…")


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
