"""What every name of a script holds, statement by statement, along every way on which a body can be left.

In: a unit and `Sources` to be filled. `names` is what names hold where a statement stands; where no way leads on, it is
emptied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from prose_runtime.resolve.blocks import Blocks, Exits
from prose_runtime.resolve.carrying import constant_text
from prose_runtime.resolve.origin import NOTHING, Flow, Names, Source, entries_of, into, joined, made_of, mixed, part_of
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

_SLOW = 25  # rounds after which all that changes in a loop is taken to hold the same


class Trace(Blocks):
    """One walk. What it finds of a call is joined with what an earlier round of a loop found."""

    # ---- statements ----

    def body(self, statements: Sequence[n.Statement], names: Names) -> Flow:
        last = NOTHING
        for statement in statements:
            last = self.statement(statement, names)
        return last

    def statement(self, node: n.Statement, names: Names) -> Flow:
        """Do a statement; gives what it is worth at the end of a body."""
        match node:
            case n.Let(target=target, value=value) | n.Assign(target=target, value=value):
                flow = self.value(value, names)
                self.bind(target, flow, names)
                return flow
            case n.Evaluate(value=value):
                return self.value(value, names)
            case n.Record(value=value, into=target):
                flow = made_of(self.value(value, names))
                return self.more(target, flow, names, recorded=True)
            case n.Return():
                self.returned(node, names)
            case n.Throw():
                self.thrown(node, names)
            case n.Break() | n.Continue():
                self.left(node, names)
            case n.If(arms=arms, otherwise=otherwise):
                for arm in arms:
                    self.looked_at(arm.condition, names)
                return self.branches([*(arm.body for arm in arms), otherwise or ()], names)
            case n.Choice(criterion=criterion, options=options):
                self.looked_at(criterion, names)
                return self.branches([option.body for option in options], names)
            case n.Try():
                return self.attempted(node, names)
            case n.Repeat() | n.For() | n.Loop() | n.Parallel() | n.DoBlock():
                return self.block(node, names, value=node in self.unit.flattened)
            case _:
                pass
        return NOTHING

    def branches(self, bodies: Iterable[Sequence[n.Statement]], names: Names) -> Flow:
        """Ways of which one is gone: afterwards a name may hold what any of them gave it."""
        flow, ends = NOTHING, []
        for body in bodies:
            own = dict(names)
            flow |= self.body(body, own)
            ends.append(own)
        _become(names, joined(ends))
        return flow

    # ---- leaving a body ----

    def returned(self, node: n.Return, names: Names) -> None:
        """`return`: the value belongs to the body around."""
        value = node.value
        if self.given:
            self.given[-1].update(self.value(value, names) if value is not None else ())
        else:
            self._keep(self.found.returned.setdefault(node, {}), value, names)
        for exits in self.exits:
            if exits.collecting:
                exits.continued.append(dict(names))
        names.clear()

    def thrown(self, node: n.Throw, names: Names) -> None:
        """`throw`: whoever catches it finds the value's own fields, and `name` and `message`."""
        value = node.value
        self._keep(self.found.thrown.setdefault(node, {}), value, names)
        if value is not None and self.failing:
            flow = self.value(value, names)
            named = said = mixed(flow)
            if isinstance(value, n.Object):
                entries = {entry.key: mixed(part_of(flow, entry.key)) for entry in value.entries}
                named = entries.get("name", NOTHING) | entries.get("error", NOTHING)
                if entries.keys() & {"message", "reason"}:
                    said = entries.get("message", NOTHING) | entries.get("reason", NOTHING)
            self.failing[-1].update(flow | into(named, "name") | into(said, "message"))
        names.clear()

    def _keep(self, kept: dict[str, Flow], value: n.Expression | None, names: Names) -> None:
        entries: dict[str, Flow]
        if isinstance(value, n.Object):
            entries = {entry.key: self.value(entry.value, names) for entry in value.entries}
        else:
            entries = {"": self.value(value, names) if value is not None else NOTHING}
        for key, flow in entries.items():
            kept[key] = kept.get(key, NOTHING) | flow

    def left(self, node: n.Break | n.Continue, names: Names) -> None:
        exits = next((exits for exits in reversed(self.exits) if exits.loop), None)
        if exits is not None:
            (exits.broken if isinstance(node, n.Break) else exits.continued).append(dict(names))
        names.clear()

    def attempted(self, node: n.Try, names: Names) -> Flow:
        """`try`: where a failure is caught, a name may hold what it held at any time in the body."""
        before = [exits.count for exits in self.exits]
        anywhere = dict(names)
        with self.watching(anywhere):
            at_failure, normal = dict(names), dict(names)
            with self.watching(at_failure), self.catching() as failures:
                flow = self.body(node.body, normal)
            ends = [normal]
            escaping = node.catch is None
            if node.catch is not None:
                hidden = {node.error.id: frozenset(failures)} if node.error else {}
                own = {**at_failure, **hidden}
                flow |= self.body(node.catch, own)
                ends.append(_restored(own, hidden, at_failure))
                escaping = any(_may_fail(part) for statement in node.catch for part in walk(statement))
        if escaping and self.failing:
            self.failing[-1].update(failures, mixed(frozenset(failures)))
        if node.cleanup is not None:
            self.body(node.cleanup, anywhere)
            for exits, count in zip(self.exits, before, strict=True):
                if exits.count > count:
                    exits.broken.append(dict(anywhere))
                    exits.continued.append(dict(anywhere))
        _become(names, joined(ends))
        self.body(node.cleanup or (), names)
        return flow

    @contextmanager
    def watching(self, names: Names) -> Iterator[None]:
        self.watched.append(names)
        try:
            yield
        finally:
            self.watched.pop()

    # ---- loops, and bodies beside each other ----

    def block(self, node: n.Statement, names: Names, value: bool = True) -> Flow:
        """A loop, or what stands beside each other; gives what its rounds or branches are worth."""
        match node:
            case n.DoBlock(body=body):
                return self.once(body, names)
            case n.Parallel():
                return self.beside(node, names)
            case n.For(iterable=iterable, body=body):
                bound = self.items(node, self.value(iterable, names))
                if node.maximum is not None:
                    self.value(node.maximum, names)
            case n.Repeat(count=count, counter=counter, body=body):
                self.value(count, names)
                bound = {counter.id: NOTHING} if counter is not None else {}
            case n.Loop(maximum=maximum, counter=counter, body=body):
                if maximum is not None:
                    self.value(maximum, names)
                bound = {counter.id: NOTHING} if counter is not None else {}
            case _:
                return NOTHING
        if isinstance(node, n.For | n.Repeat) and node.concurrent:
            return self.branch(body, bound, node.modifiers, names)[0]
        condition = node.condition if isinstance(node, n.Loop) else None
        return self.rounds(body, bound, names, value, condition)

    def items(self, node: n.For, flow: Flow) -> Names:
        """What the names of a `for` hold: item and position in a list, key and value in an object."""
        bound = {name.id: NOTHING for name in (node.index, node.counter) if name is not None}
        if node.index is not None and not self.lists.holds(node.iterable):
            bound[node.index.id] = made_of(flow) | entries_of(flow)
        return {**bound, node.item.id: made_of(flow)}

    def once(self, body: Sequence[n.Statement], names: Names) -> Flow:
        """`do:`; as a value, it ends with a `return` in it."""
        exits = Exits(collecting=bool(self.given))
        self.exits.append(exits)
        try:
            flow = self.body(body, names)
        finally:
            self.exits.pop()
        _become(names, joined([names, *exits.continued]))
        return flow

    def rounds(
        self,
        body: Sequence[n.Statement],
        bound: Names,
        names: Names,
        collecting: bool,
        condition: n.Condition | None = None,
    ) -> Flow:
        """Go round until nothing new reaches any name. A name only ever holds more, so that ends soon; where it does
        not, since something goes from name to name a round at a time, each of them is taken to hold it."""
        flow = NOTHING
        for turn in count():
            exits = Exits(collecting and bool(self.given), loop=True)
            self.exits.append(exits)
            own = {**names, **bound}
            self.looked_at(condition, own)
            try:
                flow |= self.body(body, own)
            finally:
                self.exits.pop()
            self.looked_at(condition, own)
            after = joined([names, *(_restored(end, bound, names) for end in (own, *exits.continued))])
            if after == names:
                _become(names, joined([after, *(_restored(end, bound, names) for end in exits.broken)]))
                return flow
            _become(names, after if turn < _SLOW else _widened(after, body))
        raise AssertionError

    def beside(self, node: n.Parallel, names: Names) -> Flow:
        """`parallel:`: every branch begins with the names as they are; afterwards what they bound is bound."""
        known = self.unit.branch_names.get(node, ())
        before = dict(names)
        results: list[tuple[str | None, Flow]] = []
        for number, branch in enumerate(node.branches):
            flow, own, failed = self.branch((branch,), {}, node.modifiers, names, before)
            bound = known[number] if number < len(known) else ()
            for name in bound:
                kept = (
                    names.get(name, NOTHING) if node.modifiers is not None else NOTHING
                )  # of a branch that is stopped
                self.hold(name, kept | own.get(name, NOTHING) | failed, names)
            results.append((bound[0] if _binds(branch) and bound else None, flow))
        named = all(name is not None for name, _ in results)
        join = node.modifiers.join if node.modifiers is not None else None
        plain = made_of(NOTHING.union(*[flow for _, flow in results]))
        if not named:
            return plain
        keyed = NOTHING.union(*[into(flow, str(name)) for name, flow in results])
        return keyed if join is None else keyed | plain

    def branch(
        self,
        body: Sequence[n.Statement],
        bound: Names,
        modifiers: n.Modifiers | None,
        names: Names,
        before: Names | None = None,
    ) -> tuple[Flow, Names, Flow]:
        """A body beside others: what it is worth, what its names hold after it, and what stands for it if it fails."""
        own = {**(before if before is not None else names), **bound}
        outer = self.failing
        failures: set[Source] = set()
        self.failing = [*outer, failures]
        try:
            with self.inside(names, bound), self.collecting() as given:
                exits = Exits(collecting=True)
                self.exits.append(exits)
                flow = self.body(body, own)
        finally:
            self.failing = outer
        if outer:
            outer[-1].update(failures)
        failed = frozenset(failures) if _keeps_failures(modifiers) else NOTHING
        return flow | frozenset(given) | failed, joined([own, *exits.continued]), failed

    def staged(self, stage: n.Stage, flow: Flow, names: Names) -> Flow:
        parameters = stage.parameters or (("acc", "item") if stage.operation == "reduce" else ("item",))
        made = NOTHING
        while True:
            bound = dict.fromkeys(parameters, made_of(flow) | (made if stage.operation == "reduce" else NOTHING))
            more = self.branch(stage.body, bound, None, names)[0]
            if stage.operation == "filter":
                return flow
            if stage.operation != "reduce":
                return more
            if more <= made:
                return flow | made
            made |= more

    # ---- names ----

    def bind(self, target: n.Node, flow: Flow, names: Names) -> None:
        match target:
            case n.Name(id=name):
                self.hold(name, flow, names)
            case n.Destructure(names=parts):
                for part in parts:
                    self.hold(part.id, part_of(flow, part.id), names)
            case _:
                self.more(target, flow, names)

    def more(self, target: n.Node, flow: Flow, names: Names, recorded: bool = False) -> Flow:
        """A part of what a name holds is set, or a list grows; the rest of it stays."""
        while isinstance(target, n.Property | n.Index):
            if isinstance(target, n.Property):
                flow = into(flow, target.name)
            else:
                key = constant_text(target.index)
                self.value(target.index, names)
                if key is not None:
                    flow = into(flow, key)
                elif not isinstance(target.index, n.Constant) and not self.lists.holds(target.target):
                    flow |= mixed(flow)
            target = target.target
        if not isinstance(target, n.Name):
            return flow
        if recorded and target.id not in self.own:
            self.added[target.id] = self.added.get(target.id, NOTHING) | flow
        held = names.get(target.id, NOTHING) | flow
        self.hold(target.id, held, names)
        return held


