"""Text from files and services made safe to print: characters that act on a terminal are shown, not sent.

In: any text. Out: text of printable characters, and how many columns it takes.
"""

from __future__ import annotations

import re
import unicodedata

from prose_runtime.source.pattern import pattern

_ACTING = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_BREAKS = str.maketrans({"\n": "⏎", "\t": " "})


def visible(text: str) -> str:
    """`text` with every control, direction and zero-width character written out; tabs and line feeds are kept.

    C0 controls become their pictures (ESC is `␛`), all others `<U+202E>`.
    """
    return _ACTING.sub(_picture, text)


def visible_line(text: str) -> str:
    """The same in one line: line ends are shown as `⏎`, tabs as a space."""
    return visible(text.replace("\r\n", "\n")).translate(_BREAKS)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def columns(text: str) -> int:
    """How many terminal columns `text` takes: East Asian wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_columns_of(char) for char in text)


def _columns_of(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) == "Mn" or char in "\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int) -> str:
    """`text` in at most `width` columns; what is left out is marked by `…`."""
    if columns(text) <= width:
        return text
    kept, used = [], 1
    for char in text:
        used += _columns_of(char)
        if used > width:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"
