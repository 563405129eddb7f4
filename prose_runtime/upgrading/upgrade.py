"""From a file of an older edition to the same file in today's words.

In: a text, where it stands, and the loader of what it names. Out: the new text and what was changed, or why nothing is.
Only spans are edited, with the fixes of the diagnostics; all else stays byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from prose_runtime.diagnostics import Diagnostic, Edit
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.syntax.document import Definition, Document
from prose_runtime.upgrading.loops import LoopRefused, replace_loop
from prose_runtime.upgrading.meaning import difference
from prose_runtime.upgrading.seeing import Seen, edited, see, touches

# What is mended. Everything else that a check says of a file is the author's business.
_MENDED = ("retired-kind", "retired-section", "retired-key", "retired-path", "setting-in-with")
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was changed. `line` counts from 1 in the file as it was."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What came of a file. `source` is the new text, which is the old one where nothing changed or `refused` says why.

    `left`: retired things that only the author can rewrite, as `line: sentence`.
    """

    source: SourceText
    changes: tuple[Change, ...] = ()
    refused: str = ""
    left: tuple[Change, ...] = ()


def upgrade(source: SourceText, path: Path, loader: DiskLoader) -> Upgraded:
    """Upgrade one text; `path` is where it stands. Never raises for what it says."""
    first = seen = see(source, path, loader)
    changes: list[Change] = []
    looped = False
    for _ in range(_ROUNDS):
        try:
            edits, made, replaced = _edits(seen, loader)
        except LoopRefused as refused:
            return Upgraded(source, refused=str(refused))
        looped = looped or replaced
        if not edits:
            break
        changes += made
        seen = see(edited(seen.source, edits), path, loader)
    else:
        return Upgraded(source, refused="it would need one change after the other without an end")
    if changes and (reason := _wrong(first, seen, looped=looped)):
        return Upgraded(source, refused=reason)
    if not changes and (reason := _stuck(first)):
        return Upgraded(source, refused=reason)
    return Upgraded(seen.source, tuple(changes), left=tuple(_left(first, seen)))


# ---- what to change -------------------------------------------------------------------------------------------------


def _edits(seen: Seen, loader: DiskLoader) -> tuple[list[Edit], list[Change], bool]:
    """The edits of one round, none of which touches another, what they do, and whether a loop is replaced."""
    edits: list[Edit] = []
    changes: list[Change] = []
    looped = False
    for item in seen.found:
        mended = _mending(seen, item)
        if mended and not touches(edits, mended):
            edits += mended
            changes.append(Change(item.line, _said(seen.source, mended)))
    for definition in seen.document.definitions:
        if _retired_loop(seen, definition):
            mended = replace_loop(seen.document, definition, loader)
            if not touches(edits, mended):
                edits += mended
                line = seen.source.position(mended[-1].span.start).line
                changes.append(Change(line, f"the loop -> an instance of `std/patterns/{definition.name}`"))
                looped = True
    return edits, sorted(changes, key=lambda change: change.line), looped


def _mending(seen: Seen, item: Diagnostic) -> list[Edit]:
    if item.code not in _MENDED or not item.fixes:
        return []
    if item.code == "retired-kind" and not item.fixes[0].safe and _is_wired(seen.document):
        return []
    return list(item.fixes[0].edits)


def _retired_loop(seen: Seen, definition: Definition) -> bool:
    places = [item.labels[0].span for item in seen.found if item.code == "retired-script" and item.severity == "error"]
    return any(
        section.heading.start <= place.start < section.body.end for place in places for section in definition.sections
    )


def _is_wired(document: Document) -> bool:
    """Whether the file composes services by a list and by wiring, without a script that calls them."""
    main = document.main
    listed = document.field("services") is not None or any(main.section(key) for key in ("services", "wiring"))
    return listed and main.script is None


def _said(source: SourceText, edits: Sequence[Edit]) -> str:
    """`service` -> `function`; of an edit over several lines what moves."""
    if len(edits) == 1 and "\n" not in edits[0].replacement:
        return f"`{source.slice(edits[0].span)}` -> `{edits[0].replacement}`"
    moved = [source.slice(edit.span).strip() for edit in edits if not edit.replacement]
    return f"{', '.join(f'`{text}`' for text in moved)} moved to `config:`"


# ---- what may not be ------------------------------------------------------------------------------------------------


def _stuck(seen: Seen) -> str:
    """Why a file with retired things in it stays as it is; "" where there is nothing to refuse."""
    kind = next((item for item in seen.found if item.code == "retired-kind"), None)
    if kind is not None and _is_wired(seen.document):
        return _WIRED
    retired = [item for item in seen.errors if item.code.startswith("retired-")]
    return _listed(retired) if retired else ""


_WIRED = (
    "it composes services by a list, and nothing says in which order they are called: "
    "write the calls as a script under `### Execution`"
)


def _wrong(before: Seen, after: Seen, *, looped: bool) -> str:
    """Why the new text may not be written."""
    if any(item.code == "retired-kind" for item in after.found):
        return _WIRED
    if after.errors:
        return _listed(after.errors)
    changed = difference(before.document, before.program, after.document, after.program, looped=looped)
    return f"{changed} would be read otherwise" if changed else ""


def _listed(errors: Sequence[Diagnostic]) -> str:
    said = [f"line {item.line}: {item.message}" for item in errors[:3]]
    more = f"; and {len(errors) - 3} more" if len(errors) > 3 else ""
    return f"it has errors that no change of words mends: {'; '.join(said)}{more}"


def _left(before: Seen, after: Seen) -> Iterable[Change]:
    """What is retired and still there, at the lines that it had."""
    still = [item.message for item in after.found if item.code == "dropped-section" or item.code.startswith("retired-")]
    for item in before.found:
        if item.message in still:
            still.remove(item.message)
            yield Change(item.line, f"{item.message}: {item.help}")
