"""The fenced blocks of a case: YAML with JSON's values and two matchers, and whole documents with markers.

In: the text of a section. Out: values, or `Unreadable` with a line counted from the start of that text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from prose_runtime.casebook.matching import Anything, Contains

_FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})[ \t]*(\S*)")
_MARKER = re.compile(r'[ \t]+###((?:[ \t]+"[a-z0-9-]+")+)[ \t]*$')
_MAX_NODES = 100_000


class Unreadable(ValueError):
    """A block of a case is not what it should be. `line` counts from 0 within the text that was given."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, and the line of its first inner line, counted from 0."""

    language: str
    text: str
    line: int


def fenced(text: str) -> list[Block]:
    """The fenced blocks of a text, in order; an unclosed one runs to the end."""
    blocks: list[Block] = []
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        number += 1
        if opening is None:
            continue
        start, mark = number, opening[2]
        closing = re.compile(rf"^ {{0,3}}{mark[0]}{{{len(mark)},}}[ \t]*\r?$")
        while number < len(lines) and not closing.match(lines[number]):
            number += 1
        indent = len(opening[1])
        inner = (line[indent:] if line[:indent].isspace() else line for line in lines[start:number])
        blocks.append(Block(opening[3], "\n".join(inner) + "\n", start))
        number += 1
    return blocks


def without_markers(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Take ` ### "code"` off the ends of lines. Gives the text and the `(line, code)` pairs, lines counted from 1."""
    found: list[tuple[int, str]] = []
    lines = text.split("\n")
    for index, line in enumerate(lines):
        marker = _MARKER.search(line)
        if marker is not None:
            found += [(index + 1, code) for code in re.findall(r'"([^"]+)"', marker[1])]
            lines[index] = line[: marker.start()]
    return "\n".join(lines), found


class _Loader(yaml.SafeLoader):
    """YAML whose plain scalars are JSON's: no dates, no `yes` and `no`, no base-60 numbers; keys are texts, once each."""

    nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.nodes += 1
        if self.nodes > _MAX_NODES:
            raise yaml.MarkedYAMLError(problem="the block is too large", problem_mark=self.peek_event().start_mark)
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=self.peek_event().start_mark)
        return super().compose_node(parent, index)


_Loader.yaml_implicit_resolvers = {}
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:null|~|)$"), ["n", "~", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?(?:0|[1-9]\d*)$"), list("-0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$"), list("-0123456789")
)


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="a key must be a text", problem_mark=key_node.start_mark)
        if key_node.value in result:
            raise yaml.MarkedYAMLError(problem=f"the key {key_node.value!r} comes twice", problem_mark=key_node.start_mark)
        result[key_node.value] = loader.construct_object(value_node, deep=True)
    return result


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("!contains", lambda loader, node: Contains(str(loader.construct_scalar(node))))
_Loader.add_constructor("!any", lambda loader, node: Anything())


def read_yaml(text: str) -> Any:
    """The value of a YAML block. Raises `Unreadable`."""
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark is not None else 0
        raise Unreadable(f"this YAML cannot be read: {error.problem}", line) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unreadable(f"this YAML cannot be read: {error}") from None
