"""Who gets what in a definition, as a tree of boxes with steps in them, and arrows between the steps.

In: a resolved definition. Out: a `Graph`, which `graph_text` and `graph_mermaid` draw. The tree is that of the script:
loops, branches and parallel blocks are boxes; whoever is asked, and each way out, is a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Asking, Flow, Source, Sources, asked_name, sources_of
from prose_runtime.source.node import node
from prose_runtime.syntax import children, print_expression
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.printer import Unprintable

StepKind = Literal["call", "session", "gate", "return", "throw", "do"]
_LONGEST = 72
_BLOCKS = 60
"""Calls of blocks that are drawn with what is in them; later ones are named only, and so is a block in itself."""


@node
class Passed:
    """One property of a step, or one entry of what is returned; `origins`: what is in it."""

    key: str
    origins: tuple[Origin, ...]


@node
class Origin:
    """An input, a config value, an answer or a failure. `step`: the number of the step that answered or failed;
    `earlier`: in the round before."""

    source: Source
    step: int | None = None
    earlier: bool = False

    @property
    def label(self) -> str:
        """`task_brief`, `config threshold`, `evaluator.score`, `failure of worker`."""
        if self.source.kind == "config":
            return f"config {self.source.name}"
        if self.source.kind == "failure":
            return f"failure of {self.source.name}"
        return f"{self.source.name}.{self.source.part}" if self.source.part else self.source.name


@node
class Step:
    """Somebody is asked, or the script is left, or (`do`) what a block does is done again. `number` counts the steps in
    the order of the text."""

    number: int
    kind: StepKind
    name: str
    passed: tuple[Passed, ...]
    line: int


@node
class Box:
    """What belongs together. `title`: the head of the loop or branch; "" for the whole."""

    title: str
    parts: tuple[Box | Step, ...]

    def steps(self) -> Iterator[Step]:
        """All steps in it, also those in boxes, in order."""
        for part in self.parts:
            if isinstance(part, Box):
                yield from part.steps()
            else:
                yield part


@node
class Graph:
    """A definition. `inputs` and `config` are those that reach a step, in the order of their declaration."""

    name: str
    kind: str
    whole: Box
    inputs: tuple[str, ...]
    config: tuple[str, ...]


def graph_of(unit: Unit) -> Graph:
    """The graph of a definition. One without a script has one step: what `model` is asked."""
    script = unit.definition.script
    drawn = _Drawing(unit, sources_of(unit))
    parts = drawn.finished(drawn.body(script.statements)) if script is not None else (drawn.contract(),)
    whole = Box("", parts)
    used = {
        (origin.source.kind, origin.source.name)
        for step in whole.steps()
        for passed in step.passed
        for origin in passed.origins
    }
    inputs = [item.name for item in (*unit.inputs, *unit.passed_on) if ("input", item.name) in used]
    config = [item.name for item in unit.config if ("config", item.name) in used]
    return Graph(unit.name, unit.definition.kind, whole, tuple(inputs), tuple(config))


# ---- from the script to boxes ----------------------------------------------------------------------------

_Draft: TypeAlias = "_Step | _Box"


@node
class _Step:
    """A step whose arrows are not drawn yet, because who answered may stand below it."""

    number: int
    node: Asking | n.Return | n.Throw | n.Do


@node
class _Box:
    title: str
    parts: tuple[_Draft, ...]


class _Drawing:
    def __init__(self, unit: Unit, sources: Sources) -> None:
        self.unit = unit
        self.sources = sources
        self.count = 0
        self.blocks = 0
        self.inside: set[n.Block] = set()
        self.numbers: dict[n.Node, int] = {}

    def contract(self) -> Step:
        """A function without a script: all its inputs go to the model."""
        names = [item.name for item in self.unit.inputs]
        passed = tuple(Passed(name, (Origin(Source("input", name)),)) for name in names)
        return Step(1, "call", "model", passed, self.line(self.unit.definition))

    def body(self, statements: Iterable[n.Statement]) -> list[_Draft]:
        return [part for statement in statements for part in self.statement(statement)]

    def statement(self, node: n.Statement) -> Iterator[_Draft]:
        match node:
            case n.If(arms=arms, otherwise=otherwise):
                for number, arm in enumerate(arms):
                    yield from self.box(f"{'elif' if number else 'if'} {_condition(arm.condition)}", arm.body)
                yield from self.box("else", otherwise or ())
            case n.Choice(criterion=criterion, options=options):
                parts = [box for option in options for box in self.box(f"option {_shown(option.label)}", option.body)]
                yield from self.full(f"choice {_condition(criterion)}", parts)
            case n.Try(body=body, catch=caught, cleanup=cleanup):
                yield from self.box("try", body)
                yield from self.box("catch", caught or ())
                yield from self.box("finally", cleanup or ())
            case n.Repeat() | n.For() | n.Loop() | n.Parallel() | n.DoBlock():
                yield from self.loop(node)
            case n.Return(value=value) | n.Throw(value=value):
                if value is not None:
                    yield from self.value(value)
                if isinstance(node, n.Throw) or node in self.sources.returned:
                    yield _Step(self.next(node), node)
            case n.Block() | n.Agent() | n.Use():
                return
            case _:
                for part in children(node):
                    yield from self.value(part)

    def loop(self, node: n.Statement) -> Iterator[_Draft]:
        match node:
            case n.For(iterable=iterable, body=body):
                yield from self.value(iterable)
            case n.Repeat(count=count, body=body):
                yield from self.value(count)
            case n.Loop(body=body) | n.DoBlock(body=body):
                pass
            case n.Parallel(branches=body):
                pass
            case _:
                return
        yield from self.box(head_of(node), body)

    def value(self, node: n.Node) -> Iterator[_Draft]:
        """The steps in a value, in the order in which they are taken: what is passed first, then who gets it."""
        match node:
            case n.BlockValue(block=block):
                yield from self.loop(block)
            case n.Pipeline(source=source, stages=stages):
                yield from self.value(source)
                for stage in stages:
                    parameters = f"({', '.join(stage.parameters)})" if stage.parameters else ""
                    yield from self.box(f"{stage.operation}{parameters}", stage.body)
            case n.Do(block=name, arguments=arguments):
                for argument in arguments:
                    yield from self.value(argument)
                yield from self.do(node, name)
            case _:
                for part in children(node):
                    yield from self.value(part)
                if isinstance(node, n.Call | n.Session | n.Resume | n.Gate):
                    yield _Step(self.next(node), node)

    def do(self, node: n.Do, name: str) -> Iterator[_Draft]:
        block = self.unit.does.get(node)
        if block is None:
            return
        self.blocks += 1
        if block in self.inside or self.blocks > _BLOCKS:
            yield _Step(self.next(node), node)
            return
        self.inside.add(block)
        try:
            parts = self.body(block.body)
        finally:
            self.inside.discard(block)
        yield from self.full(f"do {name}", parts)

    def box(self, title: str, body: Sequence[n.Statement]) -> Iterator[_Box]:
        yield from self.full(title, self.body(body))

    def full(self, title: str, parts: Sequence[_Draft]) -> Iterator[_Box]:
        """A box in which nothing happens is left out."""
        if parts:
            yield _Box(title, tuple(parts))

    def next(self, node: n.Node) -> int:
        self.count += 1
        self.numbers.setdefault(node, self.count)
        return self.count

    def line(self, node: n.Node) -> int:
        return self.unit.source.position(node.span.start).line

    # ---- arrows ----

    def finished(self, parts: Iterable[_Draft]) -> tuple[Box | Step, ...]:
        """The same boxes and steps, with their arrows."""
        return tuple(
            Box(part.title, self.finished(part.parts)) if isinstance(part, _Box) else self.step(part) for part in parts
        )

    def step(self, part: _Step) -> Step:
        asked = part.node
        if isinstance(asked, n.Do):
            return Step(part.number, "do", f"do {asked.block}, as above", (), self.line(asked))
        if isinstance(asked, n.Return | n.Throw):
            held = self.sources.returned.get(asked) if isinstance(asked, n.Return) else self.sources.thrown.get(asked)
            kind: StepKind = "return" if isinstance(asked, n.Return) else "throw"
            return Step(part.number, kind, kind, self.passed(held or {}, part.number), self.line(asked))
        name = asked_name(asked, self.unit)
        passed = self.passed(self.sources.passed.get(asked, {}), part.number)
        return Step(part.number, _KINDS.get(type(asked), "call"), name, passed, self.line(asked))

    def passed(self, held: Mapping[str, Flow], number: int) -> tuple[Passed, ...]:
        return tuple(Passed(key, tuple(self.origins(flow, number))) for key, flow in held.items())

    def origins(self, flow: Flow, number: int) -> Iterator[Origin]:
        """Each origin once, whatever key of an object it stands under; inputs first."""
        seen: set[tuple[object, ...]] = set()
        for source in sorted(flow, key=self.place):
            at = self.numbers.get(source.call, 0) if source.call is not None else 0
            key = (source.kind, source.name, source.part, at)
            if key not in seen:
                seen.add(key)
                yield Origin(source._replace(under=()), at or None, earlier=at >= number)

    def place(self, source: Source) -> tuple[int, int, str, str]:
        at = self.numbers.get(source.call, 0) if source.call is not None else 0
        return _ORDER[source.kind], at, source.name, source.part


_ORDER = {"input": 0, "config": 1, "answer": 2, "failure": 3}
_KINDS: dict[type, StepKind] = {n.Session: "session", n.Resume: "session", n.Gate: "gate"}


# ---- titles ----------------------------------------------------------------------------------------------


def head_of(node: n.Statement) -> str:
    """The head of a loop in one line, as it would be written."""
    match node:
        case n.Repeat(count=count, counter=counter, concurrent=concurrent):
            text = f"repeat {_shown(count)}{f' as {counter.id}' if counter else ''}"
            return f"parallel {text}" if concurrent else text
        case n.For(item=item, index=index, iterable=iterable, concurrent=concurrent, modifiers=modifiers):
            names = item.id if index is None else f"{item.id}, {index.id}"
            text = f"for {names} in {_shown(iterable)}{_modifiers(modifiers)}"
            return f"parallel {text}" if concurrent else text
        case n.Loop(test=test, condition=condition, maximum=maximum, counter=counter):
            text = f"loop {test} {_condition(condition)}" if test and condition else "loop"
            return f"{text}{f' (max: {_shown(maximum)})' if maximum else ''}{f' as {counter.id}' if counter else ''}"
        case n.Parallel(modifiers=modifiers):
            return f"parallel{_modifiers(modifiers)}"
        case _:
            return "do"


def _modifiers(modifiers: n.Modifiers | None) -> str:
    if modifiers is None:
        return ""
    given = (("", modifiers.join), ("count: ", modifiers.count), ("on-fail: ", modifiers.on_fail))
    parts = [f"{name}{_shown(value)}" for name, value in given if value is not None]
    return f" ({', '.join(parts)})" if parts else ""


def _condition(condition: n.Condition) -> str:
    return _short(condition.text)


def _shown(value: n.Expression) -> str:
    try:
        return _short(print_expression(value))
    except Unprintable:
        return "…"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
