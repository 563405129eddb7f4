"""Parallel branches: started together, joined by a policy, ended before the run goes on. In: a node and a frame.
Out: the results in input order. A branch has a frame of its own with the names as they were when it began.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from prose_runtime.resolve.bound import BoundNames
from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.errors import Failure, Stopped, attach
from prose_runtime.runtime.events import BranchesJoined, BranchesStarted, IterationStarted
from prose_runtime.runtime.expressions import evaluate
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.loops import count, items, segment, take
from prose_runtime.runtime.paths import written
from prose_runtime.runtime.signals import Ended, Signal
from prose_runtime.runtime.strands import Child, Siblings, Strand, drain, spawn
from prose_runtime.runtime.thrown import caught_value
from prose_runtime.runtime.values import ListValue, Value, show
from prose_runtime.runtime.walk import Statements
from prose_runtime.syntax.nodes import Assign, Expression, For, Let, Modifiers, Name, Node, Parallel, Repeat

JOINS = ("all", "first", "any")
POLICIES = ("fail-fast", "continue", "ignore")


@dataclass(frozen=True, slots=True)
class Join:
    """When a parallel is over, and what a failed branch means.

    - `wanted`: successes that end it, None for all. `first`: its value is the winner.
    - `patient`: without a written policy a failure matters only when not enough successes can come any more.
    """

    wanted: int | None = None
    on_fail: str = "fail-fast"
    patient: bool = False
    first: bool = False

    @property
    def lenient(self) -> bool:
        """Whether no failure of a branch is one of the whole."""
        return self.on_fail != "fail-fast"


@dataclass(slots=True)
class Branch:
    """A branch: its frame and, later, its strand's result. `through`: its body has ended with a result. `chosen`: that
    counts. `lost`: the race was over before it ended, so that a failure or a stop afterwards is none of the whole.
    """

    frame: Frame
    child: Child | None = None
    through: bool = False
    chosen: bool = False
    lost: bool = False

    @property
    def ended(self) -> Ended | None:
        """How its body ended, if it did."""
        return self.child.value if self.child is not None and self.child.succeeded else None

    @property
    def failure(self) -> Failure | None:
        """Why it failed, if it did while that still mattered."""
        return self.child.failure if self.child is not None and not self.lost else None


Work = Callable[[Frame], Awaitable[Ended]]


# ---- `parallel for` and `parallel repeat` ----------------------------------------------------------------


async def collect_branches(node: Repeat | For, frame: Frame) -> list[Value]:
    """`parallel for` or `parallel repeat` as a value: the elements in input order."""
    names = await _names_of_items(node, frame)
    return await item_branches(node, names, node.body, frame, await _join(node.modifiers, frame))


async def item_branches(
    node: Node, names: Sequence[dict[str, Value]], body: Statements, frame: Frame, join: Join | None = None
) -> list[Value]:
    """One branch for each item, with the item's own names; the elements in input order."""
    join = join or Join()

    def work_with(own: dict[str, Value]) -> Work:
        async def work(inner: Frame) -> Ended:
            inner.hold(own)
            return await frame.run.walk.element(body, inner)

        return work

    branches = await _run_branches(node, [(n, work_with(own)) for n, own in enumerate(names, 1)], join, frame)
    elements: list[Value] = []
    for branch in _counting(branches, join):
        ended = branch.ended
        if branch.chosen and ended is not None:
            take(elements, ended.signal, ended.value)
        elif branch.failure is not None and join.on_fail == "continue":
            elements.append(caught_value(branch.failure))
    return elements


async def _names_of_items(node: Repeat | For, frame: Frame) -> list[dict[str, Value]]:
    if isinstance(node, For):
        return [_loop_names(node, number, pair) for number, pair in enumerate(await items(node, frame), 1)]
    number = count(await _value(node.count, frame), node.count)
    return [{node.counter.id: index} if node.counter else {} for index in range(1, number + 1)]


def _loop_names(node: For, number: int, pair: tuple[Value, Value]) -> dict[str, Value]:
    names = {node.item.id: pair[0]}
    if node.index:
        names[node.index.id] = pair[1]
    if node.counter:
        names[node.counter.id] = number
    return names


# ---- `parallel:` -----------------------------------------------------------------------------------------


async def run_parallel(node: Parallel, frame: Frame) -> Signal | None:
    """`parallel:` as a statement: its branches' names are bound after the join."""
    await join_block(node, frame)
    return None


