r"""What an answer says, read as a person would: a number, a score, a list, a field, a text without its dress.

In: any value a service may give. Out: the number, list or text, or None where nothing of the kind can be read. A
number is never picked out of prose: a text must be one, or have a line that says `score:` before it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from prose_runtime.runtime.values import ListValue, Value, equal
from prose_runtime.runtime.verdicts import document_in, plain_words

_FIGURE = r"[-+]?(?:\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})"
_NUMBER = re.compile(rf"({_FIGURE})\s*(?:(%)|(?:/|out\s+of)\s*({_FIGURE}))?", re.IGNORECASE)
_LABELLED = re.compile(
    r"\W{0,8}(?:(?:overall|total|final)\s)?score\b\W{0,6}?"
    rf"({_FIGURE}\s?(?:%|(?:/|out of)\s?{_FIGURE})?)\W{{0,8}}",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_BULLET = re.compile(r"\s*(?:[-*+•]|\(?\d{1,4}[.)])\s+(.*\S)")
_DRESS = frozenset("`~>|=<")
_BETWEEN_DIGITS = frozenset(".,:/-")


# ---- numbers ---------------------------------------------------------------------------------------------


def as_number(value: Value) -> int | float | None:
    """A number, or a text that is one: `0.8`, `80%` (0.8), `4/5` and `4 out of 5` (0.8). Anything else is None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    return _figure(value.strip(" \t\r\n*_`\"'")) if isinstance(value, str) else None


def _figure(text: str) -> int | float | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    number = float(match[1])
    if match[2]:
        return number / 100
    if match[3]:
        return number / float(match[3]) if float(match[3]) else None
    return int(number) if match[1].lstrip("+-").isdigit() else number


def as_score(value: Value) -> int | float | None:
    """The score that an answer gives: itself, its field `score`, or the one line that says `score: 0.8`."""
    if isinstance(value, str):
        document = document_in(value)
        if document is None:
            return as_number(value) if as_number(value) is not None else _labelled(value)
        value = document
    return as_number(field_of(value, "score")) if isinstance(value, dict) else as_number(value)


def _labelled(text: str) -> int | float | None:
    """Two lines that say different scores say none."""
    matches = [_LABELLED.fullmatch(line) for line in text.splitlines() if len(line) < 200]
    found = {_figure(match[1].strip()) for match in matches if match}
    return found.pop() if len(found) == 1 else None


# ---- fields and lists ------------------------------------------------------------------------------------


def field_of(value: Value, name: str) -> Value:
    """What stands under a name in an object, or in a text that is one as JSON; else null.

    A key that is spelt alike (`Next Step` for `next_step`) counts if there is none spelt so, and no second one.
    """
    found = document_in(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        return None
    if name in found:
        return found[name]
    wanted = plain_words(name)
    alike = [key for key in found if plain_words(key) == wanted]
    return found[alike[0]] if len(alike) == 1 else None


def as_items(value: Value) -> ListValue:
    """A list; of a text its JSON list, or its bullets and numbered lines, or its lines; null and an object without
    fields are empty.

    Continuing lines under a bullet belong to it. Any other value is the one item.
    """
    if isinstance(value, ListValue):
        return value
    if value is None or value == {}:
        return ListValue()
    if not isinstance(value, str):
        return ListValue([value])
    document = document_in(value)
    if document is not None:
        return as_items(document)
    lines = [line.rstrip() for line in value.splitlines()]
    bullets = _bulleted(lines)
    return ListValue(bullets or [line.strip() for line in lines if line.strip()])


def _bulleted(lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        match = _BULLET.match(line)
        indented = line[:1].isspace()
        if match and (not indented or not found):
            found.append(match[1])
        elif found and line.strip() and indented:
            found[-1] = f"{found[-1]}\n{line.strip()}"
    return found


# ---- texts -----------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """A text for comparison: small letters, single blanks, no markup, no punctuation.

    A sign before a number stays, and so does what stands between digits: `-5` is not `5`, `3.5` is not `35`.
    """
    folded = _TAG.sub(" ", text).casefold()
    kept = [_plain_at(folded, index) for index in range(len(folded))]
    return " ".join("".join(kept).split())


def _plain_at(text: str, index: int) -> str:
    character = text[index]
    if character.isalnum() or not (character in _DRESS or unicodedata.category(character)[0] == "P"):
        return character
    before = text[index - 1] if index else " "
    after = text[index + 1] if index + 1 < len(text) else " "
    if character in "'’" and before.isalpha() and after.isalpha():
        return ""
    if (
        character in _BETWEEN_DIGITS
        and after.isdigit()
        and (before.isdigit() or (character == "-" and not before.isalnum()))
    ):
        return character
    return character if character == "%" and before.isdigit() else " "


def first_line(text: str) -> str:
    """The first line that has a letter, a digit or a sign of its own; lines of markup alone (`---`) are passed over."""
    return next((line.strip() for line in text.splitlines() if plain(line)), "")


def groups(values: Iterable[Value]) -> list[list[Value]]:
    """Answers that are the same, in the order of their first ones.

    Texts are the same without regard to case, markup and punctuation; everything else only if it is equal.
    """
    texts: dict[str, list[Value]] = {}
    found: list[list[Value]] = []
    others: list[list[Value]] = []
    for value in values:
        if isinstance(value, str):
            group = texts.setdefault(plain(value) or value, [])
        else:
            group = next((group for group in others if equal(group[0], value)), [])
            others += [] if group else [group]
        found += [] if group else [group]
        group.append(value)
    return found
