"""A fault of a binding: what `service_from`, `load_project` and the trust rules raise.

In: a code of `diagnostics/wording/binding.py` and its facts. Out: an exception that can become a `Diagnostic`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.source import SourceText, Span


class BindingFault(Exception):
    """A service, a `prose.toml` or a secret cannot be used. Nothing has been spent.

    `code` and `facts` are those of the table of codes. `source` and `span` are the place in `prose.toml` if
    that is where the fault stands; otherwise the caller says where (`diagnostic("--bind critic=…")`).
    """

    def __init__(self, code: str, *, source: SourceText | None = None, span: Span | None = None, **facts: str):
        self.code = code
        self.facts = facts
        self.source = source
        self.span = span
        found = self.diagnostic("")
        super().__init__(found.message)
        self.message = found.message
        self.help = found.help

    def diagnostic(self, origin: str, text: str | None = None) -> Diagnostic:
        """The fault as a diagnostic. `origin` names the place where the fault has none of its own, `text` is
        what stands there (by default the target that the fault speaks of)."""
        if self.source is not None:
            return _report(self.code, self.source, self.span or Span(0, 0), self.facts)
        shown = text if text is not None else self.facts.get("target", "")
        return _report(self.code, SourceText(origin, shown, is_file=False), Span(0, len(shown)), self.facts)

    def about(self, name: str) -> BindingFault:
        """The same fault of the slot or function `name`: what a person bound, where the service has another name."""
        return BindingFault(self.code, source=self.source, span=self.span, **{**self.facts, "name": name})

    def at(self, source: SourceText, span: Span) -> BindingFault:
        """The same fault with its place in a file."""
        return BindingFault(self.code, source=source, span=span, **self.facts)


def _report(code: str, source: SourceText, span: Span, facts: Mapping[str, object]) -> Diagnostic:
    return report(code, source, span, also=(), fixes=(), severity=None, **facts)


def suggest(name: str, candidates: Iterable[str], *, otherwise: str = "") -> str:
    """One thing to do about an unknown name: the nearest one, else the list of what there is."""
    known = sorted(set(candidates))
    return did_you_mean(name, known, otherwise or f"use {listed(known)}")
