"""The file of `script:FILE`: a YAML list whose scalars are those of JSON.

In: a path. Out: its items, as plain values. `no`, `12:30` and dates stay texts; anchors, duplicate keys and
anything beyond the limits are refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

_LIMIT = 5_000_000
_DEPTH = 100


class BadReplies(ValueError):
    """The file holds no usable list; the text says why, with the line."""


class _Loader(yaml.SafeLoader):
    """JSON's scalars only, no anchors, no duplicate keys, bounded nesting."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not read", problem_mark=event.start_mark)
        if getattr(event, "tag", None) is not None:
            raise yaml.MarkedYAMLError(problem="tags are not read", problem_mark=event.start_mark)
        self.depth += 1
        if self.depth > _DEPTH:
            raise yaml.MarkedYAMLError(problem="it is nested too deeply", problem_mark=event.start_mark)
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key is not a text", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"`{key.value}` stands here twice", problem_mark=key.start_mark)
            seen.add(key.value)
            key.tag = "tag:yaml.org,2002:str"
        return dict(super().construct_mapping(node, deep))


def _scalar(tag: str, pattern: str, first: str) -> None:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


_scalar("bool", r"(?:true|false)\Z", "tf")
_scalar("null", r"(?:null|~|)\Z", "n~")
_Loader.yaml_implicit_resolvers.setdefault("", []).append(("tag:yaml.org,2002:null", re.compile(r"\Z")))
_scalar("int", r"-?(?:0|[1-9][0-9]*)\Z", "-0123456789")
_scalar("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z", "-0123456789")


def _construct_float(loader: Any, node: Any) -> float:
    value = float(node.value)
    if value in (float("inf"), float("-inf")):
        raise yaml.MarkedYAMLError(problem=f"{node.value} is too large a number", problem_mark=node.start_mark)
    return value


def _construct_int(loader: Any, node: Any) -> int:
    if len(node.value) > 300:
        raise yaml.MarkedYAMLError(problem="a number has more than 300 digits", problem_mark=node.start_mark)
    return int(node.value)


_Loader.add_constructor("tag:yaml.org,2002:float", _construct_float)
_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)


def _problem(error: yaml.MarkedYAMLError) -> str:
    """What the reader of YAML says is often half a sentence, whose first half is its context."""
    problem = error.problem or "it is not YAML"
    return f"{error.context}, {problem}" if problem.startswith("but ") and error.context else problem


def read_replies(path: Path) -> list[Any]:
    """The list in a file. Raises `BadReplies`, and `OSError` where it cannot be read."""
    if not path.is_file():
        raise BadReplies("it is not a file")
    if path.stat().st_size > _LIMIT:
        raise BadReplies(f"it is larger than {_LIMIT:,} bytes")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadReplies(f"it is not UTF-8 text (at byte {error.start})") from None
    return parse_replies(text)


def parse_replies(text: str) -> list[Any]:
    """The list in a YAML (or JSON) text. Raises `BadReplies`."""
    loader = None
    try:
        loader = _Loader(text)
        found = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (line {mark.line + 1})" if mark is not None else ""
        raise BadReplies(f"{_problem(error)}{place}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise BadReplies(" ".join(str(error).split())) from None
    finally:
        if loader is not None:
            loader.dispose()
    if not isinstance(found, list):
        raise BadReplies("it is empty" if found is None else "it is not a list of replies")
    return found
