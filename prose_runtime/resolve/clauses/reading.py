"""Sentences of test cases: whatever is said of a run. In: a sentence and the names. Out: its `Clause`.

The whole is tried first; then its parts: of `is under 500 words and easy to read` a rule decides one, and only reading
can tell the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.calls import read_about_run
from prose_runtime.resolve.clauses.forms import readings
from prose_runtime.resolve.clauses.names import Known
from prose_runtime.resolve.clauses.phrases import as_phrase, positive
from prose_runtime.resolve.clauses.tree import Clause, Predicate
from prose_runtime.resolve.conditions import PlainNames, classify
from prose_runtime.source import SourceText, Span
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.nodes import Condition

_QUOTED = pattern(r"`([^`]*)`")
_SUBJECT = pattern(
    r"(?:the\s+)?(?:`(?P<ticked>[^`]+)`|(?P<bare>[^\W\d][\w.-]*(?:\[[\d*]+\])?))\s+(?P<rest>\S.*)", re.DOTALL
)
_JOINT = pattern(r"`[^`]*`|\"[^\"]*\"|(?P<joint>,? and |,? but |; )", re.IGNORECASE)
_WORD = pattern(r"[\w-]+")


def read_sentence(text: str, known: Known, subject: str | None = None) -> Clause:
    """A sentence, of `subject` if one is given. Raises `Undecidable` for one that is a mistake of its author."""
    text = as_phrase(" ".join(text.split()).rstrip("."))
    whole = _read_one(text, known, subject)
    if whole is not None:
        return whole
    for left, right in _parted(text):
        first = _read_one(as_phrase(left), known, subject)
        if first is not None:
            return tree.Every((first, read_sentence(right, known, subject)))
    return tree.Unread(text)


def _parted(text: str) -> Iterator[tuple[str, str]]:
    for match in _JOINT.finditer(text):
        if match["joint"]:
            yield text[: match.start()], text[match.end() :]


def _read_one(text: str, known: Known, subject: str | None) -> Clause | None:
    own = _SUBJECT.fullmatch(text)
    if own is not None:
        name = own["ticked"] or own["bare"]
        if (subject is None and own["ticked"]) or known.knows(name) or (own["ticked"] and name in known.services):
            inner = _read_one(own["rest"], known, name)
            if inner is not None or subject is None:
                return inner
    whole = read_about_run(known.services, subject, text)
    if whole is not None:
        return whole
    told, negated = positive(text)
    whole = read_about_run(known.services, subject, told)
    if whole is not None:
        return tree.Not(whole) if negated else whole
    if subject is None or (subject in known.services and not known.knows(subject)):
        return None
    predicate = read_predicate(text, known, subject)
    return None if predicate is None else tree.About(subject, predicate)


def read_predicate(text: str, known: Known, subject: str) -> Predicate | None:
    """What is said of one value, by one of the forms or as a condition of a script could say it."""
    told, negated = positive(text)
    found = [tree.Reversed(part) if negated else part for part in readings(told)]
    condition = _condition(text, known, subject, negated)
    parts = (*found, *([condition] if condition is not None else []))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else tree.FirstOf(parts)


def _condition(text: str, known: Known, subject: str, negative: bool) -> Predicate | None:
    """What reads as a condition of a script: `score: is below `threshold``."""
    name = subject if _WORD.fullmatch(subject) else "it"
    names = {*known.values, name}
    text = _QUOTED.sub(lambda match: match[1] if match[1] in names else f'"{match[1]}"', text)
    whole = f"{name} {text}"
    source = SourceText("", whole)
    plan, problems = classify(as_condition(whole), PlainNames(names, source))
    if plan.judge == "always" or problems:
        return None
    return tree.Conditional(name, plan, source, negative)


def as_condition(text: str) -> Condition:
    """A text as the condition that stands in no file."""
    return Condition(Span(0, len(text)), text, tuple(range(len(text))))
