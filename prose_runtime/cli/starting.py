"""First files of patterns, functions and tests, as texts. In: names. Out: what a new file holds.

What comes out checks without a warning, and its test passes; what is to be replaced is said in words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from prose_runtime.syntax.document import Input, Json


def pattern_text(name: str, slots: Sequence[str], inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """A pattern in which each slot gets the inputs and the answer of the one before it."""
    longest = max(map(len, [*slots, *inputs]))
    receives = [f"    {slot + ':':<{longest + 1}} string  -- who answers as `{slot}`" for slot in slots]
    receives += [f"    {given + ':':<{longest + 1}} string  -- what `{given}` is" for given in inputs]
    declared: list[str] = []
    calls: list[str] = []
    passed = list(inputs)
    for slot in slots:
        declared += [
            f"- `{slot}`: say here what it does",
            f"  - requires: {', '.join(passed)}",
            "  - ensures: an answer",
        ]
        answer = f"{_word(slot)}_answer"
        calls += [f"let {answer} = call {slot}", *(f"  {one}: {one}" for one in passed), ""]
        passed = [*inputs, answer]
    invariants = [f"- `{slot}` is called exactly once" for slot in slots]
    invariants += [f"- `{one}` runs before `{other}`" for one, other in pairwise(slots)]
    return _file(
        name,
        "pattern",
        "Say here in a sentence what the pattern is for.",
        {
            "Slots": declared,
            "Invariants": invariants,
            "Requires": ["- Pattern instance receives:", *receives],
            "Returns": [f"- `{one}`: say here what it is" for one in outputs],
        },
        [*calls, *_returned(outputs, slots, inputs)],
    )


def _returned(outputs: Sequence[str], slots: Sequence[str], inputs: Sequence[str]) -> list[str]:
    values = _values(outputs, [f"{_word(slot)}_answer" for slot in slots], inputs)
    return ["return {", *(f"  {name}: {value}," for name, value in values.items()), "}"]


def _values(outputs: Sequence[str], answers: Sequence[str], inputs: Sequence[str]) -> dict[str, str]:
    """The last output is the last answer, and so on; what is left over gives the first input back."""
    held = list(reversed(answers))
    found = {name: (held[place] if place < len(held) else inputs[0]) for place, name in enumerate(reversed(outputs))}
    return {name: found[name] for name in outputs}


def pattern_test(name: str, slots: Sequence[str], inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The test of such a pattern."""
    values = _values(outputs, [f"answer of {slot}" for slot in slots], [f"some {inputs[0]}"])
    expects = ["result:", *(f"  {one}: {json.dumps(value)}" for one, value in values.items()), "calls:"]
    given = {one: f"some {one}" for one in inputs}
    before: dict[str, str] = {}
    for slot in slots:
        expects += [f"  - service: {slot}", f"    exactly: {json.dumps({**given, **before})}"]
        before = {f"{_word(slot)}_answer": f"answer of {slot}"}
    replies = [f"{slot}: {json.dumps([f'answer of {slot}'])}" for slot in slots]
    return test_text(f"{name}-works", f"./{name}.prose.md", given, replies, expects)


def function_text(name: str, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """A function whose contract goes to the model."""
    return _file(
        name,
        "function",
        "Say here in a sentence what the function does.",
        {
            "Parameters": [f"- `{one}` (string): say here what it is" for one in inputs],
            "Returns": [f"- `{one}` (string): say here what it must hold" for one in outputs],
            "Strategies": ["- Say here how a difficult case is dealt with."],
        },
        [],
    )


def function_test(name: str, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The test of such a function."""
    answer = {one: f"the {one}" for one in outputs}
    result = json.dumps(answer if len(outputs) > 1 else answer[outputs[0]])
    given = {one: f"some {one}" for one in inputs}
    return test_text(
        f"{name}-works", f"./{name}.prose.md", given, [f"model: {json.dumps([answer])}"], [f"result: {result}"]
    )


def test_text(
    name: str, subject: str, given: Mapping[str, Json], replies: Iterable[str], expects: Iterable[str]
) -> str:
    """A test: what the subject is given, what its services answer, and what must come out."""
    fixtures = [f"{one}: {json.dumps(value, ensure_ascii=False)}" for one, value in given.items()]
    parts = [f"---\nname: {name}\nkind: test\nsubject: {subject}\n---\n\nSay here in a sentence what this shows.\n"]
    for title, lines in (("Fixtures", fixtures), ("Services", list(replies)), ("Expects", list(expects))):
        if lines:
            parts.append(f"### {title}\n\n```yaml\n" + "\n".join(lines) + "\n```\n")
    return "\n".join(parts)


def example_of(item: Input) -> Json:
    """A value of an input's type."""
    kinds: dict[str, Json] = {"number": 1, "integer": 1, "boolean": True, "object": {}, "list": []}
    if item.type.kind == "choice":
        return item.type.choices[0]
    return kinds.get(item.type.kind, f"some {item.name}")


def _file(name: str, kind: str, says: str, sections: Mapping[str, Sequence[str]], script: Sequence[str]) -> str:
    title = " ".join(word.capitalize() for word in name.split("-"))
    parts = [f"---\nname: {name}\nkind: {kind}\n---\n", f"# {title}\n", f"{says}\n"]
    parts += [f"### {heading}\n\n" + "\n".join(lines) + "\n" for heading, lines in sections.items() if lines]
    if script:
        parts.append("### Delegation\n\n```prose\n" + "\n".join(script) + "\n```\n")
    return "\n".join(parts)


def _word(name: str) -> str:
    return name.replace("-", "_")
