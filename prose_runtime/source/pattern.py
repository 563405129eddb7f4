"""Regular expressions that are compiled when they are first used.

In: what `re.compile` takes. Out: what stands for the compiled expression, and becomes its methods one by one as they
are asked for. To compile a regular expression takes about as long as to read a page of a script with it; many of ours
are for what a file seldom holds, and together they were a sixth of the time that checking a small file takes.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    """Looks like an `re.Pattern`: a method that was asked for once is an attribute from then on."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)  # `re` keeps what it compiled
        setattr(self, name, found)
        return found


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression of a module. An expression that is malformed raises `re.error` at its first use."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
