"""The parser's table: from `grammar/prosescript.lark` to what the parser and the lexer go by.

Building it with lark takes half a second, so the finished table stands next to the grammar as JSON, with a checksum
of the grammar that it was built from. `load_table` reads it; where it does not belong to the grammar beside it
(somebody is working on the grammar), the table is built anew in memory. After a change run

    python -m prose_runtime.syntax.script

which writes it again; a test fails until that is done. lark is imported for building only.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any
from zlib import crc32

from prose_runtime.source.node import node
from prose_runtime.source.shipped import shipped

GRAMMAR = "prosescript.lark"
TABLE = "prosescript.json"
_FORM = 1  # of the JSON; raise it when what `build_table` gives changes its form

# Where the children of a rule's node come from: positions in the expansion, NOTHING for an absent optional part.
NOTHING = -1


@node
class Rule:
    """`length` symbols become one `origin`. `name` is what builds it; "" hands on the only child as it is, and
    "_" hands on the list of the children, to be taken in one by one. `children` are positions, see `NOTHING`."""

    origin: str
    length: int
    name: str
    children: tuple[int, ...]


@node
class Table:
    """`states[s][symbol]`: a number >= 0 is the state to go to, a negative one -1-r stands for rule r.

    `patterns`: regular expressions of terminals by name. `words`: the fixed texts (keywords, operators) and
    the terminal of each.
    """

    start: int
    end: int
    states: tuple[dict[str, int], ...]
    rules: tuple[Rule, ...]
    patterns: dict[str, str]
    words: dict[str, str]


@cache
def load_table() -> Table:
    """The table of the shipped grammar."""
    folder = shipped("grammar")
    grammar = (folder / GRAMMAR).read_text(encoding="utf-8")
    stored = folder / TABLE
    if stored.is_file():
        data = json.loads(stored.read_text(encoding="utf-8"))
        if data["key"] == grammar_key(grammar):
            return _from_json(data)
    return _from_json(build_table(grammar))


def grammar_key(grammar: str) -> str:
    """What a stored table must say to belong to this grammar: enough to notice an edit; a test compares the whole."""
    return f"{_FORM}-{len(grammar)}-{crc32(grammar.encode()):08x}"


def _from_json(data: dict[str, Any]) -> Table:
    rules = tuple(Rule(origin, length, name, tuple(children)) for origin, length, name, children in data["rules"])
    return Table(data["start"], data["end"], tuple(data["states"]), rules, data["patterns"], data["words"])


def build_table(grammar: str) -> dict[str, Any]:
    """The table of a grammar as JSON data. Raises lark's `GrammarError` where the grammar is not LALR(1)."""
    from lark import Lark

    # Lark has no public view of its finished table; these two names are held by our own test of the build.
    lark: Any = Lark(grammar, parser="lalr", lexer="basic")
    table: Any = lark.parser.parser._parse_table
    rules = list(lark.rules)
    number = {rule: index for index, rule in enumerate(rules)}
    order = _order(table)

    def entry(action: Any, argument: Any) -> int:
        return order[argument] if action.name == "Shift" else -1 - number[argument]

    states = [{symbol: entry(*cell) for symbol, cell in sorted(table.states[state].items())} for state in order]
    patterns = {item.name: item.pattern.to_regexp() for item in lark.terminals if item.pattern.type == "re"}
    words = {item.pattern.value: item.name for item in lark.terminals if item.pattern.type == "str"}
    return {
        "key": grammar_key(grammar),
        "start": order[table.start_states["start"]],
        "end": order[table.end_states["start"]],
        "rules": [_rule(rule) for rule in rules],
        "patterns": dict(sorted(patterns.items())),
        "words": dict(sorted(words.items())),
        "states": states,
    }


def _order(table: Any) -> dict[Any, int]:
    """A number for each of lark's states, in the order in which they are met from the start: always the same."""
    found = [table.start_states["start"]]
    order = {found[0]: 0}
    for state in found:
        for _, (action, argument) in sorted(table.states[state].items()):
            if action.name == "Shift" and argument not in order:
                order[argument] = len(order)
                found.append(argument)
    return order


def _rule(rule: Any) -> list[Any]:
    """A rule of lark's in our form: which symbols are kept as children follows lark's own conventions."""
    origin = str(rule.origin.name)
    gaps = _gaps(rule)
    children: list[int] = []
    for position, symbol in enumerate(rule.expansion):
        children += [NOTHING] * gaps[position]
        if not (symbol.is_term and symbol.filter_out):
            children.append(position)
    children += [NOTHING] * gaps[len(rule.expansion)]
    if origin.startswith("_"):
        name = "_"
    elif rule.alias is None and rule.options.expand1 and len(children) == 1:
        only = rule.expansion[children[0]] if children[0] != NOTHING else None
        name = "" if only is not None and not only.name.startswith("_") else origin
    else:
        name = str(rule.alias or origin)
    return [origin, len(rule.expansion), name, children]


def _gaps(rule: Any) -> list[int]:
    """How many absent optional parts stand before each symbol of the expansion, and at its end."""
    flags = rule.options.empty_indices
    if not flags:
        return [0] * (len(rule.expansion) + 1)
    return [len(ones) for ones in "".join(str(int(flag)) for flag in flags).split("0")]


def write_table() -> None:
    """Build the shipped table again from the shipped grammar."""
    folder = shipped("grammar")
    data = build_table((folder / GRAMMAR).read_text(encoding="utf-8"))
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in data.pop("states"))
    head = json.dumps(data, separators=(",", ":"))
    (folder / TABLE).write_text(f'{head[:-1]},"states":[\n{rows}\n]}}\n', encoding="utf-8")
