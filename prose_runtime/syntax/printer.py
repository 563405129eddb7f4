"""Printing scripts: from a tree to its canonical source. Reading that again gives the same tree.

Blocks are indented by two blanks; properties of a call stand below it; an object goes over several lines when it
is long or holds a block. Comments are not part of the tree and so are not printed.
"""

from __future__ import annotations

from collections.abc import Sequence

from prose_runtime.source import Span
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.script.texts import written_text

WIDTH = 100
_STEP = "  "
_NAME = pattern(r"[^\W\d]\w*(?:-+\w+)*\Z")
_LEVELS = {"or": 1, "and": 2, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}
_COMPARISON, _NOT, _UNARY, _PRIMARY = 4, 3, 7, 8
_PRIMARIES = (n.Name, n.Property, n.Index, n.Apply, n.List, n.Text, n.Object, n.Unreadable)


class Unprintable(ValueError):
    """A tree that no source can give: a loop inside an addition, say."""


def print_script(script: n.Script) -> str:
    """The canonical source of a script, one statement after the other, with a line end at the end."""
    lines = [print_statement(statement) for statement in script.statements]
    return "".join(f"{line}\n" for line in lines)


def print_statement(statement: n.Statement, indent: str = "") -> str:
    """The canonical source of a statement, without a line end at the end; each line begins with `indent`."""
    return indent + _statement(statement, indent)


def print_expression(expression: n.Expression, indent: str = "") -> str:
    """The canonical source of a value that begins on a line indented by `indent`."""
    return _value(expression, indent)


# ---- statements ------------------------------------------------------------------------------------------


def _statement(node: n.Statement, indent: str) -> str:
    """The statement's text; its first line without the indentation."""
    match node:
        case n.Let(target=target, value=value, constant=constant):
            return f"{'const' if constant else 'let'} {_target(target, indent)} = {_value(value, indent)}"
        case n.Assign(target=target, value=value):
            return f"{_expression(target, 0, indent)} = {_value(value, indent)}"
        case n.Evaluate(value=n.Conditional() as value):
            return f"({_expression(value, 0, indent)})"
        case n.Evaluate(value=value):
            return _value(value, indent)
        case n.Return(value=value):
            return "return" if value is None else f"return {_value(value, indent)}"
        case n.Throw(value=value):
            return "throw" if value is None else f"throw {_value(value, indent)}"
        case n.Record():
            return _record(node, indent)
        case n.Break():
            return "break"
        case n.Continue():
            return "continue"
        case n.Use(path=path, alias=alias):
            return f"use {written_text(path)}{_as(alias)}"
        case _:
            return _block(node, indent)


def _target(target: n.Name | n.Destructure | n.Property | n.Index, indent: str) -> str:
    if isinstance(target, n.Destructure):
        return f"{{ {', '.join(name.id for name in target.names)} }}"
    return _expression(target, 0, indent)


def _record(node: n.Record, indent: str) -> str:
    value, into = _expression(node.value, 0, indent), _expression(node.into, 0, indent)
    if node.spelling == "append-list-first":
        return f"append {into} ({value})" if value.startswith("-") else f"append {into} {value}"
    return f"{node.spelling} {value} {'in' if node.spelling == 'record' else 'to'} {into}"


def _block(node: n.Statement, indent: str) -> str:
    """A statement with bodies."""
    match node:
        case n.If(arms=arms, otherwise=otherwise):
            return _if(arms, otherwise, indent)
        case n.Try():
            return _try(node, indent)
        case n.Choice(criterion=criterion, options=options):
            inner = indent + _STEP
            written = [f"{inner}option {written_text(item.label)}:{_body(item.body, inner)}" for item in options]
            return "\n".join([f"choice {_condition(criterion)}:", *written])
        case n.Block(name=name, parameters=parameters, body=body):
            return f"block {name.id}{_parameters([item.id for item in parameters])}:{_body(body, indent)}"
        case n.Agent():
            return _agent(node, indent)
        case n.Repeat() | n.For() | n.Loop() | n.Parallel() | n.DoBlock():
            return _loop(node, indent)
        case _:
            raise Unprintable(type(node).__name__)


