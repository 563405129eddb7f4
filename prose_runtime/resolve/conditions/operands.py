"""Operands of comparisons: names, properties, items, constants, texts, arithmetic, functions.

In: a cursor. Out: expression nodes, the same as in scripts, so that one evaluator does for both. An operand reads only
if every name in it is declared.
"""

from __future__ import annotations

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.resolve.builtins import FUNCTIONS
from prose_runtime.resolve.conditions.cursor import Cursor
from prose_runtime.resolve.conditions.tree import SlotAnswer
from prose_runtime.resolve.conditions.words import CONSTANTS, NUMBERS
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.nodes import (
    Apply,
    Binary,
    Constant,
    Expression,
    Index,
    List,
    Name,
    Operator,
    Property,
    Text,
    Unary,
)

_PUT_IN = pattern(r"\{([^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*)\}")
_SUMS: dict[str, Operator] = {"+": "+", "-": "-"}
_PRODUCTS: dict[str, Operator] = {"*": "*", "/": "/", "%": "%"}


def read_operand(cursor: Cursor) -> Expression | None:
    """A whole arithmetic expression, or None."""
    return cursor.attempt(lambda: _chain(cursor, _SUMS))


def _chain(cursor: Cursor, operators: dict[str, Operator]) -> Expression | None:
    inner = operators is _PRODUCTS
    left = _unary(cursor) if inner else _chain(cursor, _PRODUCTS)
    while left is not None and cursor.peek().kind == "symbol" and cursor.peek().text in operators:
        _check_minus(cursor)
        operator = operators[cursor.take().text]
        right = _unary(cursor) if inner else _chain(cursor, _PRODUCTS)
        if right is None:
            return None
        left = Binary(left.span.to(right.span), operator, left, right)
    return left


def _check_minus(cursor: Cursor) -> None:
    """`a -1` reads like a negative number; a minus between values stands between blanks."""
    sign, following = cursor.peek(), cursor.peek(1)
    if sign.text != "-" or (sign.start > cursor.end() and following.start > sign.end):
        return
    before = cursor.tokens[cursor.at - 1]
    written = f"{cursor.text[before.start : before.end]} - {cursor.text[following.start : following.end]}"
    fix = Fix("Put blanks around the minus", (Edit(cursor.span(before.end, following.start), " - "),))
    found = cursor.text[before.start : following.end]
    cursor.report("minus-spacing", before.start, following.end, fixes=(fix,), found=found, written=written)


def _unary(cursor: Cursor) -> Expression | None:
    start = cursor.start()
    if cursor.took_symbol("-"):
        operand = cursor.deeper(lambda: _unary(cursor))
        span = cursor.span(start, cursor.end())
        if isinstance(operand, Constant) and isinstance(operand.value, (int, float)):
            return Constant(span, -operand.value)
        return None if operand is None else Unary(span, "-", operand)
    return _postfix(cursor)


def _postfix(cursor: Cursor) -> Expression | None:
    start = cursor.start()
    node = _primary(cursor)
    while node is not None:
        token, following = cursor.peek(), cursor.peek(1)
        if token.start != cursor.end() or token.kind != "symbol":
            break
        if token.text == "." and following.kind == "word" and following.start == token.end:
            cursor.at += 2
            name_span = cursor.span(following.start, following.end)
            node = Property(cursor.span(start, following.end), node, following.text, name_span)
        elif token.text == "[":
            cursor.at += 1
            index = cursor.deeper(lambda: read_operand(cursor))
            if index is None or not cursor.took_symbol("]"):
                return None
            node = Index(cursor.span(start, cursor.end()), node, index)
        else:
            break
    return node


def _primary(cursor: Cursor) -> Expression | None:
    token = cursor.peek()
    if token.kind == "number":
        cursor.at += 1
        plain = token.text.isdigit()
        return Constant(cursor.span(token.start, token.end), int(token.text) if plain else float(token.text))
    if token.kind == "text":
        cursor.at += 1
        return _text(cursor, token.text, token.start, token.end)
    if token.kind == "symbol":
        return _grouped(cursor) if token.text == "(" else _list(cursor) if token.text == "[" else None
    if token.kind != "word":
        return None
    if token.lower in CONSTANTS and not token.braced:
        cursor.at += 1
        return Constant(cursor.span(token.start, token.end), CONSTANTS[token.lower])
    return _applied(cursor) or read_name(cursor)


