"""From the parser's reductions to nodes: the statements, loops and blocks, in the grammar's order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast

from prose_runtime.source import Span
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.script.builder import (
    Arguments,
    Body,
    Branch,
    Build,
    Builder,
    ShapeOf,
    Test,
    Word,
    condition_of,
    entering,
    name_of,
    span_of,
)
from prose_runtime.syntax.script.layout import Token

STATEMENTS: dict[str, Build] = {}
_rule = entering(STATEMENTS)


# ---- statements ------------------------------------------------------------------------------------------


@_rule("start")
def _start(b: Builder, start: int, end: int, *statements: n.Statement) -> tuple[n.Statement, ...]:
    return statements


@_rule("let_empty")
def _let_empty(b: Builder, start: int, end: int, target: n.Expression) -> n.Let:
    return n.Let(Span(start, end), _let_target(b, target), n.Constant(Span(end, end), None))


@_rule("let")
def _let(b: Builder, start: int, end: int, target: n.Expression, value: n.Expression) -> n.Let:
    return n.Let(Span(start, end), _let_target(b, target), value)


@_rule("const")
def _const(b: Builder, start: int, end: int, target: n.Expression, value: n.Expression) -> n.Let:
    return n.Let(Span(start, end), _let_target(b, target), value, constant=True)


@_rule("assign")
def _assign(b: Builder, start: int, end: int, target: n.Expression, value: n.Expression) -> n.Statement:
    if isinstance(target, n.Object) and _all_shorthand(target):
        b.fault("not-assignable", target.span.start, target.span.end, instead="write `let` before it")
        return n.Let(Span(start, end), _let_target(b, target), value)
    return n.Assign(Span(start, end), _place(b, target), value)


def _all_shorthand(target: n.Object) -> bool:
    return bool(target.entries) and all(entry.shorthand for entry in target.entries)


def _let_target(b: Builder, target: n.Expression) -> n.Name | n.Destructure | n.Property | n.Index:
    if isinstance(target, n.Object) and _all_shorthand(target):
        return n.Destructure(target.span, tuple(cast(n.Name, entry.value) for entry in target.entries))
    return _place(b, target)


def _place(b: Builder, target: n.Expression) -> n.Name | n.Property | n.Index:
    """What can be given a value: a name, a property or an item of one."""
    root = target
    while isinstance(root, (n.Property, n.Index)):
        root = root.target
    if isinstance(root, n.Name):
        return cast("n.Name | n.Property | n.Index", target)
    if not isinstance(root, n.Unreadable):
        b.fault("not-assignable", target.span.start, target.span.end, instead="write a name there")
    return n.Name(target.span, "")


@_rule("evaluate")
def _evaluate(b: Builder, start: int, end: int, value: n.Expression) -> n.Statement:
    return value.block if isinstance(value, n.BlockValue) else n.Evaluate(value.span, value)


@_rule("return")
def _return(b: Builder, start: int, end: int, value: n.Expression | None = None) -> n.Return:
    return n.Return(Span(start, end), value)


@_rule("throw")
def _throw(b: Builder, start: int, end: int, value: n.Expression | None = None) -> n.Throw:
    return n.Throw(Span(start, end), value)


def _recording(spelling: Literal["record", "append", "add"]) -> Callable[..., n.Record]:
    def build(b: Builder, start: int, end: int, value: n.Expression, into: n.Expression) -> n.Record:
        return n.Record(Span(start, end), value, _place(b, into), spelling)

    return build


STATEMENTS |= {"record": _recording("record"), "append": _recording("append"), "add": _recording("add")}


@_rule("append_list_first")
def _append_list_first(b: Builder, start: int, end: int, into: n.Expression, value: n.Expression) -> n.Record:
    return n.Record(Span(start, end), value, _place(b, into), "append-list-first")


@_rule("break")
def _break(b: Builder, start: int, end: int) -> n.Break:
    return n.Break(Span(start, end))


@_rule("continue")
def _continue(b: Builder, start: int, end: int) -> n.Continue:
    return n.Continue(Span(start, end))


@_rule("use")
def _use(b: Builder, start: int, end: int, path: n.Text, alias: n.Name | None) -> n.Use:
    return n.Use(Span(start, end), path, alias)


@_rule("body")
def _body(b: Builder, start: int, end: int, *statements: n.Statement) -> Body:
    return Body(statements)


@_rule("elif")
def _arm(b: Builder, start: int, end: int, condition: Token, body: Body) -> n.Arm:
    return n.Arm(Span(start, end), condition_of(b, condition), body.statements)


@_rule("inline_if")
def _inline_if(b: Builder, start: int, end: int, condition: Token, body: Body) -> n.If:
    return n.If(Span(start, end), (_arm(b, start, end, condition, body),), None)


@_rule("if")
def _if(b: Builder, start: int, end: int, condition: Token, body: Body, *rest: n.Arm | Branch | None) -> n.If:
    stop = body.statements[-1].span.end if body.statements else condition[3]
    arms = [n.Arm(Span(start, stop), condition_of(b, condition), body.statements)]
    arms += [arm for arm in rest if isinstance(arm, n.Arm)]
    otherwise = next((branch.body for branch in rest if isinstance(branch, Branch)), None)
    return n.If(Span(start, end), tuple(arms), otherwise)


@_rule("else")
def _else(b: Builder, start: int, end: int, body: Body) -> Branch:
    return Branch("else", None, body.statements)


@_rule("choice")
def _choice(b: Builder, start: int, end: int, criterion: Token, *options: n.Option) -> n.Choice:
    return n.Choice(Span(start, end), condition_of(b, criterion), options)


@_rule("option")
def _option(b: Builder, start: int, end: int, label: n.Text, body: Body) -> n.Option:
    return n.Option(Span(start, end), label, body.statements)


@_rule("try")
def _try(b: Builder, start: int, end: int, body: Body, catch: Branch | None, cleanup: Branch | None) -> n.Try:
    if catch is None and cleanup is None:
        b.fault("try-alone", start, start + 3)
    return n.Try(
        Span(start, end),
        body.statements,
        catch.body if catch else None,
        catch.name if catch else None,
        cleanup.body if cleanup else None,
    )


@_rule("catch")
def _catch(b: Builder, start: int, end: int, name: n.Name | None, body: Body) -> Branch:
    return Branch("catch", name, body.statements)


@_rule("finally")
def _finally(b: Builder, start: int, end: int, body: Body) -> Branch:
    return Branch("finally", None, body.statements)


@_rule("block")
def _block(b: Builder, start: int, end: int, name: Token, parameters: Arguments | None, body: Body) -> n.Block:
    return n.Block(Span(start, end), name_of(name), parameters.values if parameters else (), body.statements)


@_rule("parameters", "arguments")
def _arguments(b: Builder, start: int, end: int, *values: Any) -> Arguments:
    return Arguments(tuple(value for value in values if value is not None))


@_rule("agent")
def _agent(b: Builder, start: int, end: int, name: Token, *lines: n.Entry | ShapeOf) -> n.Agent:
    shape: tuple[n.Entry, ...] = ()
    for line in lines:
        if isinstance(line, ShapeOf):
            if line.key == "shape" and not shape:
                shape = line.entries
            else:
                b.fault("unexpected-block", line.span.start, line.span.end, key=line.key)
    properties = tuple(line for line in lines if isinstance(line, n.Entry))
    return n.Agent(Span(start, end), name_of(name), properties, shape)


@_rule("shape")
def _shape(b: Builder, start: int, end: int, key: Token, *entries: n.Entry) -> ShapeOf:
    return ShapeOf(key[1], span_of(key), entries)


# ---- loops -------------------------------------------------------------------------------------------------


class Tail(NamedTuple):
    """What stands behind a loop's head: `as name`, modifiers, and the body."""

    counter: n.Name | None
    modifiers: n.Modifiers | None
    maximum: n.Expression | None
    body: tuple[n.Statement, ...]