def _if(arms: Sequence[n.Arm], otherwise: tuple[n.Statement, ...] | None, indent: str) -> str:
    written = [f"if {_condition(arms[0].condition)}:{_body(arms[0].body, indent)}"]
    written += [f"{indent}elif {_condition(arm.condition)}:{_body(arm.body, indent)}" for arm in arms[1:]]
    if otherwise is not None:
        written.append(f"{indent}else:{_body(otherwise, indent)}")
    return "\n".join(written)


def _try(node: n.Try, indent: str) -> str:
    written = [f"try:{_body(node.body, indent)}"]
    if node.catch is not None:
        written.append(f"{indent}catch{_as(node.error)}:{_body(node.catch, indent)}")
    if node.cleanup is not None:
        written.append(f"{indent}finally:{_body(node.cleanup, indent)}")
    return "\n".join(written)


def _agent(node: n.Agent, indent: str) -> str:
    inner = indent + _STEP
    written = [f"agent {node.name.id}:", *_properties(node.properties, inner)]
    if node.shape:
        written += [f"{inner}shape:", *_properties(node.shape, inner + _STEP)]
    return "\n".join(written)


def _loop(node: n.Repeat | n.For | n.Loop | n.Parallel | n.DoBlock, indent: str) -> str:
    match node:
        case n.Repeat():
            head = f"repeat {_expression(node.count, 0, indent)}{_as(node.counter)}"
        case n.For():
            index = f", {node.index.id}" if node.index else ""
            head = f"{node.spelling} {node.item.id}{index} in {_expression(node.iterable, 0, indent)}"
            head += f"{_maximum(node.maximum, indent)}{_as(node.counter)}"
        case n.Loop():
            head = _loop_head(node, indent)
        case n.Parallel():
            return f"parallel{_modifiers(node.modifiers, indent)}:{_body(node.branches, indent)}"
        case n.DoBlock():
            return f"do:{_body(node.body, indent)}"
    if isinstance(node, (n.Repeat, n.For)) and node.concurrent:
        head = f"parallel {head}{_modifiers(node.modifiers, indent)}"
    return f"{head}:{_body(node.body, indent)}"


def _loop_head(node: n.Loop, indent: str) -> str:
    test = f" {node.test} {_condition(node.condition)}" if node.test and node.condition else ""
    if node.spelling == "up to" and node.maximum is not None:
        return f"loop up to {_expression(node.maximum, 0, indent)}{_as(node.counter)}"
    return f"loop{test}{_maximum(node.maximum, indent)}{_as(node.counter)}"


def _maximum(maximum: n.Expression | None, indent: str) -> str:
    return "" if maximum is None else f" (max: {_expression(maximum, 0, indent)})"


def _modifiers(modifiers: n.Modifiers | None, indent: str) -> str:
    if modifiers is None:
        return ""
    items = [] if modifiers.join is None else [_expression(modifiers.join, 0, indent)]
    known = (("count", modifiers.count), ("on-fail", modifiers.on_fail))
    items += [f"{key}: {_expression(value, 0, indent)}" for key, value in known if value is not None]
    items += [f"{entry.key}: {_expression(entry.value, 0, indent)}" for entry in modifiers.unknown]
    return f" ({', '.join(items)})"


def _as(name: n.Name | None) -> str:
    return f" as {name.id}" if name else ""


def _parameters(names: Sequence[str]) -> str:
    return f"({', '.join(names)})" if names else ""


def _body(statements: Sequence[n.Statement], indent: str) -> str:
    inner = indent + _STEP
    return "".join(f"\n{print_statement(statement, inner)}" for statement in statements)


