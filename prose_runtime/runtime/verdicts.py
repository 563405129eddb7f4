"""Reading a verdict out of a value by its structure. In: a value and what is asked of it. Out: `Reading`.

A value that does not carry its verdict in a field, or is not itself the word, is unreadable: a verdict is never taken
from a word that merely occurs in prose ("I do not accept this").
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache

from prose_runtime.resolve.conditions.words import FAMILY, NEGATIVE_VERBS
from prose_runtime.runtime.values import ListValue, NotJson, Value, from_python, kind_of, show

LONGEST_WORDS = 3
"""How many words a text may have that is compared with a word; longer ones are prose."""

_POSITIVE = frozenset(form for form, verb in FAMILY.items() if verb not in NEGATIVE_VERBS) | frozenset(
    ["yes", "true", "ok", "okay", "success", "succeed", "succeeds", "succeeded", "go", "allow", "allowed", "lgtm"]
)
_NEGATIVE = frozenset(form for form, verb in FAMILY.items() if verb in NEGATIVE_VERBS) | frozenset(
    ["no", "false", "deny", "denied", "block", "blocked", "stop", "refuse", "refused", "decline", "declined", "revise"]
)
_YES_FIELDS = frozenset({"accepted", "approved", "passed", "proceed", "certified", "proceeded", "acceptable"}) | {
    "accept",
    "approve",
    "pass",
    "ok",
    "success",
}
_NO_FIELDS = frozenset(["rejected", "failed", "reject", "fail"])
_VERDICT_FIELDS = ("verdict", "decision", "status", "outcome", "action")
_DECISIVE = frozenset({"verdict", "decision"})
_NOT = re.compile(r"(?:do |does |did |is )?not |non ")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MARKUP = re.compile(r"[*_`#\"'“”‘’()\[\]]")
_FENCE = re.compile(r"\s*```\w*\n(.*?)\n\s*```\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reading:
    """`holds` is None when the value cannot be read; `seen` says what was looked at, for people."""

    holds: bool | None
    seen: str


def plain_words(text: str) -> str:
    """A text for comparison: small letters, hyphens and underscores as blanks, no markup, no closing marks."""
    return _plain_short(text) if len(text) <= 64 else _plain(text)


def _plain(text: str) -> str:
    spaced = _MARKUP.sub(" ", _HUMP.sub(" ", text.replace("_", " ").replace("-", " ")))
    return " ".join(spaced.casefold().split()).strip(" .,;:!?")


_plain_short = lru_cache(maxsize=2048)(_plain)


def document_in(text: str) -> Value:
    """The JSON object or list that a whole text is (perhaps in a fence), else None."""
    fence = _FENCE.fullmatch(text)
    inside = (fence[1] if fence else text).strip()
    if inside[:1] not in ("{", "["):
        return None
    try:
        return from_python(json.loads(inside))
    except (ValueError, NotJson, RecursionError):
        return None


def polarity(text: str) -> bool | None:
    """Whether a text *is* a word of approval or of refusal, perhaps with `not` before it."""
    words = plain_words(text)
    if words.count(" ") >= LONGEST_WORDS:
        return None
    negation = _NOT.match(words)
    if negation:
        words = words[negation.end() :]
    found = True if words in _POSITIVE else False if words in _NEGATIVE else None
    return not found if negation and found is not None else found


def as_yes_or_no(text: str) -> bool | None:
    """A text that is yes, true, no or false."""
    return {"yes": True, "true": True, "no": False, "false": False}.get(text.strip().casefold())


# ---- verdict verbs ---------------------------------------------------------------------------------------


def read_verdict(verb: str, value: Value) -> Reading:
    """Whether a value accepts, approves, certifies, passes, proceeds; or, for `reject` and `fail`, refuses.

    Null does neither.
    """
    wanted = verb not in NEGATIVE_VERBS
    if value is None:
        return Reading(False, "it is null")
    if isinstance(value, bool):
        return Reading(value is wanted, f"it is {show(value)}")
    if isinstance(value, str):
        document = document_in(value)
        if not isinstance(document, dict):
            found = polarity(value)
            return Reading(None if found is None else found is wanted, f"it says {show(value)}")
        value = document
    if not isinstance(value, dict):
        return Reading(None, f"it is {kind_of(value)}, {show(value)}")
    approving, seen = _approving(value)
    return Reading(None if approving is None else approving is wanted, seen)


def _approving(value: dict[str, Value]) -> tuple[bool | None, str]:
    """Whether the fields of an object approve; None if none can be read or they disagree."""
    found: dict[str, bool] = {}
    unreadable = False
    for key, item in value.items():
        name = plain_words(key)
        if item is None or not (name in _YES_FIELDS or name in _NO_FIELDS or name in _VERDICT_FIELDS):
            continue
        reading = item if isinstance(item, bool) else polarity(item) if isinstance(item, str) else None
        if reading is None:
            unreadable = unreadable or name not in ("status", "outcome", "action")
        else:
            found[key] = reading is not (name in _NO_FIELDS)
    seen = _fields_seen(value)
    if unreadable or len(set(found.values())) != 1:
        return None, seen
    return next(iter(found.values())), ", ".join(f"`{key}` is {show(value[key], 40)}" for key in found)


def _fields_seen(value: dict[str, Value]) -> str:
    told = [key for key in value if plain_words(key) in _YES_FIELDS | _NO_FIELDS | {*_VERDICT_FIELDS}]
    if told:
        return ", ".join(f"`{key}` is {show(value[key], 40)}" for key in told[:4])
    return f"it is {show(value)}, without a verdict field" if value else "it is an empty object"


# ---- is WORD, says WORD ----------------------------------------------------------------------------------


def read_word(word: str, value: Value, own: str = "") -> Reading:
    """Whether a value says a word. `own` is the name of the value, whose field of the same name counts as a verdict."""
    if value is None:
        return Reading(False, "it is null")
    if isinstance(value, bool):
        meant = polarity(word)
        return Reading(None if meant is None else value is meant, f"it is {show(value)}")
    if isinstance(value, str):
        document = document_in(value)
        if not isinstance(document, dict):
            return Reading(_says(word, value), f"it says {show(value)}")
        value = document
    if not isinstance(value, dict):
        return Reading(None, f"it is {kind_of(value)}, {show(value)}")
    return _word_in_fields(word, value, own)


def _says(word: str, text: str) -> bool | None:
    """Equality without case for a text of at most three words; of the words of verdict verbs, the same verdict."""
    said, meant = plain_words(text), plain_words(word)
    if said == meant or (said in FAMILY and FAMILY[said] == FAMILY.get(meant)):
        return True
    if meant in FAMILY:
        found = polarity(text)
        if found is not None:
            return found is (FAMILY[meant] not in NEGATIVE_VERBS)
    return None if said.count(" ") >= LONGEST_WORDS else False


def _word_in_fields(word: str, value: dict[str, Value], own: str) -> Reading:
    meant = plain_words(word)
    fields = {*_VERDICT_FIELDS, plain_words(own)}
    answers: dict[str, bool | None] = {}
    for key, item in value.items():
        name = plain_words(key)
        if name == meant and isinstance(item, bool):
            answers[key] = item
        elif name in fields and isinstance(item, str):
            answers[key] = _says(word, item)
        elif name in fields and isinstance(item, bool) and meant in FAMILY:
            answers[key] = item is (FAMILY[meant] not in NEGATIVE_VERBS)
    if not answers:
        return read_verdict(FAMILY[meant], value) if meant in FAMILY else Reading(None, _fields_seen(value))
    seen = ", ".join(f"`{key}` is {show(value[key], 40)}" for key in answers)
    return Reading(_agreed(answers, meant), seen)


def _agreed(answers: dict[str, bool | None], meant: str) -> bool | None:
    """One field that says the word is enough, unless another says the opposite of a verdict."""
    given = list(answers.values())
    if True in given:
        return None if meant in FAMILY and False in given else True
    decisive = [answer for key, answer in answers.items() if plain_words(key) in _DECISIVE]
    return None if None in (decisive or given) else False


def read_error_name(word: str, value: Value) -> Reading:
    """Whether an error has a name (or a field of that name which is true)."""
    if isinstance(value, dict):
        name = value.get("name")
        named = isinstance(name, str) and plain_words(name) == plain_words(word)
        return Reading(named or value.get(word) is True, f"its name is {show(name)}")
    return Reading(isinstance(value, str) and plain_words(value) == plain_words(word), f"it is {show(value)}")


# ---- has WORDS -------------------------------------------------------------------------------------------


def read_report(fields: tuple[tuple[str, ...], ...], every: bool, value: Value) -> Reading:
    """Whether the field spelt so says that there are any. `fields` holds the spellings of each alternative."""
    if value is None:
        return Reading(False, "it is null")
    found = document_in(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        return Reading(None, f"it is {kind_of(value)}, {show(value)}")
    spelt = {plain_words(key): key for key in found}
    answers: list[bool | None] = []
    seen: list[str] = []
    for spellings in fields:
        key = next((spelt[plain_words(name)] for name in spellings if plain_words(name) in spelt), None)
        if key is None:
            answers.append(None)
            seen.append(f"there is no `{spellings[0].replace(' ', '_')}` in {show(found, 40)}")
        else:
            answers.append(_some(found[key]))
            seen.append(f"`{key}` is {show(found[key], 40)}")
    ends = every is False  # one `true` ends `or`, one `false` ends `and`
    if ends in answers:
        return Reading(ends, ", ".join(seen))
    return Reading(None if None in answers else not ends, ", ".join(seen))


def _some(value: Value) -> bool | None:
    """Whether a field says that there is something: a boolean, a count, a list, or a text that is yes, no or none."""
    if value is None or isinstance(value, bool):
        return bool(value)
    if isinstance(value, (int, float)):
        return value > 0
    if isinstance(value, ListValue):
        return len(value) > 0
    if isinstance(value, str):
        words = plain_words(value)
        return False if words in ("", "none", "no", "false", "0") else True if words in ("yes", "true") else None
    return None
