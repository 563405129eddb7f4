"""What can be said of one value. In: the text behind its name. Out: the predicates that it may be, best first.

`FORMS` is the whole list; each form is shown with a row on `docs/writing-cases.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, cast

from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.phrases import (
    NUMBER,
    ORDERS,
    QUANTITY,
    QUOTED,
    SEVERAL,
    as_number,
    joined_words,
    operand,
    operands,
    unquoted,
)
from prose_runtime.resolve.clauses.tree import Predicate, Undecidable
from prose_runtime.resolve.conditions.tree import Order
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.types import parse_type

Match: TypeAlias = "re.Match[str]"
Form: TypeAlias = "tuple[re.Pattern[str], Callable[[Match], Predicate]]"


def readings(text: str) -> Iterator[Predicate]:
    """The predicates that a text may be. Raises `Undecidable` for one that can hold of nothing."""
    for expression, read in FORMS:
        match = expression.fullmatch(text)
        if match is not None:
            yield read(match)


def order_of(words: str | None, without: Order = "==") -> Order:
    """The comparison that words such as `at most` mean; `without` where there are none."""
    return ORDERS.get(joined_words(words or ""), without)


# ---- searching, equality and kinds -----------------------------------------------------------------------


def _contains(match: Match) -> Predicate:
    every, one_is_enough = operands(match["what"])
    return tree.Searched(every, one_is_enough, _exact(match))


def _edge(match: Match) -> Predicate:
    every, _ = operands(match["what"])
    return tree.Edged("end" if match["edge"].lower().startswith("end") else "start", every, _exact(match))


def _exact(match: Match) -> bool:
    return "exact" in (match["how"] or "").lower()


def _matches(match: Match) -> Predicate:
    written = match["regex"]
    regex = unquoted(written) if written[0] in '`"“' else written
    try:
        re.compile(regex)
    except re.error as error:
        raise Undecidable(f"{written} is no regular expression: {error}") from None
    return tree.Matched(regex)


def _equals(match: Match) -> Predicate:
    return tree.Equal(operands(match["what"])[0])


KINDS = {
    "text": "string", "string": "string", "number": "number", "integer": "integer", "whole number": "integer",
    "boolean": "boolean", "true or false": "boolean", "list": "any[]", "array": "any[]", "object": "object",
    "mapping": "object", "list of texts": "string[]", "list of strings": "string[]", "list of numbers": "number[]",
    "list of integers": "integer[]", "list of objects": "object[]", "null": "null",
}  # fmt: skip
"""Kinds of values in words, and as types."""


def typed(written: str) -> Predicate:
    """A value of that type."""
    kind = parse_type(written)
    if kind is None:
        raise Undecidable(f"`{written}` is no type")
    return tree.Typed(kind)


def _is_kind(match: Match) -> Predicate:
    return typed(KINDS[joined_words(match["kind"])])


def _of_type(match: Match) -> Predicate:
    return typed(unquoted(match["type"]))


def _has_field(match: Match) -> Predicate:
    key = match["key"]
    return tree.HasField(unquoted(key) if key[0] == "`" else key, operand(match["what"]) if match["what"] else None)


# ---- measures --------------------------------------------------------------------------------------------


def _measure(match: Match) -> Predicate:
    parts = match.groupdict()
    unit = joined_words(match["unit"])
    if parts.get("low"):
        low, high = as_number(parts["low"]), as_number(parts["high"])
        return tree.All((tree.Measured(unit, ">=", low), tree.Measured(unit, "<=", high)))
    if parts.get("no"):
        return tree.Measured(unit, "==", tree.Number(0))
    order = order_of(parts.get("order"))
    if parts.get("more"):
        order = ">=" if parts["more"].lower().split()[-1] in ("more", "longer") else "<="
    elif not parts.get("order") and match["verb"].lower().split()[0] in ("contains", "includes"):
        order = ">="
    return tree.Measured(unit, order, as_number(parts["number"]))


def _compares(match: Match) -> Predicate:
    return tree.Ordered(order_of(match["order"]), as_number(match["number"]))


def _between(match: Match) -> Predicate:
    ends: tuple[Predicate, ...] = (
        tree.Ordered(">=", as_number(match["low"])),
        tree.Ordered("<=", as_number(match["high"])),
    )
    return tree.All((typed(KINDS[match["kind"].lower()]), *ends) if match["kind"] else ends)


def _length(match: Match) -> Predicate:
    sign = match["order"].replace("≥", ">=").replace("≤", "<=")
    return tree.Sized(cast(Order, "==" if sign == "=" else sign), as_number(match["number"]))


# ---- the list --------------------------------------------------------------------------------------------


def _form(expression: str, read: Callable[[Match], Predicate]) -> Form:
    return pattern(expression, re.IGNORECASE | re.DOTALL), read


A = r"(?:(?:a|an|the|any)\s+)?"
_HOW = r"(?P<how>(?:the\s+)?(?:exact\s+)?(?:phrase|text|words?|string|value|item)\s+)?"
UNIT = (
    r"(?P<unit>items?|entry|entries|elements?|words?|lines?|characters?|chars?|letters?|bullets?(?:\s+points?)?"
    r"|bulleted\s+items?|sentences?|paragraphs?|headings?|sections?|keys?|fields?)(?:\s+(?:long|in length))?"
)
_VERB = r"(?P<verb>contains|includes|has|have|is|are|lists|holds)\s+"
_ENDS = rf"(?P<low>{NUMBER})\s*(?:and|to|-|–|,)\s*(?P<high>{NUMBER})"
FORMS: tuple[Form, ...] = (
    _form(rf"(?:contains|includes|mentions|names|lists|holds)\s+{A}{_HOW}(?P<what>{A}{SEVERAL})", _contains),
    _form(rf"(?P<edge>starts|begins|ends)\s+with\s+{_HOW}(?P<what>{SEVERAL})", _edge),
    _form(rf"matches\s+(?:the\s+)?(?:(?:regex|regular expression|pattern)\s+)?(?P<regex>{QUOTED}|\^.*)", _matches),
    _form(rf"(?:matches|has|is of|fits)\s+(?:the\s+)?type\s+(?P<type>{QUOTED})", _of_type),
    _form(r"(?:is|are)\s+valid\s+json", lambda match: tree.ValidJson()),
    _form(r"exists|is (?:present|given|set|defined|returned|produced|there)", lambda match: tree.Given()),
    _form(r"(?:is|are) (?:missing|absent|not given|not set|not present|null|none)", lambda match: tree.Missing()),
    _form(rf"(?:is|are)\s+(?:an?\s+)?(?P<kind>{'|'.join(sorted(KINDS, key=len, reverse=True))})", _is_kind),
    _form(
        r"(?:equals|(?:is|are)(?:\s+(?:exactly|equal to|the same as|one of|either|any of))?)[:\s]\s*"
        rf"(?P<what>{SEVERAL})",
        _equals,
    ),
    _form(rf"(?:{_VERB})between\s+{_ENDS}\s+{UNIT}", _measure),
    _form(rf"(?:{_VERB})(?P<no>no)\s+{UNIT}", _measure),
    _form(rf"(?:{_VERB})(?P<number>{NUMBER})\s+(?P<more>or (?:more|fewer|less))\s+{UNIT}", _measure),
    _form(rf"(?:{_VERB})(?:(?P<order>{QUANTITY})\s+)?(?P<number>{NUMBER})\s+{UNIT}", _measure),
    _form(rf"(?:is|are)\s+(?:an?\s+)?(?:(?P<kind>integer|number)\s+)?between\s+{_ENDS}", _between),
    _form(rf"(?:is|are)\s+(?P<order>{QUANTITY})\s+(?P<number>{NUMBER})", _compares),
    _form(rf"(?:length|count|size)\s*(?P<order>==|=|!=|<=|>=|<|>|≥|≤)\s*(?P<number>{NUMBER})", _length),
    _form(rf"has\s+{A}(?:(?:key|field)\s+)?(?P<key>`[^`]+`|[\w-]+)(?:\s+(?P<what>{QUOTED}))?", _has_field),
)
"""The forms, the first that tells decides."""