@_rule("modifiers")
def _modifiers(b: Builder, start: int, end: int, *items: n.Expression | n.Entry | None) -> n.Modifiers:
    join: n.Expression | None = None
    known: dict[str, n.Expression] = {}
    unknown: list[n.Entry] = []
    for item in items:
        if isinstance(item, n.Entry):
            if item.key in ("count", "on-fail") and item.key not in known:
                known[item.key] = item.value
            else:
                unknown.append(item)
        elif item is not None and join is None:
            join = item
        elif item is not None:
            b.fault("unexpected-text", item.span.start, item.span.end, found=_short(b, item.span), where=_ONE_JOIN)
    return n.Modifiers(Span(start, end), join, known.get("count"), known.get("on-fail"), tuple(unknown))


_ONE_JOIN = 'write one of "all", "first" and "any"'


def _short(b: Builder, span: Span) -> str:
    said = " ".join(b.text[span.start : span.end].split())
    return said if len(said) <= 30 else said[:29] + "…"


def _tail(b: Builder, parts: tuple[Any, ...], *, concurrent: bool) -> Tail:
    """Sort the parts behind a loop's head. `max:` bounds a loop; the other modifiers are those of `parallel`."""
    counter: n.Name | None = None
    modifiers: n.Modifiers | None = None
    for part in parts:
        if isinstance(part, n.Name):
            if counter is not None:
                b.fault("unexpected-text", part.span.start, part.span.end, found=part.id, where="write `as` once")
            counter = part
        elif isinstance(part, n.Modifiers):
            if modifiers is not None:
                span = part.span
                b.fault("unexpected-text", span.start, span.end, found=_short(b, span), where="join the parentheses")
            modifiers = part
    body = cast(Body, parts[-1]).statements
    if concurrent or modifiers is None:
        return Tail(counter, modifiers, None, body)
    return Tail(counter, None, _maximum(b, modifiers), body)


