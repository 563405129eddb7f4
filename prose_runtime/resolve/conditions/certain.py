"""Words of a condition that can only be names: `{draft}`, and `score` in `score >= 0.8`. In: a condition. Out: names.

A pattern that declares no inputs takes them as inputs, as it does the free names of its expressions. All other words of
a condition may be prose.
"""

from __future__ import annotations

from collections.abc import Iterator

from prose_runtime.resolve.conditions.tokens import Token, tokens_of
from prose_runtime.resolve.conditions.words import CONSTANTS, SYMBOLS
from prose_runtime.syntax.nodes import Condition, Name

_JOINS = frozenset({"and", "or", "not"})


def certain_names(condition: Condition) -> Iterator[Name]:
    """The names, in the order of the text."""
    tokens = tokens_of(condition.text)
    for at, token in enumerate(tokens):
        if token.kind != "word" or token.lower in CONSTANTS or token.lower in _JOINS or _text(tokens, at - 1) == ".":
            continue
        end = at + 1
        while _text(tokens, end) == "." and _text(tokens, end + 1):
            end += 2
        if token.braced or _compared(tokens, at, end):
            yield Name(condition.at(token.start, token.end), token.text)


def _compared(tokens: list[Token], start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` is the whole of one side of a comparison."""
    before, after = _text(tokens, start - 1), _text(tokens, end)
    return (before in SYMBOLS and _ends(after)) or (after in SYMBOLS and _ends(before))


def _ends(text: str) -> bool:
    return text in ("", "(", ")") or text in _JOINS


def _text(tokens: list[Token], at: int) -> str:
    return tokens[at].lower if 0 <= at < len(tokens) else ""
