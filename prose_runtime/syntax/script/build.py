"""From the parser's reductions to nodes: one function for each rule of the grammar, in the grammar's order.

Each takes the builder (for faults), the start and end of what was read, and the rule's children.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar, cast

from prose_runtime.source import Span
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.script import conditions
from prose_runtime.syntax.script.faults import Fault
from prose_runtime.syntax.script.layout import Token
from prose_runtime.syntax.script.texts import read_text

MAX_DIGITS = 300


class Builder:
    """What the building functions share: the whole file's text, and the faults found while building."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.faults: list[Fault] = []

    def fault(self, code: str, start: int, end: int, **facts: str) -> None:
        self.faults.append(Fault(code, Span(start, end), facts))


BUILD: dict[str, Callable[..., Any]] = {}
_F = TypeVar("_F", bound=Callable[..., Any])


def _rule(*names: str) -> Callable[[_F], _F]:
    def enter(function: _F) -> _F:
        for name in names:
            BUILD[name] = function
        return function

    return enter


class Body(NamedTuple):
    """What a header's colon opens."""

    statements: tuple[n.Statement, ...]


class Branch(NamedTuple):
    """`else`, `catch` or `finally` with its body."""

    word: str
    name: n.Name | None
    body: tuple[n.Statement, ...]


class Arguments(NamedTuple):
    """Values, or names, in parentheses."""

    values: tuple[Any, ...]


class Word(NamedTuple):
    """A word that only says how something is spelt (`each`)."""

    text: str


class Test(NamedTuple):
    """`until` or `while` with its condition."""

    word: Literal["until", "while"]
    condition: n.Condition


class ShapeOf(NamedTuple):
    """An agent's `shape:` block."""

    key: str
    span: Span
    entries: tuple[n.Entry, ...]


def _name(token: Token) -> n.Name:
    return n.Name(Span(token[2], token[3]), token[1])


def _span(token: Token) -> Span:
    return Span(token[2], token[3])


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


BUILD |= {"record": _recording("record"), "append": _recording("append"), "add": _recording("add")}


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


def _condition(b: Builder, token: Token) -> n.Condition:
    return conditions.condition(b.text, token[2], token[3])


@_rule("elif")
def _arm(b: Builder, start: int, end: int, condition: Token, body: Body) -> n.Arm:
    return n.Arm(Span(start, end), _condition(b, condition), body.statements)


@_rule("inline_if")
def _inline_if(b: Builder, start: int, end: int, condition: Token, body: Body) -> n.If:
    return n.If(Span(start, end), (_arm(b, start, end, condition, body),), None)


@_rule("if")
def _if(b: Builder, start: int, end: int, condition: Token, body: Body, *rest: n.Arm | Branch | None) -> n.If:
    stop = body.statements[-1].span.end if body.statements else condition[3]
    arms = [n.Arm(Span(start, stop), _condition(b, condition), body.statements)]
    arms += [arm for arm in rest if isinstance(arm, n.Arm)]
    otherwise = next((branch.body for branch in rest if isinstance(branch, Branch)), None)
    return n.If(Span(start, end), tuple(arms), otherwise)


@_rule("else")
def _else(b: Builder, start: int, end: int, body: Body) -> Branch:
    return Branch("else", None, body.statements)


@_rule("choice")
def _choice(b: Builder, start: int, end: int, criterion: Token, *options: n.Option) -> n.Choice:
    return n.Choice(Span(start, end), _condition(b, criterion), options)


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
    return n.Block(Span(start, end), _name(name), parameters.values if parameters else (), body.statements)


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
    return n.Agent(Span(start, end), _name(name), properties, shape)


@_rule("shape")
def _shape(b: Builder, start: int, end: int, key: Token, *entries: n.Entry) -> ShapeOf:
    return ShapeOf(key[1], _span(key), entries)


# ---- calls and pipelines ---------------------------------------------------------------------------------------


@_rule("block_value")
def _block_value(b: Builder, start: int, end: int, value: Any) -> n.Expression:
    if isinstance(value, (n.Repeat, n.For, n.Loop, n.Parallel, n.DoBlock)):
        return n.BlockValue(value.span, value)
    return cast(n.Expression, value)


@_rule("with_block", "inline_call")
def _with_block(b: Builder, start: int, end: int, call: n.Expression, *entries: n.Entry) -> n.Expression:
    return _with(call, Span(start, end), entries)


