"""Blocks sorted into definitions and their sections.

In: the blocks of a file. Out: the file-level definition and the inline ones, each with its sections as blocks, and
`Section` nodes made of them. What a section means is read elsewhere, one file a section.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from prose_runtime.diagnostics import Edit, Fix, Label
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.source import Span
from prose_runtime.syntax.blocks import Block, Bullet, Fenced, Heading, Paragraph
from prose_runtime.syntax.document import FencedText, Part, Section
from prose_runtime.syntax.items import item_from
from prose_runtime.syntax.passage import lines_between
from prose_runtime.syntax.reports import Reports

KNOWN = (
    "config",
    "continuity",
    "delegation",
    "description",
    "emits",
    "ensures",
    "environment",
    "errors",
    "execution",
    "expects",
    "expects not",
    "fixtures",
    "goal",
    "invariants",
    "maintains",
    "metadata",
    "notes",
    "parameters",
    "patterns",
    "payload",
    "receives",
    "requires",
    "returns",
    "runtime",
    "schedule",
    "services",
    "shape",
    "skills",
    "slots",
    "strategies",
    "tools",
)
# Names that an older edition gave a meaning (`retired`): not misspelt ones of today.
_FORMER = frozenset(("constraints", "criteria", "effects", "fulfillment", "memory", "wiring"))
SCRIPT_SECTIONS = ("delegation", "execution")
# Sections of names without which other messages would only repeat that one is misspelt.
_DECLARING = frozenset(("config", "parameters", "requires", "returns", "slots"))
# Section names that nobody would give to a definition: as `##` they are meant as sections.
_NEVER_A_NAME = frozenset(KNOWN) - {"config", "environment", "notes", "payload", "runtime", "services", "tools"}


@dataclass(slots=True)
class RawSection:
    """A section as blocks. `key` is the lower-case name; `end` the offset at which the next heading begins."""

    heading: Heading
    key: str
    blocks: list[Block] = field(default_factory=list)
    end: int = 0


@dataclass(slots=True)
class RawDefinition:
    """A definition as blocks: `heading` is None for the file-level one, `intro` what stands before its sections."""

    heading: Heading | None
    intro: list[Block] = field(default_factory=list)
    sections: list[RawSection] = field(default_factory=list)

    def named(self, *keys: str) -> list[RawSection]:
        """The sections of these names, in the order of the file."""
        return [section for section in self.sections if section.key in keys]

    def has(self, *keys: str) -> bool:
        """Whether there is a section of one of these names."""
        return any(section.key in keys for section in self.sections)


def split(reports: Reports, blocks: Iterable[Block]) -> tuple[Heading | None, list[RawDefinition]]:
    """The title, and the definitions: the file-level one first."""
    title: Heading | None = None
    definitions = [RawDefinition(None)]
    section: RawSection | None = None
    for block in blocks:
        if isinstance(block, Heading) and block.level <= 3:
            if section is not None:
                section.end = block.span.start
            section = None
            level = _meant_level(reports, block, title is None)
            if level == 1:
                title = title or block
            elif level == 2:
                definitions.append(RawDefinition(block))
            else:
                section = RawSection(block, section_key(block.text))
                definitions[-1].sections.append(section)
        else:
            (section.blocks if section is not None else definitions[-1].intro).append(block)
    if section is not None:
        section.end = len(reports.source.text)
    for definition in definitions:
        _look_over(reports, definition)
    return title, definitions


def section_key(title: str) -> str:
    """The name by which a section is known: `Expects  Not` is "expects not", `Continuity: self-driven` "continuity"."""
    key = " ".join(title.replace("`", "").lower().split()).rstrip(":")
    before, colon, _ = key.partition(":")
    return before.strip() if colon and before.strip() in KNOWN else key


def _meant_level(reports: Reports, heading: Heading, may_be_title: bool) -> int:
    if heading.level == 3 or (heading.level == 1 and may_be_title):
        return heading.level
    if section_key(heading.text) not in _NEVER_A_NAME:
        return heading.level
    marks = Span(heading.span.start, heading.span.start + heading.level)
    fix = Fix(f"write `### {heading.text}`", (Edit(marks, "###"),))
    reports.add("section-level", heading.span, title=heading.text, marks="#" * heading.level, fixes=(fix,))
    return 3


def _look_over(reports: Reports, definition: RawDefinition) -> None:
    first: dict[str, RawSection] = {}
    for section in definition.sections:
        if section.key in first and section.key in KNOWN:
            also = (Label(reports.source, first[section.key].heading.span, "the first one"),)
            reports.add("duplicate-section", section.heading.span, title=section.heading.text, also=also)
        first.setdefault(section.key, section)
    for section in definition.sections:
        if section.key in KNOWN or section.key in _FORMER or " " in section.key or len(section.key) < 4:
            continue
        near = nearest(section.key, KNOWN)
        if near and near not in first:
            title = near.title() if near != "expects not" else "Expects Not"
            fix = Fix(f"write `### {title}`", (Edit(section.heading.text_span, title),), safe=False)
            scripted = near in SCRIPT_SECTIONS and _holds_script(section) and not definition.has(*SCRIPT_SECTIONS)
            declares = near in _DECLARING and _holds_names(section)
            reports.add(
                "unknown-section",
                section.heading.span,
                title=section.heading.text,
                near=title,
                instead=f"is read as `### {title}`" if scripted or declares else "is kept as documentation",
                severity="error" if scripted else None,
                fixes=(fix,),
            )
            if scripted or declares:  # so that nothing is said about what else would be missing
                section.key = near


def _holds_script(section: RawSection) -> bool:
    return any(fence.language in ("prose", "prosescript") for fence in fences(section.blocks))


def _holds_names(section: RawSection) -> bool:
    first = section.blocks[0] if section.blocks else None
    return isinstance(first, Bullet) and first.head.whole.startswith("`")


# ---- blocks of a section --------------------------------------------------------------------------------------------


def bullets(sections: Iterable[RawSection]) -> Iterator[Bullet]:
    """The top-level items of sections."""
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Bullet):
                yield block


def fences(blocks: Iterable[Block]) -> Iterator[Fenced]:
    """All fences, also those inside of bullets."""
    for block in blocks:
        if isinstance(block, Fenced):
            yield block
        elif isinstance(block, Bullet):
            yield from block.fences
            yield from fences(block.bullets)


def running_text(blocks: Iterable[Block]) -> str:
    """The paragraphs, one a line."""
    return "\n".join(paragraph_text(block) for block in blocks if isinstance(block, Paragraph))


def paragraph_text(paragraph: Paragraph) -> str:
    """The lines of a paragraph as one."""
    return " ".join(line.text for line in paragraph.lines)


def parts_of(section: RawSection) -> tuple[Part, ...]:
    """The `####` parts of a section."""
    found: list[tuple[Heading, list[Block]]] = []
    for block in section.blocks:
        if isinstance(block, Heading):
            found.append((block, []))
        elif found:
            found[-1][1].append(block)
    return tuple(
        Part(
            heading.span if not inner else heading.span.to(inner[-1].span),
            heading.text.strip("`"),
            heading.text_span,
            running_text(inner),
        )
        for heading, inner in found
        if heading.level == 4 and heading.text
    )


# Parts of the truth that is kept or needed, and in a script's section the prompts that its sessions name.
_WITH_PARTS = ("maintains", "requires", "execution", "delegation")


def section_from(reports: Reports, raw: RawSection) -> Section:
    """The section as a node."""
    body = _body(reports, raw)
    named_parts = parts_of(raw) if raw.key in _WITH_PARTS else ()
    return Section(
        raw.heading.span.to(body),
        raw.heading.text,
        raw.key,
        raw.heading.span,
        body,
        tuple(item_from(bullet) for bullet in bullets((raw,))),
        running_text(raw.blocks),
        tuple(_fenced_text(reports, fence) for fence in fences(raw.blocks)),
        named_parts,
    )


def _body(reports: Reports, raw: RawSection) -> Span:
    text = reports.source.text[raw.heading.span.end : raw.end]
    start = raw.heading.span.end + len(text) - len(text.lstrip())
    return Span(min(start, raw.end), max(min(start, raw.end), raw.heading.span.end + len(text.rstrip())))


def _fenced_text(reports: Reports, fence: Fenced) -> FencedText:
    lines = lines_between(reports.source, fence.content, fence.indent)
    return FencedText(fence.span, fence.language, fence.content, "\n".join(line.text for line in lines))
