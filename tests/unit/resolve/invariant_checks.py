"""What each known sentence says of the calls of a run. The checks know nothing of how a proof goes.

They look at who was called, with what, in which order, and where: every answer has a mark of its own.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from prose_runtime import load
from prose_runtime.resolve.program import Unit
from prose_runtime.runtime import Outcome, bind, execute
from prose_runtime.runtime.budget import Budget
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature
from prose_runtime.syntax import children
from prose_runtime.syntax import nodes as n


@dataclass
class Made:
    """A call: who, which of several, with what, its key, and its answer; `at` and `until` count what happened."""

    who: str
    item: str
    inputs: dict[str, Any]
    key: str
    at: int
    answer: Any = None
    until: int = 0

    @property
    def mark(self) -> str:
        return f"<answer:{self.who}:{self.at}>"

    def marks(self) -> set[str]:
        return marks_in(self.inputs)


def marks_in(value: Any) -> set[str]:
    return set(re.findall(r"<[^<>]*>", json.dumps(value)))


@dataclass
class World:
    """What a run is given."""

    n: int
    xs: list[Any]
    t: str
    secret: str
    many: int
    failing: float


ORDINARY = World(2, ["<xs0>", "<xs1>", "<xs2>"], "<t>", "<secret>", 3, 0.05)


def any_world(luck: random.Random) -> World:
    xs = luck.choice([[], *[["<xs0>", "<xs1>", "<xs2>"]] * 3, [{"k": "<xs0>"}, {"k": "<xs1>"}]])
    text = luck.choice(["<t>", "<t>", "", "approved", "rejected"])
    secret = luck.choice(["<secret>", "<secret>", "", "accepted", "failed"])
    return World(
        luck.choice([0, 1, 2, 2, 3]), xs, text, secret, luck.choice([0, 2, 3, 3]), luck.choice([0, 0, 0.05, 0.3, 0.5])
    )


@dataclass
class Seen:
    """A run: its calls in the order in which they were made, and its end. `beside`: the keys, without numbers, of the
    loops whose rounds run side by side. `begun`: how many items `history` has at first."""

    made: list[Made]
    end: Outcome
    world: World
    beside: set[str]
    begun: int

    def of(self, who: str) -> list[Made]:
        return [one for one in self.made if one.who == who]

    def is_beside(self, one: Made) -> bool:
        return any(way in self.beside for way, _ in ways(one.key)) or "/parallel" in one.key

    def around(self, one: Made) -> str:
        """The key of the outermost loop whose rounds run side by side, with all numbers before it; or ""."""
        return next((full for way, full in ways(one.key) if way in self.beside), "")


def ways(key: str) -> Iterator[tuple[str, str]]:
    """The loops that a key names, from the outside: without any numbers, and with those of the loops around."""
    way, full = "", ""
    for part in key.split("/"):
        name = part.split("#")[0]
        way += f"/{name}"
        if "#" in part:
            yield way, f"{full}/{name}"
        full += f"/{part}"


class Marking:
    """Answers with a mark of its own, alone or in an object, sometimes with a verdict, and fails now and then."""

    target = "marking"
    signature: Signature | None = None

    def __init__(self, name: str, luck: random.Random, made: list[Made], clock: Iterator[int], failing: float) -> None:
        self.name = name
        self.luck, self.made, self.clock, self.failing = luck, made, clock, failing

    async def call(self, call: Call) -> Answer:
        who = "many" if self.name.startswith("m") else self.name
        made = Made(who, self.name, json.loads(json.dumps(call.inputs)), call.key, next(self.clock))
        self.made.append(made)
        for _ in range(self.luck.randint(0, 3)):
            await asyncio.sleep(0)
        made.until = next(self.clock)
        if self.luck.random() < self.failing:
            raise ServiceError("no")
        verdict = self.luck.choice([True, True, False])
        given = self.luck.choice(
            [made.mark, {"k": made.mark, "approved": verdict}, {"k": made.mark, "approved": verdict}]
        )
        made.answer = given if self.luck.random() < 0.95 else ""
        return Answer(made.answer)

    async def close(self) -> None: ...


def run(text: str, seed: int, world: World = ORDINARY) -> Seen:
    luck, made, clock = random.Random(seed), list[Made](), itertools.count()
    program = load(text).program
    services: dict[str, Any] = {name: Marking(name, luck, made, clock, world.failing) for name in "ab"}
    services["many"] = [Marking(f"m{number}", luck, made, clock, world.failing) for number in range(world.many)]
    config = {"n": world.n, "secret": world.secret}
    given = {"xs": world.xs, "t": world.t}
    plan, found = bind(program, services, inputs=given, config=config, budget=Budget(max_calls=200))
    assert plan is not None, [str(item) for item in found]
    begun = int("let history = [t]" in text)
    return Seen(made, asyncio.run(execute(plan)), world, loops_beside(program.main), begun)


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


# ---- what each sentence says -----------------------------------------------------------------------------

Check = Callable[..., bool]


def same(items: Iterable[Any]) -> bool:
    return len({json.dumps(item, sort_keys=True) for item in items}) < 2


def approving(one: Made) -> bool:
    return isinstance(one.answer, dict) and one.answer["approved"] is True


def amount(seen: Seen, written: str) -> int:
    return int(written) if written.isdecimal() else seen.world.n


def rounds(seen: Seen, most: str, further: int = 0) -> bool:
    numbers = [int(found) for one in seen.made for found in re.findall(r"/(?:repeat|loop)[^/#]*#(\d+)", one.key)]
    return max(numbers, default=0) <= amount(seen, most) + further


def once_at_most(seen: Seen, who: str) -> bool:
    return max(Counter(one.item for one in seen.of(who)).values(), default=0) <= 1


def never_name(seen: Seen, who: str, name: str) -> bool:
    """Not under that name; nor what the run was given by it."""
    given = {"secret": seen.world.secret, "t": seen.world.t}.get(name, "")
    return not any(name in one.inputs or (given and given in texts_in(one.inputs)) for one in seen.of(who))


def texts_in(value: Any) -> str:
    """All texts in a value, without the keys of objects."""
    if isinstance(value, dict | list):
        return " ".join(map(texts_in, value.values() if isinstance(value, dict) else value))
    return value if isinstance(value, str) else ""


def never_answer(seen: Seen, who: str, other: str) -> bool:
    return not any(mark.startswith(f"<answer:{other}:") for one in seen.of(who) for mark in one.marks())


def branches(seen: Seen, who: str) -> bool:
    """Neither of those beside each other, nor, of those that run one after the other, of an earlier one."""
    own = seen.of(who)
    return not any(
        other.mark in one.marks() and (together(one.key, other.key, seen.beside) or not seen.is_beside(one))
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
            return own.split("#")[0] == others.split("#")[0] and (way in beside or own.startswith("parallel"))
    return False


def same_in_round(seen: Seen, who: str, key: str) -> bool:
    """Those beside each other get the same."""
    groups: dict[str, list[Any]] = {}
    for one in seen.of(who):
        groups.setdefault(seen.around(one), []).append(one.inputs.get(key, "nothing"))
    return all(same(values) and "nothing" not in values for values in groups.values())


def unchanged(seen: Seen, who: str, key: str) -> bool:
    given = {"xs": seen.world.xs, "t": seen.world.t}[key]
    return all(key in one.inputs and one.inputs[key] == given for one in seen.of(who))


def never_both(seen: Seen, who: str, one: str, other: str) -> bool:
    given = seen.world.t, seen.world.secret
    return not any(all(text and text in texts_in(call.inputs) for text in given) for call in seen.of(who))


def numbered(one: Made) -> tuple[str, int]:
    """The innermost loop around a call, with all numbers before it, and the number of the round in it."""
    way = one.key.split("/")[:-1]
    while way and "#" not in way[-1]:
        way.pop()
    around, _, number = "/".join(way).rpartition("#")
    return around, int(number) if number.isdecimal() else 0


def in_order(seen: Seen, who: str, items: str) -> bool:
    """In every walk one after the other, each begun when the one before it had ended."""
    groups: dict[str, list[tuple[int, Made]]] = {}
    for one in seen.of(who):
        around, number = numbered(one)
        groups.setdefault(around, []).append((number, one))
    return all(
        number <= later and one.until < then.at
        for group in groups.values()
        for (number, one), (later, then) in itertools.pairwise(group)
    )


def own_item(seen: Seen, who: str, items: str) -> bool:
    every = [sorted(marks_in(item)) for item in seen.world.xs]
    for one in seen.of(who):
        number = next((int(found[2]) for found in re.finditer(r"(/[^#]*)#(\d+)", one.key) if seen.is_beside(one)), 0)
        number = branch_of(seen, one) or number
        others = {mark for place, marks in enumerate(every, 1) if place != number for mark in marks}
        if others & one.marks():
            return False
    return True


def branch_of(seen: Seen, one: Made) -> int:
    """The number of the innermost branch around a call."""
    way, number = "", 0
    for part in one.key.split("/"):
        way += f"/{part.split('#')[0]}"
        number = int(part.split("#")[1]) if way in seen.beside else number
    return number


def is_all(value: Any, seen: Seen, other: str) -> bool:
    """Whether a list is that of all answers, by their branches and rounds."""

    def place(one: Made) -> list[int]:
        return [int(number) for number in re.findall(r"#(\d+)", one.key)]

    return bool(value == [one.answer for one in sorted(seen.of(other), key=place)])


def all_answers(seen: Seen, who: str, other: str) -> bool:
    return all(any(is_all(value, seen, other) for value in one.inputs.values()) for one in seen.of(who))


def holds_answers(seen: Seen, name: str, other: str) -> bool:
    end = seen.end
    return end.status != "done" or name not in end.names or is_all(end.names[name], seen, other)


def from_before(seen: Seen, who: str) -> bool:
    """In every walk each gets the answer of the one before it."""
    groups: dict[str, list[Made]] = {}
    for one in seen.of(who):
        groups.setdefault(numbered(one)[0], []).append(one)
    return all(
        one.answer is None or one.answer in then.inputs.values()
        for group in groups.values()
        for one, then in itertools.pairwise(group)
    )


def order(seen: Seen, first: str, then: str) -> bool:
    """Where there is something to do: a loop around it has no round for a list without items."""
    world = seen.world
    return not (world.n and world.xs and world.many) or strict_order(seen, first, then)


def strict_order(seen: Seen, first: str, then: str) -> bool:
    return not seen.of(then) or (bool(seen.of(first)) and seen.of(first)[0].at < seen.of(then)[0].at)


def each_round(seen: Seen, first: str, then: str) -> bool:
    for one in seen.of(then):
        outermost = re.match(r"[^#]*#[^/]*/", one.key)
        earlier = [other for other in seen.of(first) if other.at < one.at]
        if outermost is None or not any(other.key.startswith(outermost[0]) for other in earlier):
            return False
    return True


def approved(seen: Seen, then: str, first: str) -> bool:
    return all(any(approving(other) for other in seen.of(first) if other.at < one.at) for one in seen.of(then))


def lists(seen: Seen) -> list[tuple[int, list[Any]]]:
    """The list as calls received it, and as it was at the end. A branch has one of its own."""
    found = [
        (one.at, one.inputs["history"]) for one in seen.made if not seen.is_beside(one) and "history" in one.inputs
    ]
    found.append((10**9, seen.end.names.get("history")))
    return [(at, value) for at, value in found if isinstance(value, list)]


def grows(seen: Seen, name: str) -> bool:
    return all(later[: len(one)] == one for (_, one), (_, later) in itertools.pairwise(lists(seen)))


def grows_approved(seen: Seen, name: str, first: str) -> bool:
    """Where it is longer than at first, there was an approval before."""
    return all(
        len(value) <= seen.begun or any(approving(one) for one in seen.of(first) if one.at < at)
        for at, value in lists(seen)
    )


def apart(seen: Seen, one: str, other: str) -> bool:
    held = [marks_in(seen.end.names.get(name)) for name in (one, other)]
    return not held[0] & held[1]


CHECKS: dict[str, Check] = {
    "rounds": rounds,
    "later-rounds": lambda seen, most: rounds(seen, most, 1),
    "calls": lambda seen, who, most: len(seen.of(who)) <= amount(seen, most),
    "once": lambda seen, who: seen.end.status != "done" or len(seen.of(who)) == 1,
    "once-at-most": once_at_most,
    "once-each": lambda seen, who, items: seen.end.status != "done" or len(seen.of(who)) == len(seen.world.xs),
    "never-name": never_name,
    "never-answer": never_answer,
    "branches": branches,
    "same-inputs": lambda seen, who: same(one.inputs for one in seen.of(who)),
    "same-part": lambda seen, who, key: (
        all(key in one.inputs for one in seen.of(who)) and same(one.inputs[key] for one in seen.of(who))
    ),
    "same-in-round": same_in_round,
    "same-names": lambda seen, who: same(sorted(one.inputs) for one in seen.of(who)),
    "receives": lambda seen, who, key: all(key in one.inputs for one in seen.of(who)),
    "unchanged": unchanged,
    "only": lambda seen, who, names: all(set(one.inputs) <= set(re.findall(r"`(\w+)`", names)) for one in seen.of(who)),
    "never-both": never_both,
    "apart": apart,
    "in-order": in_order,
    "own-item": own_item,
    "all-answers": all_answers,
    "holds-answers": holds_answers,
    "from-before": from_before,
    "order": order,
    "order-each-round": each_round,
    "approved": approved,
    "grows": grows,
    "grows-approved": grows_approved,
    "exclusive": lambda seen, one, other: not (seen.of(one) and seen.of(other)),
    "only-asked": lambda seen, names: {one.who for one in seen.made} <= set(re.findall(r"`(\w+)`", names)),
    "undecided": lambda seen: not seen.end.decisions,
}
