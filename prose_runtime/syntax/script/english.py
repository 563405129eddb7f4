"""Whether a fence holds English sentences instead of a script."""

from __future__ import annotations

from prose_runtime.source import Span
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.script import patterns as p

_BULLET = pattern(r"(?:[-*•]|\d+[.)])[ \t]+")
_WORD = pattern(r"[(\"'“‘`]*[^\W\d_][\w'’-]*[)\"'”’`]*[.,;:!?]*$")
_CODE = pattern(r"[={}\[\]]|\w\(")
_WORDS = 3
_MANY_WORDS = 6  # of a line that has neither a capital nor a full stop


def sentences(text: str, content: Span) -> tuple[int, int, Span | None]:
    """How many lines look like English, how many lines there are, and where the first line stands."""
    alike = total = 0
    first: Span | None = None
    at = content.start
    for line in text[content.start : content.end].splitlines(keepends=True):
        said = line.strip()
        if said and not said.startswith("#"):
            total += 1
            alike += is_sentence(said)
            if first is None:
                start = at + len(line) - len(line.lstrip())
                first = Span(start, start + len(said))
        at += len(line)
    return alike, total, first


def is_sentence(said: str) -> bool:
    """Whether a line reads as words, not as a statement."""
    bullet = _BULLET.match(said)
    body = said[bullet.end() :] if bullet else said
    parts = body.split()
    if len(parts) < _WORDS or _CODE.search(body):
        return False
    plain = sum(_WORD.match(part) is not None for part in parts)
    if plain < 0.8 * len(parts):
        return False
    if bullet or body[0].isupper() or body[-1] in ".!?;,":
        return True
    return p.STATEMENT_AHEAD.match(body) is None and len(parts) >= _MANY_WORDS
