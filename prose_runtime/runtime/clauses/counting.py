"""How much there is in a value. In: a value and a unit such as `words`. Out: a number."""

from __future__ import annotations

import re
from collections.abc import Callable

from prose_runtime.resolve.clauses.tree import Undecidable
from prose_runtime.runtime.values import ListValue, Value, kind_of
from prose_runtime.runtime.verdicts import document_in
from prose_runtime.source.pattern import pattern

_BULLET = pattern(r"^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S", re.MULTILINE)
_HEADING = pattern(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_SENTENCE = pattern(r"[.!?…]+(?=[\s\"')\]]|$)")
_BLANK = pattern(r"\n[ \t]*\n")
_OF_A_TEXT: tuple[tuple[str, Callable[[str], int]], ...] = (
    ("word", lambda text: len(text.split())),
    ("line", lambda text: len(text.splitlines())),
    ("character", len),
    ("char", len),
    ("letter", len),
    ("bullet", lambda text: len(_BULLET.findall(text))),
    ("heading", lambda text: len(_HEADING.findall(text))),
    ("section", lambda text: len(_HEADING.findall(text))),
    ("paragraph", lambda text: len([part for part in _BLANK.split(text) if part.strip()])),
    ("sentence", lambda text: len(_SENTENCE.findall(text.strip()))),
)
_OF_A_LIST = ("item", "entr", "element", "bullet")
_OF_AN_OBJECT = ("key", "field", "item", "entr")


def counted(value: Value, unit: str) -> int:
    """How many of a unit a value holds. Raises `Undecidable` where it cannot hold any."""
    if isinstance(value, str):
        inside = document_in(value)
        count = next((count for name, count in _OF_A_TEXT if unit.startswith(name)), None)
        if count is not None:
            return count(value)
        value = inside if inside is not None else value
    if isinstance(value, ListValue) and unit.startswith(_OF_A_LIST):
        return len(value)
    if isinstance(value, dict) and unit.startswith(_OF_AN_OBJECT):
        return len(value)
    raise Undecidable(f"{kind_of(value)} has no {unit} to count")
