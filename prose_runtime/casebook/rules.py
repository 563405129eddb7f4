"""The rules in which a sentence about one value is decided. In: the value and the text. Out: whether it holds.

`RULES` is the whole list; each form is shown with a row on `docs/writing-cases.md`. What fits none of them is None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from prose_runtime.casebook.facts import Absent, Undecidable
from prose_runtime.casebook.phrases import (
    NUMBER,
    ORDERS,
    QUANTITY,
    QUOTED,
    SEVERAL,
    literal,
    number,
    operands,
    unquoted,
)
from prose_runtime.runtime.contracts import mismatch
from prose_runtime.runtime.values import ListValue, Unordered, Value, compare, equal, kind_of, render_text
from prose_runtime.runtime.verdicts import document_in, plain_words
from prose_runtime.syntax.document import Type
from prose_runtime.syntax.types import parse_type

Names: TypeAlias = Mapping[str, Value]
Rule: TypeAlias = "Callable[[Value, re.Match[str], Names], bool | None]"

_ORDER: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
}


def apply_rules(value: Value | Absent, text: str, names: Names) -> bool | None:
    """Whether a sentence holds of a value, or None where it reads as no rule. Raises `Undecidable`.

    Of what is absent nothing holds but that it is.
    """
    for expression, rule in RULES:
        match = expression.fullmatch(text)
        if match is None:
            continue
        if isinstance(value, Absent):
            return expression is _MISSING
        found = rule(value, match, names)
        if found is not None:
            return found
    return None


def about_being(text: str) -> bool:
    """Whether a sentence says no more than that something is there, or is not."""
    return any(expression.fullmatch(text) for expression, rule in RULES if rule in (_given, _missing))


def meant(text: str, names: Names) -> Value:
    """What an operand stands for: in backticks a known name is its value, all else is what is written."""
    return names[unquoted(text)] if text[0] == "`" and unquoted(text) in names else unquoted(text)


# ---- searching ----


def _contains(value: Value, match: re.Match[str], names: Names) -> bool:
    every, one_is_enough = operands(match["what"])
    exact = "exact" in (match["how"] or "").lower()
    found = (_has(value, unquoted(item) if exact else meant(item, names), exact) for item in every)
    return any(found) if one_is_enough else all(found)


def _has(value: Value, needle: Value, exact: bool) -> bool:
    """A text holds a phrase, without regard to case unless it is exact; lists and objects are searched as JSON too."""
    if isinstance(value, ListValue) and any(equal(item, needle) for item in value):
        return True
    text, phrase = render_text(value), render_text(needle)
    return phrase in text if exact else phrase.casefold() in text.casefold()


def _edge(value: Value, match: re.Match[str], names: Names) -> bool:
    every, _ = operands(match["what"])
    exact = "exact" in (match["how"] or "").lower()
    where = str.endswith if match["edge"].lower().startswith("end") else str.startswith
    text = render_text(value).strip()
    fold = str if exact else str.casefold
    return any(where(fold(text), fold(render_text(meant(item, names)).strip())) for item in every)


def _matches(value: Value, match: re.Match[str], names: Names) -> bool:
    written = match["regex"]
    try:
        return re.search(unquoted(written) if written[0] in '`"“' else written, render_text(value)) is not None
    except re.error as error:
        raise Undecidable(f"{written} is no regular expression: {error}") from None


# ---- equality and kinds ----


def _equals(value: Value, match: re.Match[str], names: Names) -> bool:
    """Equal as it is written, or as the JSON that it reads as; an object is also what its verdict says."""
    every, _ = operands(match["what"])
    return any(_same(value, item, names) for item in every)


def _same(value: Value, written: str, names: Names) -> bool:
    right = meant(written, names)
    if equal(value, right) or (not isinstance(value, str) and equal(value, literal(written))):
        return True
    if isinstance(value, dict) and isinstance(right, str):
        return any(
            plain_words(key) in ("verdict", "decision", "action", "status") and equal(item, right)
            for key, item in value.items()
        )
    return False


_KINDS = {
    "text": "string", "string": "string", "number": "number", "integer": "integer", "whole number": "integer",
    "boolean": "boolean", "true or false": "boolean", "list": "any[]", "array": "any[]", "object": "object",
    "mapping": "object", "list of texts": "string[]", "list of strings": "string[]", "list of numbers": "number[]",
    "list of integers": "integer[]", "list of objects": "object[]", "null": "null",
}  # fmt: skip
"""Kinds of values in words, and as types."""


def _is_kind(value: Value, match: re.Match[str], names: Names) -> bool:
    return _fits(value, _KINDS[" ".join(match["kind"].lower().split())])


def _of_type(value: Value, match: re.Match[str], names: Names) -> bool:
    return _fits(value, unquoted(match["type"]))


def _fits(value: Value, written: str) -> bool:
    kind: Type | None = parse_type(written)
    if kind is None:
        raise Undecidable(f"`{written}` is no type")
    return mismatch(value, kind) is None


def _is_json(value: Value, match: re.Match[str], names: Names) -> bool:
    if not isinstance(value, str):
        return True
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True


def _given(value: Value, match: re.Match[str], names: Names) -> bool:
    return value is not None


def _missing(value: Value, match: re.Match[str], names: Names) -> bool:
    return value is None


def _has_field(value: Value, match: re.Match[str], names: Names) -> bool | None:
    """`has status `pass``: the field of an object, or of a text that is JSON; of other texts only reading can tell."""
    found = document_in(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        return None if isinstance(value, str) else False
    wanted = plain_words(unquoted(match["key"]) if match["key"][0] == "`" else match["key"])
    fields = [item for key, item in found.items() if plain_words(key) == wanted]
    return bool(fields) and (match["what"] is None or _same(fields[0], match["what"], names))


# ---- measures ----


def _measure(value: Value, match: re.Match[str], names: Names) -> bool:
    unit = match["unit"].lower()
    count = _counted(value, unit)
    parts = match.groupdict()
    if parts.get("low"):
        return _number(parts["low"], names) <= count <= _number(parts["high"], names)
    if parts.get("no"):
        return count == 0
    order = ORDERS.get(" ".join((parts.get("order") or "").lower().split()), "==")
    if parts.get("more"):
        order = ">=" if parts["more"].lower().split()[-1] in ("more", "longer") else "<="
    elif not parts.get("order") and match["verb"].lower().split()[0] in ("contains", "includes"):
        order = ">="
    return _ORDER[order](compare(count, _number(match["number"], names)))


def _number(written: str, names: Names) -> int | float:
    value = meant(written, names) if written[0] == "`" else number(written)
    value = number(value) if isinstance(value, str) else value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Undecidable(f"{written} is no number")
    return value


_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_SENTENCE = re.compile(r"[.!?…]+(?=[\s\"')\]]|$)")
_OF_A_TEXT: tuple[tuple[str, Callable[[str], int]], ...] = (
    ("word", lambda text: len(text.split())),
    ("line", lambda text: len(text.splitlines())),
    ("character", len),
    ("char", len),
    ("letter", len),
    ("bullet", lambda text: len(_BULLET.findall(text))),
    ("heading", lambda text: len(_HEADING.findall(text))),
    ("section", lambda text: len(_HEADING.findall(text))),
    ("paragraph", lambda text: len([part for part in re.split(r"\n[ \t]*\n", text) if part.strip()])),
    ("sentence", lambda text: len(_SENTENCE.findall(text.strip()))),
)
_OF_A_LIST = ("item", "entr", "element", "bullet")
_OF_AN_OBJECT = ("key", "field", "item", "entr")


def _counted(value: Value, unit: str) -> int:
    if isinstance(value, str):
        inside = document_in(value)
        count = next((count for name, count in _OF_A_TEXT if unit.startswith(name)), None)
        if count is not None:
            return count(value)
        value = inside if inside is not None else value
    if isinstance(value, ListValue) and unit.startswith(_OF_A_LIST):
        return len(value)
    if isinstance(value, dict) and unit.startswith(_OF_AN_OBJECT):
        return len(value)
    raise Undecidable(f"{kind_of(value)} has no {unit} to count")


def _compares(value: Value, match: re.Match[str], names: Names) -> bool:
    order = ORDERS[" ".join(match["order"].lower().split())]
    return _ordered(value, order, _number(match["number"], names))


def _between(value: Value, match: re.Match[str], names: Names) -> bool:
    if match["kind"] and not _fits(value, _KINDS[match["kind"].lower()]):
        return False
    low, high = _number(match["low"], names), _number(match["high"], names)
    return _ordered(value, ">=", low) and _ordered(value, "<=", high)


def _ordered(value: Value, order: str, other: int | float) -> bool:
    if value is None:
        return False
    try:
        return _ORDER[order](compare(value, other))
    except Unordered:
        raise Undecidable(f"{kind_of(value)} cannot be compared with {other}") from None


def _length(value: Value, match: re.Match[str], names: Names) -> bool:
    if not isinstance(value, (str, ListValue, dict)):
        raise Undecidable(f"{kind_of(value)} has no length")
    order = match["order"].replace("≥", ">=").replace("≤", "<=")
    return _ORDER["==" if order == "=" else order](compare(len(value), _number(match["number"], names)))


def _rule(expression: str, rule: Rule) -> tuple[re.Pattern[str], Rule]:
    return re.compile(expression, re.IGNORECASE | re.DOTALL), rule


_A = r"(?:(?:a|an|the|any)\s+)?"
_HOW = r"(?P<how>(?:the\s+)?(?:exact\s+)?(?:phrase|text|words?|string|value|item)\s+)?"
_UNIT = (
    r"(?P<unit>items?|entry|entries|elements?|words?|lines?|characters?|chars?|letters?|bullets?(?:\s+points?)?"
    r"|bulleted\s+items?|sentences?|paragraphs?|headings?|sections?|keys?|fields?)(?:\s+(?:long|in length))?"
)
_VERB = r"(?P<verb>contains|includes|has|have|is|are|lists|holds)\s+"
_ENDS = rf"(?P<low>{NUMBER})\s*(?:and|to|-|–|,)\s*(?P<high>{NUMBER})"
_MISSING, _ = _rule(r"(?:is|are) (?:missing|absent|not given|not set|not present|null|none)", _missing)
RULES: tuple[tuple[re.Pattern[str], Rule], ...] = (
    _rule(rf"(?:contains|includes|mentions|names|lists|holds)\s+{_A}{_HOW}(?P<what>{_A}{SEVERAL})", _contains),
    _rule(rf"(?P<edge>starts|begins|ends)\s+with\s+{_HOW}(?P<what>{SEVERAL})", _edge),
    _rule(rf"matches\s+(?:the\s+)?(?:(?:regex|regular expression|pattern)\s+)?(?P<regex>{QUOTED}|\^.*)", _matches),
    _rule(rf"(?:matches|has|is of|fits)\s+(?:the\s+)?type\s+(?P<type>{QUOTED})", _of_type),
    _rule(r"(?:is|are)\s+valid\s+json", _is_json),
    _rule(r"exists|is (?:present|given|set|defined|returned|produced|there)", _given),
    (_MISSING, _missing),
    _rule(rf"(?:is|are)\s+(?:an?\s+)?(?P<kind>{'|'.join(sorted(_KINDS, key=len, reverse=True))})", _is_kind),
    _rule(
        r"(?:equals|(?:is|are)(?:\s+(?:exactly|equal to|the same as|one of|either|any of))?)[:\s]\s*"
        rf"(?P<what>{SEVERAL})",
        _equals,
    ),
    _rule(rf"(?:{_VERB})between\s+{_ENDS}\s+{_UNIT}", _measure),
    _rule(rf"(?:{_VERB})(?P<no>no)\s+{_UNIT}", _measure),
    _rule(rf"(?:{_VERB})(?P<number>{NUMBER})\s+(?P<more>or (?:more|fewer|less))\s+{_UNIT}", _measure),
    _rule(rf"(?:{_VERB})(?:(?P<order>{QUANTITY})\s+)?(?P<number>{NUMBER})\s+{_UNIT}", _measure),
    _rule(rf"(?:is|are)\s+(?:an?\s+)?(?:(?P<kind>integer|number)\s+)?between\s+{_ENDS}", _between),
    _rule(rf"(?:is|are)\s+(?P<order>{QUANTITY})\s+(?P<number>{NUMBER})", _compares),
    _rule(rf"(?:length|count|size)\s*(?P<order>==|=|!=|<=|>=|<|>|≥|≤)\s*(?P<number>{NUMBER})", _length),
    _rule(rf"has\s+{_A}(?:(?:key|field)\s+)?(?P<key>`[^`]+`|[\w-]+)(?:\s+(?P<what>{QUOTED}))?", _has_field),
)
"""The forms of rules, the first that fits decides."""