def _with(call: n.Expression, span: Span, entries: tuple[n.Entry, ...]) -> n.Expression:
    """The call with more properties."""
    if isinstance(call, n.Call):
        return n.Call(span, call.target, call.target_span, call.arguments, call.properties + entries)
    if isinstance(call, n.Session):
        known = call.prompt, call.label, call.agent, call.agent_span, call.arguments
        return n.Session(span, *known, call.properties + entries)
    if isinstance(call, n.Resume):
        return n.Resume(span, call.agent, call.agent_span, call.properties + entries)
    assert isinstance(call, n.Gate)
    return n.Gate(span, call.properties + entries)


@_rule("bare_session")
def _bare_session(b: Builder, start: int, end: int, *entries: n.Entry) -> n.Session:
    return n.Session(Span(start, end), None, None, None, None, (), entries)


@_rule("property")
def _property(b: Builder, start: int, end: int, key: Token, value: n.Expression) -> n.Entry:
    return n.Entry(Span(start, value.span.end), key[1], _span(key), value)


@_rule("quoted_entry")
def _quoted_entry(b: Builder, start: int, end: int, key: Token, value: n.Expression) -> n.Entry:
    text = _text(b, key[2], key[3], key)
    if any(not isinstance(part, str) for part in text.parts):
        b.fault("not-assignable", key[2], key[3], instead="write a key without `{…}`")
    said = "".join(part for part in text.parts if isinstance(part, str))
    return n.Entry(Span(start, value.span.end), said, _span(key), value)


@_rule("shorthand")
def _shorthand(b: Builder, start: int, end: int, name: n.Name) -> n.Entry:
    return n.Entry(name.span, name.id, name.span, name, shorthand=True)


@_rule("pipeline")
def _pipeline(b: Builder, start: int, end: int, source: n.Expression, *stages: n.Stage) -> n.Pipeline:
    return n.Pipeline(Span(start, end), source, stages)


@_rule("block_pipeline")
def _block_pipeline(b: Builder, start: int, end: int, call: n.Expression, *rest: n.Entry | n.Stage) -> n.Pipeline:
    entries = tuple(item for item in rest if isinstance(item, n.Entry))
    stages = tuple(item for item in rest if isinstance(item, n.Stage))
    return n.Pipeline(Span(start, end), _with(call, Span(start, entries[-1].span.end), entries), stages)


@_rule("stage")
def _stage(b: Builder, start: int, end: int, operation: Token, names: Arguments | None, *body: n.Statement) -> n.Stage:
    return n.Stage(Span(start, end), operation[1], _parameters(names), body)


@_rule("inline_stage")
def _inline_stage(
    b: Builder, start: int, end: int, operation: Token, names: Arguments | None, value: n.Expression
) -> n.Stage:
    return n.Stage(Span(start, end), operation[1], _parameters(names), (n.Evaluate(value.span, value),))


def _parameters(names: Arguments | None) -> tuple[str, ...]:
    return tuple(name.id for name in names.values) if names else ()


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
    return Test(cast("Literal['until', 'while']", word[1]), _condition(b, condition))


@_rule("each")
def _each(b: Builder, start: int, end: int) -> Word:
    return Word("each")


@_rule("parallel")
def _parallel(b: Builder, start: int, end: int, modifiers: n.Modifiers | None, body: Body) -> n.Parallel:
    return n.Parallel(Span(start, end), body.statements, modifiers)


@_rule("do_block")
def _do_block(b: Builder, start: int, end: int, body: Body) -> n.DoBlock:
    return n.DoBlock(Span(start, end), body.statements)


# ---- expressions ---------------------------------------------------------------------------------------------


@_rule("conditional")
def _conditional(
    b: Builder, start: int, end: int, condition: Token, then: n.Expression, otherwise: n.Expression
) -> n.Conditional:
    return n.Conditional(Span(start, end), _condition(b, condition), then, otherwise)


@_rule("or")
def _or(b: Builder, start: int, end: int, left: n.Expression, right: n.Expression) -> n.Binary:
    return n.Binary(Span(start, end), "or", left, right)


@_rule("and")
def _and(b: Builder, start: int, end: int, left: n.Expression, right: n.Expression) -> n.Binary:
    return n.Binary(Span(start, end), "and", left, right)


@_rule("not")
def _not(b: Builder, start: int, end: int, operand: n.Expression) -> n.Unary:
    return n.Unary(Span(start, end), "not", operand)


@_rule("binary")
def _binary(b: Builder, start: int, end: int, left: n.Expression, sign: Token, right: n.Expression) -> n.Binary:
    return n.Binary(Span(start, end), cast(n.Operator, sign[1]), left, right)


@_rule("negative")
def _negative(b: Builder, start: int, end: int, sign: Token, operand: n.Expression) -> n.Unary:
    return n.Unary(Span(start, end), "-", operand)


@_rule("call_with")
def _call_with(b: Builder, start: int, end: int, call: n.Expression, given: n.Object) -> n.Expression:
    return _with(call, Span(start, end), given.entries)


