"""The mistakes: each operator looks at one node of a script and gives the edits that stand for a slip in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from mutation.conditions import other_conditions
from mutation.edits import Edit
from prose_runtime.source import Span
from prose_runtime.syntax import walk
from prose_runtime.syntax.document import Definition
from prose_runtime.syntax.nodes import (
    Apply,
    Assign,
    Binary,
    Break,
    Call,
    Condition,
    Conditional,
    Constant,
    Continue,
    Entry,
    For,
    If,
    Index,
    Let,
    Loop,
    Modifiers,
    Name,
    Node,
    Object,
    Parallel,
    Property,
    Record,
    Repeat,
    Return,
    Statement,
    Text,
    Throw,
    Try,
    Unary,
)

_OTHER_SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", ">=": ">", ">": ">=", "<": "<=", "<=": "<"}
_OTHER_SIGNS |= {"==": "!=", "!=": "==", "and": "or", "or": "and"}


@dataclass
class Script:
    """One definition's script: its text, the names that values stand under, and the slots."""

    text: str
    definition: Definition
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        script = self.definition.script
        slots = {slot.name for slot in self.definition.slots}
        bound = [item.name for items in (self.definition.config, self.definition.inputs) for item in items]
        for node in walk(script) if script is not None else ():
            bound += [name.id for name in _bound_by(node)]
        self.names = list(dict.fromkeys(name for name in bound if name not in slots))

    def edits(self) -> Iterator[Edit]:
        """Every edit of the script. The same edit may come twice."""
        script = self.definition.script
        if script is None:
            return
        yield from self._of_body(script.statements)
        for node in walk(script):
            yield from self._of(node)
            for body in _bodies(node):
                yield from self._of_body(body)

    def _put(self, kind: str, node: Node | Span, new: str) -> Edit:
        return Edit(kind, node if isinstance(node, Span) else node.span, new)

    def _slice(self, node: Node | Span) -> str:
        span = node if isinstance(node, Span) else node.span
        return self.text[span.start : span.end]

    # ---- statements ----

    def _of_body(self, body: tuple[Statement, ...]) -> Iterator[Edit]:
        """Statements left out, and neighbours in the wrong order."""
        if len(body) > 1:
            for statement in body:
                kind = "missing-return" if isinstance(statement, Return) else "dropped-statement"
                yield Edit(kind, self._lines(statement.span), "")
        for first, second in pairwise(body):
            if _depend(first, second):
                between = self.text[first.span.end : second.span.start]
                swapped = self._slice(second) + between + self._slice(first)
                yield self._put("swapped-order", first.span.to(second.span), swapped)

    def _lines(self, span: Span) -> Span:
        """The whole lines of a span, with the line end after it; the span alone if more stands on its lines."""
        start = self.text.rfind("\n", 0, span.start) + 1
        end = self.text.find("\n", span.end - 1) + 1
        alone = not self.text[start : span.start].strip() and not self.text[span.end : end].strip()
        return Span(start, end) if alone else span

    # ---- nodes ----

    def _of(self, node: Node) -> Iterator[Edit]:
        match node:
            case Call():
                yield from self._of_call(node)
            case Object():
                for entry, following in zip(node.entries, (*node.entries[1:], None), strict=True):
                    end = following.span.start if following else entry.span.end
                    yield self._put("dropped-entry", Span(entry.span.start, end), "")
                yield from self._swapped_values(node.entries)
            case Entry():
                yield from self._other_name(node.value)
            case Let() | Assign() | Record():
                yield from self._other_name(node.value)
            case Return():
                if node.value is not None:
                    yield self._put("returns-nothing", node.value, "null")
                    yield from self._other_name(node.value)
            case Break():
                yield self._put("continue-for-break", node, "continue")
            case Continue():
                yield self._put("break-for-continue", node, "break")
            case Try():
                yield from self._of_try(node)
            case If():
                yield from self._of_if(node)
            case Repeat() | For() | Loop() | Parallel():
                yield from self._of_loop(node)
            case Modifiers():
                yield self._put("dropped-modifiers", node, "")
            case Condition():
                for kind, new in other_conditions(node.text):
                    yield self._put(kind, node, new)
            case _:
                yield from self._of_value(node)

    def _of_value(self, node: Node) -> Iterator[Edit]:
        match node:
            case Constant():
                yield self._put("constant", node, _other_constant(node.value))
            case Text():
                yield Edit("constant", Span(node.span.start, node.span.start + 1), '"other ')
            case Binary():
                signs = Span(node.left.span.end, node.right.span.start)
                other = self._slice(signs).replace(node.operator, _OTHER_SIGNS[node.operator], 1)
                yield self._put("other-operator", signs, other)
                yield self._put("one-operand", node, self._slice(node.left))
                yield self._put("one-operand", node, self._slice(node.right))
            case Unary():
                yield self._put("one-operand", node, self._slice(node.operand))
            case Conditional():
                yield self._put("one-arm", node, self._slice(node.then))
                yield self._put("one-arm", node, self._slice(node.otherwise))
            case Property() | Index():
                yield self._put("dropped-part", node, self._slice(node.target))
            case Apply():
                yield from self._of_apply(node)

    def _of_apply(self, node: Apply) -> Iterator[Edit]:
        """The first argument instead of the function's value; one argument fewer, or another name."""
        if node.arguments:
            yield self._put("dropped-function", node, self._slice(node.arguments[0]))
        if len(node.arguments) > 1:
            span = Span(node.arguments[-2].span.end, node.arguments[-1].span.end)
            yield self._put("dropped-argument", span, "")
        for argument in node.arguments:
            yield from self._other_name(argument)

    def _of_call(self, node: Call) -> Iterator[Edit]:
        for entry in node.properties:
            yield Edit("dropped-property", self._lines(entry.span), "")
        yield from self._swapped_values(node.properties)
        names = [slot.name for slot in self.definition.slots]
        for name in names:
            if name != node.target:
                yield self._put("swapped-slot", node.target_span, name)

    def _swapped_values(self, entries: tuple[Entry, ...]) -> Iterator[Edit]:
        """Two neighbours with each other's values."""
        for first, second in pairwise(entries):
            if not first.shorthand and not second.shorthand:
                between = self.text[first.value.span.end : second.value.span.start]
                swapped = self._slice(second.value) + between + self._slice(first.value)
                yield self._put("swapped-values", first.value.span.to(second.value.span), swapped)

    def _other_name(self, value: Node) -> Iterator[Edit]:
        """The next and the previous of the names that the script knows."""
        if isinstance(value, Name) and value.id in self.names and len(self.names) > 1:
            place = self.names.index(value.id)
            for other in dict.fromkeys((self.names[place - 1], self.names[(place + 1) % len(self.names)])):
                yield self._put("wrong-name", value, other)

    # ---- blocks ----

    def _of_loop(self, node: Repeat | For | Loop | Parallel) -> Iterator[Edit]:
        head = Span(node.span.start, node.span.start + len("parallel"))
        if isinstance(node, Parallel):
            yield self._put("parallel-removed", head, "do")
        elif isinstance(node, (Repeat, For)) and node.concurrent:
            yield self._put("parallel-removed", Span(head.start, head.end + 1), "")
        if isinstance(node, Repeat):
            yield self._put("bound", node.count, f"{self._slice(node.count)} + 1")
            yield self._put("bound", node.count, f"{self._slice(node.count)} - 1")
            if not node.concurrent:
                yield self._put("removed-bound", Span(node.span.start, node.count.span.end), "loop")
        if isinstance(node, For):
            yield self._put("bound", node.iterable, f"first({self._slice(node.iterable)}, 1)")
            yield self._put("bound", node.iterable, "[]")
        if isinstance(node, Loop) and node.maximum is not None:
            yield self._put("bound", node.maximum, f"{self._slice(node.maximum)} + 1")
            yield self._put("bound", node.maximum, f"{self._slice(node.maximum)} - 1")
            opened = self.text.rfind("(", node.span.start, node.maximum.span.start)
            closed = self.text.find(")", node.maximum.span.end) + 1
            if opened >= 0 and node.spelling == "max":
                yield self._put("removed-bound", Span(opened, closed), "")

    def _of_try(self, node: Try) -> Iterator[Edit]:
        """Without its `try`: what was caught is not caught any more."""
        if node.catch is not None and node.cleanup is None:
            head = self.text.index("catch", node.body[-1].span.end)
            start = self.text.rfind("\n", 0, head)
            body = self.text[node.span.start + len("try") : start]
            yield self._put("caught-nothing", node, f"if true{body}")

    def _of_if(self, node: If) -> Iterator[Edit]:
        if node.otherwise:
            head = self.text.index("else", node.arms[-1].body[-1].span.end)
            start = self.text.rfind("\n", 0, head)
            yield Edit("dropped-else", Span(start, node.otherwise[-1].span.end), "")


