"""Reading a document: from a text to what it declares.

In: a `SourceText`. Out: a `Document` and everything that is wrong with it. Nothing raises: a file cut off anywhere, or
not Markdown at all, gives a document and messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

from prose_runtime.diagnostics import Diagnostic, Edit, Fix, Label
from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.blocks import Heading, Paragraph
from prose_runtime.syntax.delegation import find_script
from prose_runtime.syntax.document import Clause, Definition, Document, Kind
from prose_runtime.syntax.fence import Fence
from prose_runtime.syntax.frontmatter import Frontmatter, read_frontmatter
from prose_runtime.syntax.inputs import read_inputs
from prose_runtime.syntax.instances import read_instances
from prose_runtime.syntax.markdown import read_blocks
from prose_runtime.syntax.nodes import Script
from prose_runtime.syntax.outputs import OutputList, read_invariants, read_outputs
from prose_runtime.syntax.reports import Reports
from prose_runtime.syntax.retired import report_retired
from prose_runtime.syntax.script import parse_script
from prose_runtime.syntax.sections import RawDefinition, paragraph_text, running_text, section_from, split
from prose_runtime.syntax.shape import read_shape
from prose_runtime.syntax.slots import read_config, read_errors, read_slots, with_inputs, with_types

MAX_CHARACTERS = 512 * 1024
KINDS: tuple[Kind, ...] = ("pattern", "function", "test", "responsibility", "gateway")
_RETIRED_KINDS = ("service", "component", "composite", "program", "system")
_IN = ("parameters", "requires")
_OUT = ("returns", "ensures", "maintains")

ParseScript = Callable[[SourceText, Fence], tuple[Script, list[Diagnostic]]]


def read(source: SourceText, parse: ParseScript = parse_script) -> tuple[Document, list[Diagnostic]]:
    """The document of a text. `parse` reads the script of each definition."""
    reports = Reports(source)
    if len(source.text) > MAX_CHARACTERS:
        reports.add("document-too-large", Span(0, 0), what="this file", unit="characters", limit=MAX_CHARACTERS)
        source = SourceText(source.name, "", source.had_bom)
        main = Definition(Span(0, 0), _name_of_file(source), Span(0, 0), "function", False, "", ())
        return Document(source, (), None, (main,)), reports.found
    front, found = read_frontmatter(source)
    reports.found += found
    page, found = read_blocks(source, front.body)
    reports.found += found
    title, raws = split(reports, page)
    end = len(source.text)
    definitions = [_main(reports, raws[0], front, title, parse)]
    ends = [raw.heading.span.start for raw in raws[1:] if raw.heading] + [end]
    for raw, stop in zip(raws[1:], ends[1:], strict=True):
        if raw.heading is not None:
            definitions.append(_inline(reports, raw, raw.heading, stop, parse))
    _unique(reports, definitions)
    return Document(source, front.fields, title.text if title else None, tuple(definitions)), reports.found


# ---- identity -------------------------------------------------------------------------------------------------------


def _main(
    reports: Reports, raw: RawDefinition, front: Frontmatter, title: Heading | None, parse: ParseScript
) -> Definition:
    kind, place = _kind(reports, raw, front)
    name, name_span = _name(reports, front, title, kind)
    reader = _DefinitionReader(reports, raw, kind, parse)
    return reader.read(name, name_span, Span(0, len(reports.source.text)), place, inline=False)


def _inline(reports: Reports, raw: RawDefinition, heading: Heading, end: int, parse: ParseScript) -> Definition:
    name = heading.text.strip("`* ")
    start = heading.text_span.start + heading.text.find(name) if name else heading.text_span.start
    kind = _kind_by_sections(raw)
    reader = _DefinitionReader(reports, raw, kind, parse)
    return reader.read(name, Span(start, start + len(name)), Span(heading.span.start, end), heading.span, inline=True)


def _kind(reports: Reports, raw: RawDefinition, front: Frontmatter) -> tuple[Kind, Span]:
    field = front.field("kind")
    guess = _kind_by_sections(raw)
    if not front.present:
        start = Span(0, len(reports.source.line(1)))
        reports.add("missing-frontmatter", start, kind=guess)
        return guess, start
    word = front.text("kind")
    if field is None or word is None:
        if not front.broken:
            known = [item.key for item in front.fields if item.key not in ("name", "version", "id", "subject")]
            way_out = did_you_mean("kind", known, f"add a line `kind: {guess}`")
            if not way_out.startswith("add"):
                way_out = f"{way_out.replace('write', 'rename')} to `kind`"
            reports.add("missing-kind", field.span if field else front.span, way_out=way_out)
        return guess, front.span
    for kind in KINDS:
        if word.lower() == kind:
            return kind, field.value_span
    if word.lower() in _RETIRED_KINDS:
        kind = _kind_of_retired(word.lower(), guess)
        sure = word.lower() not in ("program", "system")
        fix = Fix(f"write `kind: {kind}`", (Edit(field.value_span, kind),), safe=sure)
        reports.add("retired-kind", field.value_span, found=word, now=kind, fixes=(fix,))
        return kind, field.value_span
    way_out = did_you_mean(word, KINDS, f"write one of {listed(KINDS)}")
    reports.add("unknown-kind", field.value_span, found=word, way_out=way_out)
    return guess, field.value_span


def _kind_of_retired(word: str, guess: Kind) -> Kind:
    if word == "composite":
        return "pattern"
    return "pattern" if word in ("program", "system") and guess == "pattern" else "function"


def _kind_by_sections(raw: RawDefinition) -> Kind:
    if raw.has("slots", "delegation", "delegation loop"):
        return "pattern"
    if raw.has("expects", "expects not", "fixtures"):
        return "test"
    if raw.has("receives", "emits", "schedule", "payload"):
        return "gateway"
    return "responsibility" if raw.has("maintains", "continuity") else "function"


def _name(reports: Reports, front: Frontmatter, title: Heading | None, kind: Kind) -> tuple[str, Span]:
    field, name = front.field("name"), front.text("name")
    if field is not None and name is not None:
        return name, field.value_span
    name = _slug(title.text) if title else ""
    span = title.text_span if title and name else (field.span if field else front.span)
    name = name or _name_of_file(reports.source)
    if front.present and not front.broken:
        edit = _name_edit(reports.source, front, name)
        fixes = (Fix(f"add `name: {name}`", (edit,)),) if edit and field is None else ()
        reports.add("missing-name", field.span if field else front.span, name=name, fixes=fixes)
    return name, span


def _name_edit(source: SourceText, front: Frontmatter, name: str) -> Edit | None:
    line = source.position(front.span.start).line
    if line >= len(source.line_starts):
        return None
    at = source.line_starts[line]
    ending = "\r\n" if source.text[:at].endswith("\r\n") else "\n"
    return Edit(Span(at, at), f"name: {name}{ending}")


def _slug(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title.lower()).strip("-_")


def _name_of_file(source: SourceText) -> str:
    stem = PurePath(source.name).name.split(".")[0]
    return _slug(stem) or "unnamed"


def _unique(reports: Reports, definitions: list[Definition]) -> None:
    first: dict[str, Definition] = {}
    for definition in definitions:
        if not definition.name:
            reports.add("unnamed-definition", definition.span)
        elif definition.name in first:
            also = (Label(reports.source, first[definition.name].name_span, "defined here first"),)
            reports.add("duplicate-definition", definition.name_span, name=definition.name, also=also)
        else:
            first[definition.name] = definition


# ---- one definition -------------------------------------------------------------------------------------------------


class _DefinitionReader:
    """Reads the sections of one definition."""

    def __init__(self, reports: Reports, raw: RawDefinition, kind: Kind, parse: ParseScript) -> None:
        self.reports = reports
        self.raw = raw
        self.kind = kind
        self.parse = parse
        self.is_pattern = kind == "pattern"
        self.standing = kind in ("responsibility", "gateway")

    def read(self, name: str, name_span: Span, span: Span, place: Span, *, inline: bool) -> Definition:
        raw, reports = self.raw, self.reports
        slots = read_slots(reports, raw.named("slots"))
        config = read_config(reports, raw.named("config"))
        given = read_inputs(reports, raw.named(*_IN), pattern=self.is_pattern, parts=self.standing)
        taken = {slot.name for slot in slots} | {value.name for value in config}
        outputs, invariants = self.outputs()
        instances = raw.named("patterns") if self.kind == "test" else raw.named("patterns", "services")
        report_retired(reports, raw, self.kind)
        return Definition(
            span,
            name,
            name_span,
            self.kind,
            inline,
            self.description(),
            tuple(section_from(reports, section) for section in raw.sections),
            slots=with_inputs(slots, given.inputs),
            config=with_types(config, given.inputs),
            inputs=tuple(item for item in given.inputs if item.name not in taken),
            declares_inputs=given.declared,
            requires=given.sentences,
            outputs=outputs.outputs,
            ensures=outputs.sentences,
            invariants=invariants,
            errors=read_errors(reports, raw.named("errors")),
            shape=read_shape(raw.named("shape")),
            instances=read_instances(reports, instances),
            script=self.script(place),
        )

    def outputs(self) -> tuple[OutputList, tuple[Clause, ...]]:
        found = read_outputs(self.reports, self.raw.named(*_OUT), parts=self.standing)
        borrow = self.is_pattern and not found.outputs
        named, invariants = read_invariants(self.reports, self.raw.named("invariants"), with_outputs=borrow)
        return (OutputList(named, found.sentences) if named else found), invariants

    def script(self, place: Span) -> Script | None:
        fence = find_script(self.reports, self.raw, needed=place if self.is_pattern else None)
        if fence is None:
            return None
        script, found = self.parse(
            self.reports.source, Fence(fence.span, fence.language or "prose", fence.content, fence.indent)
        )
        self.reports.found += [self._lowered(item) for item in found]
        return script

    def _lowered(self, diagnostic: Diagnostic) -> Diagnostic:
        """Sentences instead of a script are an error only where the script would have to run here."""
        if self.standing and diagnostic.code == "english-script":
            return replace(diagnostic, severity="warning")
        return diagnostic

    def description(self) -> str:
        for section in self.raw.named("description", "goal"):
            text = running_text(section.blocks)
            if text:
                return text.split("\n")[0]
        return next((paragraph_text(block) for block in self.raw.intro if isinstance(block, Paragraph)), "")
