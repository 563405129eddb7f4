"""One pass over a script in the order in which it runs: names read and bound, calls, conditions.

In: a unit whose declarations are linked. Out: `Unit.conditions`, `names`, `calls`, `sessions`, `does`, `list_slots`,
`branch_names`, and diagnostics about names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from prose_runtime.resolve.bound import targets
from prose_runtime.resolve.reading import Reading
from prose_runtime.resolve.state import Rounds, State, join
from prose_runtime.syntax.nodes import (
    Agent,
    Arm,
    Assign,
    Block,
    Break,
    Choice,
    Condition,
    Constant,
    Continue,
    DoBlock,
    Evaluate,
    Expression,
    For,
    If,
    Index,
    Let,
    List,
    Loop,
    Modifiers,
    Name,
    Parallel,
    Property,
    Record,
    Repeat,
    Return,
    Statement,
    Throw,
    Try,
    Use,
)


class Flow(Reading):
    """Walks the statements."""

    def script(self, statements: Sequence[Statement]) -> None:
        """The whole script, then its blocks, which may read what the script binds anywhere."""
        self.body(statements)
        body = self.scopes.body
        body.state = State(None, set(self.bound.of(statements)), body.state.constants)
        for block in self.unit.blocks.values():
            with self._apart("block", {item.id: "a parameter" for item in block.parameters}):
                self.body(block.body)
                self._last_is_value(block.body)
        self.unit.list_slots = frozenset(self.list_slots)

    def body(self, statements: Sequence[Statement]) -> None:
        """Statements one after the other."""
        for statement in statements:
            handle = _STATEMENTS.get(type(statement))
            if handle is not None:
                handle(self, statement)

    # ---- statements ----

    def let(self, node: Let) -> None:
        self.read(node.value)
        self._target(node)
        for name in targets(node):
            self.scopes.bind(name, constant=node.constant)

    def assign(self, node: Assign) -> None:
        self.read(node.value)
        self._target(node)
        for name in targets(node):
            self.scopes.bind(name, declares=False, assign=node)

    def _target(self, node: Let | Assign) -> None:
        if isinstance(node.target, (Property, Index)):
            self._changed(node.target)

    def _changed(self, place: Expression) -> None:
        while isinstance(place, (Property, Index)):
            if isinstance(place, Index):
                self.read(place.index)
            place = place.target
        self.read(place)
        if isinstance(place, Name):
            self.scopes.change(place)

    def record(self, node: Record) -> None:
        self.read(node.value)
        into = node.into
        seen = isinstance(into, Name) and into.id in self.scopes.used
        self._changed(into)
        if isinstance(into, Name) and not seen and self.scopes.kind(into.id) == "variable":
            self.scopes.used.discard(into.id)

    def evaluate(self, node: Evaluate) -> None:
        self.read(node.value)

    def agent(self, node: Agent) -> None:
        """What an agent is asked to be; the names of its skills stand for themselves."""
        for entry in node.properties:
            items = entry.value.items if entry.key == "skills" and isinstance(entry.value, List) else None
            if items is None:
                self.entries((entry,))
                continue
            for item in items:
                if isinstance(item, Name) and self.scopes.kind(item.id) is None:
                    self.unit.names[item] = "word"
                else:
                    self.read(item)
        self.entries(node.shape)

    def leave(self, node: Return | Throw) -> None:
        self.read(node.value)
        self.state.definite = None

    def jump(self, node: Break | Continue) -> None:
        if self.rounds:
            states = self.rounds[-1].broken if isinstance(node, Break) else self.rounds[-1].continued
            states.append(self.state.copy())
        self.state.definite = None

    def choose(self, node: If) -> None:
        ends: list[State] = []
        for arm in node.arms:
            self._arm(arm, ends)
        if node.otherwise is not None:
            self.body(node.otherwise)
        self.state = join([*ends, self.state])

    def _arm(self, arm: Arm, ends: list[State]) -> None:
        self.condition(arm.condition)
        before = self.state.copy()
        self.body(arm.body)
        ends.append(self.state)
        self.state = before

    def choice(self, node: Choice) -> None:
        self.condition(node.criterion, choosing=True)
        before = self.state
        ends: list[State] = []
        for option in node.options:
            self.state = before.copy()
            self.read(option.label)
            self.body(option.body)
            ends.append(self.state)
        self.state = join(ends) if ends else before

    def attempt(self, node: Try) -> None:
        before = self.state.copy()
        self.body(node.body)
        ends = [self.state]
        possible = before.possible | set(self.bound.of(node.body))
        if node.catch is not None:
            self.state = State(_copied(before.definite), set(possible), dict(before.constants))
            names = {node.error.id: "the error of a `catch`"} if node.error else {}
            errors = self.scopes.errors
            self.scopes.errors = errors.union(names)
            with self.scopes.holding(names):
                self.body(node.catch)
            self.scopes.errors = errors
            ends.append(self.state)
            possible |= set(self.bound.of(node.catch))
        after = join(ends)
        if node.cleanup is not None:
            self.state = State(_copied(before.definite), possible, dict(before.constants))
            self.body(node.cleanup)
            end = self.state.definite
            after = State(None if after.definite is None else after.definite | (end or set()), self.state.possible)
        self.state = after

    def repeat(self, node: Repeat) -> None:
        self.read(node.count)
        names = {node.counter.id: "the counter of a loop"} if node.counter else {}
        if node.concurrent:
            self._concurrent(node, names)
        else:
            certain = isinstance(node.count, Constant) and bool(node.count.value)
            self._rounds(node, names, certain)

    def iterate(self, node: For) -> None:
        self._iterated(node.iterable)
        self.read(node.iterable)
        self.read(node.maximum)
        names = {node.item.id: "the item of a loop"}
        names |= {place.id: "the counter of a loop" for place in (node.index, node.counter) if place}
        if node.concurrent:
            self._concurrent(node, names)
        else:
            self._rounds(node, names, certain=False)

    def loop(self, node: Loop) -> None:
        self.read(node.maximum)
        names = {node.counter.id: "the counter of a loop"} if node.counter else {}
        self._rounds(node, names, certain=node.test != "while", test=node.condition, tested=node.test)

    def _rounds(
        self,
        node: Repeat | For | Loop,
        names: Mapping[str, str],
        certain: bool,
        test: Condition | None = None,
        tested: str | None = None,
    ) -> None:
        """A loop. `certain`: it has at least one round."""
        entry = self.state.copy()
        self.state.possible |= set(self.bound.of(node.body))
        rounds = Rounds()
        self.rounds.append(rounds)
        with self.scopes.holding(names):
            if test is not None and tested == "while":
                self.condition(test)
            self.body(node.body)
            self.state = join([self.state, *rounds.continued])
            if test is not None and tested == "until":
                self.condition(test)
                certain = self._tested_only_after(test, node, entry)
        self.rounds.pop()
        after = [self.state, *rounds.broken] if certain else [self.state, *rounds.broken, entry]
        self.state = join(after)

    def _tested_only_after(self, test: Condition, node: Repeat | For | Loop, entry: State) -> bool:
        """`until` is tested before the first round only if it names values and all of them are bound by then."""
        read = self.unit.conditions[test].names
        inside = self.bound.of(node.body)
        declared = self.scopes.declared
        return not read or any(name in inside and name not in entry.possible and not declared(name) for name in read)

    def _concurrent(self, node: Repeat | For, names: Mapping[str, str]) -> None:
        self._modifiers(node.modifiers)
        outer = self.scopes.parallel
        self.scopes.parallel = node
        with self._apart("each", {**self.scopes.fixed, **names}):
            self.body(node.body)
        self.scopes.parallel = outer

    def parallel(self, node: Parallel) -> None:
        self._modifiers(node.modifiers)
        bound = [self.bound.statement(branch) for branch in node.branches]
        self.unit.branch_names[node] = tuple(tuple(names) for names in bound)
        outer = self.scopes.siblings
        others = set(outer).union(*bound)
        self.scopes.siblings = others
        for branch, names in zip(node.branches, bound, strict=True):
            own = [name for name in names if name not in outer]
            others.difference_update(own)
            with self._apart("branch", self.scopes.fixed):
                self.body((branch,))
            others.update(own)
        self.scopes.siblings = outer
        self._publish(bound)

    def _publish(self, bound: Sequence[Mapping[str, Name]]) -> None:
        first: dict[str, Name] = {}
        for names in bound:
            for name, place in names.items():
                if name in first:
                    also = [self.scopes.findings.label(first[name].span, "another branch binds it here")]
                    self.scopes.findings.add("duplicate-branch-name", place.span, also=also, name=name)
                first.setdefault(name, place)
                self.scopes.body.own.add(name)
                self.state.bind(name)

    def _modifiers(self, modifiers: Modifiers | None) -> None:
        if modifiers is not None:
            for part in (modifiers.join, modifiers.count, modifiers.on_fail):
                if type(part) is Name and self.scopes.kind(part.id) is None:
                    self.unit.names[part] = "word"
                else:
                    self.read(part)

    def group(self, node: DoBlock) -> None:
        self.body(node.body)


def _copied(names: set[str] | None) -> set[str] | None:
    return None if names is None else set(names)


_STATEMENTS: dict[type, Callable[[Flow, Any], None]] = {
    Let: Flow.let,
    Assign: Flow.assign,
    Record: Flow.record,
    Evaluate: Flow.evaluate,
    Return: Flow.leave,
    Throw: Flow.leave,
    Break: Flow.jump,
    Continue: Flow.jump,
    If: Flow.choose,
    Choice: Flow.choice,
    Try: Flow.attempt,
    Repeat: Flow.repeat,
    For: Flow.iterate,
    Loop: Flow.loop,
    Parallel: Flow.parallel,
    DoBlock: Flow.group,
    Block: lambda flow, node: None,
    Agent: Flow.agent,
    Use: lambda flow, node: None,
}
