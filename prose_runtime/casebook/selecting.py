"""Choosing cases by words: the expression of `-k`.

In: words joined by `and`, `or`, `not` and parentheses. Out: a test of a text; a word holds where it stands in the text,
without regard to case. Two words with none of these between them are a fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Choice = Callable[[str], bool]

_TOKEN = re.compile(r"\s*([()]|\"[^\"]*\"|'[^']*'|[^\s()]+)")
_JOINING = ("and", "or", "not", "(", ")")


class BadExpression(ValueError):
    """An expression that cannot be read; the text says where."""


def read_choice(text: str) -> Choice:
    """The test that an expression stands for. Raises `BadExpression`."""
    reader = _Reader([match[1] for match in _TOKEN.finditer(text)])
    if not reader.tokens:
        raise BadExpression("it holds no word")
    choice = reader.either()
    if reader.tokens:
        raise BadExpression(f"`and` or `or` is missing before `{reader.tokens[0]}`")
    return choice


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def took(self, token: str) -> bool:
        """Whether the next token is this one; it is taken then."""
        if self.tokens and self.tokens[0].lower() == token:
            del self.tokens[0]
            return True
        return False

    def either(self) -> Choice:
        """Parts joined by `or`."""
        parts = [self.both()]
        while self.took("or"):
            parts.append(self.both())
        return lambda text: any(part(text) for part in parts)

    def both(self) -> Choice:
        """Parts joined by `and`."""
        parts = [self.one()]
        while self.took("and"):
            parts.append(self.one())
        return lambda text: all(part(text) for part in parts)

    def one(self) -> Choice:
        """A word, something in parentheses, or the opposite of one."""
        if self.took("not"):
            inner = self.one()
            return lambda text: not inner(text)
        if self.took("("):
            inside = self.either()
            if not self.took(")"):
                raise BadExpression("`)` is missing")
            return inside
        if not self.tokens or self.tokens[0].lower() in _JOINING:
            found = f"before `{self.tokens[0]}`" if self.tokens else "at its end"
            raise BadExpression(f"a word is missing {found}")
        word = self.tokens.pop(0).strip("\"'").casefold()
        return lambda text: word in text.casefold()
