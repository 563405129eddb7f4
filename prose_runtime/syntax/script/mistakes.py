"""Why a line does not parse, said as a person would: from the token that does not fit and what stands around it."""

from __future__ import annotations

from prose_runtime.diagnostics import Fix
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.source import Span
from prose_runtime.syntax.script import words
from prose_runtime.syntax.script.asking import near_asking
from prose_runtime.syntax.script.faults import Fault, replacing
from prose_runtime.syntax.script.layout import VALUE_ENDS, Line, Token
from prose_runtime.syntax.script.parser import Parser, Place

_LINE_ENDS = frozenset({"_NL", "_INDENT", "_EMPTY", "_PIPE_INDENT"})
_VALUE_BEGINS = frozenset({"NAME", "TEXT", "NUMBER", "LBRACE", "LSQB", "TRUE", "FALSE", "NULL", "CALL", "_UNREADABLE"})
_VALUE_WORDS = frozenset({"SESSION", "RESUME", "GATE", "DO", "PARALLEL", "REPEAT", "FOR", "LOOP", "_IF_VALUE", "NOT"})
_OPENS = frozenset({"_OPEN", "_CALL_OPEN", "_MODS_OPEN", "LBRACE", "LSQB", "_INDEX_OPEN"})
_CLOSES = frozenset({"RPAR", "RSQB", "RBRACE"})
_BRANCHES = {
    "ELSE": "`if`",
    "ELIF": "`if`",
    "CATCH": "`try`",
    "FINALLY": "`try`",
    "OPTION": "`choice`",
    "VBAR": "value to go through",
}
_NO_METHODS = "values have no methods; `call` a service for it"
_SAYS = {
    "COLON": "`:`",
    "IN": "`in`",
    "TO": "`to`",
    "EQUAL": "`=`",
    "THEN": "`then`",
    "ELSE": "`else`",
    "NAME": "a name",
    "TEXT": 'a text like "…"',
    "OPTION": 'an `option "…":`',
    "KEY": "a property `name: value`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "RBRACE": "`}`",
}


def explain(parser: Parser, tokens: list[Token], line: Line, at: int, text: str, place: Place) -> Fault:
    """The fault of a line whose token `at` does not fit. The parser stands before that token."""
    token = tokens[at]
    before = tokens[at - 1] if at > line.first else None
    if at == line.first:
        return _at_start(parser, tokens, line, text)
    assert before is not None
    asking = near_asking(tokens, line, at, text)
    if asking is not None:
        return asking
    if token[0] in _LINE_ENDS:
        return _ended_early(parser, tokens, at, before)
    if at == line.first + 1 and before[0] == "NAME" and token[0] in _VALUE_BEGINS | {"KEY"}:
        return _unknown_statement(before)
    if parser.accepts("EQUAL") and not parser.accepts("VBAR") and token[0] in _VALUE_BEGINS | _VALUE_WORDS:
        fix = replacing("Put an equals sign", before[3], before[3], " =")
        return Fault("missing-equals", Span(token[2], token[3]), {"found": _found(token, text)}, fix)
    if token[0] == "_CALL_OPEN" and at - line.first > 1 and tokens[at - 2][0] == "DOT":
        return _method(tokens, line, at, text)
    begins = token[0] in _VALUE_BEGINS or token[0] == "KEY"
    if begins and before[0] in VALUE_ENDS and _in_brackets(tokens, line.first, at):
        fix = replacing("Put a comma", before[3], before[3], ",")
        return Fault("missing-comma", Span(token[2], token[3]), {"found": _found(token, text)}, fix)
    if token[0] == "COLON" and before[0] not in VALUE_ENDS:
        return Fault("missing-value", Span(before[2], before[3]), {"after": _found(before, text)})
    return Fault("unexpected-text", Span(token[2], token[3]), {"found": _found(token, text), "where": _where(parser)})


def _at_start(parser: Parser, tokens: list[Token], line: Line, text: str) -> Fault:
    token = tokens[line.first]
    span = Span(token[2], token[3])
    expected = parser.expected()
    if "OPTION" in expected and "LET" not in expected:
        return Fault("misplaced-line", span, {"found": _found(token, text), "belongs": 'an `option "…":`'})
    if "KEY" in expected and "LET" not in expected:
        return _in_properties(tokens, line, token, text)
    if token[0] in _BRANCHES:
        return Fault("stray-branch", span, {"word": token[1], "opener": _BRANCHES[token[0]]})
    if token[0] == "KEY":
        return Fault("bare-property", span, {"key": token[1]})
    if "VBAR" in expected and "LET" not in expected:
        return Fault("misplaced-line", span, {"found": _found(token, text), "belongs": "a step `| map:`"})
    return Fault("unexpected-text", span, {"found": _found(token, text), "where": "a statement belongs here"})


