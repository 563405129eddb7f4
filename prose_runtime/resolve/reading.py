"""Going through expressions: the names and calls in them, in the order of the text. `flow.py` adds the statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from prose_runtime.diagnostics.suggestions import did_you_mean
from prose_runtime.resolve import conditions
from prose_runtime.resolve.bound import BoundNames
from prose_runtime.resolve.builtins import FUNCTIONS
from prose_runtime.resolve.scopes import Scopes, words
from prose_runtime.resolve.state import Body, Rounds, State
from prose_runtime.syntax import children
from prose_runtime.syntax.nodes import (
    Apply,
    BlockValue,
    Call,
    Condition,
    Conditional,
    Constant,
    Do,
    Entry,
    Expression,
    Index,
    Name,
    Node,
    Parallel,
    Pipeline,
    Property,
    Resume,
    Session,
    Statement,
    Text,
    Unreadable,
)


class Targets(Protocol):
    """What the flow asks about calls (see `calls.py`)."""

    def call(self, call: Call, scopes: Scopes) -> None: ...

    def session(self, session: Session, scopes: Scopes) -> None: ...

    def resume(self, resume: Resume) -> None: ...

    def do(self, do: Do) -> None: ...


class Reading:
    """Walks expressions. `values` are the names whose binding is itself the value of a body."""

    def __init__(self, scopes: Scopes, bound: BoundNames, calls: Targets) -> None:
        self.scopes = scopes
        self.unit = scopes.unit
        self.bound = bound
        self.calls = calls
        self.rounds: list[Rounds] = []
        self.values: set[str] = set()
        self.list_slots: set[str] = {slot.name for slot in scopes.unit.definition.slots if slot.many}

    def body(self, statements: Sequence[Statement]) -> None:
        """Statements one after the other; given by `Flow`."""
        raise NotImplementedError

    # ---- small helps ----

    @property
    def state(self) -> State:
        """What is known here."""
        return self.scopes.body.state

    @state.setter
    def state(self, state: State) -> None:
        self.scopes.body.state = state

    def _apart(self, kind: Any, names: Mapping[str, str]) -> _Apart:
        return _Apart(self, kind, names)

    def _last_is_value(self, statements: Sequence[Statement]) -> None:
        """What the last statement of a body with a value binds is used: it is that value."""
        if statements:
            self.values.update(self.bound.statement(statements[-1]))

    def condition(self, condition: Condition, choosing: bool = False) -> None:
        """How a condition (or the criterion of a `choice`) is decided, and the names that it reads."""
        classify = conditions.classify_choice if choosing else conditions.classify
        plan, found = classify(condition, self.scopes)
        self.scopes.findings.items += found
        self.unit.conditions[condition] = plan
        self.scopes.note(plan.names, condition.span)
        self.scopes.used |= words(condition.text)

    # ---- expressions ----

    def read(self, node: Node | None) -> None:
        """Every name in an expression, in the order of the text."""
        if node is None:
            return
        kind = type(node)
        if kind is Name:
            self.scopes.read(node)  # type: ignore[arg-type]
        elif kind is not Constant:
            handle = _EXPRESSIONS.get(kind)
            if handle is not None:
                handle(self, node)
            else:
                for child in children(node):
                    self.read(child)

    def text(self, node: Text) -> None:
        for part in node.parts:
            if not isinstance(part, str):
                self.read(part)

    def property(self, node: Property) -> None:
        target = node.target
        if isinstance(target, Name):
            if node.name in ("length", "count") and self.scopes.kind(target.id) == "slot":
                self.list_slots.add(target.id)
            if target.id == "config" and self.scopes.kind("config") == "builtin":
                self._config(node)
        self.read(target)

    def _config(self, node: Property) -> None:
        names = [item.name for item in self.unit.config]
        self.scopes.used.add(node.name)
        if node.name not in names:
            text = did_you_mean(node.name, names, f"declare `{node.name}` under `### Config`")
            self.scopes.findings.add("unknown-config", node.name_span, name=node.name, help=text)

    def index(self, node: Index) -> None:
        self._iterated(node.target)
        self.read(node.target)
        self.read(node.index)

    def _iterated(self, node: Expression) -> None:
        if isinstance(node, Name) and self.scopes.kind(node.id) == "slot":
            self.list_slots.add(node.id)

    def apply(self, node: Apply) -> None:
        function = FUNCTIONS.get(node.function)
        if node.arguments and function is not None and function.takes_list:
            self._iterated(node.arguments[0])
        for argument in node.arguments:
            self.read(argument)

    def conditional(self, node: Conditional) -> None:
        self.condition(node.condition)
        self.read(node.then)
        self.read(node.otherwise)

    def entries(self, entries: Sequence[Entry], passed_on: bool = False) -> None:
        """Properties of a call or entries of an object."""
        for entry in entries:
            value = entry.value
            if type(value) is not Name:
                self.read(value)
            elif entry.key in WORDS and self.scopes.kind(value.id) is None:
                self.unit.names[value] = "word"
            else:
                self.scopes.read(value, passed_on)

    def call(self, node: Call) -> None:
        for argument in node.arguments:
            self.read(argument)
        self.entries(node.properties, passed_on=True)
        self.scopes.used.add(node.target)
        self.calls.call(node, self.scopes)

    def session(self, node: Session) -> None:
        self.read(node.prompt)
        for argument in node.arguments:
            self.read(argument)
        self.entries(node.properties)
        self.calls.session(node, self.scopes)

    def resume(self, node: Resume) -> None:
        self.entries(node.properties)
        self.calls.resume(node)

    def do(self, node: Do) -> None:
        for argument in node.arguments:
            self.read(argument)
        self.calls.do(node)

    def block_value(self, node: BlockValue) -> None:
        block = node.block
        if isinstance(block, Parallel):
            for branch in block.branches:
                self.values.update(self.bound.statement(branch))
        else:
            self._last_is_value(block.body)
        self.body((block,))

    def pipeline(self, node: Pipeline) -> None:
        self._iterated(node.source)
        self.read(node.source)
        for stage in node.stages:
            names = stage.parameters or ("item",)
            with self._apart("stage", {**self.scopes.fixed, **dict.fromkeys(names, "the item of a pipeline")}):
                self.scopes.used.update(names)
                self.body(stage.body)
                self._last_is_value(stage.body)


class _Apart:
    """Inside a body of its own: other read-only names, no loop around it."""

    def __init__(self, flow: Reading, kind: Any, names: Mapping[str, str]) -> None:
        self.flow = flow
        self.names = names
        self.context = flow.scopes.inside(kind)

    def __enter__(self) -> Body:
        self.rounds, self.flow.rounds = self.flow.rounds, []
        self.fixed, self.flow.scopes.fixed = self.flow.scopes.fixed, dict(self.names)
        return self.context.__enter__()

    def __exit__(self, *error: object) -> None:
        self.context.__exit__(None, None, None)
        self.flow.rounds = self.rounds
        self.flow.scopes.fixed = self.fixed


WORDS = frozenset({"backoff", "model", "persist"})  # their values may be bare words

_EXPRESSIONS: dict[type, Callable[[Reading, Any], None]] = {
    Text: Reading.text,
    Property: Reading.property,
    Index: Reading.index,
    Apply: Reading.apply,
    Conditional: Reading.conditional,
    Call: Reading.call,
    Session: Reading.session,
    Resume: Reading.resume,
    Do: Reading.do,
    BlockValue: Reading.block_value,
    Pipeline: Reading.pipeline,
    Unreadable: lambda reading, node: None,
}
