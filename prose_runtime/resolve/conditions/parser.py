"""A whole condition: `and`, `or`, `not`, parentheses, and the parts between them.

In: a cursor at the start. Out: the tree. Each part is taken by the first reader that reads all of it; what none reads
is prose for the judge, and neighbouring prose is one question.
"""

from __future__ import annotations

from collections.abc import Callable

from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.resolve.conditions import words
from prose_runtime.resolve.conditions.being import read_being, read_is, read_left_out, read_membership
from prose_runtime.resolve.conditions.cursor import Cursor
from prose_runtime.resolve.conditions.formal import read_formal
from prose_runtime.resolve.conditions.operands import read_name, read_operand, read_reference
from prose_runtime.resolve.conditions.structural import read_structural
from prose_runtime.resolve.conditions.subject import Subject
from prose_runtime.resolve.conditions.tree import And, Compare, Criteria, Judged, Not, Or, SlotAnswer, Tree, Truth
from prose_runtime.syntax.nodes import Constant, Expression, Index, List, Name, Property, Text


def read_condition(cursor: Cursor) -> Tree:
    """The tree of everything from the position on."""
    tree = _either(cursor)
    while not cursor.ended():  # only a parenthesis without a partner is left; it is reported elsewhere
        cursor.at += 1
        if not cursor.ended():
            tree = _merged(Or, [tree, _either(cursor)], cursor)
    return tree


def _either(cursor: Cursor) -> Tree:
    parts = [_both(cursor)]
    while _took_join(cursor, "or"):
        parts.append(_both(cursor))
    return _merged(Or, parts, cursor)


def _both(cursor: Cursor) -> Tree:
    parts = [_not(cursor)]
    while _took_join(cursor, "and"):
        parts.append(_not(cursor))
    return _merged(And, parts, cursor)


def _took_join(cursor: Cursor, join: str) -> bool:
    if cursor.peek().text == "," and cursor.word(1) == join:
        cursor.at += 2
        return True
    return cursor.took(join)


def _merged(kind: type[And] | type[Or], parts: list[Tree], cursor: Cursor) -> Tree:
    """Neighbouring prose becomes one question; a single part stands for itself."""
    merged: list[Tree] = []
    for part in parts:
        before = merged[-1] if merged else None
        if isinstance(part, Judged) and isinstance(before, Judged):
            merged[-1] = judged(cursor, before.start, part.end)
        else:
            merged.append(part)
    if len(merged) == 1:
        return merged[0]
    start, end = merged[0].start, merged[-1].end
    return kind(cursor.span(start, end), start, end, tuple(merged))


def judged(cursor: Cursor, start: int, end: int) -> Judged:
    """A part that only a judge can decide. It gets the values that the part names; a part that names none gets the
    last one named before it, else those of the whole condition."""
    mentions = cursor.names_in(start, end)
    if not mentions:
        mentions = cursor.last_name_before(start) or cursor.names_in(0, len(cursor.text))
    asked = cursor.written(start, end)
    return Judged(cursor.span(start, end), start, end, asked=asked, mentions=mentions, negated=False)


def _not(cursor: Cursor) -> Tree:
    start = cursor.start()
    if cursor.word() == "not" and not _is_part_of_phrase(cursor):
        cursor.at += 1
        part: Tree | None = cursor.deeper(lambda: _not(cursor))
        if part is None:
            part = _prose(cursor)
        if isinstance(part, Judged):
            return judged(cursor, start, part.end)
        return Not(cursor.span(start, part.end), start, part.end, part)
    return _part(cursor)


def _is_part_of_phrase(cursor: Cursor) -> bool:
    """`not all tests pass`: the word belongs to the sentence."""
    return cursor.word(1) in ("all", "every", "each", "any", "only", "just", "yet", "enough")


# ---- parts -----------------------------------------------------------------------------------------------


def _part(cursor: Cursor) -> Tree:
    found = cursor.first(_PARTS)
    return _prose(cursor) if found is None else found


def _criteria(cursor: Cursor) -> Tree | None:
    """`C says V is a failure`, C an input or config."""
    start = cursor.start()
    token = cursor.peek()
    if token.kind != "word" or not cursor.scope.is_criteria(token.text):
        return None
    criteria = read_name(cursor)
    if not isinstance(criteria, Name) or not (cursor.took("says") or cursor.took("say")):
        return None
    cursor.took("that")
    place = cursor.start()
    subject = read_reference(cursor)
    if subject is None:
        return None
    written = cursor.written(place, cursor.end())
    negated = read_is(cursor)
    if negated is None:
        return None
    cursor.took("a")
    wants = cursor.word()
    if wants not in ("failure", "acceptable"):
        return None
    cursor.at += 1
    if not cursor.at_boundary():
        return None
    facts = Subject(subject, written, start, left_out=False).facts(cursor, negated)
    return Criteria(**facts, criteria=criteria, subject=subject, subject_text=written, wants=wants)  # type: ignore[arg-type]


