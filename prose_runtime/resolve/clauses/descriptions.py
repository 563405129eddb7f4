"""What a description says for certain: `a number between 0 and 1`, `at most 500 words`, `one of `go`, `wait``.

In: the text behind the name of an input or output. Out: a predicate, or None where it is prose. Of a text in several
pieces the first is the description; what follows is prose unless it is a form, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.forms import UNIT, order_of, readings
from prose_runtime.resolve.clauses.names import Known
from prose_runtime.resolve.clauses.phrases import NUMBER, QUANTITY, QUOTED, SEVERAL, as_number, joined_words, operands
from prose_runtime.resolve.clauses.splitting import CONDITIONAL, SPREAD, outside_quotes, parts_of, pieces_of
from prose_runtime.resolve.clauses.tree import Predicate
from prose_runtime.source.pattern import pattern

Match: TypeAlias = "re.Match[str]"

_OR_NULL = pattern(r"(.*?),?\s+or\s+`?null`?", re.DOTALL | re.IGNORECASE)
_NOUN = r"(?:(?:an?|the|one|its)\s+)?(?:[a-z][a-z-]*\s+){0,5}?"
_MEASURE = r"(?:number|integer|score|rating|value|percentage|probability|grade|confidence)"


def read_description(text: str, known: Known) -> Predicate | None:
    """What a description says for certain, if all of it is certain."""
    text = " ".join(text.split()).rstrip(".")
    nullable = _OR_NULL.fullmatch(text)
    if nullable is not None:
        found = read_description(nullable[1], known)
        return None if found is None else tree.OrNull(found)
    found_parts = [_read_piece(piece, known) for piece in pieces_of(text)]
    parts = [part for part in found_parts if part is not None]
    if not parts or len(parts) < len(found_parts):
        return None
    return parts[0] if len(parts) == 1 else tree.All(tuple(parts))


def _read_piece(piece: str, known: Known) -> Predicate | None:
    if SPREAD.search(outside_quotes(piece)):
        return None
    for expression, read in _FORMS:
        match = expression.fullmatch(piece)
        if match is not None:
            return read(match)
    if CONDITIONAL.search(outside_quotes(piece)):
        return None
    return read_predicate(piece, known) or _joined(piece, known)


def _joined(piece: str, known: Known) -> Predicate | None:
    for left, right in parts_of(piece):
        first, second = _read_piece(left, known), _read_piece(right, known)
        if first is not None and second is not None:
            return tree.All((first, second))
    return None


def read_predicate(text: str, known: Known) -> Predicate | None:
    """What a verb says of a value: `contains the exact phrase `x``. Words are no fields here: `has integrity`."""
    for found in readings(text):
        if isinstance(found, tree.HasField) and "`" not in text:
            continue
        return found if _names_known(found, known) else None
    return None


def _names_known(predicate: Predicate, known: Known) -> bool:
    """Whether each number in backticks is the name of one, or a number."""
    match predicate:
        case tree.All(parts=parts):
            return all(_names_known(part, known) for part in parts)
        case tree.Measured(number=number) | tree.Ordered(number=number) | tree.Sized(number=number):
            return number.value is not None or number.name in known.values
        case _:
            return True


def _between(match: Match) -> Predicate:
    low, high = as_number(match["low"]), as_number(match["high"])
    if match["unit"]:
        unit = joined_words(match["unit"])
        return tree.All((tree.Measured(unit, ">=", low), tree.Measured(unit, "<=", high)))
    return tree.All((tree.Ordered(">=", low), tree.Ordered("<=", high)))


def _measured(match: Match) -> Predicate:
    return tree.Measured(joined_words(match["unit"]), order_of(match["order"]), as_number(match["number"]))


def _ordered(match: Match) -> Predicate:
    return tree.Ordered(order_of(match["order"]), as_number(match["number"]))


def _exact(match: Match) -> Predicate:
    what, one_is_enough = operands(match["what"])
    return tree.Searched(what, one_is_enough, True)


def _one_of(match: Match) -> Predicate:
    return tree.Equal(operands(match["what"])[0])


def _object(match: Match) -> Predicate:
    return tree.All(tuple(tree.HasField(item.text) for item in operands(match["what"])[0]))


def _form(text: str, read: Callable[[Match], Predicate]) -> tuple[re.Pattern[str], Callable[[Match], Predicate]]:
    return pattern(text, re.IGNORECASE | re.DOTALL), read


_LOW_HIGH = rf"(?P<low>{NUMBER})\s*(?:and|to|-|–)\s*(?P<high>{NUMBER})"
_FORMS = (
    _form(rf"(?:{_NOUN}{_MEASURE}\s+)?(?:between|from)\s+{_LOW_HIGH}(?:,? inclusive)?(?P<unit>(?!))?", _between),
    _form(rf"(?:{_NOUN}(?:of|with|in)?\s*)?between\s+{_LOW_HIGH}\s+{UNIT}", _between),
    _form(
        rf"(?:{_NOUN}(?:,\s*|of\s+|with\s+|in\s+)?)?(?P<order>{QUANTITY})\s+(?P<number>{NUMBER})\s+{UNIT}", _measured
    ),
    _form(rf"{_NOUN}{_MEASURE}\s+(?:of\s+)?(?P<order>{QUANTITY})\s+(?P<number>{NUMBER})", _ordered),
    _form(
        rf"{_NOUN}(?:containing|that contains|which contains|with)\s+the\s+exact\s+(?:phrase|text|words?|string)s?\s+"
        rf"(?P<what>{SEVERAL})",
        _exact,
    ),
    _form(
        rf"(?:{_NOUN}:?\s*)?(?:one of|either)[:\s]\s*(?P<what>(?:{QUOTED})(?:,?\s*(?:or\s+)?(?:{QUOTED}))+)", _one_of
    ),
    _form(rf"(?P<what>(?:{QUOTED})(?:,?\s*(?:or\s+)(?:{QUOTED}))+)", _one_of),
    _form(
        r"(?:an?\s+)?object\s+(?:containing|with)\s+(?:the\s+)?(?:keys\s+|fields\s+)?"
        r"(?P<what>(?:`[^`]+`)(?:,?\s*(?:and\s+)?`[^`]+`)*)",
        _object,
    ),
)
"""The forms, the first that fits."""
