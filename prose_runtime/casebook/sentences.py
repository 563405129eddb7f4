"""Sentences about what came out: the bullets of `### Expects` and `### Expects Not`.

In: a bullet, the outputs and inputs of the run. Out: a disagreement as a sentence, or None. A sentence is decided when
it reads as a rule (`contains`, `is at least`, `has fewer than 3 items`, …); what only a judge could decide is said to
be undecided, never taken as true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass

from prose_runtime.casebook.case import Sentence
from prose_runtime.casebook.matching import shown
from prose_runtime.resolve.conditions import classify
from prose_runtime.runtime.conditions import decide
from prose_runtime.runtime.values import ListValue, Value, from_python, render_text
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Json
from prose_runtime.syntax.nodes import Condition, Name

_CONTAINS = re.compile(
    r"(?P<verb>contains|does not contain) (?P<exact>the exact phrase )?`(?P<phrase>[^`]+)`\.?", re.IGNORECASE
)
_ERROR = re.compile(r"`__error\.md` exists\.?")
_QUOTED = re.compile(r"`([^`]*)`")


@dataclass(frozen=True, slots=True)
class Names:
    """What sentences may speak of, as the scope of a condition and as the frame it is decided in."""

    source: SourceText
    values: Mapping[str, Value]

    def is_name(self, name: str) -> bool:
        """Whether it is an output, an input or a config value."""
        return name in self.values

    def is_slot(self, name: str) -> bool:
        """Services are not spoken of."""
        return False

    def is_error(self, name: str) -> bool:
        """Nor are errors."""
        return False

    def is_criteria(self, name: str) -> bool:
        """Nor are criteria."""
        return False

    def fields(self, name: str) -> frozenset[str] | None:
        """Which fields a value has is seen when it is read."""
        return None

    def visible(self) -> Set[str]:
        """Every name."""
        return self.values.keys()

    def lookup(self, name: Name) -> Value:
        """The value of a name."""
        return self.values.get(name.id)

    def slot_answer(self, slot: str) -> tuple[bool, Value]:
        """No slot answers here."""
        return False, None

    def slot_items(self, slot: str) -> ListValue | None:
        """No slot holds services here."""
        return None

    def single_output(self, name: str) -> str | None:
        """Values come from no call here."""
        return None

    def holds(self, condition: Condition) -> bool:
        """A sentence has no conditional expression."""
        raise TypeError("a sentence has no conditional expression")

    def warn(self, code: str, span: Span, **facts: object) -> None:
        """A missing key is null; the sentence says the rest."""


def known_values(result: Json, given: Mapping[str, Json], outputs: tuple[str, ...]) -> dict[str, Value]:
    """Inputs and config by name, over them the fields of the result, or the result itself under its one name."""
    values = {name: from_python(value) for name, value in given.items()}
    if isinstance(result, dict):
        values |= {name: from_python(value) for name, value in result.items()}
    if len(outputs) == 1 and not (isinstance(result, dict) and outputs[0] in result):
        values[outputs[0]] = from_python(result)
    return values


async def check_sentence(sentence: Sentence, values: Mapping[str, Value], error: str | None) -> str | None:
    """The disagreement, or None. `error` is the name of the error that ended the run, if one did."""
    told = f"{'Expects Not' if sentence.negated else 'Expects'}, line {sentence.line}"
    if _ERROR.fullmatch(sentence.text):
        return _verdict(told, error is not None, sentence, error)
    if sentence.name is None or sentence.name not in values:
        what = f"`{sentence.name}` is no output, input or config of the run" if sentence.name else "it names no output"
        return f"{told}: {what}: {sentence.text}"
    value = values[sentence.name]
    phrase = _CONTAINS.fullmatch(sentence.text)
    if phrase is not None and phrase["phrase"] not in values:
        return _verdict(told, _contains(value, phrase), sentence, value)
    holds = await _decided(sentence, values)
    if holds is None:
        return f"{told}: only a judge could decide this: `{sentence.name}`: {sentence.text}"
    return _verdict(told, holds, sentence, value)


def _contains(value: Value, match: re.Match[str]) -> bool:
    """ "contains" looks past case, "contains the exact phrase" does not."""
    text, phrase = render_text(value), match["phrase"]
    found = phrase in text if match["exact"] else phrase.casefold() in text.casefold()
    return found != (match["verb"].lower() == "does not contain")


async def _decided(sentence: Sentence, values: Mapping[str, Value]) -> bool | None:
    text = _QUOTED.sub(lambda match: match[1] if match[1] in values else f'"{match[1]}"', sentence.text.rstrip("."))
    whole = f"{sentence.name} {text}"
    source = SourceText("", whole)
    condition = Condition(Span(0, len(whole)), whole, tuple(range(len(whole))))
    names = Names(source, values)
    plan, _ = classify(condition, names)
    if plan.judge == "always":
        return None
    decision = await decide(plan, condition, names, None)
    return decision.holds


def _verdict(told: str, holds: bool, sentence: Sentence, value: object) -> str | None:
    if holds != sentence.negated:
        return None
    does = "does hold" if holds else "does not hold"
    return f"{told}: this {does}: `{sentence.name}`: {sentence.text} (found {shown(value)})"
