"""A slot that nothing is bound to, and a name in `prose.toml` that is nearly the same.

In: diagnostics of binding and the project. Out: the same diagnostics, with the place in `prose.toml` and what to write.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from prose_runtime.diagnostics import Diagnostic, Label
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.services.project import Project

_UNBOUND = frozenset({"slot-not-bound", "list-slot-not-bound", "function-not-bound"})


def with_near_names(found: Iterable[Diagnostic], project: Project | None, wanted: Iterable[str]) -> list[Diagnostic]:
    """`wanted` are the names that the program binds itself: a name of `prose.toml` among them is not misspelt."""
    if project is None:
        return list(found)
    known = set(wanted)
    free = [name for name in project.services if name not in known]
    return [_with_near_name(item, project, free) if item.code in _UNBOUND else item for item in found]


def _with_near_name(item: Diagnostic, project: Project, free: list[str]) -> Diagnostic:
    name = item.source.slice(item.labels[0].span)
    near = nearest(name, free)
    if near is None:
        return item
    span = project.places[near]
    line = project.source.position(span.start).line
    label = Label(project.source, span, f"`{near}` is bound here")
    return replace(item, labels=(*item.labels, label), help=f"write `{name}` for `{near}` in prose.toml, line {line}")
