"""Bodies with names of their own: blocks that are called, branches, items. What they are given, give and add to lists.

In: a call of a block, with what is passed. Out: what it gives. A block is gone through where it is called, with what it
is given there; where blocks call each other too deeply for that, each is gone through by itself with all that it is
given anywhere, again and again until nothing new reaches any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from prose_runtime.resolve.carrying import Carrying
from prose_runtime.resolve.origin import NOTHING, Flow, Names, Source, joined
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Sources, given_names
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

_EXPANDED = 300  # calls of blocks that are each followed with what they are given; later ones share what they are given
_DEEPEST = 30  # blocks that call each other, each gone through inside of the one before


class Exits:
    """How a body is left early. `collecting`: a `return` in it ends the round, not the body around; `loop`: `break` and
    `continue` belong to it."""

    def __init__(self, collecting: bool, loop: bool = False) -> None:
        self.collecting = collecting
        self.loop = loop
        self.broken: list[Names] = []
        self.continued: list[Names] = []

    @property
    def count(self) -> int:
        return len(self.broken) + len(self.continued)


class Done:
    """A block that is being gone through, or was: what it was given, what it gives and adds to lists outside. Of one
    that is gone through by itself also what fails in it, and who calls it (None: the script)."""

    def __init__(self, given: list[Flow], around: Names) -> None:
        self.given = given
        self.around = around
        self.gives = NOTHING
        self.added: Names = {}
        self.again = False
        self.fails = NOTHING
        self.callers: set[n.Block | None] = set()


class Blocks(Carrying):
    """Follows values into bodies with names of their own."""

    def __init__(self, unit: Unit, found: Sources) -> None:
        super().__init__(unit, found)
        self.start = given_names(unit)
        self.exits: list[Exits] = []
        self.watched: list[Names] = []  # for each `try` around, what the names held at any time in it
        self.home: Names | None = None  # the names of the script, in a body with names of its own
        self.own: frozenset[str] = frozenset()  # the names that such a body is given
        self.added: Names = {}  # what such a body adds to lists outside
        self.doing: dict[n.Block, Done] = {}
        self.shared: dict[n.Block, Done] = {}
        self.expanded = 0
        self.apart = are_deep(unit)  # each block is gone through by itself
        self.mentioned = _mentioned(unit)  # all that the blocks can see of what the script binds
        self.pending: dict[n.Block | None, None] = {}
        self.current: n.Block | None = None

    def script(self, statements: Sequence[n.Statement]) -> None:
        """The whole script."""
        self.pending[None] = None
        while self.pending:
            self.current = next(reversed(self.pending))
            del self.pending[self.current]
            if self.current is None:
                self.body(statements, dict(self.start))
            else:
                self.by_itself(self.current, self.shared[self.current])

    # ---- calls of blocks ----

    def do(self, node: n.Do, names: Names) -> Flow:
        """A block is gone through where it is called, with what it is given."""
        block = self.unit.does.get(node)
        held = [self.value(argument, names) for argument in node.arguments]
        if block is None:
            return NOTHING.union(*held)
        home = self.home if self.home is not None else names
        around = {name: home[name] for name in self.mentioned if name in home}
        added = (name for name in self.added if name in self.mentioned)
        around.update((name, around.get(name, NOTHING) | names.get(name, NOTHING)) for name in added)
        if self.apart:
            return self.noted(block, held, around, names)
        done = self.doing.get(block)
        if done is not None:
            done.again |= _grows(done, held, around)
            return done.gives
        self.expanded += 1
        if self.expanded <= _EXPANDED:
            done = Done(held, around)
        else:
            shared = self.shared.get(block)
            done = shared or self.shared.setdefault(block, Done(held, around))
            if not _grows(done, held, around) and shared is not None:
                self.take(done.added, names)
                return done.gives
        self.through(block, done, names)
        return done.gives

    def through(self, block: n.Block, done: Done, names: Names) -> None:
        """Go through a block until a call of itself in it brings nothing new."""
        self.doing[block] = done
        try:
            while True:
                done.again = False
                own = {**done.around, **_parameters(block, done)}
                with self.inside(names, (name.id for name in block.parameters)):
                    with self.collecting() as given:
                        flow = self.body(block.body, own) | frozenset(given)
                    done.added = joined([done.added, self.added])
                new = not flow <= done.gives
                done.gives |= flow
                if not done.again and not (new and _calls(block, self.unit)):
                    return
        finally:
            del self.doing[block]

    # ---- blocks by themselves ----

    def noted(self, block: n.Block, held: list[Flow], around: Names, names: Names) -> Flow:
        """A call of a block that is gone through later: it gives what is known of it so far."""
        done = self.shared.get(block)
        if done is None:
            done = self.shared[block] = Done(held, around)
            self.pending[block] = None
        elif _grows(done, held, around):
            self.pending[block] = None
        done.callers.add(self.current)
        if self.failing:
            self.failing[-1].update(done.fails)
        self.take(done.added, names)
        return done.gives

    def by_itself(self, block: n.Block, done: Done) -> None:
        """Go through a block once; where it gives more than before, those that call it are to be gone through again."""
        before = done.gives, done.fails, done.added
        own = {**done.around, **_parameters(block, done)}
        with self.catching() as failures, self.inside(done.around, (name.id for name in block.parameters)):
            with self.collecting() as given:
                done.gives |= self.body(block.body, own) | frozenset(given)
            done.added = joined([done.added, self.added])
        done.fails |= frozenset(failures)
        if before != (done.gives, done.fails, done.added):
            self.pending.update(dict.fromkeys(done.callers))

    # ---- names of their own ----

    @contextmanager
    def inside(self, names: Names, own: Iterable[str]) -> Iterator[None]:
        """A body with names of its own; what it adds to lists outside is added to `names` after it."""
        kept = self.exits, self.watched, self.home, self.own, self.added
        self.exits, self.watched, self.added, self.own = [], [], {}, frozenset(own)
        if self.home is None:
            self.home = dict(names)
        try:
            yield
        finally:
            added = self.added
            self.exits, self.watched, self.home, self.own, self.added = kept
            self.take(added, names)

    def take(self, added: Names, names: Names) -> None:
        """Add to the lists here what a body with names of its own added to them."""
        for name, flow in added.items():
            if name not in self.own:
                self.hold(name, names.get(name, NOTHING) | flow, names)
            self.added[name] = self.added.get(name, NOTHING) | flow

    def hold(self, name: str, flow: Flow, names: Names) -> None:
        """The name holds this from here on."""
        names[name] = flow
        held = self.found.held
        held[name] = held.get(name, NOTHING) | flow | self.start.get(name, NOTHING)
        for watched in self.watched:
            watched[name] = watched.get(name, NOTHING) | flow

    @contextmanager
    def catching(self) -> Iterator[set[Source]]:
        """What fails in here is caught, or told."""
        failures: set[Source] = set()
        self.failing.append(failures)
        try:
            yield failures
        finally:
            self.failing.pop()


def _mentioned(unit: Unit) -> dict[str, None]:
    """The names that stand in blocks, in the order in which they do."""
    found: dict[str, None] = {}
    for block in unit.blocks.values():
        for node in walk(block):
            plan = unit.conditions.get(node) if isinstance(node, n.Condition) else None
            found.update(dict.fromkeys(plan.names if plan is not None else ()))
            if isinstance(node, n.Name):
                found[node.id] = None
    return found


def _parameters(block: n.Block, done: Done) -> Names:
    return {name.id: flow for name, flow in zip(block.parameters, done.given, strict=False)}


def _grows(done: Done, given: list[Flow], around: Names) -> bool:
    """Join what a block is given with what it was given before; whether that is new."""
    more = [old | new for old, new in zip(done.given, given, strict=False)]
    wider = joined([done.around, around])
    grown = more != done.given[: len(more)] or wider != done.around
    done.given[: len(more)] = more
    done.around = wider
    return grown


def _calls(block: n.Block, unit: Unit) -> bool:
    """Whether a block may come to itself again."""
    seen: set[n.Block] = set()
    pending = [block]
    while pending:
        for inner in _called(pending.pop(), unit):
            if inner is block:
                return True
            if inner not in seen:
                seen.add(inner)
                pending.append(inner)
    return False


def _called(block: n.Block, unit: Unit) -> list[n.Block]:
    """The blocks that a block calls."""
    found = (unit.does.get(node) for node in walk(block) if isinstance(node, n.Do))
    return [inner for inner in found if inner is not None]


def innermost_first(unit: Unit) -> dict[n.Block, int]:
    """The blocks of a definition, those first that call none of the others, with how deep the calls in them go. Where
    blocks call each other in a ring, one of them is the first."""
    deep: dict[n.Block, int] = {}
    begun: set[n.Block] = set()
    for block in unit.blocks.values():
        pending = [] if block in begun else [(block, _called(block, unit))]
        while pending:
            current, inner = pending[-1]
            begun.add(current)
            further = next((one for one in inner if one not in begun), None)
            if further is not None:
                pending.append((further, _called(further, unit)))
                continue
            pending.pop()
            deep[current] = 1 + max((deep.get(one, 0) for one in inner), default=0)
    return deep


def are_deep(unit: Unit) -> bool:
    """Whether blocks call each other more deeply than they can be gone through inside of each other."""
    return len(unit.blocks) > _DEEPEST and max(innermost_first(unit).values()) > _DEEPEST
