"""The exceptions of the public interface that carry diagnostics; the root of all others.

ProseError
  SourceNotFound   there is no such file, or it cannot be read
  CheckFailed      the file, or what was bound and given to it, is wrong; nothing was spent
  RunFailed        a run did not end well (`runtime.outcome`); raised only when it is asked for
"""

from __future__ import annotations

from collections.abc import Iterable

from prose_runtime.diagnostics.codes import report
from prose_runtime.diagnostics.model import Diagnostic, has_errors
from prose_runtime.source import SourceText, Span


class ProseError(Exception):
    """Anything that this package raises on purpose."""


class SourceNotFound(ProseError):
    """There is no such pattern file, or what is there cannot be read as one.

    - `looked_in` are the paths tried, `nearest` names that are spelt like it.
    - `because` says what was found instead; `help` is one thing to do.
    - `exists`: there is a file, but not one that can be read; `line` is where in it.
    """

    def __init__(
        self,
        reference: str,
        looked_in: tuple[str, ...] = (),
        nearest: tuple[str, ...] = (),
        because: str = "",
        way_out: str = "",
        line: int = 1,
        *,
        exists: bool | None = None,
    ):
        self.reference = reference
        self.looked_in = looked_in
        self.nearest = nearest
        self.because = because or "looked in " + ", ".join(looked_in)
        self.exists = bool(way_out) if exists is None else exists
        self.line = line
        near = f"did you mean `{nearest[0]}`?" if nearest else "`prose std` lists the standard library"
        self.help = way_out or near
        found = self.diagnostic()
        self.message = found.message
        super().__init__(f"{found.message} ({found.help})")

    def diagnostic(self) -> Diagnostic:
        """The same as a message of a check: `no-such-file` or `unreadable-file`."""
        code = "unreadable-file" if self.exists else "no-such-file"
        facts = {"reference": self.reference, "because": self.because, "help": self.help}
        before = self.line - 1
        source = SourceText(self.reference, "\n" * before, is_file=self.exists)
        return report(code, source, Span(before, before), also=(), fixes=(), severity=None, **facts)


class CheckFailed(ProseError):
    """What was to be run is wrong; nothing was called. `diagnostics` holds all messages, warnings included."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        errors = [item for item in self.diagnostics if has_errors([item])]
        lines = [f"{item} ({item.help})" if item.help else str(item) for item in errors]
        super().__init__("\n".join(lines))