@_rule("session_with")
def _session_with(b: Builder, start: int, end: int, given: n.Object) -> n.Session:
    return n.Session(Span(start, end), None, None, None, None, (), given.entries)


@_rule("gate_word")
def _gate_word(b: Builder, start: int, end: int) -> n.Gate:
    return n.Gate(Span(start, end), ())


@_rule("gate")
def _gate(b: Builder, start: int, end: int, gate: n.Gate, given: n.Object) -> n.Gate:
    return n.Gate(Span(start, end), given.entries)


@_rule("do")
def _do(b: Builder, start: int, end: int, block: Token, arguments: Arguments | None) -> n.Do:
    return n.Do(Span(start, end), block[1], _span(block), arguments.values if arguments else ())


@_rule("call")
def _call(b: Builder, start: int, end: int, target: Token, arguments: Arguments | None) -> n.Call:
    name = target[1]
    if target[0] == "TEXT":
        text = _text(b, target[2], target[3], target)
        name = "".join(part for part in text.parts if isinstance(part, str))
    return n.Call(Span(start, end), name, _span(target), arguments.values if arguments else (), ())


@_rule("session_prompt")
def _session_prompt(b: Builder, start: int, end: int, prompt: n.Text) -> n.Session:
    return n.Session(Span(start, end), prompt, None, None, None, (), ())


@_rule("session_agent")
def _session_agent(b: Builder, start: int, end: int, agent: Token) -> n.Session:
    return n.Session(Span(start, end), None, None, agent[1], _span(agent), (), ())


@_rule("session_label")
def _session_label(b: Builder, start: int, end: int, label: Token, agent: Token) -> n.Session:
    return n.Session(Span(start, end), None, label[1], agent[1], _span(agent), (), ())


@_rule("session_apply")
def _session_apply(b: Builder, start: int, end: int, agent: Token, arguments: Arguments) -> n.Session:
    return n.Session(Span(start, end), None, None, agent[1], _span(agent), arguments.values, ())


@_rule("resume")
def _resume(b: Builder, start: int, end: int, agent: Token) -> n.Resume:
    return n.Resume(Span(start, end), agent[1], _span(agent), ())


@_rule("number")
def _number(b: Builder, start: int, end: int, token: Token) -> n.Expression:
    said = token[1]
    if len(said) > MAX_DIGITS:
        b.fault("number-too-long", start, end, limit=str(MAX_DIGITS))
        return n.Unreadable(Span(start, end))
    return n.Constant(Span(start, end), float(said) if "." in said else int(said))


@_rule("true")
def _true(b: Builder, start: int, end: int) -> n.Constant:
    return n.Constant(Span(start, end), True)


@_rule("false")
def _false(b: Builder, start: int, end: int) -> n.Constant:
    return n.Constant(Span(start, end), False)


@_rule("null")
def _null(b: Builder, start: int, end: int) -> n.Constant:
    return n.Constant(Span(start, end), None)


@_rule("unreadable")
def _unreadable(b: Builder, start: int, end: int) -> n.Unreadable:
    return n.Unreadable(Span(start, end))


@_rule("list")
def _list(b: Builder, start: int, end: int, *items: n.Expression) -> n.List:
    return n.List(Span(start, end), items)


@_rule("object")
def _object(b: Builder, start: int, end: int, *entries: n.Entry | None) -> n.Object:
    return n.Object(Span(start, end), tuple(entry for entry in entries if entry is not None))


@_rule("parenthesis")
def _parenthesis(b: Builder, start: int, end: int, value: n.Expression) -> n.Expression:
    return value


@_rule("property_of")
def _property_of(b: Builder, start: int, end: int, target: n.Expression, name: Token) -> n.Property:
    return n.Property(Span(start, end), target, name[1], _span(name))


@_rule("index")
def _index(b: Builder, start: int, end: int, target: n.Expression, index: n.Expression) -> n.Index:
    return n.Index(Span(start, end), target, index)


@_rule("apply")
def _apply(b: Builder, start: int, end: int, function: Token, *arguments: n.Expression | None) -> n.Apply:
    given = tuple(argument for argument in arguments if argument is not None)
    return n.Apply(Span(start, end), function[1], _span(function), given)


@_rule("name")
def _name_node(b: Builder, start: int, end: int, token: Token) -> n.Name:
    return n.Name(Span(start, end), token[1])


@_rule("text")
def _text(b: Builder, start: int, end: int, token: Token) -> n.Text:
    def problem(offset: int, escape: str) -> None:
        b.fault("unknown-escape", offset, offset + 1 + len(escape), found=f"\\{escape}")

    return read_text(token[1], Span(token[2], token[3]), problem)
