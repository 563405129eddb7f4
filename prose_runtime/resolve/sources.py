"""Where what is passed on comes from: for each property of each call, the inputs, config values and answers in it.

In: a resolved definition. Out: `Sources`. Names are followed through values, lists, objects, loops, branches, blocks.
What reaches a name on any path counts; conditions do not, nor how many items a list has: that a value decided something
does not put it into what is passed. So nothing is missing here, and something may be too much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple, TypeAlias

from prose_runtime.resolve.program import Unit
from prose_runtime.syntax import nodes as n

Kind = Literal["input", "config", "answer"]
Asking: TypeAlias = "n.Call | n.Session | n.Resume | n.Gate"
"""What gives an answer from outside."""


class Source(NamedTuple):
    """One origin. `name`: the input, the config value, or who answered; `part`: the property that was read of it, or
    ""; `call`: where an answer was asked for. `under`: the keys of the object in which it is, `(*,)` for any."""

    kind: Kind
    name: str
    part: str = ""
    call: n.Expression | None = None
    under: tuple[str, ...] = ()


Flow: TypeAlias = frozenset[Source]
NOTHING: Flow = frozenset()
_Names: TypeAlias = "dict[str, Flow]"
_ANYWHERE = ("*",)
_NESTED = 4  # objects in objects that are told apart
_COUNTS = ("length", "count")
_DEEPEST = 8  # blocks that call blocks; deeper ones are what they were given


class Sources:
    """`passed`: for each call, session, resume and gate, what each of its properties holds. `returned`: for each
    `return`, what each entry of the returned object holds, or "" for another value. `held`: what each name that the
    script binds holds at any time."""

    def __init__(self, unit: Unit) -> None:
        self.passed: dict[Asking, dict[str, Flow]] = {}
        self.returned: dict[n.Return, dict[str, Flow]] = {}
        self.held: dict[str, Flow] = {}
        script = unit.definition.script
        if script is not None:
            _Walk(unit, self).body(script.statements, {})


def sources_of(unit: Unit) -> Sources:
    """The sources of a definition; of one without a script there are none."""
    return Sources(unit)


def flow_of(expression: n.Expression, unit: Unit, sources: Sources) -> Flow:
    """What an expression may hold anywhere in the script, whatever its names hold there at other times."""
    return _Walk(unit, sources).value(expression, dict(sources.held))


def asked_name(node: Asking, unit: Unit) -> str:
    """Who is asked: of a name that holds an item of a list slot, the slot."""
    if isinstance(node, n.Call):
        target = unit.calls.get(node)
        return target.name if target is not None and target.kind == "slot-item" else node.target
    if isinstance(node, n.Gate):
        return "gate"
    return node.agent or "model"


class _Walk:
    """One pass over a script. What it finds of a call is joined with what an earlier round of a loop found."""

    def __init__(self, unit: Unit, found: Sources) -> None:
        self.unit = unit
        self.found = found
        self.level = 0
        self.given: list[set[Source]] = []  # what the body around gives, for each body that gives a value

    # ---- statements ----

    def body(self, statements: Sequence[n.Statement], names: _Names) -> Flow:
        """Do statements; gives what the last of them is worth."""
        last = NOTHING
        for statement in statements:
            last = self.statement(statement, names)
        return last

    def statement(self, node: n.Statement, names: _Names) -> Flow:
        match node:
            case n.Let(target=target, value=value) | n.Assign(target=target, value=value):
                flow = self.value(value, names)
                self.bind(target, flow, names)
                return flow
            case n.Evaluate(value=value):
                return self.value(value, names)
            case n.Return():
                self.leave(node, names)
                return NOTHING
            case n.Record(value=value, into=into):
                flow = self.value(value, names)
                self.bind_more(into, flow, names)
                return flow
            case n.If(arms=arms, otherwise=otherwise):
                return self.branches([*(arm.body for arm in arms), otherwise or ()], names)
            case n.Choice(options=options):
                return self.branches([option.body for option in options], names)
            case n.Try(body=body, catch=caught, cleanup=cleanup):
                # Whatever the body bound before it failed may be bound where the failure is caught.
                flow = self.branches([body, ()], names)
                flow |= self.branches([caught or (), ()], names)
                self.body(cleanup or (), names)
                return flow
            case n.Repeat() | n.For() | n.Loop() | n.Parallel() | n.DoBlock():
                return self.loop(node, names)
            case n.Throw(value=value):
                return self.value(value, names) if value is not None else NOTHING
            case _:
                return NOTHING

    def leave(self, node: n.Return, names: _Names) -> None:
        """`return`: the value belongs to the body around."""
        value = node.value
        if isinstance(value, n.Object):
            entries = {entry.key: self.value(entry.value, names) for entry in value.entries}
            if self.given:
                entries = {key: _into(flow, key) for key, flow in entries.items()}
        else:
            entries = {"": self.value(value, names) if value is not None else NOTHING}
        if self.given:
            self.given[-1].update(*entries.values())
        else:
            kept = self.found.returned.setdefault(node, {})
            for key, flow in entries.items():
                kept[key] = kept.get(key, NOTHING) | flow

    def branches(self, bodies: Iterable[Sequence[n.Statement]], names: _Names) -> Flow:
        """Ways of which one is gone: afterwards a name may hold what any of them gave it."""
        flow, ends = NOTHING, []
        for body in bodies:
            own = dict(names)
            flow |= self.body(body, own)
            ends.append(own)
        names.update(_joined(ends))
        return flow

    def loop(self, node: n.Statement, names: _Names) -> Flow:
        """A loop, or what stands beside each other; gives what its rounds or branches are worth."""
        match node:
            case n.DoBlock(body=body):
                return self.body(body, names)
            case n.Parallel(branches=branches):
                flow, ends = NOTHING, [names]
                for branch in branches:
                    own = dict(names)
                    flow |= self.statement(branch, own)
                    ends.append(own)
                names.update(_joined(ends))
                return flow
            case n.For(item=item, index=index, iterable=iterable, body=body, counter=counter):
                held = self.value(iterable, names)
                bound = {item.id: held} | {name.id: NOTHING for name in (index, counter) if name is not None}
                if index is not None:
                    bound[index.id] = NOTHING
            case n.Repeat(count=count, counter=counter, body=body):
                self.value(count, names)
                bound = {counter.id: NOTHING} if counter is not None else {}
            case n.Loop(counter=counter, body=body):
                bound = {counter.id: NOTHING} if counter is not None else {}
            case _:
                return NOTHING
        return self.rounds(body, bound, names)

    def rounds(self, body: Sequence[n.Statement], bound: _Names, names: _Names) -> Flow:
        """Go round until nothing new reaches any name. A name only ever holds more, so that ends soon."""
        flow = NOTHING
        while True:
            own = {**names, **bound}
            flow |= self.body(body, own)
            after = _joined([names, {name: held for name, held in own.items() if name not in bound or name in names}])
            if after == names:
                return flow
            names.update(after)

    def bind(self, target: n.Node, flow: Flow, names: _Names) -> None:
        match target:
            case n.Name(id=name):
                names[name] = flow
                self.hold(name, flow)
            case n.Destructure(names=parts):
                for part in parts:
                    names[part.id] = _part(flow, part.id)
                    self.hold(part.id, names[part.id])
            case _:
                self.bind_more(target, flow, names)

    def bind_more(self, target: n.Node, flow: Flow, names: _Names) -> None:
        """A part of what a name holds is set; the rest of it stays."""
        while isinstance(target, n.Property | n.Index):
            if isinstance(target, n.Property):
                flow = _into(flow, target.name)
            target = target.target
        if isinstance(target, n.Name):
            names[target.id] = names.get(target.id, NOTHING) | flow
            self.hold(target.id, flow)

    def hold(self, name: str, flow: Flow) -> None:
        self.found.held[name] = self.found.held.get(name, NOTHING) | flow

    # ---- values ----

    def value(self, node: n.Expression, names: _Names) -> Flow:
        match node:
            case n.Name(id=name):
                return self.name(node, name, names)
            case n.Property(target=n.Name(id="config") as root, name=name) if self.unit.names.get(root) == "builtin":
                return frozenset({Source("config", name)})
            case n.Property(target=target, name=name):
                return _part(self.value(target, names), name)
            case n.Call() | n.Session() | n.Resume() | n.Gate():
                return self.asked(node, names)
            case n.Do():
                return self.do(node, names)
            case n.Object(entries=entries):
                return NOTHING.union(*(_into(self.value(entry.value, names), entry.key) for entry in entries))
            case n.Apply(function="field", arguments=(of, n.Text(parts=(str() as name,)), *rest)):
                return _part(self.value(of, names), name).union(*(self.value(item, names) for item in rest))
            case n.Apply(function="len"):
                return NOTHING
            case n.BlockValue(block=block):
                with self.collecting() as given:
                    flow = self.loop(block, names)
                return flow | frozenset(given)
            case n.Pipeline(source=source, stages=stages):
                return self.pipeline(self.value(source, names), stages, names)
            case _:
                return frozenset().union(*(self.value(part, names) for part in _parts(node)))

    def name(self, node: n.Name, name: str, names: _Names) -> Flow:
        if name in names:
            return names[name]
        kind = self.unit.names.get(node)
        if kind == "input" or kind == "config":
            return frozenset({Source(kind, name)})
        return NOTHING

    def asked(self, node: Asking, names: _Names) -> Flow:
        """Keep what is passed; gives the answer."""
        passed = self.found.passed.setdefault(node, {})
        arguments: tuple[n.Expression, ...] = getattr(node, "arguments", ())
        positions = self.unit.positional.get(node, ()) if isinstance(node, n.Call | n.Session) else ()
        given = {entry.key: entry.value for entry in node.properties}
        for number, argument in enumerate(arguments):
            own = argument.id if isinstance(argument, n.Name) else str(number + 1)
            given[positions[number] if number < len(positions) else own] = argument
        if isinstance(node, n.Session) and node.prompt is not None:
            given["prompt"] = node.prompt
        for key, value in given.items():
            passed[key] = passed.get(key, NOTHING) | self.value(value, names)
        return frozenset({Source("answer", asked_name(node, self.unit), "", node)})

    def do(self, node: n.Do, names: _Names) -> Flow:
        """A block is gone through where it is called, with what it is given."""
        block = self.unit.does.get(node)
        held = [self.value(argument, names) for argument in node.arguments]
        if block is None or self.level >= _DEEPEST:
            return NOTHING.union(*held)
        own = dict(names)
        own.update((name.id, flow) for name, flow in zip(block.parameters, held, strict=False))
        self.level += 1
        try:
            with self.collecting() as given:
                flow = self.body(block.body, own)
        finally:
            self.level -= 1
        return flow | frozenset(given)

    def pipeline(self, flow: Flow, stages: Iterable[n.Stage], names: _Names) -> Flow:
        for stage in stages:
            bound = dict.fromkeys(stage.parameters or ("item",), flow)
            with self.collecting() as given:
                made = self.body(stage.body, {**names, **bound})
            if stage.operation == "filter":
                continue
            flow = made | frozenset(given) | (flow if stage.operation == "reduce" else NOTHING)
        return flow

    @contextmanager
    def collecting(self) -> Iterator[set[Source]]:
        """What `return` gives in here stays here."""
        given: set[Source] = set()
        self.given.append(given)
        try:
            yield given
        finally:
            self.given.pop()


def _parts(node: n.Expression) -> Iterator[n.Expression]:
    """The values that a value is made of."""
    match node:
        case n.Text(parts=parts):
            yield from (part for part in parts if not isinstance(part, str))
        case n.Index(target=target, index=_):
            yield target
        case n.List(items=items):
            yield from items
        case n.Unary(operand=operand):
            yield operand
        case n.Binary(left=left, right=right):
            yield from (left, right)
        case n.Conditional(then=then, otherwise=otherwise):
            yield from (then, otherwise)
        case n.Apply(arguments=arguments):
            yield from arguments
        case _:
            return


def _part(flow: Flow, name: str) -> Flow:
    """What a property of a value holds: of an answer that part of it, of an object what stands under that key."""
    if name in _COUNTS and not any(source.under[:1] == (name,) for source in flow):
        return NOTHING
    found: set[Source] = set()
    for source in flow:
        if source.under == _ANYWHERE:
            found.add(source)
        elif source.under:
            if source.under[0] == name:
                found.add(source._replace(under=source.under[1:]))
        elif source.kind == "answer" and not source.part:
            found.add(source._replace(part=name))
        else:
            found.add(source)
    return frozenset(found)


def _into(flow: Flow, key: str) -> Flow:
    """The same as an entry of an object."""
    return frozenset(
        source._replace(under=_ANYWHERE)
        if source.under == _ANYWHERE or len(source.under) >= _NESTED
        else source._replace(under=(key, *source.under))
        for source in flow
    )


def _joined(ends: Sequence[Mapping[str, Flow]]) -> _Names:
    """Each name with what it holds on any of the ways."""
    joined: _Names = {}
    for end in ends:
        for name, flow in end.items():
            joined[name] = joined.get(name, NOTHING) | flow
    return joined
