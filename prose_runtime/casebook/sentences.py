"""Sentences about what came out: the bullets of `### Expects` and `### Expects Not`.

In: a bullet and the facts of the run. Out: a `Ruling`. A sentence that reads as a rule is decided by it, any other by a
judge if there is one; what nobody decided is said to be so, never taken as true.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from prose_runtime.casebook.case import Sentence
from prose_runtime.casebook.matching import shown
from prose_runtime.casebook.problem import Problem
from prose_runtime.resolve.clauses.reading import read_sentence
from prose_runtime.resolve.clauses.tree import Undecidable
from prose_runtime.runtime.clauses.deciding import decide
from prose_runtime.runtime.clauses.facts import ABSENT, Absent, Facts
from prose_runtime.runtime.conditions import JudgeAnswer, JudgeQuestion
from prose_runtime.runtime.values import Value, to_json
from prose_runtime.source import Span

Judge = Callable[[JudgeQuestion], Awaitable[JudgeAnswer]]

_QUOTED = re.compile(r"`([^`]*)`")


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
        holds = decide(read_sentence(sentence.text, facts.known, sentence.name), facts)
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
    if name is None or not facts.known.knows(name):
        names = ", ".join(call.service for call in facts.calls) or "none"
        return f"the run {facts.status}, calls: {names}" if facts.error is None else f"the error {facts.error!r}"
    found = facts.about(name)
    if isinstance(found, Absent):
        return f"there is no `{name}`"
    return f"found {shown(to_json(found[0]) if len(found) == 1 else [to_json(item) for item in found])}"


# ---- by a judge ----


async def _judged(sentence: Sentence, facts: Facts, judge: Judge | None, told: str, words: str) -> Ruling:
    name = sentence.name
    if name is not None and facts.known.knows(name) and isinstance(facts.about(name), Absent):
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
        values = facts.about(name) if facts.known.knows(name) else ABSENT
        if not isinstance(values, Absent):
            found[name] = values[0] if len(values) == 1 else None
    return found or dict(facts.values)
