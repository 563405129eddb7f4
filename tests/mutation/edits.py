"""Changes of a text, and mutants: a text with one change, under a key that does not depend on line numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff

from prose_runtime.source import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `new` in place of a part of the text. `kind` names the mistake that it stands for."""

    kind: str
    span: Span
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A pattern with one edit. `key` says the kind, and the line where the edit begins before and after; several that
    read the same are numbered."""

    pattern: str
    kind: str
    line: int
    key: str
    text: str


def mutants_of(pattern: str, text: str, edits: Iterable[Edit]) -> list[Mutant]:
    """The edits in the order of the text, one for each text that comes of them."""
    seen = {text}
    met: Counter[str] = Counter()
    found: list[Mutant] = []
    for edit in sorted(edits, key=lambda item: (item.span.start, item.span.end, item.kind, item.new)):
        new = text[: edit.span.start] + edit.new + text[edit.span.end :]
        if new in seen:
            continue
        seen.add(new)
        was, became = _line_at(text, edit.span.start), _line_at(new, edit.span.start) if edit.new else ""
        key = f"{edit.kind}: {was}" + (f" -> {became}" if became else "")
        met[key] += 1
        numbered = f"{key} ({met[key]})" if met[key] > 1 else key
        found.append(Mutant(pattern, edit.kind, text.count("\n", 0, edit.span.start) + 1, numbered, new))
    return found


def diff_of(mutant: Mutant, original: str) -> str:
    """The change as a unified diff with a little context."""
    lines = unified_diff(original.splitlines(), mutant.text.splitlines(), lineterm="", n=1)
    return "\n".join(list(lines)[2:])


def _line_at(text: str, place: int) -> str:
    return text[text.rfind("\n", 0, place) + 1 : text.find("\n", place)].strip()
