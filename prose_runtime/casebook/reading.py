"""From the text of a `kind: test` document to a `Case`. Raises `Unreadable` with the line in that file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prose_runtime.casebook.blocks import Unreadable, without_markers, yaml_of
from prose_runtime.casebook.case import Case, ExpectedDiagnostic, Fixture, Sentence
from prose_runtime.casebook.expecting import expectations
from prose_runtime.casebook.fixtures import group_of, read_config, read_fixtures
from prose_runtime.diagnostics import Diagnostic, has_errors
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.source import SourceText
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document, FencedText, Item, Section
from prose_runtime.syntax.plain_yaml import YamlMap, YamlNode, typed

_YAML = ("yaml", "yml", "json")
_SECTIONS = ("fixtures", "services", "config", "budget", "expects", "expects not", "expected failure", "document")
_OF_A_RUN = frozenset({"fixtures", "services", "config", "budget"})


def read_case(path: Path, text: str) -> Case:
    """Read one case. `path` is where it stands; markers at line ends become expected diagnostics."""
    cleaned, marks = without_markers(text)
    source = SourceText(str(path), cleaned)
    document, problems = read(source)
    if document.main.kind != "test":
        raise Unreadable(f"this is no case: its kind is {document.main.kind!r}, not 'test'", 1)
    sections = _known_sections(source, document)
    inside = _document(source, sections.get("document"))
    fixtures = _fixtures(source, sections.get("fixtures"))
    config, config_texts = _config(source, sections.get("config"))
    subject = document.field("subject")
    tested = _subject_document(document, problems, inside, subject)
    if tested[0] is not document and has_errors(problems):
        raise Unreadable(str(next(item for item in problems if item.severity == "error")))
    block = _yaml_node(source, sections.get("expects"))
    with _faults_at(source, sections.get("expects")):
        expects = expectations(
            {} if block is None else typed(block),
            block=block if isinstance(block, YamlMap) else None,
            sentences=_sentences(source, sections),
            diagnostics=_marked(inside, marks),
        )
    runs = expects.of_a_run or bool(sections.keys() & _OF_A_RUN)
    checked = tested[0] is not None and "expects" not in sections  # a document that must check without a message
    return Case(
        path=path,
        source=source,
        name=document.main.name,
        subject=str(subject) if isinstance(subject, str) and subject else None,
        document=tested[0],
        reading=tuple(tested[1]),
        fixtures=fixtures,
        services=_services(source, sections.get("services")),
        config=config,
        config_texts=config_texts,
        budget=_budget(source, sections.get("budget")),
        expects=expects,
        failure=_reason(source, sections.get("expected failure")),
        sections=document.main.sections,
        portable=document.field("portable") == "true",
        runs=runs,
        is_empty=not (expects.of_a_run or expects.diagnostics or any(one.sentences for one in fixtures))
        and (runs or not checked),
    )


def _known_sections(source: SourceText, document: Document) -> dict[str, Section]:
    """The sections of a case by their keys. One whose content nobody would read is refused, or a misspelt `### Expects`
    would let every run pass."""
    known: dict[str, Section] = {}
    for section in document.main.sections:
        if section.key in _SECTIONS:
            known[section.key] = section
            continue
        near = nearest(section.key, _SECTIONS)
        if near is None and not any(fence.language in _YAML for fence in section.fences):
            continue  # a text for readers
        advice = f"write ### {near.capitalize()}" if near else f"it has {', '.join(_SECTIONS)}"
        line = source.position(section.heading.start).line
        raise Unreadable(f"a case has no section ### {section.title}; {advice}", line)
    return known


def _block(source: SourceText, section: Section | None, languages: tuple[str, ...]) -> tuple[FencedText, int] | None:
    """The one fenced block of a section with the line of its first inner line; None if it has none."""
    found = [fence for fence in section.fences if fence.language in languages] if section is not None else []
    if len(found) > 1 and section is not None:
        line = source.position(found[1].span.start).line
        raise Unreadable(f"### {section.title} has {len(found)} blocks; it takes one", line)
    return (found[0], source.position(found[0].content.start).line) if found else None


def _yaml_node(source: SourceText, section: Section | None) -> YamlNode | None:
    block = _block(source, section, _YAML)
    return None if block is None else yaml_of(source, block[0])


def _yaml(source: SourceText, section: Section | None, default: Any) -> Any:
    node = _yaml_node(source, section)
    value = None if node is None else typed(node)
    return default if value is None else value


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Unreadable(f"{where} takes a mapping of names to values")
    return value


@dataclass(frozen=True, slots=True)
class _Inside:
    """The file in `### Document`: as read, what was found in it, and how many lines of the case stand before it."""

    document: Document
    found: list[Diagnostic]
    before: int


def _document(source: SourceText, section: Section | None) -> _Inside | None:
    block = _block(source, section, ("markdown", "md"))
    if section is None:
        return None
    if block is None:
        raise Unreadable("### Document needs a fenced `markdown` block", source.position(section.heading.start).line)
    fence, line = block
    document, found = read(SourceText(source.name, fence.text))
    return _Inside(document, found, line - 1)


def _subject_document(
    document: Document, found: list[Diagnostic], inside: _Inside | None, subject: object
) -> tuple[Document | None, list[Diagnostic]]:
    """The document that holds the subject, if the case holds it."""
    if inside is not None:
        return inside.document, inside.found
    inline = any(item.inline and item.name == subject for item in document.definitions)
    return (document, found) if inline else (None, [])


def _marked(inside: _Inside | None, marks: list[tuple[int, str]]) -> tuple[ExpectedDiagnostic, ...]:
    """The markers as expected diagnostics, lines counted in the document under test."""
    before = inside.before if inside is not None else 0
    return tuple(ExpectedDiagnostic(code, line - before) for line, code in marks)


def _fixtures(source: SourceText, section: Section | None) -> tuple[Fixture, ...]:
    with _faults_at(source, section):
        block = _yaml(source, section, {})
        if not isinstance(block, list):
            _mapping(block, "### Fixtures")
        return read_fixtures(source, section, block)


def _config(source: SourceText, section: Section | None) -> tuple[dict[str, Any], dict[str, str]]:
    with _faults_at(source, section):
        return read_config(source, section, _mapping(_yaml(source, section, {}), "### Config"))


def _services(source: SourceText, section: Section | None) -> dict[str, Any] | None:
    if section is None:
        return None
    with _faults_at(source, section):
        services = dict(_mapping(_yaml(source, section, {}), "### Services"))
        for slot, replies in services.items():
            lists = replies.values() if isinstance(replies, dict) else [replies]
            for one in lists:
                if not isinstance(one, list):
                    raise Unreadable(f"### Services: {slot} takes a list of replies, or names with a list each")
        return services


def _budget(source: SourceText, section: Section | None) -> Mapping[str, Any]:
    with _faults_at(source, section):
        return _mapping(_yaml(source, section, {}), "### Budget")


@contextmanager
def _faults_at(source: SourceText, section: Section | None) -> Iterator[None]:
    """What is wrong with a section and has no line of its own stands at its heading."""
    try:
        yield
    except Unreadable as error:
        if error.line or section is None:
            raise
        raise Unreadable(error.message, source.position(section.heading.start).line) from None


def _sentences(source: SourceText, sections: Mapping[str, Section]) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for key in ("expects", "expects not"):
        for item in sections[key].items if key in sections else ():
            found.append(_sentence(source, item, key == "expects not"))
    return tuple(found)


def _sentence(source: SourceText, item: Item, negated: bool) -> Sentence:
    """A bullet, or a pair of lines `path: …` and `predicate: …`; what is nested below it belongs to it."""
    line = source.position(item.span.start).line
    pairs = group_of(source, item) if item.name == "path" else {}
    if "predicate" in pairs:
        return Sentence(pairs["path"].strip("`"), pairs["predicate"], line, negated)
    text = item.text if item.name is not None else item.whole
    below = "; ".join(inner.whole for inner in item.items)
    return Sentence(item.name, f"{text} {below}".strip(), line, negated)


def _reason(source: SourceText, section: Section | None) -> str | None:
    if section is None:
        return None
    text = " ".join(source.slice(section.body).split())
    if not text:
        raise Unreadable("### Expected failure needs a reason", source.position(section.heading.start).line)
    return text
