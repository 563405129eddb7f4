"""The words of a condition. In: its text. Out: tokens with their places; `**` and the braces of `{x}` are dropped."""

from __future__ import annotations

import re
from typing import Literal

from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern

Kind = Literal["word", "number", "text", "symbol", "other"]

_TOKEN = pattern(
    r"""(?P<marks>\*{2,})
    |(?P<braced>\{\s*(?P<path>[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*)\s*\})
    |(?P<double>"(?:[^"\\]|\\.)*")
    |(?P<curly>“[^”]*”|‘[^’]*’(?!\w))
    |(?P<single>(?<!\w)'(?:[^']|'(?=\w))*'(?!\w))
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))
    |(?P<word>[^\W\d]\w*(?:-\w+)*(?:['’]\w+)?)
    |(?P<symbol>&&|\|\||==|!=|<=|>=|[≤≥≠=<>+\-*/%()\[\],.!])
    |(?P<other>\S)""",
    re.VERBOSE,
)
_PIECE = pattern(r"[^.]+|\.")
_ESCAPE = pattern(r"\\(.)", re.DOTALL)
_WRITTEN = {"n": "\n", "t": "\t"}
_LONGEST_NUMBER = 300
_BRACES = pattern(r"\{\s*([^\W\d][\w.-]*)\s*\}")
FOREIGN_SIGNS = {"&&": "and", "||": "or", "!": "not"}


@node
class Token:
    """`text` is what it says: a text without its quotes, a word as written, `&&` as the word `and`. `lower` is the
    same in small letters with a straight apostrophe; it is "" for a text. `braced`: it stood as `{word}`."""

    kind: Kind
    text: str
    lower: str
    start: int
    end: int
    braced: bool = False


def tokens_of(text: str) -> list[Token]:
    """All tokens of a condition, in order."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "path" or kind == "braced":
            found += _braced(match)
        elif kind in ("double", "curly", "single"):
            found.append(Token("text", _quoted(match[0], kind), "", match.start(), match.end()))
        elif kind == "symbol" and match[0] in FOREIGN_SIGNS:
            found.append(Token("word", match[0], FOREIGN_SIGNS[match[0]], match.start(), match.end()))
        elif kind == "number" and match.end() - match.start() > _LONGEST_NUMBER:
            found.append(_token("other", match[0], match.start()))
        elif kind in ("number", "word", "symbol", "other"):
            found.append(_token(kind, match[0], match.start()))  # type: ignore[arg-type]
    return found


def _braced(match: re.Match[str]) -> list[Token]:
    """The pieces of `{a.b}`; the braces belong to the first and the last."""
    pieces = list(_PIECE.finditer(match["path"]))
    shift, last = match.start("path"), len(pieces) - 1
    return [
        Token(
            "symbol" if piece[0] == "." else "word",
            piece[0],
            piece[0].lower(),
            match.start() if index == 0 else shift + piece.start(),
            match.end() if index == last else shift + piece.end(),
            braced=True,
        )
        for index, piece in enumerate(pieces)
    ]


def _token(kind: Kind, text: str, start: int) -> Token:
    return Token(kind, text, text.lower().replace("’", "'"), start, start + len(text))


def _quoted(text: str, kind: str) -> str:
    inside = text[1:-1]
    return _ESCAPE.sub(lambda match: _WRITTEN.get(match[1], match[1]), inside) if kind == "double" else inside


def as_sentence(text: str) -> str:
    """A piece of a condition as a judge reads it: in one line, without marks, `{x}` as x."""
    piece = _BRACES.sub(r"\1", text.replace("**", ""))
    return " ".join(piece.split()).strip(" .,;") or text.strip()