def _condition(condition: n.Condition) -> str:
    return f"{condition.marks}{condition.text}{condition.marks}"


# ---- values that may have a block ---------------------------------------------------------------------------


def _value(node: n.Expression, indent: str) -> str:
    """A value that reaches to the end of its line, or goes on in the lines below it."""
    match node:
        case n.BlockValue(block=block):
            return _loop(block, indent)
        case n.Pipeline(source=source, stages=stages):
            return _pipeline(source, stages, indent)
        case n.Call() | n.Session() | n.Resume() | n.Gate() if node.properties and _plain(node.properties):
            return "\n".join([_call_head(node, indent), *_properties(node.properties, indent + _STEP)])
        case _:
            return _expression(node, 0, indent)


def _pipeline(source: n.Expression, stages: Sequence[n.Stage], indent: str) -> str:
    called = isinstance(source, n.Call | n.Session | n.Resume)
    block = isinstance(source, n.BlockValue) or (called and _call_head(source, indent) == "session")  # type: ignore[arg-type]
    inner = indent if block else indent + _STEP  # which is where the properties of a call stand, too
    head = _value(source, indent) if block or called else _expression(source, 0, indent)
    written = [
        f"{inner}| {stage.operation}{_parameters(stage.parameters)}:{_body(stage.body, inner + _STEP)}"
        for stage in stages
    ]
    return "\n".join([head, *written])


def _plain(entries: Sequence[n.Entry]) -> bool:
    """Whether all entries can stand as `key: value` lines."""
    return not any(entry.shorthand or not _NAME.match(entry.key) for entry in entries)


def _properties(entries: Sequence[n.Entry], indent: str) -> list[str]:
    return [f"{indent}{entry.key}: {_value(entry.value, indent)}" for entry in entries]


def _call_head(node: n.Call | n.Session | n.Resume | n.Gate, indent: str) -> str:
    """A call without its properties."""
    match node:
        case n.Call(target=target, arguments=arguments):
            name = target if _NAME.match(target) else _quoted(target)
            return f"call {name}{_arguments(arguments, indent)}"
        case n.Resume(agent=agent):
            return f"resume: {agent}"
        case n.Gate():
            return "gate"
        case n.Session(prompt=n.Text() as prompt):
            return f"session {written_text(prompt)}"
        case n.Session(label=str() as label):
            return f"session {label}: {node.agent}"
        case n.Session(agent=str() as name):
            return f"session {name}{_arguments(node.arguments, indent)}" if node.arguments else f"session: {name}"
        case _:
            return "session"


def _arguments(arguments: Sequence[n.Expression], indent: str) -> str:
    return f"({', '.join(_expression(item, 0, indent) for item in arguments)})" if arguments else ""


def _quoted(text: str) -> str:
    return written_text(n.Text(_NOWHERE, (text,) if text else ()))


_NOWHERE = Span(0, 0)


# ---- expressions ---------------------------------------------------------------------------------------------


def _level(node: n.Expression) -> int:
    """How tightly a value binds: 0 for `if … then …`, 8 for a name."""
    match node:
        case n.Conditional():
            return 0
        case n.Binary(operator=operator):
            return _LEVELS.get(operator, _COMPARISON)
        case n.Unary(operator="not"):
            return _NOT
        case n.Unary() | n.Call() | n.Session() | n.Resume() | n.Gate() | n.Do():
            return _UNARY
        case n.BlockValue() | n.Pipeline():
            raise Unprintable(f"{type(node).__name__} inside a value")
        case _:
            return _PRIMARY


def _expression(node: n.Expression, level: int, indent: str) -> str:
    """A value that binds at least as tightly as `level`, else in parentheses."""
    written = _bare(node, indent)
    return f"({written})" if _level(node) < level else written


