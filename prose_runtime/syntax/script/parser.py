"""The LALR parser: tokens in, statements out. A line that does not fit is mended or set aside, and reading goes on.

The table knows nothing of mistakes. At the start of each line the parser keeps its stack, so that it can take the
line back, read something else in its place (see `recovery`), and go on as if that had stood there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from prose_runtime.source.node import node
from prose_runtime.syntax import nodes
from prose_runtime.syntax.script.build import BUILD
from prose_runtime.syntax.script.builder import Builder
from prose_runtime.syntax.script.layout import Token
from prose_runtime.syntax.script.table import load_table

_Build = Callable[..., Any]
# (origin, length, build, children, only): `only` is the position of the child that is handed on as it is, else -1
_Rule = tuple[str, int, "_Build | None", tuple[int, ...], int]


@cache
def rules() -> tuple[_Rule, ...]:
    """The rules with what builds them."""
    found: list[_Rule] = []
    for rule in load_table().rules:
        only = rule.children[0] if rule.name == "" else -1
        build = BUILD[rule.name] if rule.name not in ("", "_") else None
        found.append((rule.origin, rule.length, build, rule.children, only))
    return tuple(found)


@node
class Place:
    """The parser as it was at the start of a line."""

    states: list[int]
    values: list[Any]
    starts: list[int]
    ends: list[int]
    lengths: list[int]


class Parser:
    """One script being read."""

    def __init__(self, builder: Builder) -> None:
        table = load_table()
        self.table = table.states
        self.final = table.end
        self.rules = rules()
        self.builder = builder
        self.states: list[int] = [table.start]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def feed(self, tokens: list[Token], start: int, stop: int) -> int:
        """Take the tokens from `start` to `stop`. Gives the index of the first that does not fit, else `stop`."""
        states, values, starts, ends = self.states, self.values, self.starts, self.ends
        table, rules, builder = self.table, self.rules, self.builder
        for at in range(start, stop):
            token = tokens[at]
            kind = token[0]
            action = table[states[-1]].get(kind)
            while action is not None and action < 0:
                origin, length, build, children, only = rules[-1 - action]
                if only >= 0 and length == 1:
                    states[-1] = state = table[states[-2]][origin]
                    action = table[state].get(kind)
                    continue
                if length:
                    first, last = starts[-length], ends[-1]
                    parts = values[-length:]
                    del states[-length:], values[-length:], starts[-length:], ends[-length:]
                else:
                    first = last = ends[-1] if ends else token[2]
                    parts = []
                values.append(_value(builder, first, last, parts, build, children, only))
                starts.append(first)
                ends.append(last)
                state = table[states[-1]][origin]
                states.append(state)
                action = table[state].get(kind)
            if action is None:
                return at
            states.append(action)
            values.append(token)
            starts.append(token[2])
            ends.append(token[3])
        return stop

    def finish(self) -> tuple[nodes.Statement, ...]:
        """The statements, after all tokens were taken."""
        end = self.ends[-1] if self.ends else 0
        self.feed([("$END", "", end, end)], 0, 1)  # reduces all to the start rule; lark's tables do not shift the end
        if self.states[-1] != self.final:
            raise AssertionError("a script was left half read")  # the recovery always leaves whole lines
        found: tuple[nodes.Statement, ...] = self.values[0]
        return found

    def accepts(self, kind: str) -> bool:
        """Whether a token of that kind could come next."""
        states = list(self.states)
        action = self.table[states[-1]].get(kind)
        while action is not None and action < 0:
            origin, length, *_ = self.rules[-1 - action]
            if length:
                del states[-length:]
            states.append(self.table[states[-1]][origin])
            action = self.table[states[-1]].get(kind)
        return action is not None

    def expected(self) -> set[str]:
        """The kinds of tokens that could come next."""
        return {kind for kind in self.table[self.states[-1]] if self.accepts(kind)}

    def mark(self) -> Place:
        """Keep the present place."""
        lengths = [len(value) if type(value) is list else -1 for value in self.values]
        return Place(self.states[:], self.values[:], self.starts[:], self.ends[:], lengths)

    def back(self, place: Place) -> None:
        """Go back to a place; what was collected since is forgotten."""
        self.states[:] = place.states
        self.values[:] = place.values
        self.starts[:] = place.starts
        self.ends[:] = place.ends
        for value, length in zip(place.values, place.lengths, strict=True):
            if length >= 0:
                del value[length:]


def _value(
    builder: Builder,
    start: int,
    end: int,
    parts: list[Any],
    build: _Build | None,
    children: tuple[int, ...],
    only: int,
) -> Any:
    """What a rule makes of its parts: the only child, a list to be taken in, or a node."""
    if only >= 0:
        return parts[only]
    if build is None:  # a list grows in place: `Place.lengths` undoes that
        found: list[Any] = []
        for position in children:
            part = parts[position] if position >= 0 else None
            if type(part) is not list:
                found.append(part)
            elif found or position:
                found += part
            else:
                found = part
        return found
    given: list[Any] = []
    for position in children:
        part = parts[position] if position >= 0 else None
        if type(part) is list:
            given += part
        else:
            given.append(part)
    return build(builder, start, end, *given)
