"""YAML as texts: mappings, lists and scalars with exact places, and none of YAML's guesses.

In: a passage that holds YAML. Out: nodes and diagnostics. Every scalar is its text (`no`, `12:30` and `2024-01-02` stay
what was written). Anchors, aliases and tags are refused, so that a small text cannot unfold into a large one.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from prose_runtime.diagnostics import Diagnostic, Label, report
from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.document import Json
from prose_runtime.syntax.passage import Passage

MAX_DEPTH = 32
MAX_NODES = 5_000
_INTEGER = pattern(r"-?(?:0|[1-9]\d{0,300})")
_NUMBER = pattern(r"-?(?:0|[1-9]\d{0,300})(?:\.\d+)?(?:[eE][-+]?\d{1,3})?")


@node
class YamlText:
    """A scalar. `plain`: it was written without quotes."""

    span: Span
    text: str
    plain: bool


@node
class YamlList:
    """A list."""

    span: Span
    items: tuple[YamlNode, ...]


@node
class YamlMap:
    """A mapping in the order of the file; of a key written twice the first is kept."""

    span: Span
    entries: tuple[tuple[YamlText, YamlNode], ...]

    def get(self, key: str) -> YamlNode | None:
        """The value of a key."""
        return next((value for name, value in self.entries if name.text == key), None)


YamlNode = YamlText | YamlList | YamlMap


class _Stop(Exception):
    """Reading ends here; the diagnostic says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.code)
        self.diagnostic = diagnostic


@cache
def _yaml() -> Any:
    # imported on first use: most documents hold no YAML beyond plain `key: value` lines
    import yaml

    return yaml


def read_yaml(source: SourceText, passage: Passage) -> tuple[YamlNode | None, list[Diagnostic]]:
    """The tree of a YAML text. On a fault the node is None and the diagnostic points at the line."""
    reader = _Reader(source, passage)
    try:
        return reader.tree(), reader.found
    except _Stop as stop:
        return None, [*reader.found, stop.diagnostic]


def typed(node: YamlNode) -> Json:
    """The node as a JSON value: plain numbers, `true`, `false` and `null` are that, all else is text."""
    if isinstance(node, YamlList):
        return [typed(item) for item in node.items]
    if isinstance(node, YamlMap):
        return {key.text: typed(value) for key, value in node.entries}
    if not node.plain:
        return node.text
    if node.text in ("true", "false", "null", ""):
        return {"true": True, "false": False}.get(node.text)
    if _INTEGER.fullmatch(node.text):
        return int(node.text)
    if _NUMBER.fullmatch(node.text):
        number = float(node.text)
        return number if math.isfinite(number) else node.text
    return node.text


def texts(node: YamlNode) -> Json:
    """The node with every scalar as text."""
    if isinstance(node, YamlList):
        return [texts(item) for item in node.items]
    if isinstance(node, YamlMap):
        return {key.text: texts(value) for key, value in node.entries}
    return node.text


class _Reader:
    """Events of the YAML parser to nodes. The parser's own composer is not used: it recurses without a limit."""

    def __init__(self, source: SourceText, passage: Passage) -> None:
        self.source = source
        self.passage = passage
        self.found: list[Diagnostic] = []
        self.count = 0
        self.events: Any = None

    def tree(self) -> YamlNode | None:
        yaml = _yaml()
        self.events = yaml.parse(self.passage.text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        try:
            root = None
            for event in self.events:
                if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                    raise self.stop("broken-yaml", event, problem="a second document begins here")
                if isinstance(event, yaml.NodeEvent):
                    root = self.node(event, 0)
            return root
        except yaml.YAMLError as error:
            raise _Stop(self.fault(error)) from None
        except (UnicodeError, ValueError) as error:
            raise _Stop(report("broken-yaml", self.source, self.passage.whole, problem=str(error))) from None
        finally:
            self.events.close()

    def node(self, event: Any, depth: int) -> YamlNode:
        yaml = _yaml()
        self.count += 1
        if depth > MAX_DEPTH:
            raise self.stop("nested-too-deeply", event, limit=MAX_DEPTH)
        if self.count > MAX_NODES:
            raise self.stop("document-too-large", event, limit=MAX_NODES)
        if isinstance(event, yaml.AliasEvent):
            raise self.stop("yaml-feature", event, feature=f"the alias `*{event.anchor}`")
        if event.anchor:
            raise self.stop("yaml-feature", event, feature=f"the anchor `&{event.anchor}`")
        if event.tag and not (event.tag == "!" and isinstance(event, yaml.ScalarEvent)):
            raise self.stop("yaml-feature", event, feature=f"the tag `{event.tag}`")
        if isinstance(event, yaml.ScalarEvent):
            return YamlText(self.span(event), event.value, event.style is None or event.style == "")
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, depth)
        return self.mapping(event, depth)

    def sequence(self, start: Any, depth: int) -> YamlList:
        items: list[YamlNode] = []
        for event in self.events:
            if isinstance(event, _yaml().SequenceEndEvent):
                return YamlList(self.span(start, event, items[-1] if items else None), tuple(items))
            items.append(self.node(event, depth + 1))
        raise self.stop("broken-yaml", start, problem="a list does not end")

    def mapping(self, start: Any, depth: int) -> YamlMap:
        entries: list[tuple[YamlText, YamlNode]] = []
        seen: dict[str, YamlText] = {}
        for event in self.events:
            if isinstance(event, _yaml().MappingEndEvent):
                return YamlMap(self.span(start, event, entries[-1][1] if entries else None), tuple(entries))
            key = self.node(event, depth + 1)
            value = self.node(next(self.events), depth + 1)
            if not isinstance(key, YamlText):
                self.found.append(report("broken-yaml", self.source, key.span, problem="a key that is not a text"))
            elif key.text in seen:
                first = Label(self.source, seen[key.text].span, "written here first")
                self.found.append(report("duplicate-key", self.source, key.span, key=key.text, also=(first,)))
            else:
                seen[key.text] = key
                entries.append((key, value))
        raise self.stop("broken-yaml", start, problem="a mapping does not end")

    # -- places

    def span(self, event: Any, end: Any = None, last: YamlNode | None = None) -> Span:
        start = self.passage.at(event.start_mark.index)
        if end is not None and last is not None and end.start_mark.index == end.end_mark.index:
            return Span(start, max(start, last.span.end))  # a block collection ends with its last part
        stop = (end or event).end_mark.index
        return self.passage.span(event.start_mark.index, max(stop, event.start_mark.index))

    def stop(self, code: str, event: Any, *, problem: str = "", feature: str = "", limit: int = 0) -> _Stop:
        facts: dict[str, Any] = {"problem": problem, "feature": feature, "limit": limit}
        return _Stop(report(code, self.source, self.span(event), what="this YAML", unit="entries", **facts))

    def fault(self, error: Exception) -> Diagnostic:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML")
        position = mark.index if mark is not None else getattr(error, "position", 0)
        text = self.passage.text
        position = min(max(position, 0), max(len(text) - 1, 0))
        start = text.rfind("\n", 0, position) + 1
        end = text.find("\n", position)
        line = text[start : end if end >= 0 else len(text)]
        start += len(line) - len(line.lstrip())
        at = self.passage.span(start, max(start, start + len(line.strip())))
        return report("broken-yaml", self.source, at, problem=problem)