def read_name(cursor: Cursor) -> Name | SlotAnswer | None:
    """A declared name, or a slot as its latest answer."""
    token = cursor.peek()
    if token.kind != "word" or not cursor.is_value(token.text):
        return None
    cursor.at += 1
    span = cursor.span(token.start, token.end)
    return SlotAnswer(span, token.text) if cursor.scope.is_slot(token.text) else Name(span, token.text)


def read_number(cursor: Cursor) -> Expression | None:
    """An operand, or a number in words that stands before what it counts: `two items`, `one or more`."""
    token = cursor.peek()
    if token.kind == "word" and token.lower in NUMBERS and not cursor.is_value(token.text):
        if cursor.peek(1).kind != "word":
            return None
        cursor.at += 1
        return Constant(cursor.span(token.start, token.end), NUMBERS[token.lower])
    return read_operand(cursor)


def read_reference(cursor: Cursor) -> Expression | None:
    """A declared name with its properties and items, also after `the`."""

    def reader() -> Expression | None:
        if cursor.word() == "the" and not cursor.is_value("the"):
            cursor.at += 1
        return _postfix(cursor) if cursor.peek().kind == "word" and cursor.is_value(cursor.peek().text) else None

    return cursor.attempt(reader)


def _applied(cursor: Cursor) -> Expression | None:
    """`len(xs)`, `plain(critique)`: a function, its parenthesis directly behind the name."""
    name, bracket = cursor.peek(), cursor.peek(1)
    if name.kind != "word" or bracket.text != "(" or bracket.start != name.end:
        return None

    def reader() -> Expression | None:
        cursor.at += 2
        arguments: list[Expression] = []
        while not cursor.took_symbol(")"):
            argument = cursor.deeper(lambda: read_operand(cursor))
            if argument is None or not (cursor.took_symbol(",") or cursor.peek().text == ")"):
                return None
            arguments.append(argument)
        node = Apply(
            cursor.span(name.start, cursor.end()), name.text, cursor.span(name.start, name.end), tuple(arguments)
        )
        return node if _is_function(cursor, node, name.start) else None

    return cursor.attempt(reader)


def _is_function(cursor: Cursor, node: Apply, start: int) -> bool:
    """Whether it is one, rightly applied or not; the word of a sentence (`the answer(s)`) is none."""
    function = FUNCTIONS.get(node.function)
    if function is None:
        near = nearest(node.function, FUNCTIONS)
        if near is None or not node.arguments:
            return False
        cursor.report("no-such-function", start, start + len(node.function), name=node.function, help=f"write `{near}`")
    elif not function.takes(len(node.arguments)):
        takes, written, given = function.count(), function.written(), len(node.arguments)
        end = cursor.end()
        cursor.report("function-arguments", start, end, name=node.function, given=given, takes=takes, written=written)
    return True


def _grouped(cursor: Cursor) -> Expression | None:
    cursor.at += 1
    inside = cursor.deeper(lambda: read_operand(cursor))
    return inside if inside is not None and cursor.took_symbol(")") else None


def _list(cursor: Cursor) -> Expression | None:
    start = cursor.start()
    cursor.at += 1
    items: list[Expression] = []
    while not cursor.took_symbol("]"):
        item = cursor.deeper(lambda: read_operand(cursor))
        if item is None or not (cursor.took_symbol(",") or cursor.peek().text == "]"):
            return None
        items.append(item)
    return List(cursor.span(start, cursor.end()), tuple(items))


def _text(cursor: Cursor, text: str, start: int, end: int) -> Text:
    """A quoted text; `{name}` of a declared name is put in."""
    span = cursor.span(start, end)
    parts: list[str | Name | Property] = []
    done = 0
    for match in _PUT_IN.finditer(text):
        root, *below = match[1].split(".")
        if not cursor.scope.is_name(root):
            continue
        node: Name | Property = Name(span, root)
        for name in below:
            node = Property(span, node, name, span)
        parts += [text[done : match.start()], node]
        done = match.end()
    parts.append(text[done:])
    return Text(span, tuple(part for part in parts if part != ""))
