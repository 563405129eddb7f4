"""A `gate`: a question to a person. In: the node and a frame. Out: the answer, once it is one that was asked for.

The person is a service like any other, the one that `gate` is bound to. An answer that does not fit is asked for again,
with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prose_runtime.resolve.sessions import GATE_PROPERTIES, QUESTIONS
from prose_runtime.runtime.asking import type_schema
from prose_runtime.runtime.calls import policy_of, value_of_entry
from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.contracts import mismatch
from prose_runtime.runtime.errors import Failure
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.port import Answer
from prose_runtime.runtime.schemas import unknown_keywords, violations
from prose_runtime.runtime.step import NotAccepted, Request, perform
from prose_runtime.runtime.values import ListValue, NotJson, Value, equal, from_python, show, to_json
from prose_runtime.runtime.verdicts import as_yes_or_no
from prose_runtime.syntax.document import Type
from prose_runtime.syntax.nodes import Gate
from prose_runtime.syntax.types import parse_type, print_type

OPTIONS = ("options", "choices")
ABOUT = frozenset((*GATE_PROPERTIES, "model", "retry", "backoff"))
_LETTERS = {"y": "yes", "n": "no"}
MOST_ANSWERS = 10
"""How many answers that do not fit are taken before the gate fails."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What counts as an answer. `options`: one of these; `kind`: of this type; `rules`: a JSON schema that it fits.
    `has_default`: nothing at all stands for `default`."""

    options: tuple[Value, ...] = ()
    kind: Type | None = None
    rules: Any = None
    default: Value = None
    has_default: bool = False

    def schema(self) -> dict[str, Any] | None:
        """The form of an answer as a JSON schema."""
        if self.options:
            return {"enum": [to_json(item) for item in self.options]}
        if self.rules is not None:
            return self.rules if isinstance(self.rules, dict) else None
        return type_schema(self.kind) if self.kind is not None else None

    def read(self, answer: Value) -> Value:
        """The value that is meant. Raises `NotAccepted` with what is wrong with it."""
        given = answer.strip() if isinstance(answer, str) else answer
        if given is None or given == "":
            if self.has_default:
                return self.default
            if self.kind is None or self.kind.kind != "null":
                raise NotAccepted("nothing was answered")
        if self.options:
            return _option(given, self.options)
        if self.kind is not None:
            answer = _typed(answer, self.kind)
        if self.rules is not None:
            answer = _fitting(answer, self.rules)
        return answer


async def gate_value(node: Gate, frame: Frame) -> Value:
    """Ask and wait for an answer. Without one in time the default counts, if there is one."""
    given = {entry.key: await value_of_entry(entry, frame) for entry in node.properties}
    wanted = _wanted(node, given)
    question = next((given[name] for name in QUESTIONS if given.get(name) is not None), None)
    if question is None:
        raise complaint("bad-modifier", node.span, name="question", wanted="a text", found="left out or null")
    target = frame.bound.gate
    assert target is not None, "binding has seen to it"

    def default(happened: str) -> Answer:
        message = f"{happened}; the default counts: {show(wanted.default)}"
        frame.run.note("default-counts", message, (frame.unit.source, node.span))
        return Answer(to_json(wanted.default))

    request = Request(
        target,
        {name: value for name, value in given.items() if name not in ABOUT},
        frame.unit.segments.get(node) or "gate",
        prompt=question,
        context=given.get("context"),
        schema=wanted.schema(),
        policy=policy_of(node, {"timeout": given.get("timeout")}),
        kind="gate",
        about={"options": tuple(to_json(item) for item in wanted.options), "default": to_json(wanted.default)},
        accept=wanted.read,
        again=MOST_ANSWERS - 1,
        late=default if wanted.has_default else None,
    )
    return await perform(request, frame)


def _wanted(node: Gate, given: dict[str, Value]) -> Wanted:
    """What the properties say about the answer, held against each other."""
    spans = {entry.key: entry.value.span for entry in node.properties}

    def wrong(name: str, wanted: str) -> Failure:
        return complaint("bad-modifier", spans[name], name=name, wanted=wanted, found=show(given[name]))

    options: tuple[Value, ...] = ()
    for name in OPTIONS:
        value = given.get(name)
        if value is not None:
            if not isinstance(value, (ListValue, dict)) or not len(value):
                raise wrong(name, "a list of answers, at least one")
            options = tuple(value)
    kind, rules = _kind(given.get("type")), None
    if given.get("type") is not None and kind is None:
        raise wrong("type", 'a type in a text, like "boolean" or "string[]"')
    schema = given.get("schema")
    if isinstance(schema, str) and kind is None:
        kind = _kind(schema)
        if kind is None:
            raise wrong("schema", "a JSON schema, or a type in a text")
    elif schema is not None:
        rules = to_json(schema)
        problem = next((f"{place}: {text}" for place, text in unknown_keywords(rules)), None)
        if problem is not None:
            raise wrong("schema", f"a JSON schema that is read here ({problem})")
    found = Wanted(options, kind, rules)
    if "default" not in given or given["default"] is None:
        return found
    try:
        default = found.read(given["default"])
    except NotAccepted as error:
        raise wrong("default", f"an answer that the gate takes; {error.message}") from None
    return Wanted(options, kind, rules, default, True)


def _kind(value: Value) -> Type | None:
    return parse_type(value) if isinstance(value, str) else None


# ---- reading an answer -----------------------------------------------------------------------------------


def _option(answer: Value, options: Sequence[Value]) -> Value:
    """The option that is meant: itself, its text in any case (`y` and `n` for yes and no), or its number from 1 where
    the options are no numbers."""
    for option in options:
        if equal(option, answer):
            return option
    text = answer.casefold() if isinstance(answer, str) else ""
    fitting = [option for option in options if _written(option).casefold() in (text, _LETTERS.get(text))]
    if len(fitting) == 1:
        return fitting[0]
    numbered = all(not isinstance(option, (int, float)) or isinstance(option, bool) for option in options)
    if numbered and text.isdecimal() and 1 <= int(text) <= len(options):
        return options[int(text) - 1]
    raise NotAccepted(f"{show(answer)} is none of {', '.join(_written(option) for option in options)}")


def _written(option: Value) -> str:
    return option if isinstance(option, str) else json.dumps(to_json(option), ensure_ascii=False)


def _typed(answer: Value, kind: Type) -> Value:
    """A text as a value of the type; what a person types is read as JSON where a text is not meant."""
    value = answer
    if isinstance(answer, str) and mismatch(answer, kind) is not None:
        value = _read(answer)
    wrong = mismatch(value, kind, "the answer")
    if wrong is None:
        return value
    raise NotAccepted(f"{show(answer)} is not {_article(kind)}")


def _article(kind: Type) -> str:
    word = print_type(kind)
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}" if word.isalpha() else f"of the type {word}"


def _fitting(answer: Value, rules: Any) -> Value:
    """The answer, itself or read as JSON, if it fits a JSON schema."""
    first = ""
    for value in (answer, _read(answer)) if isinstance(answer, str) else (answer,):
        found = [f"{place.replace('$', 'the answer', 1)} {text}" for place, text in violations(to_json(value), rules)]
        if not found:
            return value
        first = found[0]
    raise NotAccepted(first)


def _read(text: str) -> Value:
    """What a text says as JSON, or as yes or no; else the text."""
    said = as_yes_or_no(_LETTERS.get(text.strip().casefold(), text))
    if said is not None:
        return said
    try:
        return from_python(json.loads(text))
    except (ValueError, NotJson, RecursionError):
        return text