# ---- what a node holds ----


def _bodies(node: Node) -> Iterator[tuple[Statement, ...]]:
    for name in ("body", "catch", "cleanup", "otherwise"):
        body = getattr(node, name, None)
        if isinstance(body, tuple) and body:
            yield body


def _bound_by(node: Node) -> Iterator[Name]:
    if isinstance(node, (Let, Assign)) and isinstance(node.target, Name):
        yield node.target
    elif isinstance(node, Repeat) and node.counter:
        yield node.counter
    elif isinstance(node, For):
        yield node.item


def _depend(first: Statement, second: Statement) -> bool:
    """Whether the order of two statements may matter: one uses what the other binds, both call, or one leaves."""
    one, other = _uses(first), _uses(second)
    shared = one.bound & (other.bound | other.read) or other.bound & one.read
    return bool(shared) or (one.acts and other.acts) or (one.leaves and other.acts) or other.leaves


@dataclass(frozen=True)
class _Uses:
    bound: set[str]
    read: set[str]
    acts: bool
    leaves: bool


def _uses(statement: Statement) -> _Uses:
    bound: set[str] = set()
    read: set[str] = set()
    acts = leaves = False
    for node in walk(statement):
        if isinstance(node, (Let, Assign, Record)):
            target = node.into if isinstance(node, Record) else node.target
            bound |= {name.id for name in walk(target) if isinstance(name, Name)}
        elif isinstance(node, Name):
            read.add(node.id)
        elif isinstance(node, Text):
            parts = [part for part in node.parts if isinstance(part, Node)]
            read |= {name.id for part in parts for name in walk(part) if isinstance(name, Name)}
        elif isinstance(node, Condition):
            read |= set(node.text.replace(".", " ").replace("(", " ").replace(")", " ").split())
        acts = acts or isinstance(node, Call)
        leaves = leaves or isinstance(node, (Return, Break, Continue, Throw))
    return _Uses(bound, read, acts, leaves)


def _other_constant(value: int | float | bool | None) -> str:
    if value is None:
        return '"something"'
    if isinstance(value, bool):
        return "false" if value else "true"
    return f"{value + 1}"
