"""Outputs: `### Returns`, `### Ensures`, `### Maintains`, and for some patterns `### Invariants`.

In: the sections as blocks. Out: `Output` nodes, and the sentences that name no single output as `Clause`s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.blocks import Bullet, Heading, Paragraph
from prose_runtime.syntax.declarations import declared_type
from prose_runtime.syntax.document import Clause, Output
from prose_runtime.syntax.heads import IDENTIFIER, Head, marks, says_none
from prose_runtime.syntax.items import clause_from
from prose_runtime.syntax.reports import Reports
from prose_runtime.syntax.sections import RawSection, paragraph_text
from prose_runtime.syntax.types import ANY, type_at

_NULLABLE = pattern(
    r"\b(?:or|else|otherwise)\s+`?(?:null|none)`?(?![\w-])|`null`|\bnull\s+(?:when|if|after|unless|on)\b", re.IGNORECASE
)
_SOMETIMES = pattern(r"(?:^|[\s(,;])(?:when|if|unless)\s", re.IGNORECASE)
_ALWAYS = pattern(r"(?:,\s*or|\botherwise|\belse)\b", re.IGNORECASE)
_SENTENCE_END = pattern(r"[.;](?:\s|$)")
_LOOKS_BARE = pattern(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")


@node
class OutputList:
    """The outputs, and what else is said about them."""

    outputs: tuple[Output, ...]
    sentences: tuple[Clause, ...]


def read_outputs(reports: Reports, sections: Iterable[RawSection], *, parts: bool) -> OutputList:
    """The outputs in the order of the file. A second line about an output is a sentence about it."""
    outputs: dict[str, Output] = {}
    sentences: list[Clause] = []
    for section in sections:
        for found in _entries(reports, section, parts=parts):
            if isinstance(found, Output) and found.name not in outputs:
                outputs[found.name] = found
            elif isinstance(found, Output):
                sentences.append(Clause(found.span, f"`{found.name}`: {found.text}"))
            else:
                sentences.append(found)
    return OutputList(tuple(outputs.values()), tuple(sentences))


def read_invariants(
    reports: Reports, sections: Iterable[RawSection], *, with_outputs: bool
) -> tuple[tuple[Output, ...], tuple[Clause, ...]]:
    """The sentences of `### Invariants`; `with_outputs`: named bullets there are the outputs."""
    outputs: dict[str, Output] = {}
    clauses: list[Clause] = []
    for section in sections:
        for found in _entries(reports, section, parts=False, named=with_outputs):
            if isinstance(found, Output):
                if found.name in outputs:
                    reports.twice("output", found.name, found.name_span, outputs[found.name].name_span)
                outputs.setdefault(found.name, found)
            else:
                clauses.append(found)
    return tuple(outputs.values()), tuple(clauses)


def _entries(reports: Reports, section: RawSection, *, parts: bool, named: bool = True) -> Iterator[Output | Clause]:
    in_part = False
    for block in section.blocks:
        if isinstance(block, Heading):
            in_part = parts and block.level == 4
            if in_part and block.text:
                yield Output(block.span, block.text.strip("`"), block.text_span, ANY, False)
        elif isinstance(block, Bullet) and not in_part:
            yield from _bullet(reports, block, named=named)
        elif isinstance(block, Paragraph) and not in_part and block.lines:
            yield Clause(block.span, paragraph_text(block))


def _bullet(reports: Reports, bullet: Bullet, *, named: bool) -> Iterator[Output | Clause]:
    parts = bullet.head
    if says_none(parts.whole):
        return
    output = _output(reports, bullet, parts) if named else None
    yield output or clause_from(bullet)
    if output is not None:
        yield from (clause_from(child) for child in bullet.bullets)


def _output(reports: Reports, bullet: Bullet, parts: Head) -> Output | None:
    name, place = parts.name, parts.name_span
    if name is None or place is None or parts.plain or not IDENTIFIER.fullmatch(name):
        return None
    if parts.whole[0] not in "`*" and not _LOOKS_BARE.fullmatch(name):
        return None
    at = parts.annotation_at
    noted = list(marks(parts.annotation)) if at >= 0 else []
    words = [word for word, _ in noted]
    types = (declared_type(reports, parts, word, at + place) for word, place in noted if word.lower() != "optional")
    given = next((found for found in types if found is not None), None)
    text = parts.text
    if given is None:
        read = type_at(parts.whole, parts.text_at)
        given = read[0] if read else None
    members = given.members if given else ()
    nullable = bool(_NULLABLE.search(text)) or any(member.kind == "null" for member in members)
    return Output(
        bullet.span,
        name,
        place,
        given or ANY,
        given is not None,
        nullable,
        "optional" in (word.lower() for word in words) or _sometimes(text),
        text,
    )


def _sometimes(text: str) -> bool:
    """Whether the first sentence says that the output is given on some paths only."""
    end = _SENTENCE_END.search(text)
    first = text[: end.start()] if end else text
    if re.match(r"optional(?![\w-])", first, re.IGNORECASE) or re.search(r"\(optional\)", first, re.IGNORECASE):
        return True
    return bool(_SOMETIMES.search(first)) and not _ALWAYS.search(first)
