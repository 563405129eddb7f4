"""A line that does not parse: what stands in its place, so that the rest is read as it was meant.

What is kept: the names that the line binds, the body under a header. What could not be read becomes `Unreadable`,
of which later phases say nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from prose_runtime.syntax.script.faults import Fault
from prose_runtime.syntax.script.layout import Line, Token
from prose_runtime.syntax.script.mistakes import explain
from prose_runtime.syntax.script.parser import Parser, Place

_INTRODUCERS = frozenset({"EQUAL", "RETURN", "THROW", "IN", "REPEAT", "UP_TO"})
_OPENING = {"_OPEN": "RPAR", "_CALL_OPEN": "RPAR", "_MODS_OPEN": "RPAR", "LSQB": "RSQB", "_INDEX_OPEN": "RSQB"}
_OPENING["LBRACE"] = "RBRACE"
_CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})
_BLOCKS = frozenset({"_INDENT", "_PIPE_INDENT"})
# Between what fits of a header and its colon, shortest first.
_COMPLETIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("_UNREADABLE",),
    ("NAME",),
    ("IN", "_UNREADABLE"),
    ("NAME", "IN", "_UNREADABLE"),
    ("CONDITION",),
    ("TEXT",),
    ("_UNREADABLE", "AS", "NAME"),
)
_STEPS_BACK = 6
_MILD = frozenset({"empty-branch", "empty-body"})  # of a line that does not fit at all, that is said instead


def read_lines(parser: Parser, tokens: list[Token], lines: list[Line], said: list[Fault], text: str) -> list[Fault]:
    """Feed all lines to the parser, mending those that do not fit. Gives the faults found by the way.

    `said` are the faults that the lexer has reported: about those lines nothing more is said. Those that a fault of
    the whole line makes needless are taken out of it.
    """
    faults: list[Fault] = []
    places = sorted(fault.span.start for fault in said if fault.code not in _MILD)
    cursor = 0
    for line in lines:
        if line.first < cursor:
            continue
        _skip_closings(parser, tokens, cursor, line.first)
        cursor = line.stop
        place = parser.mark()
        known = len(parser.builder.faults)
        at = parser.feed(tokens, line.first, line.stop)
        if at == line.stop:
            continue
        start, end = tokens[line.first][2], tokens[line.stop - 1][3]
        if not reported(places, start, end):
            faults.append(explain(parser, tokens, line, at, text, place))
            said[:] = [fault for fault in said if fault.code not in _MILD or not start <= fault.span.start <= end]
        cursor = _mend(parser, tokens, line, at, place, known)
    _skip_closings(parser, tokens, cursor, len(tokens))
    return faults


def reported(places: list[int], start: int, end: int) -> bool:
    """Whether one of the `places`, which are in order, is from `start` to `end`."""
    at = bisect_left(places, start)
    return at < len(places) and places[at] <= end


def _skip_closings(parser: Parser, tokens: list[Token], start: int, stop: int) -> None:
    """Feed the tokens between two lines; one that does not fit belongs to a block that was set aside."""
    while start < stop:
        start = parser.feed(tokens, start, stop) + 1


def _mend(parser: Parser, tokens: list[Token], line: Line, at: int, place: Place, known: int) -> int:
    """Read something in the place of the line. Gives the index of the token to go on at."""
    for replacement, keeps_block in _replacements(parser, tokens, line, at):
        parser.back(place)
        del parser.builder.faults[known:]
        if parser.feed(replacement, 0, len(replacement)) == len(replacement):
            opened = tokens[line.stop - 1][0] in _BLOCKS
            return _after_block(tokens, line.stop) if opened and not keeps_block else line.stop
    parser.back(place)
    del parser.builder.faults[known:]
    opened = tokens[line.stop - 1][0] in _BLOCKS
    return _after_block(tokens, line.stop) if opened else line.stop


def _after_block(tokens: list[Token], at: int) -> int:
    """The index behind the end of the block that was opened just before `at`."""
    depth = 1
    while at < len(tokens) and depth:
        kind = tokens[at][0]
        depth += (kind in _BLOCKS) - (kind == "_DEDENT")
        at += 1
    return at


def _replacements(parser: Parser, tokens: list[Token], line: Line, at: int) -> Iterator[tuple[list[Token], bool]]:
    """What could stand instead of the line, best first, and whether the block below it stays."""
    last = tokens[line.stop - 1]
    own = tokens[line.first : line.stop - 1]
    header = last[0] in ("_INDENT", "_EMPTY") and bool(own) and own[-1][0] == "COLON" and not _ends_with_key(own)
    counter = _counter(own)
    fitting = at - line.first
    for cut in _cuts(own, fitting):
        value = _made("_UNREADABLE", *_ends(own, cut, last))
        if header and own[cut - 1][0] != "EQUAL":
            yield [*own[:cut], value, *counter, own[-1], last], True
        yield [*own[:cut], value, _made("_NL", last[3], last[3])], False
    alone = 1 if own and own[0][0] == "NAME" and not header else 0  # a word that begins no statement is no value
    for size in range(fitting, max(fitting - _STEPS_BACK, alone), -1):
        closers = [_made(kind, last[3], last[3]) for kind in _open_brackets(own[:size])]
        for completion in _COMPLETIONS if header else _COMPLETIONS[:2]:
            filled = [_made(kind, last[3], last[3]) for kind in completion]
            if header:
                yield [*own[:size], *filled, *closers, *counter, own[-1], last], True
                yield [*own[:size], *filled, *closers, own[-1], last], True
            else:
                yield [*own[:size], *filled, *closers, last], True
    yield from _fillers(own, last, header)


def _fillers(own: list[Token], last: Token, header: bool) -> Iterator[tuple[list[Token], bool]]:
    """Where nothing of the line can be kept: something that fits the block it stands in."""
    start, end = (own[0][2], own[-1][3]) if own else (last[2], last[3])
    value, line_end = _made("_UNREADABLE", start, end), _made("_NL", end, end)
    colon = _made("COLON", end, end)
    if header:
        yield [_made("REPEAT", start, start), value, colon, last], True
    yield [value, line_end], False
    key = next((token for token in own if token[0] in ("KEY", "NAME")), _made("KEY", start, start))
    yield [("KEY", key[1], key[2], key[3]), colon, value, line_end], False
    option = [_made("OPTION", start, start), _made("TEXT", start, end), colon]
    yield [*option, last if header else _made("_EMPTY", end, end)], header
    yield [_made("VBAR", start, start), _made("NAME", start, start), colon, value, line_end], False


def _made(kind: str, start: int, end: int) -> Token:
    return (kind, '""' if kind == "TEXT" else "", start, end)


def _ends_with_key(own: list[Token]) -> bool:
    return len(own) > 1 and own[-2][0] == "KEY"


def _ends(own: list[Token], cut: int, last: Token) -> tuple[int, int]:
    """The place of the value that could not be read: from the cut to the end of the line."""
    start = own[cut][2] if cut < len(own) else last[3]
    return start, max(own[-1][3], start)


def _cuts(own: list[Token], fitting: int) -> list[int]:
    """Where a value begins, outside brackets, in the part that fits: latest first."""
    found: list[int] = []
    depth = 0
    for index, token in enumerate(own[:fitting]):
        kind = token[0]
        depth += (kind in _OPENING) - (kind in _CLOSING)
        begins = kind in _INTRODUCERS or (kind == "COLON" and index > 0 and own[index - 1][0] == "KEY")
        if begins and depth == 0:
            found.append(index + 1)
    return found[::-1]


def _counter(own: list[Token]) -> list[Token]:
    """`as name` of a header, so that the name stays known."""
    for index in range(len(own) - 1, 0, -1):
        if own[index][0] == "NAME" and own[index - 1][0] == "AS":
            return own[index - 1 : index + 1]
    return []


def _open_brackets(own: list[Token]) -> list[str]:
    """The closing brackets that are missing, innermost first."""
    found: list[str] = []
    for token in own:
        if token[0] in _OPENING:
            found.append(_OPENING[token[0]])
        elif token[0] in _CLOSING and found:
            found.pop()
    return found[::-1]