async def join_block(node: Parallel, frame: Frame) -> Value:
    """`parallel:`: all gives an object if every branch binds a name, else a list; first the winner; any a list."""
    element = frame.run.walk.element
    parts = frame.unit.branch_segments.get(node) or tuple(str(n) for n in range(1, 1 + len(node.branches)))

    def work_of(index: int) -> Work:
        async def work(inner: Frame) -> Ended:
            return await element((node.branches[index],), inner)

        return work

    join = await _join(node.modifiers, frame)
    works: list[tuple[int | str, Work]] = [(part, work_of(index)) for index, part in enumerate(parts)]
    branches = await _run_branches(node, works, join, frame)
    _publish_names(node, branches, join, frame)
    return _block_value(node, branches, join)


def _block_value(node: Parallel, branches: Sequence[Branch], join: Join) -> Value:
    if join.wanted is not None:
        found = [_result(branch, join) for branch in _counting(branches, join)]
        values = [value for there, value in found if there]
        if join.first:
            return values[0] if values else None
        return ListValue(values)
    results = [
        (_name_of(statement), _result(branch, join)) for statement, branch in zip(node.branches, branches, strict=True)
    ]
    given = [(name, value) for name, (there, value) in results if there]
    if node.branches and all(name is not None for name, _ in results):
        return {str(name): value for name, value in given}
    return ListValue(value for _, value in given)


def wants_first(modifiers: Modifiers | None) -> bool:
    """Whether the value is the winner's alone: `parallel ("first")`."""
    join = modifiers.join if modifiers else None
    return join is not None and getattr(join, "parts", None) == ("first",)


def _counting(branches: Sequence[Branch], join: Join) -> Sequence[Branch]:
    """The branches whose results count; a race that has a winner counts nothing else."""
    winners = [branch for branch in branches if branch.chosen] if join.first else []
    return winners or branches


def _result(branch: Branch, join: Join) -> tuple[bool, Value]:
    ended = branch.ended
    if branch.chosen and ended is not None:
        return True, ended.plain
    if branch.failure is not None and join.on_fail == "continue":
        return True, caught_value(branch.failure)
    return False, None


def _name_of(statement: Node) -> str | None:
    if isinstance(statement, (Let, Assign)) and isinstance(statement.target, Name):
        return statement.target.id
    return None


def _publish_names(node: Parallel, branches: Sequence[Branch], join: Join, frame: Frame) -> None:
    """Bind what the branches bound. The new names of a branch that does not count are null, or its error."""
    known = frame.unit.branch_names.get(node)
    for index, branch in enumerate(branches):
        names = known[index] if known else tuple(BoundNames().statement(node.branches[index]))
        failed = branch.failure is not None and join.on_fail == "continue"
        for name in names:
            if branch.chosen and name in branch.frame.own:
                frame.bind(name, branch.frame.names[name])
                if name in branch.frame.singles:
                    frame.singles[name] = branch.frame.singles[name]
            elif failed and branch.failure is not None and name not in branch.frame.own:
                frame.bind(name, caught_value(branch.failure))
            elif not frame.has(name) or frame.names[name] is frame.bound.slots.get(name, frame):
                frame.bind(name, None)


# ---- running and joining ---------------------------------------------------------------------------------


async def _run_branches(node: Node, works: Sequence[tuple[int | str, Work]], join: Join, frame: Frame) -> list[Branch]:
    """Start all, wait as the policy says, stop and drain the rest, and put together what belongs to the frame."""
    if join.wanted is not None and join.wanted > len(works):
        raise complaint("bad-join", node.span, found=f"{join.wanted} of {len(works)} branches are wanted")
    frame.strand.check()
    run = frame.run
    name = segment(node, frame)
    key = written((frame.path, name, 0, node)) if run.listening and works else ""
    if key:
        run.tell(BranchesStarted(key, tuple(str(part) for part, _ in works)))
    branches: list[Branch] = []
    race = Race(join.wanted, branches) if join.wanted is not None else None
    for index, (part, work) in enumerate(works):
        inner = frame.inner(path=(frame.path, name, part, node))
        if run.listening:
            run.tell(IterationStarted(written(inner.path), index + 1))
        branch = Branch(inner)
        branches.append(branch)
        branch.child = spawn(run, index, _started(branch, work, race))
    try:
        await _wait(branches, join, frame)
    finally:
        for branch in branches:
            if branch.chosen:
                _take_over(branch, node, frame)
        if key:
            run.tell(BranchesJoined(key))
    return branches


def _started(branch: Branch, work: Work, race: Race | None) -> Callable[[Strand], Awaitable[Ended]]:
    async def start(strand: Strand) -> Ended:
        branch.frame.strand = strand
        ended = await work(branch.frame)
        if race is not None:
            race.passed(branch)
        return ended

    return start


