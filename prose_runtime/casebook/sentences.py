"""Sentences about what came out: the bullets of `### Expects` and `### Expects Not`.

In: a bullet and the facts of the run. Out: a `Ruling`. A sentence that reads as a rule is decided by it, any other by a
judge if there is one; what nobody decided is said to be so, never taken as true.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from prose_runtime.casebook.call_rules import decide_about_run
from prose_runtime.casebook.case import Sentence
from prose_runtime.casebook.facts import ABSENT, Absent, Facts, Undecidable, ValueFrame
from prose_runtime.casebook.matching import shown
from prose_runtime.casebook.phrases import as_phrase, positive
from prose_runtime.casebook.problem import Problem
from prose_runtime.casebook.rules import about_being, apply_rules
from prose_runtime.resolve.conditions import PlainNames, classify
from prose_runtime.runtime.conditions import Decision, JudgeAnswer, JudgeQuestion, begin
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import Value, to_json
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.nodes import Condition

Judge = Callable[[JudgeQuestion], Awaitable[JudgeAnswer]]

_QUOTED = re.compile(r"`([^`]*)`")
_SUBJECT = re.compile(
    r"(?:the\s+)?(?:`(?P<ticked>[^`]+)`|(?P<bare>[^\W\d][\w.-]*(?:\[[\d*]+\])?))\s+(?P<rest>\S.*)", re.DOTALL
)
_JOINT = re.compile(r"`[^`]*`|\"[^\"]*\"|(?P<joint>,? and |,? but |; )", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What became of a sentence: `how` it was decided, and a `problem` where it does not hold or was not decided."""

    how: Literal["rule", "judge", "nobody"]
    problem: Problem | None = None


async def rule_on(sentence: Sentence, facts: Facts, judge: Judge | None) -> Ruling:
    """Decide a sentence, by a rule or else by the judge."""
    told = f"{'Expects Not' if sentence.negated else 'Expects'}, line {sentence.line}"
    words = f"`{sentence.name}`: {sentence.text}" if sentence.name else sentence.text
    try:
        holds = decide_sentence(facts, sentence.name, sentence.text)
        if holds is None:
            return await _judged(sentence, facts, judge, told, words)
    except Undecidable as error:
        return Ruling("rule", Problem(f"{told}: {error}: {sentence.text}", line=sentence.line))
    if holds is not sentence.negated:
        return Ruling("rule")
    return Ruling("rule", _disagreement(sentence, facts, told, words, holds))


def _disagreement(sentence: Sentence, facts: Facts, told: str, words: str, holds: bool) -> Problem:
    does = "does hold" if holds else "does not hold"
    seen = _seen(sentence, facts)
    return Problem(f"{told}: this {does}: {words}" + (f" ({seen})" if seen else ""), line=sentence.line)


def _seen(sentence: Sentence, facts: Facts) -> str:
    name = sentence.name
    if name is None or not facts.knows(name):
        names = ", ".join(call.service for call in facts.calls) or "none"
        return f"the run {facts.status}, calls: {names}" if facts.error is None else f"the error {facts.error!r}"
    found = facts.about(name)
    if isinstance(found, Absent):
        return f"there is no `{name}`"
    return f"found {shown(to_json(found[0]) if len(found) == 1 else [to_json(item) for item in found])}"


# ---- by a judge ----


async def _judged(sentence: Sentence, facts: Facts, judge: Judge | None, told: str, words: str) -> Ruling:
    name = sentence.name
    if name is not None and facts.knows(name) and isinstance(facts.about(name), Absent):
        return Ruling("rule", None if sentence.negated else _disagreement(sentence, facts, told, words, False))
    if judge is None:
        return Ruling("nobody", Problem(f"{told}: not checked, only a judge could: {words}", line=sentence.line))
    values = _values_for(sentence, facts)
    try:
        answer = await judge(JudgeQuestion(words, values, Span(0, 0)))
    except JudgeFailed as error:
        return Ruling("judge", Problem(f"{told}: the judge does not say: {error}: {words}", line=sentence.line))
    if answer.holds is not sentence.negated:
        return Ruling("judge")
    does = "does hold" if answer.holds else "does not hold"
    why = f" ({answer.reason})" if answer.reason else ""
    return Ruling("judge", Problem(f"{told}: the judge says that this {does}: {words}{why}", line=sentence.line))