def _maximum(b: Builder, modifiers: n.Modifiers) -> n.Expression | None:
    maximum = None
    for entry in modifiers.unknown:
        if entry.key == "max" and maximum is None:
            maximum = entry.value
        else:
            b.fault("loop-modifier", entry.key_span.start, entry.key_span.end, found=entry.key)
    for stray in (modifiers.join, modifiers.count, modifiers.on_fail):
        if stray is not None:
            b.fault("loop-modifier", stray.span.start, stray.span.end, found=_short(b, stray.span))
    return maximum


@_rule("repeat")
def _repeat(b: Builder, start: int, end: int, count: n.Expression, *rest: Any) -> n.Repeat:
    tail = _tail(b, rest, concurrent=False)
    if tail.maximum is not None:
        span = tail.maximum.span
        b.fault("loop-modifier", span.start, span.end, found="max")
    return n.Repeat(Span(start, end), count, tail.counter, tail.body)


@_rule("parallel_repeat")
def _parallel_repeat(b: Builder, start: int, end: int, count: n.Expression, *rest: Any) -> n.Repeat:
    tail = _tail(b, rest, concurrent=True)
    return n.Repeat(Span(start, end), count, tail.counter, tail.body, concurrent=True, modifiers=tail.modifiers)


def _head(parts: tuple[Any, ...]) -> tuple[n.Name, n.Name | None, n.Expression, tuple[Any, ...]]:
    """Item, index and iterable of a `for`, and what follows them."""
    item, index, iterable, *rest = parts
    return item, index, iterable, tuple(rest)


@_rule("for")
def _for(b: Builder, start: int, end: int, *parts: Any) -> n.For:
    each = isinstance(parts[0], Word)
    item, index, iterable, rest = _head(parts[1:] if each else parts)
    tail = _tail(b, rest, concurrent=False)
    spelling: Literal["for", "for each"] = "for each" if each else "for"
    return n.For(Span(start, end), item, index, iterable, tail.body, maximum=tail.maximum, spelling=spelling)


@_rule("parallel_for")
def _parallel_for(b: Builder, start: int, end: int, *parts: Any) -> n.For:
    each = isinstance(parts[0], Word)
    item, index, iterable, rest = _head(parts[1:] if each else parts)
    tail = _tail(b, rest, concurrent=True)
    spelling: Literal["for", "for each"] = "for each" if each else "for"
    span = Span(start, end)
    return n.For(span, item, index, iterable, tail.body, True, tail.modifiers, spelling=spelling)


@_rule("loop_each")
def _loop_each(b: Builder, start: int, end: int, *parts: Any) -> n.For:
    item, index, iterable, rest = _head(parts)
    tail = _tail(b, rest, concurrent=False)
    span = Span(start, end)
    return n.For(
        span,
        item,
        index,
        iterable,
        tail.body,
        maximum=tail.maximum,
        counter=tail.counter,
        spelling="loop for each",
    )


@_rule("loop")
def _loop(b: Builder, start: int, end: int, *rest: Any) -> n.Loop:
    tail = _tail(b, rest, concurrent=False)
    return n.Loop(Span(start, end), None, None, tail.maximum, tail.counter, tail.body)


@_rule("loop_test")
def _loop_test(b: Builder, start: int, end: int, test: Test, *rest: Any) -> n.Loop:
    tail = _tail(b, rest, concurrent=False)
    return n.Loop(Span(start, end), test.word, test.condition, tail.maximum, tail.counter, tail.body)


@_rule("loop_up_to")
def _loop_up_to(b: Builder, start: int, end: int, word: Token, maximum: n.Expression, *rest: Any) -> n.Loop:
    tail = _tail(b, rest, concurrent=False)
    if tail.maximum is not None:
        b.fault("loop-modifier", tail.maximum.span.start, tail.maximum.span.end, found="max")
    return n.Loop(Span(start, end), None, None, maximum, tail.counter, tail.body, spelling="up to")


@_rule("test")
def _test(b: Builder, start: int, end: int, word: Token, condition: Token) -> Test:
    return Test(cast("Literal['until', 'while']", word[1]), condition_of(b, condition))


@_rule("each")
def _each(b: Builder, start: int, end: int) -> Word:
    return Word("each")


@_rule("parallel")
def _parallel(b: Builder, start: int, end: int, modifiers: n.Modifiers | None, body: Body) -> n.Parallel:
    return n.Parallel(Span(start, end), body.statements, modifiers)


@_rule("do_block")
def _do_block(b: Builder, start: int, end: int, body: Body) -> n.DoBlock:
    return n.DoBlock(Span(start, end), body.statements)
