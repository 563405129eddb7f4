"""The port through which other documents are found. `services.loading.DiskLoader` is the one for files.

In: a reference as it stands in a document. Out: the document it names, or where it was looked for in vain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Document

Reason = Literal[
    "absent",
    "outside",
    "too-large",
    "not-a-file",
    "forbidden",
    "not-text",
    "not-prose",
    "links-elsewhere",
    "broken-link",
    "not-installed",
]


@node
class NotFound:
    """Why a reference gave no document. `looked_in` are paths as a user would write them, in the order tried;
    `reason` says what was wrong with the last of them, and `line` where in it."""

    looked_in: tuple[str, ...]
    reason: Reason = "absent"
    line: int = 1

    @property
    def because(self) -> str:
        """A clause for a message: what was found in place of the document."""
        places = [place for place in self.looked_in if not place.endswith("/index.prose.md")]
        shown = ", ".join(places[:6]) + (f" and {len(places) - 6} more places" if len(places) > 6 else "")
        last = self.looked_in[-1] if self.looked_in else "it"
        return _REASONS[self.reason].format(places=shown or "no place at all", last=last, line=self.line)

    @property
    def way_out(self) -> str:
        """One thing to do about it; "" where nothing but another reference helps."""
        return _WAYS_OUT.get(self.reason, "")


_REASONS: dict[str, str] = {
    "absent": "looked in {places}",
    "outside": "{last} is outside the project, its dependencies and the standard library",
    "too-large": "{last} is larger than a document may be",
    "not-a-file": "{last} is not a regular file",
    "forbidden": "{last} may not be read by this user",
    "not-text": "{last} is not UTF-8 text (line {line})",
    "not-prose": "{last} is not a `.prose.md` file",
    "links-elsewhere": "it is a link to {last}, which is not a `.prose.md` file",
    "broken-link": "{last} is a link that leads nowhere",
    "not-installed": "it is not installed under {last}; nothing is fetched",
}

_WAYS_OUT: dict[str, str] = {
    "too-large": "part it into several files",
    "forbidden": "give yourself the right to read it",
    "not-text": "save it as UTF-8",
    "not-prose": "give the file a name that ends in `.prose.md`",
    "links-elsewhere": "give the file a name that ends in `.prose.md`",
    "broken-link": "mend the link",
}


class Loader(Protocol):
    """Finds documents for the resolver. It never fetches and never runs anything."""

    def load(self, reference: str, near: Document) -> Document | NotFound:
        """The document that `reference` names when it stands in `near`; the same object for the same file."""
        ...

    def diagnostics(self, document: Document) -> Sequence[Diagnostic]:
        """What was reported when a document that this loader gave was read."""
        ...


class NoLoader:
    """A loader for texts that stand alone: it finds nothing."""

    def load(self, reference: str, near: Document) -> Document | NotFound:
        """Nothing is ever found."""
        return NotFound(())

    def diagnostics(self, document: Document) -> Sequence[Diagnostic]:
        """There is nothing to report."""
        return ()