class JudgeFailed(RuntimeError):
    """The judge gave no answer, or none that can be read."""


def _values_for(sentence: Sentence, facts: Facts) -> dict[str, Value]:
    """What the judge sees: the value that the sentence is about, and those that it names."""
    named = [sentence.name or "result", *_QUOTED.findall(sentence.text)]
    found: dict[str, Value] = {}
    for name in named:
        values = facts.about(name) if facts.knows(name) else ABSENT
        if not isinstance(values, Absent):
            found[name] = values[0] if len(values) == 1 else None
    return found or dict(facts.values)


# ---- by a rule ----


def decide_sentence(facts: Facts, subject: str | None, text: str) -> bool | None:
    """Whether a sentence holds, None where it reads as no rule. Raises `Undecidable`."""
    text = as_phrase(" ".join(text.split()).rstrip("."))
    whole = _decide_one(facts, subject, text)
    if whole is not None:
        return whole
    for left, right in _parted(text):
        first = _decide_one(facts, subject, as_phrase(left))
        if first is None:
            continue
        second = decide_sentence(facts, subject, right)
        if first is False or second is False:
            return False
        return True if second else None
    return None


def _parted(text: str) -> Iterator[tuple[str, str]]:
    for match in _JOINT.finditer(text):
        if match["joint"]:
            yield text[: match.start()], text[match.end() :]


def _decide_one(facts: Facts, subject: str | None, text: str) -> bool | None:
    own = _SUBJECT.fullmatch(text)
    if own is not None:
        name = own["ticked"] or own["bare"]
        if (subject is None and own["ticked"]) or facts.knows(name) or (own["ticked"] and name in facts.services):
            inner = _decide_one(facts, name, own["rest"])
            if inner is not None or subject is None:
                return inner
    holds = decide_about_run(facts, subject, text)
    if holds is not None:
        return holds
    told, negated = positive(text)
    holds = decide_about_run(facts, subject, told)
    if holds is not None:
        return holds is not negated
    return None if subject is None else _about_values(facts, subject, text, told, negated)


def _about_values(facts: Facts, subject: str, text: str, told: str, negated: bool) -> bool | None:
    """Rules over the values of a subject, all of which must follow; then what a condition of a script could say."""
    if subject in facts.services and not facts.knows(subject):
        return None
    found = facts.about(subject)
    if isinstance(found, Absent):
        holds = apply_rules(ABSENT, told, facts.values)
        if holds is None:
            return False if _condition(facts, {subject: None}, subject, text) is not None else None
        return holds is not negated if about_being(told) else False
    rulings = [_about_one(facts, value, subject, text, told, negated) for value in found]
    if any(ruling is False for ruling in rulings):
        return False
    return None if None in rulings else True


def _about_one(facts: Facts, value: Value, subject: str, text: str, told: str, negated: bool) -> bool | None:
    holds = apply_rules(value, told, facts.values)
    if holds is not None:
        return holds is not negated
    return _condition(facts, {**facts.values, subject: value}, subject, text)


def _condition(facts: Facts, values: dict[str, Value], subject: str, text: str) -> bool | None:
    """What reads as a condition of a script: `score: is below `threshold``."""
    if not re.fullmatch(r"[\w-]+", subject):
        values = {**values, "it": values[subject]}
        subject = "it"
    text = _QUOTED.sub(lambda match: match[1] if match[1] in values else f'"{match[1]}"', text)
    whole = f"{subject} {text}"
    source = SourceText("", whole)
    condition = Condition(Span(0, len(whole)), whole, tuple(range(len(whole))))
    plan, problems = classify(condition, PlainNames(values.keys(), source))
    if plan.judge == "always" or problems:
        return None
    try:
        decision = begin(plan, ValueFrame(source, values))
    except Fault as fault:
        raise Undecidable(f"`{whole}` cannot be decided: {fault.code}") from None
    if not isinstance(decision, Decision):
        return None
    # of a text that does not say a word, only reading can tell whether it "is friendly"
    told = decision.holds and not positive(text)[1]
    says = decision.how == "formal" or told or isinstance(values[subject], dict)
    return decision.holds if says else None
