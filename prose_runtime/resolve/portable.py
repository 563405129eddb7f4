"""What stands outside the published grammar. In: the nodes of a script. Out: notes for `prose check --portable`."""

from __future__ import annotations

from collections.abc import Iterable

from prose_runtime.resolve.findings import Findings
from prose_runtime.source import Span
from prose_runtime.syntax.nodes import (
    Apply,
    Assign,
    Binary,
    BlockValue,
    Break,
    Call,
    Conditional,
    Constant,
    Continue,
    DoBlock,
    Expression,
    For,
    Gate,
    Index,
    Let,
    Loop,
    Name,
    Node,
    Parallel,
    Property,
    Record,
    Repeat,
    Session,
    Unary,
    Use,
)

_KINDS: dict[type, str] = {
    Break: "`break`",
    Continue: "`continue`",
    Record: "`record` and `append`",
    Gate: "`gate`",
    Index: "reading an item with `[…]`",
    Apply: "a function such as `len(…)` or `top(…)`",
    Binary: "an operator",
    Conditional: "`if … then … else …` as a value",
    Use: "`use` inside a contract's script",
}


def check_portable(nodes: Iterable[Node], findings: Findings) -> None:
    """A note for each construct that other hosts may read differently; inner parts of a noted one stay silent."""
    noted = Span(-1, -1)
    for node in nodes:
        what = _KINDS.get(type(node)) or _of(node, findings)
        if what is None:
            continue
        span = _place(node)
        if noted.start <= span.start and span.end <= noted.end and isinstance(node, Expression):
            continue
        noted = node.span if isinstance(node, Expression) and not isinstance(node, (BlockValue, Call)) else noted
        findings.add("not-portable", span, what=what)


def _place(node: Node) -> Span:
    if isinstance(node, (BlockValue, Repeat, For, Loop, Record)):
        return Span(node.span.start, min(node.span.end, node.span.start + 8))
    return node.target_span if isinstance(node, Call) else node.span


def _of(node: Node, findings: Findings) -> str | None:
    match node:
        case Unary(operator="not"):
            return "`not` as a value"
        case Unary(operand=Constant()):
            return None
        case Unary():
            return "an operator"
        case BlockValue(block=block) if not isinstance(block, (Parallel, DoBlock)):
            return "a loop as a value"
        case Let(target=target) if isinstance(target, (Property, Index)):
            return "`let` of a property or an item"
        case Property(target=target) if not isinstance(target, (Name, Property)):
            return "a property of an expression"
        case Assign(target=Index()):
            return "an assignment to an item"
        case Repeat() | For() | Loop():
            return _loop(node)
        case Call():
            return _call(node, findings)
        case Session(arguments=arguments) if arguments:
            return "a session with arguments"
    return None


def _loop(node: Repeat | For | Loop) -> str | None:
    match node:
        case Repeat(concurrent=True):
            return "`parallel repeat`"
        case Repeat(count=count) if not isinstance(count, Constant):
            return "`repeat` with a count that is not a number"
        case For(spelling="for each"):
            return "`for each` without `loop`"
        case For(counter=counter) if counter is not None:
            return "`as` after a `for`"
        case For(spelling="loop for each", index=index) if index is not None:
            return "an index in `loop for each`"
        case Loop(spelling="up to"):
            return "`loop up to`"
        case For(maximum=maximum) | Loop(maximum=maximum) if maximum is not None and not isinstance(maximum, Constant):
            return "`max:` with something that is not a number"
    return None


def _call(node: Call, findings: Findings) -> str | None:
    if node.arguments:
        return "a call with arguments in parentheses"
    line = findings.source.position
    if node.properties and line(node.properties[0].key_span.start).line == line(node.target_span.start).line:
        return "properties on the line of the call"
    return None
