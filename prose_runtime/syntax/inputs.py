"""Inputs: `### Parameters` and `### Requires`.

In: the sections as blocks. Out: `Input` nodes and the sentences that name none. Two ways of listing are read: bullets,
and the lines after `Pattern instance receives:`, also where Markdown lost their indentation or their line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.blocks import Bullet, Heading, Paragraph
from prose_runtime.syntax.declarations import declaration, default_value
from prose_runtime.syntax.document import Clause, Input, Type
from prose_runtime.syntax.heads import IDENTIFIER, Head, head, says_none
from prose_runtime.syntax.items import clause_from
from prose_runtime.syntax.passage import Line, Passage, join, part
from prose_runtime.syntax.reports import Reports
from prose_runtime.syntax.sections import RawSection
from prose_runtime.syntax.types import ANY, parse_type, type_at

# `Pattern instance receives:`, and as an older edition wrote it: `&state exists at __state with:`
_RECEIVES = pattern(r"(?:(?:[\w`*'-]+\s+){0,6}(?:receives?|takes)|&\w+ exists at \w+ with)\s*:(?=\s|$)", re.IGNORECASE)
_TYPED = pattern(
    r"(?:(?<=\s)|^)`?[^\W\d][\w-]*`?\s*:\s+"
    r"(?:string|number|integer|boolean|object|any|run)(?:\[\])*(?:\s*(?:\||or)\s*`?null`?)?\s*(?:--|—|–)"
)
_NAMED = pattern(r"`?[^\W\d][\w-]*`?\s*(?::(?:\s|$)|\()")
_NAMED_COLON = pattern(r"`?[^\W\d][\w-]*`?\s*:\s+")
_OR_ONE = pattern(r"\bor\s+(?:(?:a|one)\s+)?single\s+`?(string|number|integer|boolean|object)\b", re.IGNORECASE)
_SEVERAL = pattern(r"`([^`]+)`(?:\s*(?:,\s*and|,|and|/)\s*`([^`]+)`)+\s*(?=:|—|–|--)")


@node
class InputList:
    """`declared`: there is a list, if only one that says "none"."""

    inputs: tuple[Input, ...]
    sentences: tuple[Clause, ...]
    declared: bool


def read_inputs(reports: Reports, sections: Iterable[RawSection], *, pattern: bool, parts: bool) -> InputList:
    """The inputs in the order of the file, each name once. `parts`: a `####` heading names an input too."""
    inputs: dict[str, Input] = {}
    sentences: list[Clause] = []
    declared = False
    for section in sections:
        loose = not pattern and section.key == "parameters"
        for found in _entries(section, loose=loose, parts=parts):
            if isinstance(found, Clause):
                sentences.append(found)
                continue
            declared = True
            for item in _inputs(reports, found):
                if item.name in inputs:
                    reports.twice("input", item.name, item.name_span, inputs[item.name].name_span)
                else:
                    inputs[item.name] = item
    return InputList(tuple(inputs.values()), tuple(sentences), declared)


@node
class _Entry:
    """One listed input; `head` is None for a line that says there is none."""

    span: Span
    head: Head | None


def _entries(section: RawSection, *, loose: bool, parts: bool) -> Iterator[_Entry | Clause]:
    for block in section.blocks:
        if isinstance(block, Heading):
            if parts and block.level == 4 and block.text:
                name = block.text.strip("`")
                passage = Passage(name, (0,), (block.text_span.start,))
                yield _Entry(block.span, Head(passage, name, block.text_span, "", -1, "", len(name)))
        elif isinstance(block, Paragraph):
            if _RECEIVES.match(block.lines[0].text if block.lines else ""):
                yield from _received(block.lines, 0)
        elif isinstance(block, Bullet):
            yield from _listed(block, loose=loose)


def _listed(bullet: Bullet, *, loose: bool) -> Iterator[_Entry | Clause]:
    passage = bullet.head.passage
    if _RECEIVES.match(passage.text):
        yield from _received(bullet.lines, bullet.column)
        for child in bullet.bullets:
            yield from _listed(child, loose=True)
        return
    if says_none(passage.text):
        yield _Entry(bullet.span, None)
        return
    parts = bullet.head
    several = _SEVERAL.match(passage.text)
    if several:
        yield from _several(bullet, passage, several.end())
    elif parts.name and IDENTIFIER.fullmatch(parts.name) and (loose or not parts.plain):
        yield _Entry(bullet.span, parts)
    else:
        yield clause_from(bullet)


def _several(bullet: Bullet, passage: Passage, end: int) -> Iterator[_Entry]:
    """`` - `draft` and `notes`: text `` names two inputs."""
    rest = re.compile(r"\s*(?::|—|–|--)\s*").match(passage.text, end)
    text_at = rest.end() if rest else end
    for match in re.finditer(r"`([^`]+)`", passage.text[:end]):
        name_span = passage.span(match.start(1), match.end(1))
        parts = Head(passage, match.group(1), name_span, "", -1, passage.text[text_at:], text_at)
        if IDENTIFIER.fullmatch(match.group(1)):
            yield _Entry(bullet.span, parts)


def _received(lines: Sequence[Line], column: int) -> Iterator[_Entry]:
    """The lines after `… receives:`."""
    whole = join(lines)
    match = _RECEIVES.match(whole.text)
    begin = match.end() if match else 0
    below = [line for line in lines if line.start > whole.at(max(begin - 1, 0))]
    starts = sorted(set(_entry_starts(whole, begin, below, column)))
    for start, end in pairwise([*starts, len(whole.text)]):
        passage = part(whole, start, start + len(whole.text[start:end].rstrip()))
        parts = head(passage)
        if parts.name and IDENTIFIER.fullmatch(parts.name):
            yield _Entry(passage.whole, parts)


def _entry_starts(whole: Passage, begin: int, below: list[Line], column: int) -> Iterator[int]:
    base = below[0].indent if below else 0
    places = dict(zip(whole.offsets, whole.starts, strict=True))
    kept = base > column  # the indentation of the entries is still there
    if not kept:
        for match in _TYPED.finditer(whole.text, begin):
            yield match.start()
    for line in below:
        named = _NAMED_COLON.match(line.text)
        if kept:
            if line.indent <= base and _NAMED.match(line.text):
                yield places[line.start]
        elif named and type_at(line.text, named.end()):
            yield places[line.start]


def _inputs(reports: Reports, entry: _Entry) -> Iterator[Input]:
    parts = entry.head
    if parts is None or parts.name is None or parts.name_span is None:
        return
    given = declaration(reports, parts)
    value, has_default, declared = default_value(reports, parts.name, given)
    typed = given.type is not None or declared.kind in ("number", "boolean")  # the type that a default shows
    one = _OR_ONE.search(given.text) if declared.kind == "list" else None
    if one:  # "string[] -- one a delegate, or a single string for all"
        declared = Type("union", members=(declared, parse_type(one.group(1)) or ANY))
    required = given.required or not (given.optional or given.default is not None)
    yield Input(
        entry.span,
        parts.name,
        parts.name_span,
        declared if typed else ANY,
        typed,
        required,
        value,
        has_default,
        given.text,
    )
