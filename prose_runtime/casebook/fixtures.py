"""What `### Fixtures` gives: the inputs of one run, or of several.

In: the section. Out: `Fixture`s. They stand there as bullets (`` - `topic`: text ``, with `|` for texts of several
lines), as a YAML mapping or a list of them, as a table, or as groups that begin with `fixture: name`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from prose_runtime.casebook.blocks import Unreadable, read_yaml
from prose_runtime.casebook.case import Fixture, Sentence
from prose_runtime.source import SourceText
from prose_runtime.syntax.document import Item, Section

_KEY = re.compile(r"(?P<tick>`?)(?P<key>[^\W\d][\w.-]*)(?P=tick):(?:[ \t]+(?P<value>.*))?")
_MARKER = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+")
_LITERAL = re.compile(r"[|>][+-]?\d?")
_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")
_NAMING = ("fixture", "case", "scenario")
_EXPECTING = ("expected_result", "expected result", "expected", "expects")
_KEYS_HEAD = ("input", "name", "parameter", "field", "key", *_NAMING)
_VALUE_HEAD = ("value", "text")


def read_fixtures(source: SourceText, section: Section | None, block: Any) -> tuple[Fixture, ...]:
    """The fixtures, always at least one. `block` is the value of the section's YAML block. Raises `Unreadable`."""
    if section is None:
        return (Fixture(),)
    several = [*_listed(block), *_tables(source, section)]
    single = _Values()
    single.values.update(block if isinstance(block, dict) else {})
    for item in section.items:
        group = _group(source, item)
        if group is not None:
            several.append(group)
        else:
            _bullet(source, section, item, single)
    if not several:
        return (Fixture("", single.values, single.texts),)
    return tuple(
        Fixture(
            one.name or (str(number) if len(several) > 1 else ""),
            {**single.values, **one.values},
            {**single.texts, **one.texts},
            one.sentences,
        )
        for number, one in enumerate(several, 1)
    )


def read_config(source: SourceText, section: Section | None, block: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The values and the bare texts of `### Config`. Raises `Unreadable`."""
    found = _Values()
    found.values.update(block if isinstance(block, dict) else {})
    for item in section.items if section is not None else ():
        assert section is not None
        _bullet(source, section, item, found)
    return found.values, found.texts


class _Values:
    """Values as given, and texts that are still to be read by a type."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.texts: dict[str, str] = {}

    def add(self, name: str, text: str) -> None:
        """A text in quotes is one, a bare text may be anything."""
        if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
            self.values[name] = text[1:-1]
        else:
            self.texts[name] = text


def _bullet(source: SourceText, section: Section, item: Item, into: _Values) -> None:
    if item.name is None:
        raise Unreadable(f"a line of ### {section.title} is `name`: value", source.position(item.span.start).line)
    first, _, rest = _raw(source, item).partition("\n")
    after = first.partition(":")[2].strip() if ":" in first else item.text
    if _LITERAL.fullmatch(after):
        indented = textwrap.indent(textwrap.dedent(rest), "  ")
        into.values[item.name] = read_yaml(f"text: {after}\n{indented}\n")["text"]
    else:
        into.add(item.name, " ".join(f"{after} {rest}".split()))


def _raw(source: SourceText, item: Item) -> str:
    """A bullet as it stands in the file, without its marker, its further lines moved left with it."""
    text = source.slice(item.span).replace("\r\n", "\n").replace("\r", "\n")
    marker = _MARKER.match(text)
    first, _, rest = (text[marker.end() :] if marker else text).partition("\n")
    return f"{first}\n{textwrap.dedent(rest)}" if rest else first


# ---- groups ----


def group_of(source: SourceText, item: Item) -> dict[str, str]:
    """The `key: value` lines of a bullet that is made of them; a value may go on in the lines below it."""
    found: dict[str, str] = {}
    last = ""
    for line in _raw(source, item).split("\n"):
        key = _KEY.fullmatch(line.rstrip())
        if key is not None and not line[:1].isspace():
            last = key["key"]
            found[last] = (key["value"] or "").strip()
        elif last:
            found[last] = f"{found[last]} {line.strip()}".strip()
        else:
            return {}
    return found


def _group(source: SourceText, item: Item) -> Fixture | None:
    pairs = group_of(source, item)
    if not pairs or next(iter(pairs)) not in _NAMING or len(pairs) < 2:
        return None
    return _fixture(pairs, source.position(item.span.start).line)


def _fixture(pairs: Mapping[str, str], line: int) -> Fixture:
    """Named values as a fixture; one of the keys may name it, another may say what is expected of it."""
    found = _Values()
    name, sentences = "", []
    for key, text in pairs.items():
        if key.lower() in _NAMING and not name:
            name = text.strip("`\"'")
        elif key.lower() in _EXPECTING:
            sentences.append(Sentence(None, text, line))
        else:
            found.add(key, text)
    return Fixture(name, found.values, found.texts, tuple(sentences))


def _listed(block: Any) -> Iterator[Fixture]:
    for number, entry in enumerate(block if isinstance(block, list) else (), 1):
        if not isinstance(entry, dict):
            raise Unreadable(f"entry {number} of ### Fixtures is no mapping of names to values")
        name = next((str(entry[key]) for key in _NAMING if key in entry), "")
        sentences = tuple(Sentence(None, str(entry[key]), 0) for key in _EXPECTING if key in entry)
        yield Fixture(name, {k: v for k, v in entry.items() if k not in (*_NAMING, *_EXPECTING)}, {}, sentences)


# ---- tables ----


def _tables(source: SourceText, section: Section) -> Iterator[Fixture]:
    """A table of inputs and values is one fixture; any other has a column for each input and a row for each run."""
    rows = list(_rows(source, section))
    if not rows:
        return
    (line, head), *body = rows
    if not body or not all(_RULE.fullmatch(cell) for cell in body[0][1]):
        raise Unreadable("a table has a line `|---|---|` below its head", line)
    names = [cell.strip("`* ") for cell in head]
    if [name.lower() for name in names[1:]] and names[0].lower() in _KEYS_HEAD and names[1].lower() in _VALUE_HEAD:
        pairs = {cells[0].strip("`* "): _cell(cells[1]) for _, cells in body[1:] if len(cells) > 1}
        yield _fixture(pairs, line)
        return
    for at, cells in body[1:]:
        if len(cells) > len(names):
            raise Unreadable(f"this row has {len(cells)} cells, and the table {len(names)} columns", at)
        yield _fixture({name: _cell(cell) for name, cell in zip(names, cells, strict=False) if cell}, at)


def _rows(source: SourceText, section: Section) -> Iterator[tuple[int, list[str]]]:
    number = source.position(section.body.start).line
    last = source.position(max(section.body.end - 1, section.body.start)).line
    fenced = [(source.position(f.span.start).line, source.position(f.span.end).line) for f in section.fences]
    for line in range(number, last + 1):
        text = source.line(line).strip()
        if text.startswith("|") and not any(start <= line <= end for start, end in fenced):
            cells = _CELL.split(text[1:-1] if text.endswith("|") and not text.endswith(r"\|") else text[1:])
            yield line, [cell.strip().replace(r"\|", "|") for cell in cells]


def _cell(text: str) -> str:
    """A cell; backticks around all of it are no part of its text."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "`" and "`" not in text[1:-1] else text
