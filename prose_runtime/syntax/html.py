"""Blocks of HTML in a Markdown text (CommonMark 0.31, section 4.6): comments, `<details>` and the like.

In: a line that begins with "<". Out: what ends the block that it opens. Contracts do not read such blocks, they only
have to be skipped as a whole.
"""

from __future__ import annotations

import re
from functools import cache

# Tags that open a block also in the middle of a paragraph, and with text behind them.
_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)
_VALUE = r"""(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*")"""
_ATTRIBUTE = rf"(?:\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\s*=\s*{_VALUE})?)"
_ANY_TAG = rf"<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTE}*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>"
_BLANK_LINE = r"\Z"
# what a block begins with -> what the line holds that ends it
_BLOCKS = {
    r"<(?:script|pre|style|textarea)(?=\s|>|\Z)": r"</(?:script|pre|style|textarea)>",
    r"<!--": r"-->",
    r"<\?": r"\?>",
    r"<![A-Za-z]": r">",
    r"<!\[CDATA\[": r"\]\]>",
    rf"</?(?:{_BLOCK_TAGS})(?=\s|/?>|\Z)": _BLANK_LINE,
}


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...]:
    # compiled on first use: few files have HTML
    return tuple(
        (re.compile(start, re.IGNORECASE), None if end is _BLANK_LINE else re.compile(end, re.IGNORECASE))
        for start, end in _BLOCKS.items()
    )


@cache
def _lonely_tag() -> re.Pattern[str]:
    return re.compile(rf"(?:{_ANY_TAG})\s*\Z")


class HtmlBlock:
    """A block that is open. `end` is None where a blank line ends it."""

    def __init__(self, end: re.Pattern[str] | None) -> None:
        self._end = end

    def ends_in(self, text: str) -> bool:
        """Whether a line ends the block; a blank line that does is not part of it."""
        return not text if self._end is None else self._end.search(text) is not None

    @property
    def ends_at_blank_line(self) -> bool:
        """Whether it goes on to the next blank line, whatever stands there."""
        return self._end is None


def html_block(text: str, in_paragraph: bool) -> HtmlBlock | None:
    """The block that a line opens, or None. Inside of a paragraph a tag of any other name opens none."""
    for start, end in _patterns():
        if start.match(text):
            return HtmlBlock(end)
    return HtmlBlock(None) if not in_paragraph and _lonely_tag().match(text) else None