def _about_operand(cursor: Cursor) -> Tree | None:
    start = cursor.start()
    expression = read_operand(cursor)
    return None if expression is None else _about(cursor, expression, start)


def _about_reference(cursor: Cursor) -> Tree | None:
    start = cursor.start()
    expression = read_reference(cursor)
    return None if expression is None else _about(cursor, expression, start)


def _about(cursor: Cursor, expression: Expression, start: int) -> Tree | None:
    subject = Subject(expression, cursor.written(start, cursor.end()), start, left_out=False)
    found = _said(cursor, subject)
    if found is not None and not isinstance(expression, (Constant, Text, List)):
        cursor.subject, cursor.subject_text = expression, subject.text
    return found


def _about_earlier(cursor: Cursor) -> Tree | None:
    """`or is empty`, `and < 5`: about the subject of the last part."""
    if cursor.subject is None or _is_bare_name(cursor):
        return None
    subject = Subject(cursor.subject, cursor.subject_text, cursor.start(), left_out=True)
    found: Tree | None = cursor.first((_said, read_left_out), subject)
    return found if cursor.at_boundary() else None


def _is_bare_name(cursor: Cursor) -> bool:
    """`… or passed`, where `passed` is a value of its own: it is that value, not a verb about the last subject."""
    start = cursor.at
    name = cursor.is_value(cursor.peek().text) and read_name(cursor) is not None and cursor.at_boundary()
    cursor.at = start
    return name


def _said(cursor: Cursor, subject: Subject) -> Tree | None:
    """What is said about a subject, up to a boundary."""
    literal = isinstance(subject.expression, (Constant, Text, List))
    reference = isinstance(subject.expression, (Name, Property, Index, SlotAnswer))
    readers: list[Callable[[Cursor, Subject], Tree | None]] = [read_formal]
    readers += [] if literal else [read_being, read_membership]
    readers += [read_structural] if reference else []
    found: Tree | None = cursor.first(readers, subject)
    return found if cursor.at_boundary() else None


def _bare(cursor: Cursor) -> Tree | None:
    """`published`, `result.done`: true or false by its value."""
    start = cursor.start()
    expression = read_operand(cursor)
    if expression is None or not cursor.at_boundary() or isinstance(expression, (Text, List)):
        return None
    if isinstance(expression, Constant) and not isinstance(expression.value, (bool, type(None))):
        return None
    subject = Subject(expression, cursor.written(start, cursor.end()), start, left_out=False)
    return Truth(**subject.facts(cursor, False), expression=subject.itself())


def _group(cursor: Cursor) -> Tree | None:
    start = cursor.start()
    if not cursor.took_symbol("("):
        return None
    tree: Tree | None = cursor.deeper(lambda: _either(cursor))
    if tree is None or not cursor.took_symbol(")") or not cursor.at_boundary():
        return None
    if isinstance(tree, Judged):
        return judged(cursor, start, cursor.end())
    return tree


def _misspelt(cursor: Cursor) -> Tree | None:
    """A name that is nearly a declared one, before a comparison symbol: certainly a mistake."""
    start = cursor.start()
    token = cursor.take()
    if token.kind != "word" or cursor.is_value(token.text):
        return None
    while cursor.peek().text == "." and cursor.peek(1).kind == "word" and cursor.peek().start == cursor.end():
        cursor.at += 2
    symbol = cursor.peek()
    near = nearest(token.text, cursor.scope.visible())
    if near is None or symbol.kind != "symbol" or symbol.text not in words.SYMBOLS:
        return None
    cursor.report("unknown-name-in-condition", token.start, token.end, name=token.text, advice=f"write `{near}`")
    while not cursor.at_boundary():
        cursor.at += 1
    facts = Subject(Name(cursor.span(token.start, token.end), token.text), token.text, start, False).facts(
        cursor, False
    )
    nothing = Constant(facts["span"], None)
    return Compare(**facts, operator="==", left=nothing, right=nothing)


def _prose(cursor: Cursor) -> Judged:
    """Everything up to `and`, `or` or the end; parentheses inside belong to it."""
    start, depth = cursor.start(), 0
    cursor.subject = None
    while not cursor.ended() and (depth or not cursor.at_boundary()):
        token = cursor.take()
        if token.kind == "symbol" and token.text in "()":
            depth += 1 if token.text == "(" else -1
            depth = max(depth, 0)
    if cursor.end() <= start:
        cursor.broken = True
    return judged(cursor, start, max(cursor.end(), start))


_PARTS: tuple[Callable[[Cursor], Tree | None], ...] = (
    _criteria,
    _about_operand,
    _about_reference,
    _about_earlier,
    _bare,
    _group,
    _misspelt,
)
