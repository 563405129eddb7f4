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
    "other-version",
]
Step = Literal["path", "beside", "project", "src", "installed", "name", "tested", "standard", ""]
"""Where a reference was found: as the path that it is, beside the file, in the project, in its `src/`, among the
installed dependencies, by the `name:` of a file, in a folder beside that of a test, in the standard library."""


@node
class Found:
    """How a reference was resolved. `instead`: what it would be called today, where it is spelt in an older way."""

    step: Step
    instead: str = ""


@node
class NotFound:
    """Why a reference gave no document. `looked_in` are paths as a user would write them, in the order tried;
    `reason` says what was wrong with the last of them, and `line` where in it. `install`: how to install what a
    dependency of the project lacks."""

    looked_in: tuple[str, ...]
    reason: Reason = "absent"
    line: int = 1
    install: str = ""

    @property
    def because(self) -> str:
        """A clause for a message: every place that was looked at, or what was found in place of the document."""
        shown = _places(self.looked_in) or "no place at all"
        last = self.looked_in[-1] if self.looked_in else "it"
        return _REASONS[self.reason].format(places=shown, last=last, line=self.line)

    @property
    def way_out(self) -> str:
        """One thing to do about it; "" where nothing but another reference helps."""
        return self.install or _WAYS_OUT.get(self.reason, "")


def _places(looked_in: Sequence[str]) -> str:
    """`areas, areas/src, std/roles for draft.prose.md or draft/index.prose.md`: what was looked for in many folders is
    said once."""
    folders: dict[str, None] = {}
    names: dict[str, None] = {}
    for place in looked_in:
        parts = place.split("/")
        own = -2 if parts[-1] == INDEX and len(parts) > 1 else -1
        folders["/".join(parts[:own]) or "."] = None
        names["/".join(parts[own:])] = None
    if len(looked_in) <= _FEW or len(names) > 2:  # one is the file, one the index of the folder of that name
        return ", ".join(looked_in)
    return f"{', '.join(folders)} for {' or '.join(names)}"


INDEX = "index.prose.md"
_FEW = 3
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
    "not-installed": "it is not installed: looked in {places}; nothing is fetched",
    "other-version": "what is installed as {last} is not known to be that version",
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

    def found(self, reference: str, near: Document) -> Found:
        """How `load` found what it gave for that reference."""
        ...

    def standard(self, name: str) -> Sequence[str]:
        """The files of the standard library that have this name: `std/patterns/refine`."""
        ...


class NoLoader:
    """A loader for texts that stand alone: it finds nothing."""

    def load(self, reference: str, near: Document) -> Document | NotFound:
        """Nothing is ever found."""
        return NotFound(())

    def diagnostics(self, document: Document) -> Sequence[Diagnostic]:
        """There is nothing to report."""
        return ()

    def found(self, reference: str, near: Document) -> Found:
        """Nothing was found in any way."""
        return Found("")

    def standard(self, name: str) -> Sequence[str]:
        """There is no library."""
        return ()
