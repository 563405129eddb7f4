"""Sessions, agents and gates that are nearly written as they are here: `gate "Go on?"`, `session writer`.

In: the tokens of a line that does not parse. Out: what to write instead, as a fault, or None for other mistakes.
"""

from __future__ import annotations

from itertools import pairwise

from prose_runtime.source import Span
from prose_runtime.syntax.script.faults import Fault, replacing
from prose_runtime.syntax.script.layout import Line, Token

_SHOWN = 30


def near_asking(tokens: list[Token], line: Line, at: int, text: str) -> Fault | None:
    """What is wrong about a `session`, `resume`, `gate` or `agent` at the token `at` that does not fit."""
    if at == line.first:
        return None
    token, before = tokens[at], tokens[at - 1]
    if before[0] not in ("NAME", "COLON"):
        return None
    if token[0] == "TEXT" and (before[0] == "COLON" or tokens[at - 2][0] == "COLON"):
        return _prompt(tokens, line, at, text)
    word = before[1]
    if before[0] != "NAME" or word not in ("gate", "session", "resume"):
        return None
    if word == "gate":
        return _question(tokens, at, text)
    return _agent(tokens, at) if token[0] == "NAME" else None


def _prompt(tokens: list[Token], line: Line, at: int, text: str) -> Fault | None:
    """`session: writer "…"` and `agent writer: "…"`."""
    start = at - 2 if tokens[at - 1][0] == "COLON" else at - 3
    if start < line.first or (tokens[start][0] not in ("SESSION", "RESUME") and tokens[start - 1][0] != "AGENT"):
        return None
    where = 'write it on a line below, as `prompt: "…"`'
    _, _, begin, end = tokens[at][:4]
    found = " ".join(text[begin:end].split())
    found = found if len(found) <= _SHOWN else f"{found[: _SHOWN - 1]}…"
    return Fault("unexpected-text", Span(begin, end), {"found": found, "where": where})


def _question(tokens: list[Token], at: int, text: str) -> Fault | None:
    """`gate "…"` and `gate with {…}`."""
    word, token = tokens[at - 1], tokens[at]
    span = Span(word[2], token[3])
    if token[0] == "TEXT":
        fix = None
        if tokens[at + 1][0] in ("_NL", "_INDENT"):
            fix = replacing("Name the property", token[2], token[2], "question: ")
        return Fault("foreign-word", span, {"found": 'gate "…"', "instead": 'gate question: "…"'}, fix)
    if text[token[2] : token[3]] == "with":
        fix = replacing("Take it off", word[3], token[3], "")
        return Fault("foreign-word", span, {"found": "gate with", "instead": "gate"}, fix)
    return None


def _agent(tokens: list[Token], at: int) -> Fault:
    """`session writer` and `resume writer`, of an agent; else what is written is meant as the question."""
    word, name = tokens[at - 1], tokens[at]
    agents = (after[1] for token, after in pairwise(tokens) if token[0] == "AGENT")
    known = word[1] == "resume" or name[1] in agents
    instead = f"{word[1]}: {name[1]}" if known else f'session "{{{name[1]}}}"'
    span = Span(word[2], name[3])
    fix = replacing(f"Write {instead}", word[2], name[3], instead)
    return Fault("foreign-word", span, {"found": f"{word[1]} {name[1]}", "instead": instead}, fix)
