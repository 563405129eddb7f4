"""Where a sentence has its parts. In: a text. Out: its pieces, never cut inside of quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prose_runtime.source.pattern import pattern

CONDITIONAL = pattern(
    r"\b(?:when|whenever|if|unless|until|except|only|otherwise|else|after|before|while|where|may|might|can|could|should"
    r"|usually|sometimes|optional|optionally|possibly|about|roughly|approximately|either|neither|nor|or)\b",
    re.IGNORECASE,
)
"""Words that make a sentence say less, or more, than its other words do."""
SPREAD = pattern(r"\b(?:each|every|per|all|respectively|apiece|average|mean|total|sum)\b", re.IGNORECASE)
"""Words by which a measure is not that of the value itself."""
_QUOTE = r"`[^`]*`|\"[^\"]*\"|“[^”]*”"
_QUOTES = pattern(_QUOTE)
_END = pattern(rf"{_QUOTE}|(?P<end>[.;](?=\s|$)|\s--\s)")
_JOINT = pattern(rf"{_QUOTE}|(?P<joint>,? and |,? but )", re.IGNORECASE)


def outside_quotes(text: str) -> str:
    """A text without what is quoted in it."""
    return _QUOTES.sub("", text)


def pieces_of(text: str) -> list[str]:
    """The sentences of a text."""
    text, start, found = " ".join(text.split()), 0, []
    for match in _END.finditer(text):
        if match["end"]:
            found.append(text[start : match.start()])
            start = match.end()
    return [piece for item in (*found, text[start:]) if (piece := item.strip())]


def parts_of(text: str) -> Iterator[tuple[str, str]]:
    """Each way to part a sentence at an `and` or a `but`."""
    for match in _JOINT.finditer(text):
        if match["joint"]:
            yield text[: match.start()], text[match.end() :]