def _in_properties(tokens: list[Token], line: Line, token: Token, text: str) -> Fault:
    """A line among the properties of a call that is none."""
    span = Span(token[2], token[3])
    following = tokens[line.first + 1][0]
    fix: Fix | None = None
    belongs = "a property `name: value`"
    if token[0] == "NAME" and following == "_NL":
        belongs = f"`{token[1]}: {token[1]}`"
        fix = replacing("Name the property", token[2], token[3], f"{token[1]}: {token[1]}")
    elif token[0] == "NAME" and following == "EQUAL":
        belongs = f"`{token[1]}: …`"
        equal = tokens[line.first + 1]
        fix = replacing("Write a colon", token[3], equal[3], ":")
    return Fault("misplaced-line", span, {"found": _found(token, text), "belongs": belongs}, fix)


def _ended_early(parser: Parser, tokens: list[Token], at: int, before: Token) -> Fault:
    """The line ends where something is still missing."""
    if before[0] == "COLON" and tokens[at - 2][0] == "KEY":
        key = tokens[at - 2]
        if tokens[at][0] == "_INDENT":
            return Fault("unexpected-block", Span(key[2], key[3]), {"key": key[1]})
        return Fault("missing-value", Span(key[2], before[3]), {"after": f"{key[1]}:"})
    span = Span(before[2], max(before[3], before[2] + 1))
    word = before[1] or words.spelt(before[0])
    if parser.accepts("NULL"):  # any value would do
        return Fault("missing-value", span, {"after": word})
    return Fault("unfinished-line", span, {"after": word, "missing": _missing(parser)})


def _unknown_statement(word: Token) -> Fault:
    similar = nearest(word[1], words.STARTERS) if len(word[1]) > 2 else None
    fix = replacing(f"Write {similar}", word[2], word[3], similar) if similar else None
    instead = f"write `{similar}`" if similar else "begin the line with `let`, `call`, `return` or another statement"
    return Fault("unknown-statement", Span(word[2], word[3]), {"found": word[1], "instead": instead}, fix)


def _method(tokens: list[Token], line: Line, at: int, text: str) -> Fault:
    """`notes.append(x)`: values have no methods. `at` is the opening bracket."""
    start = at - 3
    while start - 2 >= line.first and tokens[start - 1][0] == "DOT":
        start -= 2
    name = tokens[at - 1]
    of = text[tokens[max(start, line.first)][2] : tokens[at - 2][2]]
    span = Span(name[2], name[3])
    instead = words.FOREIGN_METHODS.get(name[1])
    if instead is None or len(of) > 60:
        return Fault("unexpected-text", Span(tokens[at][2], tokens[at][3]), {"found": "(", "where": _NO_METHODS})
    facts = {"found": f"{of}.{name[1]}(…)", "instead": instead.format(of=of)}
    return Fault("foreign-word", span, facts, _recorded(tokens, line, at, of, text) if start == line.first else None)


def _recorded(tokens: list[Token], line: Line, at: int, of: str, text: str) -> Fix | None:
    """How a line `notes.append(x)`, and nothing else, is written here."""
    last = tokens[line.stop - 2]
    whole = last[0] == "RPAR" and tokens[line.stop - 1][0] == "_NL" and text.count("(", tokens[at][2], last[3]) == 1
    if tokens[at - 1][1] not in words.RECORDING or not whole or last[2] == tokens[at][3]:
        return None
    written = f"record {text[tokens[at][3] : last[2]]} in {of}"
    return replacing("Record it", tokens[line.first][2], last[3], written)


def _in_brackets(tokens: list[Token], start: int, at: int) -> bool:
    depth = 0
    for token in tokens[start:at]:
        depth += (token[0] in _OPENS) - (token[0] in _CLOSES)
    return depth > 0


def _missing(parser: Parser) -> str:
    said = [_SAYS[kind] for kind in _SAYS if parser.accepts(kind)]
    return said[0] if said else "the rest of the line"


def _where(parser: Parser) -> str:
    """What could stand there instead, in a few words."""
    if parser.accepts("NULL"):
        return "a value belongs here"
    if parser.accepts("_NL"):
        return "the line could end here"
    return f"{_missing(parser)} belongs here"


def _found(token: Token, text: str) -> str:
    said = " ".join((token[1] or text[token[2] : token[3]] or words.spelt(token[0])).split())
    return said if len(said) <= 30 else said[:29] + "…"
