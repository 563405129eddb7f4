"""Every production of the grammar is in a script that a case runs, or where it reads a mistake, in one it checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lark import Lark

from prose_runtime.casebook import find_cases, run_case
from prose_runtime.cli.test import run_command_line
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax.script.layout import Token
from prose_runtime.syntax.script.parser import Parser

CASES = Path(__file__).parent / "cases"
MISTAKES = {"_EMPTY", "_UNREADABLE"}
"""Tokens that stand for what is missing or cannot be read: no script with them runs."""
ONLY_MISTAKES = (
    "<start : >",
    "<statement : TRY body>",
    "<inline : LET primary _NL>",  # it binds null, and what reads it is warned of
    "<primary : NAME _CALL_OPEN _COMMA RPAR>",
    "<primary : NAME _CALL_OPEN RPAR>",  # there is no function without an argument
)


def _productions() -> list[Any]:
    grammar = (shipped("grammar") / "prosescript.lark").read_text(encoding="utf-8")
    return list(Lark(grammar, parser="lalr", lexer="basic").rules)


def _reads_a_mistake(rule: Any) -> bool:
    return str(rule) in ONLY_MISTAKES or any(symbol.name in MISTAKES for symbol in rule.expansion)


def _used(monkeypatch: pytest.MonkeyPatch, folders: list[str]) -> set[int]:
    """The numbers of the productions that the scripts of the cases in these folders are made of."""
    used: set[int] = set()
    feed = Parser.feed

    def watched(self: Parser, tokens: list[Token], start: int, stop: int) -> int:
        states = list(self.states)
        for token in tokens[start:stop]:
            action = self.table[states[-1]].get(token[0])
            while action is not None and action < 0:
                used.add(-1 - action)
                origin, length, *_ = self.rules[-1 - action]
                if length:
                    del states[-length:]
                states.append(self.table[states[-1]][origin])
                action = self.table[states[-1]].get(token[0])
            if action is None:
                break
            states.append(action)
        return feed(self, tokens, start, stop)

    monkeypatch.setattr(Parser, "feed", watched)
    for path in find_cases([CASES / folder for folder in folders]):
        run_case(path, command=run_command_line)
    return used


def test_every_production_is_executed_by_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    used = _used(monkeypatch, ["run"])
    left = [
        str(rule) for number, rule in enumerate(_productions()) if number not in used and not _reads_a_mistake(rule)
    ]
    assert left == []


def test_every_production_that_reads_a_mistake_is_met_by_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    used = _used(monkeypatch, ["run", "syntax"])
    rules = [rule for rule in enumerate(_productions()) if _reads_a_mistake(rule[1])]
    left = [str(rule) for number, rule in rules if number not in used]
    assert left == []
