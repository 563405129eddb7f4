"""Going through the tokens of one condition, and building nodes with exact places in the file.

In: a condition and the names around it. Out: the position that the phrase readers share; every reader either moves on
and gives a node, or gives None and leaves the position where it was.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, TypeVar

from prose_runtime.diagnostics import Diagnostic, Fix, report
from prose_runtime.resolve.conditions.scope import ConditionScope
from prose_runtime.resolve.conditions.tokens import Token, as_sentence, tokens_of
from prose_runtime.resolve.conditions.words import (
    ARTICLES,
    BE,
    BUILTINS,
    COMPARING,
    DO,
    HAVE,
    NOT_BE,
    NOT_DO,
    SAY,
    SEARCHING,
    VERBS,
)
from prose_runtime.source import Span
from prose_runtime.syntax.nodes import Condition, Expression

T = TypeVar("T")

DEEPEST = 60
"""How many parentheses, brackets and `not`s may stand inside of one another."""

_FOLLOWING = BE | NOT_BE | DO | NOT_DO | HAVE | SAY | {*COMPARING, *SEARCHING, *VERBS, "and", "or", "exists", "reports"}
_END = Token("other", "", "", 0, 0)
_start, _end = attrgetter("start"), attrgetter("end")


class Cursor:
    """Where the reading stands. `subject` is that of the last readable part, for parts that leave theirs out."""

    def __init__(self, condition: Condition, scope: ConditionScope) -> None:
        self.condition = condition
        self.scope = scope
        self.text = condition.text
        self.tokens = tokens_of(condition.text)
        while self.tokens and self.tokens[-1].text in (".", "?", ";", ":"):
            self.tokens.pop()
        self._words = [token.lower if token.kind == "word" and not token.braced else "" for token in self.tokens]
        self.at = 0
        self.subject: Expression | None = None
        self.subject_text = ""
        self.depth = 0
        self.broken = False  # a join without a part on one side
        self.diagnostics: list[Diagnostic] = []
        self._known: dict[str, bool] = {}

    # ---- tokens --------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        """The token at the position or after it; an empty one past the end."""
        index = self.at + ahead
        return self.tokens[index] if index < len(self.tokens) else _END

    def word(self, ahead: int = 0) -> str:
        """The word at the position in small letters, or ""."""
        index = self.at + ahead
        return self._words[index] if index < len(self._words) else ""

    def take(self) -> Token:
        """The token at the position; moves on."""
        token = self.peek()
        self.at += 1
        return token

    def took(self, *words: str) -> bool:
        """Whether these words stand here; moves past them if so."""
        stop = self.at + len(words)
        if self._words[self.at : stop] == list(words):
            self.at = stop
            return True
        return False

    def took_symbol(self, symbol: str) -> bool:
        """The same for one symbol."""
        token = self.peek()
        if token.kind == "symbol" and token.text == symbol:
            self.at += 1
            return True
        return False

    def ended(self) -> bool:
        """Whether all tokens are read."""
        return self.at >= len(self.tokens)

    def at_boundary(self) -> bool:
        """Whether a part may end here: at the end, `and`, `or`, `)`, or a comma before `and` or `or`."""
        if self.ended() or self.word() in ("and", "or"):
            return True
        token = self.peek()
        if token.kind != "symbol":
            return False
        return token.text == ")" or (token.text == "," and self.word(1) in ("and", "or"))

    def attempt(self, reader: Callable[[], T | None]) -> T | None:
        """What the reader gives; the position and what was reported are put back if it gives None."""
        place, reported = self.at, len(self.diagnostics)
        found = reader()
        if found is None:
            self.at = place
            del self.diagnostics[reported:]
        return found

    def first(self, readers: Iterable[Callable[..., T | None]], *arguments: object) -> T | None:
        """What the first reader gives that reads."""
        for reader in readers:
            place, reported = self.at, len(self.diagnostics)
            found = reader(self, *arguments)
            if found is not None:
                return found
            self.at = place
            del self.diagnostics[reported:]
        return None

    def deeper(self, reader: Callable[[], T | None]) -> T | None:
        """What the reader gives one level further in; None beyond `DEEPEST` levels."""
        if self.depth >= DEEPEST:
            return None
        self.depth += 1
        try:
            return reader()
        finally:
            self.depth -= 1

    # ---- names ---------------------------------------------------------------------------------------------

    def is_value(self, name: str) -> bool:
        """Whether a word is the name of a value or of a slot."""
        known = self._known.get(name)
        if known is None:
            known = name in BUILTINS or self.scope.is_name(name) or self.scope.is_slot(name)
            self._known[name] = known
        return known

    def at_name(self) -> bool:
        """Whether the token at the position is the name of a value (and no article)."""
        token = self.peek()
        return token.kind == "word" and self.is_value(token.text) and not self.is_article(self.at)

    def names_in(self, start: int, end: int) -> tuple[str, ...]:
        """The names of values and slots that the text between two offsets names, each once."""
        first = bisect_left(self.tokens, start, key=_start)
        last = bisect_right(self.tokens, end, lo=first, key=_end)
        return tuple({self.tokens[index].text: None for index in range(first, last) if self._names_value(index)})

    def token_from(self, start: int) -> Token | None:
        """The first token that begins at an offset or behind it."""
        index = bisect_left(self.tokens, start, key=_start)
        return self.tokens[index] if index < len(self.tokens) else None

    def last_name_before(self, end: int) -> tuple[str, ...]:
        """The last of the names before an offset, or none."""
        for index in range(bisect_right(self.tokens, end, key=_end) - 1, -1, -1):
            if self._names_value(index):
                return (self.tokens[index].text,)
        return ()

    def _names_value(self, index: int) -> bool:
        token = self.tokens[index]
        if token.kind != "word" or not self.is_value(token.text) or self.is_article(index):
            return False
        before = self.tokens[index - 1] if index else _END
        return before.text != "." or before.end != token.start

    def is_article(self, index: int) -> bool:
        """Whether a token is `a`, `the`, … before another word, and not a name spelt so."""
        token = self.tokens[index]
        following = self.tokens[index + 1] if index + 1 < len(self.tokens) else _END
        return (
            token.lower in ARTICLES
            and not token.braced
            and following.kind == "word"
            and following.lower not in _FOLLOWING
        )

    # ---- places --------------------------------------------------------------------------------------------

    def start(self) -> int:
        """The offset of the token at the position."""
        return self.peek().start if not self.ended() else len(self.text)

    def end(self) -> int:
        """The offset after the last token that was read."""
        return self.tokens[min(self.at, len(self.tokens)) - 1].end if self.at else 0

    def span(self, start: int, end: int) -> Span:
        """The place in the file of a piece of the text."""
        return self.condition.at(start, end)

    def written(self, start: int, end: int) -> str:
        """A piece of the text as a sentence: without marks, `{x}` as x."""
        return as_sentence(self.text[start:end])

    def report(self, code: str, start: int, end: int, *, fixes: tuple[Fix, ...] = (), **facts: Any) -> None:
        """Say something about a piece of the condition."""
        self.diagnostics.append(report(code, self.scope.source, self.span(start, end), fixes=fixes, **facts))
