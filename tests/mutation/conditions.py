"""Mistakes in conditions. In: the text of one, as written. Out: other texts, each with the kind of its mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIGNS = {">=": (">", "<"), "<=": ("<", ">"), ">": (">=", "<="), "<": ("<=", ">="), "==": ("!=",), "!=": ("==",)}
_WORDS = {
    "meets": ("exceeds",),
    "is not": ("is",),
    "is": ("is not",),
    "contains": ("does not contain",),
    "does not explicitly": ("explicitly", "does not"),
    "explicitly": ("does not explicitly",),
    "says": ("does not say",),
    "absent": ("present",),
    "present": ("absent",),
}
_PART = re.compile(r'"[^"]*"|>=|<=|==|!=|[<>]|\b(?:is not|does not explicitly)\b|\b[a-z]+\b|-?\b\d+(?:\.\d+)?\b')


def other_conditions(text: str) -> Iterator[tuple[str, str]]:
    """The kind of the mistake and the text that it gives."""
    yield "condition-turned", f"not ({text})"
    yield "condition-always", "true"
    yield "condition-never", "false"
    for part in _PART.finditer(text):
        word = part[0]
        others = _SIGNS.get(word) or _WORDS.get(word) or ()
        if word[0].isdigit():
            yield "constant", _put(text, part.span(), str(int(word) + 1) if word.isdigit() else f"{word}1")
        if word.startswith('"'):
            yield "constant", _put(text, part.span(), f'"other {word[1:]}')
        for other in others:
            yield "comparison", _put(text, part.span(), other)
        if word in ("and", "or"):
            yield "and-or", _put(text, part.span(), "or" if word == "and" else "and")
    yield from (("condition-part", shorter) for shorter in _without_a_part(text))


def _without_a_part(text: str) -> Iterator[str]:
    """One side of each `and` and `or` alone, at every depth of brackets."""
    for start, end in _groups(text):
        group = text[start:end]
        for word in (" or ", " and "):
            places = _at_depth_0(group, word)
            if not places:
                continue
            cuts = [0, *(place + len(word) for place in places)]
            ends = [*places, len(group)]
            sides = [group[a:b] for a, b in zip(cuts, ends, strict=True)]
            for index in range(len(sides)):
                yield _put(text, (start, end), word.join(sides[:index] + sides[index + 1 :]))
            break


def _groups(text: str) -> Iterator[tuple[int, int]]:
    """The text, and what stands inside each pair of round brackets."""
    yield 0, len(text)
    opened: list[int] = []
    for place, sign in enumerate(text):
        if sign == "(":
            opened.append(place)
        elif sign == ")" and opened:
            yield opened.pop() + 1, place


def _at_depth_0(text: str, word: str) -> list[int]:
    depth, quoted, found = 0, False, []
    for place, sign in enumerate(text):
        quoted ^= sign == '"'
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 and not quoted and text.startswith(word, place):
            found.append(place)
    return found


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]
