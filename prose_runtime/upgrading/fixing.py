"""Mending a file with the fixes of its diagnostics. In: a text, where it stands. Out: the mended text, what was done.

A fix is safe where it keeps the meaning that the author wrote. What would leave more errors than before is not done.
"""

from __future__ import annotations

from pathlib import Path

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.upgrading.seeing import Seen, edited, see, touches
from prose_runtime.upgrading.upgrade import Change, Upgraded

_ROUNDS = 20


def fix(source: SourceText, path: Path, loader: DiskLoader, *, unsafe: bool = False) -> Upgraded:
    """Apply fixes until none is left; with `unsafe` also those that may change the meaning. Never raises for what the
    text says."""
    first = seen = see(source, path, loader)
    changes: list[Change] = []
    for _ in range(_ROUNDS):
        edits, made = _round(seen, unsafe)
        if not edits:
            break
        then = see(edited(seen.source, edits), path, loader)
        if len(then.errors) > len(seen.errors):
            return Upgraded(source, refused="mended, it would have more errors than now")
        changes += made
        seen = then
    else:
        return Upgraded(source, refused="it would need one change after the other without an end")
    return Upgraded(seen.source if changes else first.source, tuple(changes))


def _round(seen: Seen, unsafe: bool) -> tuple[list[Edit], list[Change]]:
    """The fixes of one round, none of which touches another."""
    edits: list[Edit] = []
    changes: list[Change] = []
    for item in seen.found:
        chosen: Fix | None = next((one for one in item.fixes if one.safe or unsafe), None)
        if chosen is None or not chosen.edits or touches(edits, chosen.edits):
            continue
        edits += chosen.edits
        changes.append(Change(item.line, f"{item.code}: {chosen.title}"))
    return edits, sorted(changes, key=lambda change: change.line)
