"""The exceptions of the public interface that carry diagnostics; the root of all others.

ProseError
  SourceNotFound   there is no such file
  CheckFailed      the file, or what was bound and given to it, is wrong; nothing was spent
  RunFailed        a run did not end well (`runtime.outcome`); raised only when it is asked for
"""

from __future__ import annotations

from collections.abc import Iterable

from prose_runtime.diagnostics.model import Diagnostic, has_errors


class ProseError(Exception):
    """Anything that this package raises on purpose."""


class SourceNotFound(ProseError):
    """There is no such pattern file. `looked_in` are the paths tried, `nearest` names that are spelt like it."""

    def __init__(
        self, reference: str, looked_in: tuple[str, ...] = (), nearest: tuple[str, ...] = (), because: str = ""
    ):
        self.reference = reference
        self.looked_in = looked_in
        self.nearest = nearest
        self.because = because or "looked in " + ", ".join(looked_in)
        super().__init__(f"there is no pattern file `{reference}` ({self.because})")


class CheckFailed(ProseError):
    """What was to be run is wrong; nothing was called. `diagnostics` holds all messages, warnings included."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        errors = [item for item in self.diagnostics if has_errors([item])]
        lines = [f"{item} ({item.help})" if item.help else str(item) for item in errors]
        super().__init__("\n".join(lines))
