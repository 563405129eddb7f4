"""Laying a file out anew. In: its text. Out: the text in canonical layout, which says the same, or why it is left."""

from __future__ import annotations

from pathlib import Path

from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.syntax import read, same_tree
from prose_runtime.syntax.document import Document
from prose_runtime.syntax.formatter import laid_out
from prose_runtime.syntax.nodes import Script
from prose_runtime.upgrading.upgrade import Change, Upgraded


def lay_out(source: SourceText, path: Path, loader: DiskLoader) -> Upgraded:
    """The same document in canonical layout. A script that cannot be read whole is left as it is."""
    document, found = read(source)
    broken = [item.labels[0].span.start for item in found if item.severity == "error"]
    scripts = [
        (_line(source, script.span.start) - 1, _line(source, script.span.end))
        for definition in document.definitions
        if (script := definition.script) is not None
        and not script.english
        and not any(script.span.start <= at <= script.span.end for at in broken)
    ]
    text = laid_out(source.text, scripts)
    if text == source.text:
        return Upgraded(source)
    then = SourceText(source.name, text, source.had_bom)
    if reason := _difference(document, then):
        return Upgraded(source, refused=reason)
    return Upgraded(then, (Change(1, "laid out"),))


def _line(source: SourceText, at: int) -> int:
    return source.position(at).line - 1


def _difference(before: Document, then: SourceText) -> str:
    """What would be read otherwise; "" for nothing."""
    after, _ = read(then)
    names = [[item.name for item in document.definitions] for document in (before, after)]
    if names[0] != names[1]:
        return "laid out, its definitions would be read otherwise"
    for one, other in zip(before.definitions, after.definitions, strict=True):
        if not same_tree(one.script, other.script):
            return f"laid out, the script of `{one.name}` would be read otherwise"
        if _comments(one.script, before.source) != _comments(other.script, then):
            return f"laid out, a comment of `{one.name}` would be lost"
        for kind in ("slots", "config", "inputs", "outputs", "invariants", "errors", "instances"):
            if not same_tree(getattr(one, kind), getattr(other, kind)):
                return f"laid out, the {kind} of `{one.name}` would be read otherwise"
    return ""


def _comments(script: Script | None, source: SourceText) -> int:
    return 0 if script is None else source.slice(script.span).count("#")
