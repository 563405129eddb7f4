"""`### Slots`, `### Config` and `### Errors`.

In: the sections as blocks. Out: `Slot`, `Config` and `DeclaredError` nodes; lines that name nothing are reported.
"""

from __future__ import annotations

from collections.abc import Iterable

from prose_runtime.source.node import changed
from prose_runtime.syntax.blocks import Bullet
from prose_runtime.syntax.declarations import Declaration, Default, declaration, default_value
from prose_runtime.syntax.document import Clause, Config, DeclaredError, Input, Slot, Type
from prose_runtime.syntax.heads import Head, says_none
from prose_runtime.syntax.literals import NotLiteral, literal_at
from prose_runtime.syntax.reports import Reports
from prose_runtime.syntax.sections import RawSection, bullets

_GIVEN = ("requires", "receives", "parameters")
_GIVES = ("ensures", "maintains", "returns")
_LITERAL_START = frozenset("-0123456789\"'[{`")


def read_slots(reports: Reports, sections: Iterable[RawSection]) -> tuple[Slot, ...]:
    """The slots in the order of the file, each name once."""
    slots: dict[str, Slot] = {}
    last = ""
    for bullet in bullets(sections):
        parts = bullet.head
        if says_none(parts.whole):
            continue
        if parts.name in _GIVEN + _GIVES and last:
            slots[last] = _with_clauses(slots[last], (bullet,))  # the Markdown lost its indentation
            continue
        slot = _slot(reports, bullet, parts)
        if slot is None:
            continue
        if slot.name in slots:
            reports.twice("slot", slot.name, slot.name_span, slots[slot.name].name_span)
            continue
        slots[slot.name] = slot
        last = slot.name
    return tuple(slots.values())


def _slot(reports: Reports, bullet: Bullet, parts: Head) -> Slot | None:
    if parts.name is None or parts.name_span is None or " " in parts.name:
        example = "- `critic`: what it does"
        reports.add("unnamed-item", bullet.span, section="Slots", found=_short(parts.whole), example=example)
        return None
    given = declaration(reports, parts, slot=True)
    many = parts.name.endswith("[]") or bool(given.words & {"many", "several", "list"})
    many = many or (given.type is not None and given.type.kind == "list")
    slot = Slot(
        bullet.span,
        parts.name.removesuffix("[]"),
        parts.name_span,
        parts.text,
        many=many,
        optional=given.optional,
        primary="primary" in given.words,
    )
    return _with_clauses(slot, bullet.bullets)


def _with_clauses(slot: Slot, children: Iterable[Bullet]) -> Slot:
    requires, ensures = list(slot.requires), list(slot.ensures)
    for child in children:
        parts = child.head
        key = (parts.name or "").lower()
        target = requires if key in _GIVEN else ensures if key in _GIVES else None
        if target is None:
            continue
        if parts.text:
            target.append(Clause(parts.passage.span(parts.text_at, len(parts.whole)), parts.text))
        target += [Clause(nested.span, nested.head.passage.text) for nested in child.bullets]
    return changed(slot, requires=tuple(requires), ensures=tuple(ensures))


def read_config(reports: Reports, sections: Iterable[RawSection]) -> tuple[Config, ...]:
    """The config values in the order of the file, each name once."""
    config: dict[str, Config] = {}
    for bullet in bullets(sections):
        parts = bullet.head
        if says_none(parts.whole):
            continue
        if parts.name is None or parts.name_span is None or " " in parts.name:
            example = "- `max_rounds` (integer, default: 3): what it bounds"
            reports.add("unnamed-item", bullet.span, section="Config", found=_short(parts.whole), example=example)
            continue
        if parts.name in config:
            reports.twice("config value", parts.name, parts.name_span, config[parts.name].name_span)
            continue
        given = _value_alone(parts) or declaration(reports, parts)
        value, has_default, declared = default_value(reports, parts.name, given)
        config[parts.name] = Config(bullet.span, parts.name, parts.name_span, declared, value, has_default, given.text)
    return tuple(config.values())


def _value_alone(parts: Head) -> Declaration | None:
    """`` - `n`: 3 `` and `` - `n`: 3 — text ``: the value itself stands where a text would."""
    text = parts.text
    if parts.annotation or not text or not (text[0] in _LITERAL_START or text in ("true", "false", "null", "none")):
        return None
    ticked = text.startswith("`")
    try:
        _, end = literal_at(text, int(ticked))
    except NotLiteral:
        return None
    end += ticked
    rest = text[end:].strip()
    if ticked and text[end - 1 : end] != "`":
        return None
    if rest and not rest.startswith(("--", "—", "–", "- ", "(", "#")):
        return None
    span = parts.passage.span(parts.text_at, parts.text_at + end)
    return Declaration(None, Default(text[:end], span, True), False, False, rest.lstrip("-—–# ").strip(), frozenset())


def with_inputs(slots: tuple[Slot, ...], inputs: Iterable[Input]) -> tuple[Slot, ...]:
    """The slots with what their entries among the inputs say: `chain: string[]` makes a slot take several."""
    listed = {item.name: item for item in inputs}
    return tuple(_with_input(slot, listed.get(slot.name)) for slot in slots)


def _with_input(slot: Slot, listed: Input | None) -> Slot:
    if listed is None:
        return slot
    many = slot.many or listed.type.kind == "list"
    optional = slot.optional or not listed.required
    return changed(slot, many=many, optional=optional, text=slot.text or listed.text)


def with_types(config: tuple[Config, ...], inputs: Iterable[Input]) -> tuple[Config, ...]:
    """The config with what its entries among the inputs say: a `string` listed there as an `object` may be either."""
    listed = {item.name: item for item in inputs if item.declared_type}
    return tuple(_with_type(value, listed[value.name]) if value.name in listed else value for value in config)


def _with_type(value: Config, listed: Input) -> Config:
    kinds = {value.type.kind, listed.type.kind}
    if len(kinds) == 1 or kinds <= {"integer", "number"} or value.type.kind in ("any", "union"):
        return value
    return changed(value, type=Type("union", members=(value.type, listed.type)))


def read_errors(reports: Reports, sections: Iterable[RawSection]) -> tuple[DeclaredError, ...]:
    """The errors that a definition declares, each name once."""
    errors: dict[str, DeclaredError] = {}
    for bullet in bullets(sections):
        parts = bullet.head
        if parts.name is None or parts.name_span is None or says_none(parts.whole) or " " in parts.name:
            continue
        errors.setdefault(parts.name, DeclaredError(bullet.span, parts.name, parts.name_span, parts.text))
    return tuple(errors.values())


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