@dataclass(slots=True)
class Race:
    """Branches of which only some are wanted. It is over as soon as the last of these is through, which is a moment
    before the others can be stopped: whoever among them has not begun a call yet begins none."""

    wanted: int
    branches: Sequence[Branch]
    through: int = 0

    def passed(self, branch: Branch) -> None:
        """This one has a result."""
        branch.through = True
        self.through += 1
        if self.through != self.wanted:
            return
        for other in self.branches:
            if not other.through and other.child is not None and not other.child.task.done():
                other.lost = True
                other.child.strand.announce("loser")


def _take_over(branch: Branch, node: Node, frame: Frame) -> None:
    frame.take_added(branch.frame, node)
    for slot, answer in branch.frame.latest.items():
        frame.latest[slot] = answer


async def _wait(branches: Sequence[Branch], join: Join, frame: Frame) -> None:
    children = [branch.child for branch in branches if branch.child is not None]
    siblings = frame.strand.below = Siblings(frame.strand, children)
    stopped: Stopped | None = None
    failures: list[Failure] = []
    chosen: list[Branch] = []
    try:
        while siblings.pending:
            for child in await siblings.ended():
                branch = branches[child.index]
                if not branch.lost:
                    stopped = stopped or child.stopped
                if branch.failure is not None:
                    failures.append(branch.failure)
                elif child.succeeded and (join.wanted is None or len(chosen) < join.wanted):
                    branch.chosen = True
                    chosen.append(branch)
            if stopped is not None:
                await _wait_out(siblings, stopped, frame)
                break
            if _is_over(len(branches), len(chosen), failures, join):
                reason = "sibling" if failures and not join.wanted else "loser"
                for child in siblings.pending:
                    branches[child.index].lost = reason == "loser"
                await drain(frame.strand, tuple(siblings.pending), reason)
                frame.strand.check()
                break
    finally:
        frame.strand.below = None
        for child in children:
            if stopped is not None and child.task.done() and child.succeeded:
                branches[child.index].chosen = True
    if stopped is not None:
        attach(stopped, failures)
        raise stopped
    _judge(branches, failures, children, join)


async def _wait_out(siblings: Siblings, stopped: Stopped, frame: Frame) -> None:
    """A branch met the end of the budget: calls that are paid for may give their answers, unless time is over."""
    if stopped.reason in ("calls", "tokens", "cost"):
        while siblings.pending:
            await siblings.ended()
    else:
        await drain(frame.strand, tuple(siblings.pending), stopped.reason)


def _is_over(branches: int, chosen: int, failures: Sequence[Failure], join: Join) -> bool:
    if failures and join.on_fail == "fail-fast" and not join.patient:
        return True
    if join.wanted is None:
        return False
    return chosen >= join.wanted or (join.patient and branches - len(failures) < join.wanted)


def _judge(branches: Sequence[Branch], failures: Sequence[Failure], children: Sequence[Child], join: Join) -> None:
    """Raise the first failure if the policy says that the parallel fails; the others are listed under it."""
    every = [child.failure for child in children if child.failure is not None]
    if not every:
        return
    enough = join.wanted is not None and sum(branch.chosen for branch in branches) >= join.wanted
    fast = join.on_fail == "fail-fast" and not join.patient
    if enough and not (fast and failures):
        return
    if join.lenient:
        return
    if not failures and not fast:
        return
    first = failures[0] if failures else every[0]
    attach(first, every)
    raise first


# ---- modifiers -------------------------------------------------------------------------------------------


async def _join(modifiers: Modifiers | None, frame: Frame) -> Join:
    if modifiers is None:
        return Join()
    join = await _word(modifiers.join, "all", JOINS, frame)
    on_fail = await _word(modifiers.on_fail, "fail-fast", POLICIES, frame)
    if join == "all":
        return Join(None, on_fail)
    wanted = 1
    if modifiers.count is not None:
        wanted = count(await _value(modifiers.count, frame), modifiers.count)
        if wanted < 1:
            raise complaint("bad-join", modifiers.count.span, found="0 branches are wanted")
    return Join(wanted, on_fail, patient=modifiers.on_fail is None, first=join == "first")


async def _word(expression: Expression | None, default: str, words: Sequence[str], frame: Frame) -> str:
    if expression is None:
        return default
    value: Any = await _value(expression, frame)
    if value in words:
        return str(value)
    raise complaint("bad-join", expression.span, found=f"{show(value)} is none of {', '.join(words)}")


async def _value(expression: Expression, frame: Frame) -> Value:
    if expression in frame.unit.waiting:
        return await frame.run.walk.value(expression, frame)
    return evaluate(expression, frame)
