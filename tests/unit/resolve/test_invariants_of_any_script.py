"""What is proved of random scripts is true of their runs: every sentence is held against the calls that were made.

The checks here know nothing of how a proof goes: they look at who was called, with what, in which order, and where.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from prose_runtime import load
from prose_runtime.resolve.invariants import SENTENCES, invariants_of
from prose_runtime.resolve.invariants.sentences import known
from prose_runtime.resolve.program import Unit
from prose_runtime.runtime import Outcome, bind, execute
from prose_runtime.runtime.budget import Budget
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature
from prose_runtime.syntax import children
from prose_runtime.syntax import nodes as n

N = 2
XS = ["<xs0>", "<xs1>", "<xs2>"]
HEAD = """---
name: example
kind: pattern
---

### Slots

- `a`
- `b`
- `many`

### Config

- `n` (integer, default: 2): how many
- `secret` (string, default: "<secret>"): a mark

### Parameters

- `xs` (any[]): some
- `t` (string): a mark
- `many` (string[]): several

### Invariants

{sentences}

### Delegation

```prose
{script}
```
"""


class Scripts:
    """Makes scripts around the shapes that proofs look for, and breaks them now and then."""

    def __init__(self, luck: random.Random) -> None:
        self.luck = luck

    def script(self) -> str:
        pick = self.luck.choice
        head = f"let x = {pick(['null', 't', '[]', 'xs'])}\nlet y = {pick(['null', 'secret', '[]'])}"
        head += f"\nlet history = {pick(['[]', '[]', '[t]'])}"
        body = "\n".join(self.statement(3, "", ()) for _ in range(self.luck.randint(1, 4)))
        return f"{head}\n{body}"

    def values(self, more: tuple[str, ...]) -> str:
        plain = self.luck.choice(["x", "y", "xs", "t", "secret", "history", "n", *more, *more, *more])
        return self.luck.choice([plain] * 6 + [f"{plain}.k", f"[{plain}]", f"{{ k: {plain} }}", f'"of {{{plain}}}"'])

    def call(self, who: str, more: tuple[str, ...], indent: str) -> str:
        keys = self.luck.sample(["x", "y", "xs", "t", "history"], self.luck.randint(0, 3))
        own = {"xs": "xs", "t": "t", "history": "history"}
        lines = []
        for key in sorted(keys):
            value = own[key] if key == "history" or (key in own and self.luck.random() < 0.8) else self.values(more)
            lines.append(f"\n{indent}  {key}: {value}")
        return f"call {who}{''.join(lines)}"

    def body(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        return "\n".join(self.statement(depth, indent, more) for _ in range(self.luck.randint(1, 2)))

    def statement(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        pick, inner = self.luck.choice, indent + "  "
        who = pick([*"ab", *(name for name in more if name == "m")])
        kinds = ["call", "bound", "bound", "record", "set"]
        if depth:
            kinds += ["if", "judged", "left", "repeat", "walk", "many", "beside", "collected", "race", "try", "ended"]
        match pick(kinds):
            case "call":
                return f"{indent}{self.call(who, more, indent)}"
            case "bound":
                return f"{indent}{pick('xy')} = {self.call(who, more, indent)}"
            case "record":
                return f"{indent}record {self.values(more)} in history"
            case "set":
                return f"{indent}{pick(['x', 'y', 'history'])} = {pick(['x', 'y', 'history', '[]', 't'])}"
            case "if":
                other = f"\n{indent}else:\n{self.body(depth - 1, inner, more)}" if pick([0, 1]) else ""
                return f"{indent}if {pick(['n > 1', 'x is empty'])}:\n{self.body(depth - 1, inner, more)}{other}"
            case "judged":
                word = pick(["explicitly approves", "explicitly approves", "does not explicitly approve"])
                return f"{indent}if {pick('xy')} {word}:\n{self.body(depth - 1, inner, more)}"
            case "left":
                leave = pick(["return x", 'throw { name: "bad" }'])
                head = f"{indent}if {pick(['n > 1', 'y explicitly approves'])}:"
                return f"{head}\n{self.body(0, inner, more)}\n{inner}{leave}"
            case "repeat":
                count = pick(["n", "n", "n + 1", "2"])
                return f"{indent}repeat {count} as i:\n{self.body(depth - 1, inner, (*more, 'i'))}"
            case "walk":
                return f"{indent}for v in xs:\n{self.body(depth - 1, inner, (*more, 'v'))}"
            case "many":
                return f"{indent}for m in many:\n{self.body(depth - 1, inner, (*more, 'm'))}"
            case "beside":
                over, item = pick([("v in xs", "v"), ("m in many", "m")])
                bound = self.body(depth - 1, inner, (*more, item)).replace("x =", "let x =").replace("y =", "let y =")
                return f"{indent}parallel for {over}:\n{bound.replace('history =', 'let history =')}"
            case "collected":
                kind = pick(["parallel for v in xs", "for v in xs", "repeat n", "parallel repeat n"])
                last = pick([self.call("a", (*more, "v"), inner), f"return {self.call('a', more, inner)}"])
                last = last if "for v" in kind else last.replace(": v", ": t")
                return f"{indent}{pick('xy')} = {kind}:\n{inner}{last}"
            case "race":
                return f'{indent}x = parallel for m in many ("first"):\n{inner}{self.call("m", more, inner)}'
            case "try":
                return f"{indent}try:\n{self.body(depth - 1, inner, more)}\n{indent}catch:\n{self.body(0, inner, more)}"
            case _:
                leave = pick(["return x", "break"])
                return f"{indent}repeat n:\n{self.body(0, inner, more)}\n{inner}if x is present:\n{inner}  {leave}"


# ---- what was seen ---------------------------------------------------------------------------------------


@dataclass
class Made:
    """A call: who, with what, its key, and its answer; `at` and `until` count what happened in the run."""

    who: str
    inputs: dict[str, Any]
    key: str
    at: int
    beside: set[str]
    answer: Any = None
    until: int = 0

    @property
    def mark(self) -> str:
        return f"<answer:{self.who}:{self.at}>"

    def marks(self) -> set[str]:
        return set(re.findall(r"<[^<>]*>", json.dumps(self.inputs)))


class Marking:
    """Answers with a mark of its own, alone or in an object, sometimes with a verdict, and fails now and then."""

    target = "marking"
    signature: Signature | None = None

    def __init__(
        self, name: str, luck: random.Random, made: list[Made], clock: Iterator[int], beside: set[str]
    ) -> None:
        self.name = name
        self.luck, self.made, self.clock, self.beside = luck, made, clock, beside

    async def call(self, call: Call) -> Answer:
        who = "many" if self.name.startswith("m") else self.name
        made = Made(who, json.loads(json.dumps(call.inputs)), call.key, next(self.clock), self.beside)
        self.made.append(made)
        for _ in range(self.luck.randint(0, 3)):
            await asyncio.sleep(0)
        made.until = next(self.clock)
        if self.luck.random() < 0.05:
            raise ServiceError("no")
        verdict = self.luck.choice([True, True, False])
        made.answer = self.luck.choice([made.mark, {"k": made.mark, "approved": verdict}])
        return Answer(made.answer)

    async def close(self) -> None: ...


def run(text: str, seed: int) -> tuple[list[Made], Outcome]:
    luck, made, clock = random.Random(seed), list[Made](), itertools.count()
    program = load(text).program
    beside = loops_beside(program.main)
    services: dict[str, Any] = {name: Marking(name, luck, made, clock, beside) for name in "ab"}
    services["many"] = [Marking(f"m{number}", luck, made, clock, beside) for number in range(3)]
    plan, found = bind(program, services, inputs={"xs": XS, "t": "<t>"}, budget=Budget(max_calls=200))
    assert plan is not None, [str(item) for item in found]
    return made, asyncio.run(execute(plan))


def beside(key: str) -> str:
    """The key as far as the innermost branch."""
    found = re.match(r"(.*/(?:parallel-)?(?:for|repeat|parallel)[^/]*#\d+)/", key)
    return found[1] if found else ""


# ---- what each sentence says -----------------------------------------------------------------------------

Check = Callable[..., bool]


def of(made: list[Made], who: str) -> list[Made]:
    return [one for one in made if one.who == who]


def same(items: Iterator[Any] | list[Any]) -> bool:
    return len({json.dumps(item, sort_keys=True) for item in items}) < 2


def holds(value: Any, mark: str) -> bool:
    return mark in json.dumps(value)


def approving(one: Made) -> bool:
    return isinstance(one.answer, dict) and one.answer["approved"] is True


def rounds(made: list[Made], end: Outcome, most: str, further: int = 0) -> bool:
    numbers = [int(found) for one in made for found in re.findall(r"/(?:repeat|loop)[^/#]*#(\d+)", one.key)]
    return max(numbers, default=0) <= N + further


def once_each(made: list[Made], end: Outcome, who: str, items: str) -> bool:
    return end.status != "done" or len(of(made, who)) == len(XS)


def in_order(made: list[Made], end: Outcome, who: str, items: str) -> bool:
    seen: dict[str, list[str]] = {}
    for one in of(made, who):
        around, _, number = re.sub(r"/[^/]*$", "", one.key).rpartition("#")
        seen.setdefault(around, []).append(number)
    return all([int(item) for item in numbers] == sorted(int(item) for item in numbers) for numbers in seen.values())


def own_item(made: list[Made], end: Outcome, who: str, items: str) -> bool:
    return all(one.marks() <= {"<t>", "<secret>", XS[branch_of(one) - 1]} for one in of(made, who))


def branch_of(one: Made) -> int:
    """The number of the innermost branch around a call."""
    way, number = "", 0
    for part in one.key.split("/"):
        way += f"/{part.split('#')[0]}"
        number = int(part.split("#")[1]) if way in one.beside else number
    return number


def branches(made: list[Made], end: Outcome, who: str) -> bool:
    """Of those that ran side by side: their keys differ in the number of a branch."""
    own = of(made, who)
    return not any(
        other.mark in one.marks() and together(one.key, other.key, one.beside)
        for one in own
        for other in own
        if one is not other
    )


def together(one: str, other: str, beside: set[str]) -> bool:
    """Whether two keys part at the branches of one of the loops whose rounds run side by side."""
    way = ""
    for own, others in zip(one.split("/"), other.split("/"), strict=False):
        way += f"/{own.split('#')[0]}"
        if own != others:
            return own.split("#")[0] == others.split("#")[0] and way in beside
    return False


def loops_beside(unit: Unit) -> set[str]:
    """The keys, without numbers, of the loops whose rounds run side by side."""
    found: set[str] = set()

    def walk(node: n.Node, way: str) -> None:
        if isinstance(node, n.For | n.Repeat | n.Loop):
            way += f"/{unit.segments[node]}"
            if isinstance(node, n.For | n.Repeat) and node.concurrent:
                found.add(way)
        for child in children(node):
            walk(child, way)

    assert unit.definition.script is not None
    for statement in unit.definition.script.statements:
        walk(statement, f"/{unit.name}")
    return found


def all_answers(made: list[Made], end: Outcome, who: str, other: str) -> bool:
    return all(any(kept(value, made, other) for value in one.inputs.values()) for one in of(made, who))


def kept(value: Any, made: list[Made], other: str) -> bool:
    """Whether a list is that of all answers, by their branches and rounds."""

    def place(one: Made) -> list[int]:
        return [int(number) for number in re.findall(r"#(\d+)", one.key)]

    answers = [one.answer for one in sorted(of(made, other), key=place)]
    return bool(value == answers)


def from_before(made: list[Made], end: Outcome, who: str) -> bool:
    own = of(made, who)
    before = [one for one, after in itertools.pairwise(own) if beside(after.key) == beside(one.key)]
    after = [after for one, after in itertools.pairwise(own) if beside(after.key) == beside(one.key)]
    return all(
        one.answer is None or one.answer in then.inputs.values() for one, then in zip(before, after, strict=True)
    )


def each_round(made: list[Made], end: Outcome, first: str, then: str) -> bool:
    for one in of(made, then):
        prefixes = [one.key[: found.end()] for found in re.finditer(r"#\d+/", one.key)]
        earlier = [other for other in of(made, first) if other.at < one.at]
        if not any(other.key.startswith(prefix) for other in earlier for prefix in prefixes[:1]):
            return False
    return True


def approved(made: list[Made], end: Outcome, then: str, first: str) -> bool:
    return all(any(approving(other) for other in of(made, first) if other.at < one.at) for one in of(made, then))


def lengths(made: list[Made]) -> list[tuple[int, Any]]:
    return [(one.at, one.inputs["history"]) for one in made if isinstance(one.inputs.get("history"), list)]


def grows(made: list[Made], end: Outcome, name: str) -> bool:
    if any("parallel" in one.key or "for" in one.key for one in made):
        return True  # a branch sees the list as it was when it began
    seen = [value for _, value in lengths(made)]
    return all(later[: len(one)] == one for one, later in itertools.pairwise(seen))


def apart(made: list[Made], end: Outcome, one: str, other: str) -> bool:
    first, second = (set(re.findall(r"<answer[^<>]*>", json.dumps(end.names.get(name)))) for name in (one, other))
    return not first & second


CHECKS: dict[str, Check] = {
    "rounds": rounds,
    "later-rounds": lambda made, end, most: rounds(made, end, most, 1),
    "calls": lambda made, end, who, most: len(of(made, who)) <= N,
    "once": lambda made, end, who: end.status != "done" or len(of(made, who)) == 1,
    "once-at-most": lambda made, end, who: (
        max(Counter(one.key.split(":")[-1] for one in of(made, who)).values(), default=0) <= 3
        and len(of(made, who)) <= 3
    ),
    "once-each": once_each,
    "never-name": lambda made, end, who, name: (
        not any(name in one.inputs or (name == "secret" and "<secret>" in one.marks()) for one in of(made, who))
    ),
    "never-answer": lambda made, end, who, other: (
        not any(mark.startswith(f"<answer:{other}:") for one in of(made, who) for mark in one.marks())
    ),
    "branches": branches,
    "same-inputs": lambda made, end, who: same([one.inputs for one in of(made, who)]),
    "same-part": lambda made, end, who, key: same([one.inputs[key] for one in of(made, who)]),
    "same-in-round": lambda made, end, who, key: all(
        same([one.inputs[key] for one in of(made, who) if beside(beside(one.key) + "/") == around])
        for around in {beside(beside(one.key) + "/") for one in of(made, who)}
        if not around
    ),
    "same-names": lambda made, end, who: same([sorted(one.inputs) for one in of(made, who)]),
    "receives": lambda made, end, who, key: all(key in one.inputs for one in of(made, who)),
    "unchanged": lambda made, end, who, key: all(
        one.inputs[key] == {"xs": XS, "t": "<t>"}[key] for one in of(made, who)
    ),
    "only": lambda made, end, who, names: all(
        set(one.inputs) <= set(re.findall(r"`(\w+)`", names)) for one in of(made, who)
    ),
    "never-both": lambda made, end, who, one, other: (
        not any({"<t>", "<secret>"} <= call.marks() for call in of(made, who))
    ),
    "apart": apart,
    "in-order": in_order,
    "own-item": own_item,
    "all-answers": all_answers,
    "holds-answers": lambda made, end, name, other: (
        end.status != "done" or name not in end.names or kept(end.names[name], made, other)
    ),
    "from-before": from_before,
    "order": lambda made, end, first, then: (
        not (of(made, first) and of(made, then)) or of(made, first)[0].at < of(made, then)[0].at
    ),
    "order-each-round": each_round,
    "approved": approved,
    "grows": grows,
    "grows-approved": lambda made, end, name, first: all(
        len(value) < 1 or any(approving(one) for one in of(made, first) if one.at < at) or value == ["<t>"]
        for at, value in lengths(made)
    ),
    "begins-empty": lambda made, end, name: "<t>" not in json.dumps([value[:0] for _, value in lengths(made)]),
    "exclusive": lambda made, end, one, other: not (of(made, one) and of(made, other)),
    "only-asked": lambda made, end, names: {one.who for one in made} <= set(re.findall(r"`(\w+)`", names)),
    "undecided": lambda made, end: not end.decisions,
    "earlier-counts": lambda made, end, who: True,
    "stops": lambda made, end: True,
}
SAID = [
    "Rounds are bounded by `n`", "The rounds after the opening are bounded by `n`", "Calls of `a` are bounded by `n`",
    "Calls of `b` are bounded by `2`", "`a` is called exactly once", "`b` is called exactly once",
    "Each of `many` is called once at most", "`a` is called once for each item of `xs`", "`a` never receives `secret`",
    "`b` never receives `history`", "`a` never sees an answer of `b`", "`b` never sees an answer of `a`",
    "The branches of `a` never see each other's answers", "The branches of `many` never see each other's answers",
    "Every call of `a` receives the same inputs", "Every call of `many` receives the same inputs",
    "Every call of `a` receives the same `x`", "Every call of `b` receives the same `t`",
    "Within a round every call of `many` receives the same `x`",
    "Within a round every call of `a` receives the same `xs`",
    "Every call of `a` receives inputs of the same names", "Every call of `a` receives `x`",
    "Every call of `b` receives `t`", "`a` receives `xs` unchanged", "`b` receives `t` unchanged",
    "`a` receives only `x` and `y`", "`b` receives only `t`, `xs` and `x`",
    "No call of `a` receives both `t` and `secret`",
    "`x` and `y` are kept apart", "`a` takes the items of `xs` one at a time, in their order",
    "`many` takes the items of `many` one at a time, in their order", "`a` sees of `xs` only its own item",
    "`b` receives all answers of `a`, in their order", "`x` holds all answers of `a`, in their order",
    "`y` holds all answers of `a`, in their order", "Each of `many` receives the answer of the one before it",
    "`a` runs before `b`", "In every round `a` runs before `b`", "`b` runs only after `a` approved",
    "`history` only grows", "`history` grows only after `a` approved", "`history` is empty at first",
    "`a` and `b` are never both called", "Only `a` and `b` are asked", "Only `many` are asked",
    "The script decides nothing", "Of answers at the same moment that of the earlier of `many` counts",
    "The pattern stops at the first success",
]  # fmt: skip


def test_every_sentence_is_tried() -> None:
    tried = {found[0].proof for text in SAID if (found := known(text)) is not None}
    assert tried == set(CHECKS) == {sentence.proof for sentence in SENTENCES}


PROOFS: Counter[str] = Counter()


@pytest.mark.parametrize("block", range(8))
def test_what_is_proved_is_true_of_every_run(block: int) -> None:
    proofs: Counter[str] = Counter()
    for seed in range(block * 60, block * 60 + 60):
        text = HEAD.format(
            sentences="\n".join(f"- {said}" for said in SAID), script=Scripts(random.Random(seed)).script()
        )
        loaded = load(text)
        wrong = [str(item) for item in loaded.diagnostics if item.severity == "error"]
        if any("invariant-refuted" not in item for item in wrong):
            continue
        proved = [found for found in invariants_of(loaded.program.main) if found.status == "proved"]
        plain = text.partition("### Invariants")[0] + text[text.index("### Delegation") :]
        for again in range(3):
            made, end = run(plain, seed * 10 + again)
            for found in proved:
                sentence = known(found.clause.text)
                assert sentence is not None
                proofs[sentence[0].proof] += bool(made)
                check = CHECKS[sentence[0].proof]
                shown = "\n".join(f"{one.key} {one.inputs} -> {one.answer}" for one in made)
                assert check(made, end, *sentence[1]), f"{seed}: {found.clause.text}\n{text[-900:]}\n{shown}"
    assert len(proofs) > 15, proofs
