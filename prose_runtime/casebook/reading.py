"""From the text of a `kind: test` document to a `Case`. Raises `Unreadable` with the line in that file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from prose_runtime.casebook.blocks import Block, Unreadable, fenced, read_yaml, without_markers
from prose_runtime.casebook.case import Case, ExpectedDiagnostic, Sentence
from prose_runtime.casebook.expecting import expectations
from prose_runtime.diagnostics import has_errors
from prose_runtime.source import SourceText
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document, Item, Section

_SECTIONS = ("fixtures", "services", "config", "budget", "expects", "expects not", "expected failure", "document")


def read_case(path: Path, text: str) -> Case:
    """Read one case. `path` is where it stands; markers at line ends become expected diagnostics."""
    cleaned, marks = without_markers(text)
    source = SourceText(str(path), cleaned)
    document, problems = read(source)
    if document.main.kind != "test":
        raise Unreadable(f"this is no case: its kind is {document.main.kind!r}, not 'test'", 1)
    sections = {section.key: section for section in document.main.sections if section.key in _SECTIONS}
    inside = _document(source, sections.get("document"))
    if has_errors(problems) and inside is not None:
        raise Unreadable(str(next(item for item in problems if item.severity == "error")))
    fixtures, fixture_texts = _fixtures(source, sections.get("fixtures"))
    subject = document.field("subject")
    expects = expectations(
        _yaml(source, sections.get("expects"), {}),
        sentences=_sentences(source, sections),
        diagnostics=_marked(source, inside, marks),
    )
    return Case(
        path=path,
        source=source,
        name=document.main.name,
        subject=str(subject) if isinstance(subject, str) and subject else None,
        document=_subject_document(document, inside, subject),
        fixtures=fixtures,
        fixture_texts=fixture_texts,
        services=_services(_yaml(source, sections.get("services"), {})),
        config=_mapping(_yaml(source, sections.get("config"), {}), "### Config"),
        budget=_mapping(_yaml(source, sections.get("budget"), {}), "### Budget"),
        expects=expects,
        failure=_reason(source, sections.get("expected failure")),
        portable=document.field("portable") == "true",
        runs=expects.of_a_run or bool(sections.keys() & {"fixtures", "services"}),
    )


def _body(source: SourceText, section: Section) -> tuple[str, int]:
    return source.slice(section.body), source.position(section.body.start).line


def _block(source: SourceText, section: Section | None, languages: tuple[str, ...]) -> Block | None:
    """The one fenced block of a section, its line counted in the file; None if it has none."""
    if section is None:
        return None
    text, line = _body(source, section)
    blocks = [block for block in fenced(text) if block.language in languages]
    if len(blocks) > 1:
        raise Unreadable(f"### {section.title} has {len(blocks)} blocks; it takes one", line + blocks[1].line)
    return Block(blocks[0].language, blocks[0].text, line + blocks[0].line) if blocks else None


def _yaml(source: SourceText, section: Section | None, default: Any) -> Any:
    block = _block(source, section, ("yaml", "yml", "json"))
    if block is None:
        return default
    try:
        value = read_yaml(block.text)
    except Unreadable as error:
        raise Unreadable(error.message, block.line + error.line) from None
    return default if value is None else value


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Unreadable(f"{where} takes a mapping of names to values")
    return value


def _document(source: SourceText, section: Section | None) -> tuple[Document, int] | None:
    """The file in `### Document`, and how many lines of the case stand before its first line."""
    block = _block(source, section, ("markdown", "md"))
    if section is None:
        return None
    if block is None:
        raise Unreadable("### Document needs a fenced `markdown` block", source.position(section.heading.start).line)
    inner = SourceText(source.name, block.text)
    document, _ = read(inner)
    return document, block.line - 1


def _subject_document(document: Document, inside: tuple[Document, int] | None, subject: object) -> Document | None:
    if inside is not None:
        return inside[0]
    inline = any(item.inline and item.name == subject for item in document.definitions)
    return document if inline else None


def _marked(
    source: SourceText, inside: tuple[Document, int] | None, marks: list[tuple[int, str]]
) -> tuple[ExpectedDiagnostic, ...]:
    """The markers as expected diagnostics, lines counted in the document under test."""
    before = inside[1] if inside is not None else 0
    return tuple(ExpectedDiagnostic(code, line - before) for line, code in marks)


def _fixtures(source: SourceText, section: Section | None) -> tuple[dict[str, Any], dict[str, str]]:
    """Values from a YAML block, and texts from bullets (`- `name`: "text"`)."""
    values = dict(_mapping(_yaml(source, section, {}), "### Fixtures"))
    texts: dict[str, str] = {}
    for item in section.items if section is not None else ():
        if item.name is None:
            raise Unreadable("a fixture is `name`: value", source.position(item.span.start).line)
        text = _fixture_text(source, item)
        if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
            values[item.name] = text[1:-1]
        else:
            texts[item.name] = text
    return values, texts


def _fixture_text(source: SourceText, item: Item) -> str:
    """What follows the colon, as written: a default such as `(optional)` is no annotation in a fixture."""
    whole = source.slice(item.span).strip()
    after = whole.partition(":")[2] if ":" in whole else item.text
    return " ".join(after.split())


def _services(value: Any) -> dict[str, Any]:
    services = dict(_mapping(value, "### Services"))
    for slot, replies in services.items():
        lists = replies.values() if isinstance(replies, dict) else [replies]
        for one in lists:
            if not isinstance(one, list):
                raise Unreadable(f"### Services: {slot} takes a list of replies, or names with a list each")
    return services


def _sentences(source: SourceText, sections: Mapping[str, Section]) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for key in ("expects", "expects not"):
        for item in sections[key].items if key in sections else ():
            text = item.text if item.name is not None else item.whole
            line = source.position(item.span.start).line
            found.append(Sentence(item.name, text.strip(), line, key == "expects not"))
    return tuple(found)


def _reason(source: SourceText, section: Section | None) -> str | None:
    if section is None:
        return None
    text = " ".join(_body(source, section)[0].split())
    if not text:
        raise Unreadable("### Expected failure needs a reason", source.position(section.heading.start).line)
    return text
