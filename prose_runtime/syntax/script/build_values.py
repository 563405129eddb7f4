"""From the parser's reductions to nodes: calls, pipelines and all other values, in the grammar's order."""

from __future__ import annotations

import math
from typing import Any, cast

from prose_runtime.source import Span
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.script.builder import (
    Arguments,
    Build,
    Builder,
    condition_of,
    entering,
    span_of,
)
from prose_runtime.syntax.script.layout import Token
from prose_runtime.syntax.script.texts import read_text

MAX_DIGITS = 400

VALUES: dict[str, Build] = {}
_rule = entering(VALUES)


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
    return n.Entry(Span(start, value.span.end), key[1], span_of(key), value)


@_rule("quoted_entry")
def _quoted_entry(b: Builder, start: int, end: int, key: Token, value: n.Expression) -> n.Entry:
    text = _text(b, key[2], key[3], key)
    if any(not isinstance(part, str) for part in text.parts):
        b.fault("not-assignable", key[2], key[3], instead="write a key without `{…}`")
    said = "".join(part for part in text.parts if isinstance(part, str))
    return n.Entry(Span(start, value.span.end), said, span_of(key), value)


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


# ---- expressions ---------------------------------------------------------------------------------------------


@_rule("conditional")
def _conditional(
    b: Builder, start: int, end: int, condition: Token, then: n.Expression, otherwise: n.Expression
) -> n.Conditional:
    return n.Conditional(Span(start, end), condition_of(b, condition), then, otherwise)


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
    return n.Do(Span(start, end), block[1], span_of(block), arguments.values if arguments else ())


@_rule("call")
def _call(b: Builder, start: int, end: int, target: Token, arguments: Arguments | None) -> n.Call:
    name = target[1]
    if target[0] == "TEXT":
        text = _text(b, target[2], target[3], target)
        name = "".join(part for part in text.parts if isinstance(part, str))
    return n.Call(Span(start, end), name, span_of(target), arguments.values if arguments else (), ())


@_rule("session_prompt")
def _session_prompt(b: Builder, start: int, end: int, prompt: n.Text) -> n.Session:
    return n.Session(Span(start, end), prompt, None, None, None, (), ())


@_rule("session_agent")
def _session_agent(b: Builder, start: int, end: int, agent: Token) -> n.Session:
    return n.Session(Span(start, end), None, None, agent[1], span_of(agent), (), ())


@_rule("session_label")
def _session_label(b: Builder, start: int, end: int, label: Token, agent: Token) -> n.Session:
    return n.Session(Span(start, end), None, label[1], agent[1], span_of(agent), (), ())


@_rule("session_apply")
def _session_apply(b: Builder, start: int, end: int, agent: Token, arguments: Arguments) -> n.Session:
    return n.Session(Span(start, end), None, None, agent[1], span_of(agent), arguments.values, ())


@_rule("resume")
def _resume(b: Builder, start: int, end: int, agent: Token) -> n.Resume:
    return n.Resume(Span(start, end), agent[1], span_of(agent), ())


@_rule("number")
def _number(b: Builder, start: int, end: int, token: Token) -> n.Expression:
    said = token[1]
    value = None
    if len(said) <= MAX_DIGITS:
        value = float(said) if "." in said else int(said)
    if value is None or (isinstance(value, float) and math.isinf(value)):
        b.fault("number-too-long", start, end, limit=str(MAX_DIGITS))
        return n.Unreadable(Span(start, end))
    return n.Constant(Span(start, end), value)


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
    return n.Property(Span(start, end), target, name[1], span_of(name))


@_rule("index")
def _index(b: Builder, start: int, end: int, target: n.Expression, index: n.Expression) -> n.Index:
    return n.Index(Span(start, end), target, index)


@_rule("apply")
def _apply(b: Builder, start: int, end: int, function: Token, *arguments: n.Expression | None) -> n.Apply:
    given = tuple(argument for argument in arguments if argument is not None)
    return n.Apply(Span(start, end), function[1], span_of(function), given)


@_rule("name")
def _name_node(b: Builder, start: int, end: int, token: Token) -> n.Name:
    return n.Name(Span(start, end), token[1])


@_rule("text")
def _text(b: Builder, start: int, end: int, token: Token) -> n.Text:
    def problem(offset: int, escape: str) -> None:
        b.fault("unknown-escape", offset, offset + 1 + len(escape), found=f"\\{escape}")

    return read_text(token[1], Span(token[2], token[3]), problem)
