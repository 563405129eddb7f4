"""Documents for the tests of `resolve`: a script between the usual sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.resolve import NotFound, Program, Unit, resolve
from prose_runtime.resolve.loader import Found
from prose_runtime.source import SourceText
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document


def pattern(
    script: str,
    slots: Sequence[str] = ("`a`", "`b`"),
    inputs: Sequence[str] | None = ("`given` (string): a text", "`xs` (any[], optional): a list"),
    config: Sequence[str] = ("`limit` (integer, default: 3): a bound",),
    more: str = "",
    kind: str = "pattern",
) -> str:
    """A pattern (or function) with slots `a` and `b`, inputs `given` and `xs`, config `limit`."""
    parts = [f"---\nname: subject\nkind: {kind}\n---\n"]
    if slots and kind == "pattern":
        parts.append("### Slots\n\n" + "".join(f"- {slot}\n" for slot in slots))
    if config and kind == "pattern":
        parts.append("### Config\n\n" + "".join(f"- {item}\n" for item in config))
    if inputs is not None:
        title = "Requires" if kind == "pattern" else "Parameters"
        parts.append(f"### {title}\n\n" + "".join(f"- {item}\n" for item in inputs))
    title = "Delegation" if kind == "pattern" else "Execution"
    parts.append(f"### {title}\n\n```prose\n{script.strip()}\n```\n")
    if more:
        parts.append(more)
    return "\n".join(parts)


@dataclass
class Shelf:
    """A loader over texts."""

    texts: Mapping[str, str]
    documents: dict[str, Document] = field(default_factory=dict)
    said: dict[Document, list[Diagnostic]] = field(default_factory=dict)

    def load(self, reference: str, near: Document) -> Document | NotFound:
        name = reference.removeprefix("./")
        if name not in self.texts:
            return NotFound((f"{name}.prose.md",))
        if name not in self.documents:
            document, said = read(SourceText(f"{name}.prose.md", self.texts[name]))
            self.documents[name] = document
            self.said[document] = said
        return self.documents[name]

    def diagnostics(self, document: Document) -> Sequence[Diagnostic]:
        return self.said.get(document, [])

    def found(self, reference: str, near: Document) -> Found:
        return Found("beside")

    def standard(self, name: str) -> Sequence[str]:
        return ()


def resolved(
    text: str, files: Mapping[str, str] | None = None, portable: bool = False, definition: str | None = None
) -> tuple[Program, list[Diagnostic]]:
    """Read and resolve a text; what the reading reports comes first."""
    document, said = read(SourceText("subject.prose.md", text))
    program, found = resolve(document, Shelf(files or {}), definition=definition, portable=portable)
    return program, [*said, *found]


def unit_of(script: str, **options: object) -> Unit:
    """The main unit of a pattern with this script, which must have no errors."""
    program, found = resolved(pattern(script, **options))  # type: ignore[arg-type]
    errors = [str(item) for item in found if item.severity == "error"]
    assert not errors, errors
    return program.main


QUIET = {
    "unused-slot",
    "unused-config",
    "unused-input",
    "only-a-judge-can-decide",
    "compared-with-a-word",
}


def said(script: str, **options: object) -> list[tuple[int, str]]:
    """Each diagnostic of a pattern with this script as (line of the script, code), without those that come from the
    sections around it being longer than the script needs."""
    text = pattern(script, **options)  # type: ignore[arg-type]
    first = text[: text.index("```prose")].count("\n") + 1
    _, found = resolved(text)
    return [(item.line - first, item.code) for item in found if item.code not in QUIET]
