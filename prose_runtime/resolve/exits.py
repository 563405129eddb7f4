"""How a body is left, and how a loop collects (`docs/language.md`, "`return`, and loops as values").

In: a script. Out: `Unit.flattened`, and diagnostics about jumps, unreachable statements and mixed exits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import Unit
from prose_runtime.source import Span
from prose_runtime.source.node import changed, node
from prose_runtime.syntax import children
from prose_runtime.syntax.nodes import (
    Block,
    BlockValue,
    Break,
    Choice,
    Constant,
    Continue,
    DoBlock,
    Evaluate,
    For,
    If,
    Loop,
    Name,
    Node,
    Parallel,
    Property,
    Repeat,
    Return,
    Stage,
    Statement,
    Text,
    Throw,
    Try,
    Unreadable,
)

_LEAVES = (Constant, Name, Property, Text)


@node
class Place:
    """What jumps mean here. `loop`: what `break` and `continue` act on, `branch` for the iteration of a parallel
    loop, `parallel` for a branch of `parallel:`. `returns`: whether `return` may leave. `cleanup`: in a `finally`,
    outside any loop of it; `cleanup_return`: anywhere in a `finally`."""

    loop: str = "none"
    returns: bool = True
    cleanup: bool = False
    cleanup_return: bool = False


class Exits:
    """Walks the bodies of one script."""

    def __init__(self, unit: Unit, findings: Findings) -> None:
        self.unit = unit
        self.findings = findings

    def script(self, statements: Sequence[Statement]) -> None:
        """The script and everything in it."""
        self._body(statements, Place())

    # ---- jumps and unreachable statements ----

    def _body(self, statements: Sequence[Statement], place: Place) -> None:
        left: Statement | None = None
        for statement in statements:
            if left is not None:
                also = [self.findings.label(left.span, "nothing goes on after this")]
                self.findings.add("unreachable", statement.span, also=also)
                left = None
                self._statement(statement, place)
                break
            self._statement(statement, place)
            if leaves(statement) and not self._goes_nowhere(statement, place):
                left = statement

    def _statement(self, node: Node, place: Place) -> None:
        match node:
            case Return():
                if place.cleanup_return:
                    self.findings.add("jump-from-finally", node.span, what="return")
                elif not place.returns:
                    self.findings.add("return-from-branch", node.span)
            case Break() | Continue():
                self._jump(node, place)
        self._parts(node, place)

    def _goes_nowhere(self, statement: Statement, place: Place) -> bool:
        """Whether it is a `break` or `continue` that was reported already."""
        return isinstance(statement, (Break, Continue)) and place.loop != "loop"

    def _jump(self, node: Break | Continue, place: Place) -> None:
        word = "break" if isinstance(node, Break) else "continue"
        if place.cleanup:
            self.findings.add("jump-from-finally", node.span, what=word)
        elif place.loop == "parallel" or (place.loop == "branch" and word == "break"):
            self.findings.add("break-from-branch", node.span, what=word)
        elif place.loop == "none":
            self.findings.add("break-outside-loop", node.span, what=word)

    def _parts(self, node: Node, place: Place) -> None:
        match node:
            case BlockValue():
                self._value(node, place)
            case Try():
                self._body(node.body, place)
                self._body(node.catch or (), place)
                self._body(node.cleanup or (), changed(place, cleanup=True, cleanup_return=True))
            case Repeat() | For() if node.concurrent:
                self._expressions(node, place)
                self._body(node.body, Place("branch", returns=node in self.unit.flattened))
            case Repeat() | For() | Loop():
                self._expressions(node, place)
                self._body(node.body, changed(place, loop="loop", cleanup=False))
            case Parallel():
                for branch in node.branches:
                    self._body((branch,), Place("parallel", returns=False))
            case Block() | Stage():
                self._body(node.body, Place())
            case DoBlock():
                self._body(node.body, changed(place, returns=True, cleanup_return=False))
            case _:
                self._others(node, place)

    def _others(self, node: Node, place: Place) -> None:
        bodies = list(_bodies(node))
        for body in bodies:
            self._body(body, place)
        if not bodies:
            self._expressions(node, place)

    def _expressions(self, node: Node, place: Place) -> None:
        for child in children(node):
            if not isinstance(child, (*_LEAVES, Statement)):
                self._parts(child, place)

    def _value(self, node: BlockValue, place: Place) -> None:
        block = node.block
        if isinstance(block, DoBlock):
            self._body(block.body, changed(place, returns=True, cleanup_return=False))
        elif isinstance(block, Parallel):
            for branch in block.branches:
                self._body((branch,), Place("parallel"))
        else:
            self.collect(block)
            concurrent = isinstance(block, (Repeat, For)) and block.concurrent
            self._expressions(block, place)
            self._body(block.body, Place("branch" if concurrent else "loop"))

    # ---- collecting ----

    def collect(self, loop: Repeat | For | Loop) -> None:
        """Find the loops at the end of a collecting loop whose elements join its list."""
        for last in _finals(loop.body):
            if isinstance(last, (Repeat, For)) and self._yields(last):
                self.unit.flattened.add(last)
                self.collect(last)

    def _yields(self, loop: Repeat | For) -> bool:
        """Whether a final loop collects: a value at its end, and no other way out."""
        if not loop.body:
            return False
        last, other = loop.body[-1], next(_own_exits(loop.body[:-1]), None)
        if isinstance(last, Return) and other is not None:
            self._mixed(loop, last, other)
        return self._would_yield(loop)

    def _would_yield(self, loop: Repeat | For) -> bool:
        if not loop.body or next(_own_exits(loop.body[:-1]), None) is not None:
            return False
        last = loop.body[-1]
        if isinstance(last, (Repeat, For)):
            return self._would_yield(last)
        return isinstance(last, Return) or (isinstance(last, Evaluate) and not isinstance(last.value, Unreadable))

    def _mixed(self, loop: Repeat | For, last: Return, other: Statement) -> None:
        also = [
            self.findings.label(last.span, "this gives one element a round"),
            self.findings.label(other.span, "this leaves in another way"),
        ]
        start = loop.span.start
        fix = Fix("collect first: `let items = …`", (Edit(Span(start, start), "let items = "),), safe=False)
        head = Span(start, self.findings.source.text.find(":", start) + 1 or loop.span.end)
        self.findings.add("mixed-exits", head, also=also, fixes=[fix])


def leaves(statement: Statement) -> bool:
    """Whether nothing after the statement in its body can run."""
    match statement:
        case Return() | Throw() | Break() | Continue():
            return True
        case If():
            bodies = [*(arm.body for arm in statement.arms), statement.otherwise or ()]
            return all(body and leaves(body[-1]) for body in bodies)
        case Choice():
            return bool(statement.options) and all(item.body and leaves(item.body[-1]) for item in statement.options)
        case Try():
            bodies = [statement.body, *([statement.catch] if statement.catch is not None else [])]
            return all(body and leaves(body[-1]) for body in bodies)
        case Loop():
            endless = statement.test is None and statement.maximum is None
            return endless and not any(isinstance(jump, Break) for jump in _own_exits(statement.body))
    return False


def _bodies(node: Node) -> Iterator[Sequence[Statement]]:
    """The bodies of a statement that has no body of its own kind."""
    match node:
        case If():
            for arm in node.arms:
                yield arm.body
            yield node.otherwise or ()
        case Choice():
            for option in node.options:
                yield option.body


def _finals(body: Sequence[Statement]) -> Iterator[Statement]:
    """The statements that give the value of a body: its last, through `if`, `try` and `choice`."""
    if not body:
        return
    last = body[-1]
    match last:
        case If() | Choice():
            for inner in _bodies(last):
                yield from _finals(inner)
        case Try():
            yield from _finals(last.body)
            yield from _finals(last.catch or ())
        case _:
            yield last


def _own_exits(body: Sequence[Statement], inner: bool = False) -> Iterator[Statement]:
    """The `return`, `break` and `continue` that leave a round of the loop with this body. `inner`: inside a loop
    nested in it, whose own `break` and `continue` do not count."""
    for statement in body:
        match statement:
            case Return():
                yield statement
            case Break() | Continue():
                if not inner:
                    yield statement
            case Repeat() | For() if statement.concurrent:
                pass
            case Repeat() | For() | Loop():
                yield from _own_exits(statement.body, inner=True)
            case Try():
                for part in (statement.body, statement.catch or (), statement.cleanup or ()):
                    yield from _own_exits(part, inner)
            case DoBlock():
                yield from (jump for jump in _own_exits(statement.body, inner) if not isinstance(jump, Return))
            case _:
                for nested in _bodies(statement):
                    yield from _own_exits(nested, inner)
