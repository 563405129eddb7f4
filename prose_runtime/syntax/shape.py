"""`### Shape`: what a definition does itself, whom it delegates to, and what is prohibited.

In: the section as blocks. Out: a `Shape`. Delegates are found also where the Markdown lost their indentation.
"""

from __future__ import annotations

from collections.abc import Iterable

from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.blocks import Bullet
from prose_runtime.syntax.document import Clause, Delegate, Shape
from prose_runtime.syntax.heads import Head, says_none
from prose_runtime.syntax.sections import RawSection, bullets

_TICKED = pattern(r"`([^`]+)`")


def read_shape(sections: Iterable[RawSection]) -> Shape | None:
    """The shape, or None where there is no such section."""
    sections = list(sections)
    if not sections:
        return None
    self_text = ""
    delegates: list[Delegate] = []
    prohibited: list[Clause] = []
    under = ""
    for bullet in bullets(sections):
        parts = bullet.head
        key = (parts.name or "").lower()
        if key == "self":
            self_text, under = parts.text, key
        elif key == "delegates" and under != "delegates":
            under = key
            delegates += _inline(parts)
            delegates += [found for child in bullet.bullets if (found := _delegate(child))]
        elif key == "prohibited":
            under = key
            prohibited += _prohibited(bullet, parts)
        elif under == "delegates" and (found := _delegate(bullet)):
            delegates.append(found)
        elif under == "prohibited":
            prohibited.append(Clause(bullet.span, parts.whole))
    heading = sections[0].heading.span
    span = heading.to(sections[-1].blocks[-1].span) if sections[-1].blocks else heading
    return Shape(span, self_text, tuple(delegates), tuple(prohibited))


def _delegate(bullet: Bullet) -> Delegate | None:
    parts = bullet.head
    if parts.name is None or parts.name_span is None or says_none(parts.whole):
        return None
    return Delegate(bullet.span, parts.name, parts.name_span, parts.text)


def _inline(parts: Head) -> list[Delegate]:
    """`` - `delegates`: `writer`, `critic` ``."""
    if says_none(parts.text):
        return []
    places = [
        (match.group(1), parts.passage.span(match.start(1), match.end(1)))
        for match in _TICKED.finditer(parts.whole, parts.text_at)
    ]
    return [Delegate(span, name, span) for name, span in places]


def _prohibited(bullet: Bullet, parts: Head) -> list[Clause]:
    found = []
    if parts.text and not says_none(parts.text):
        found.append(Clause(parts.passage.span(parts.text_at, len(parts.whole)), parts.text))
    return found + [Clause(child.span, child.head.passage.text) for child in bullet.bullets]