def _bare(node: n.Expression, indent: str) -> str:
    match node:
        case n.Name(id=name):
            return name
        case n.Text():
            return written_text(node)
        case n.Constant(value=value):
            return _constant(value)
        case n.Property(target=target, name=name):
            return f"{_operand(target, indent)}.{name}"
        case n.Index(target=target, index=index):
            return f"{_operand(target, indent)}[{_expression(index, 0, indent)}]"
        case n.Apply(function=function, arguments=arguments):
            return f"{function}({', '.join(_expression(item, 0, indent) for item in arguments)})"
        case n.List(items=items):
            return _bracketed("[", "]", [(item, "") for item in items], indent)
        case n.Object(entries=entries):
            return _object(entries, indent)
        case n.Unary(operator="not", operand=operand):
            return f"not {_expression(operand, _NOT, indent)}"
        case n.Unary(operand=operand):
            inner = _expression(operand, _UNARY, indent)
            return f"-({inner})" if isinstance(operand, n.Constant) else f"-{inner}"
        case n.Binary(operator=operator, left=left, right=right):
            own = _level(node)
            first = own + 1 if own == _COMPARISON else own
            return f"{_expression(left, first, indent)} {operator} {_expression(right, own + 1, indent)}"
        case n.Conditional(condition=condition, then=then, otherwise=otherwise):
            chosen = f"then {_expression(then, 0, indent)} else {_expression(otherwise, 0, indent)}"
            return f"if {_condition(condition)} {chosen}"
        case _:
            return _effect(node, indent)


def _effect(node: n.Expression, indent: str) -> str:
    match node:
        case n.Gate(properties=properties):
            return f"gate {_object(properties, indent)}"
        case n.Call() | n.Session() | n.Resume():
            head = _call_head(node, indent)
            return f"{head} with {_object(node.properties, indent)}" if node.properties or head == "session" else head
        case n.Do(block=block, arguments=arguments):
            return f"do {block}{_arguments(arguments, indent)}"
        case _:
            raise Unprintable(type(node).__name__)


def _operand(target: n.Expression, indent: str) -> str:
    """What stands before `.name` or `[index]`."""
    written = _expression(target, _PRIMARY, indent)
    return written if isinstance(target, _PRIMARIES) or written.startswith("(") else f"({written})"


def _constant(value: int | float | bool | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    written = repr(value)
    if "e" in written:  # the grammar has no exponents
        from decimal import Decimal  # hardly ever needed

        written = f"{Decimal(written):f}"
        written = written if "." in written else f"{written}.0"
    return written


def _object(entries: Sequence[n.Entry], indent: str) -> str:
    items: list[tuple[n.Expression | None, str]] = []
    for entry in entries:
        key = entry.key if _NAME.match(entry.key) else _quoted(entry.key)
        items.append((None, key) if entry.shorthand else (entry.value, f"{key}: "))
    return _bracketed("{", "}", items, indent)


def _bracketed(opening: str, closing: str, items: Sequence[tuple[n.Expression | None, str]], indent: str) -> str:
    """Items in brackets, on one line where they fit; a block ends its line and needs no comma."""
    if not items:
        return opening + closing
    inner = indent + _STEP
    written = [f"{key}{_item(item, inner)}" for item, key in items]
    if not any("\n" in text for text in written) and not any(isinstance(item, n.BlockValue) for item, _ in items):
        line = f"{opening} {', '.join(written)} {closing}" if opening == "{" else f"[{', '.join(written)}]"
        if len(indent) + len(line) <= WIDTH:
            return line
    lines = [
        f"{inner}{text}{'' if isinstance(item, n.BlockValue) else ','}"
        for text, (item, _) in zip(written, items, strict=True)
    ]
    return "\n".join([opening, *lines, f"{indent}{closing}"])


def _item(item: n.Expression | None, indent: str) -> str:
    if item is None:
        return ""
    if isinstance(item, n.BlockValue):
        return _loop(item.block, indent)
    return _expression(item, 0, indent)
