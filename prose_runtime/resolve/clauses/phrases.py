"""The small words of rules: negation, quoted operands, numbers. In: texts of sentences. Out: their parts."""

from __future__ import annotations

import re

from prose_runtime.resolve.clauses.tree import Number, Operand
from prose_runtime.resolve.conditions.words import NUMBERS, QUANTITIES
from prose_runtime.source.pattern import pattern

QUOTED = r"`[^`]+`|\"[^\"]*\"|“[^”]*”"
SEVERAL = (
    r"(?:(?:either |any of |one of |all of |both |each of )?(?:the )?)"
    rf"(?:{QUOTED})(?:(?:,? (?:and|or) |,\s*)(?:{QUOTED}))*"
)
NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?|" + "|".join(NUMBERS) + r"|thirteen|fourteen|fifteen|twenty|`[^`]+`"
QUANTITY = "|".join(sorted((" ".join(words) for words, _ in QUANTITIES), key=len, reverse=True))
ORDERS = {" ".join(words): order for words, order in QUANTITIES}
_MORE_NUMBERS = {"thirteen": 13, "fourteen": 14, "fifteen": 15, "twenty": 20}
_ONE = pattern(QUOTED)
_NOT = pattern(
    r"(?:does not|doesn't|do not|don't|did not|must not|should not|shall not|may not|can not|cannot|will not|never)"
    r"\s+(\w+)\b",
    re.IGNORECASE,
)
_MUST = pattern(r"(?:must|should|shall|will|does)\s+(?!not\b)(\w+)\b", re.IGNORECASE)
_IS_NOT = pattern(r"(?:is not|isn't|are not|aren't|was not|is never)\b", re.IGNORECASE)
_THIRD = {"be": "is", "have": "has", "match": "matches", "do": "does"}
_PREDICATE = pattern(r"(?:[a-z]+(?:_[a-z]+)*)\((.*)\)", re.DOTALL)


def positive(text: str) -> tuple[str, bool]:
    """The sentence without its negation, and whether it was negated: `does not contain x` is `contains x`, negated."""
    negated = _NOT.match(text)
    if negated is not None:
        return f"{_third(negated[1])}{text[negated.end() :]}", True
    must = _MUST.match(text)
    if must is not None:
        return f"{_third(must[1])}{text[must.end() :]}", False
    is_not = _IS_NOT.match(text)
    if is_not is not None:
        return f"is{text[is_not.end() :]}", True
    return text, False


def _third(verb: str) -> str:
    """`contain` as `contains`; a verb that already stands so, after `never`, stays."""
    low = verb.lower()
    return _THIRD.get(low, low if low.endswith("s") else f"{low}s")


def as_phrase(text: str) -> str:
    """`ends_with("x")` as `ends with "x"`: predicates are sentences with their blanks in other places."""
    call = _PREDICATE.fullmatch(text)
    if call is None:
        return text
    name = text[: call.start(1) - 1].replace("_", " ")
    return f"{name} {call[1].strip('[]')}".strip()


def operands(text: str) -> tuple[tuple[Operand, ...], bool]:
    """The quoted texts of a list, and whether one of them is enough (`or`, `any of`)."""
    found = tuple(operand(match[0]) for match in _ONE.finditer(text))
    between = _ONE.sub("", text).lower().split()
    return found, bool({"or", "any", "one", "either"} & set(between))


def operand(written: str) -> Operand:
    """One quoted text."""
    return Operand(unquoted(written), written[0] == "`")


def unquoted(text: str) -> str:
    """The text inside of quotes or backticks."""
    return text[1:-1]


def number(text: str) -> int | float | None:
    """A number in digits or words."""
    words = {**NUMBERS, **_MORE_NUMBERS}
    if text.lower() in words:
        return words[text.lower()]
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def as_number(written: str) -> Number:
    """A number of a rule, or the name of one in backticks."""
    if written[0] == "`":
        return Number(number(unquoted(written)), unquoted(written))
    return Number(number(written))


def joined_words(text: str) -> str:
    """Words in lower case with one blank between them."""
    return " ".join(text.lower().split())