def _become(names: Names, other: Names) -> None:
    if other is not names:
        names.clear()
        names.update(other)


def _widened(names: Names, body: Sequence[n.Statement]) -> Names:
    """What any name holds that the body binds, for each of them."""
    bound: set[str] = set()
    for statement in body:
        for node in walk(statement):
            if isinstance(node, n.Let | n.Assign | n.Record):
                target = node.into if isinstance(node, n.Record) else node.target
                bound |= {name.id for name in walk(target) if isinstance(name, n.Name)}
    changing = [name for name in names if name in bound]
    return {**names, **dict.fromkeys(changing, NOTHING.union(*(names[name] for name in changing)))}


def _restored(end: Names, bound: Iterable[str], outer: Names) -> Names:
    """The names after a body, with what the names of the loop or handler hid."""
    if not bound or not end:
        return end
    own = {name: flow for name, flow in end.items() if name not in bound}
    own.update((name, outer[name]) for name in bound if name in outer)
    return own


def _keeps_failures(modifiers: n.Modifiers | None) -> bool:
    """Whether what stands for a branch that failed may be its error."""
    written = modifiers.on_fail if modifiers is not None else None
    return written is not None and constant_text(written) not in ("fail-fast", "ignore")


def _may_fail(node: n.Node) -> bool:
    return isinstance(node, n.Throw | n.Call | n.Session | n.Resume | n.Gate | n.Do)


def _binds(branch: n.Statement) -> bool:
    return isinstance(branch, n.Let | n.Assign) and isinstance(branch.target, n.Name)
