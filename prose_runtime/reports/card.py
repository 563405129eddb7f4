"""The card of a pattern or function: what it needs, what it gives, and a command to begin with.

In: a document. Out: text.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence

from prose_runtime.diagnostics.terminal import Paint, plain
from prose_runtime.diagnostics.visible import columns, visible, visible_line
from prose_runtime.syntax.document import Config, Definition, Document, Input, Output, Slot
from prose_runtime.syntax.types import print_type

Row = tuple[str, str, str]
"""Name, kind, text."""
_WIDEST = 80
_LONG_NAME = 24
_LONG_KIND = 26
"""Columns above which a name or a type stands on a line of its own, so that the texts beside it keep their room."""


def summary_of(document: Document) -> str:
    """What a file does, in a sentence: its `summary`, else its `description`, else its first paragraph."""
    definition = document.main
    metadata = definition.section("metadata")
    for item in metadata.items if metadata else ():
        if item.name == "summary":
            return visible_line(item.text)
    described = document.field("description")
    if isinstance(described, str) and described.strip():
        return visible_line(described.strip())
    return visible_line(definition.description.strip().partition("\n\n")[0])


def card(
    document: Document, reference: str, *, calls: Sequence[Row] = (), paint: Paint = plain, width: int = 80
) -> str:
    """The card of the file-level definition; `reference` is how a command line names the file, `calls` how many it
    makes."""
    return "\n".join(_lines(document, reference, calls, paint, min(width, _WIDEST)))


def _lines(document: Document, reference: str, calls: Sequence[Row], paint: Paint, width: int) -> Iterator[str]:
    definition = document.main
    yield f"{paint('place', reference)}  {definition.kind}"
    yield from textwrap.wrap(summary_of(document), width)
    for title, rows in [*tables_of(definition), ("Calls", calls)]:
        yield from _table(title, rows, paint, width)
    for title, lines in (("Holds always", invariants_of(definition)), ("Costs", costs_of(definition))):
        if lines:
            yield from ("", paint("place", title))
        for line in lines:
            yield from textwrap.wrap(line, width, initial_indent="  ", subsequent_indent="    ")
    yield from ("", paint("place", "Begin with"))
    for line in example_of(definition, reference):
        yield f"  {line}"


def tables_of(definition: Definition) -> list[tuple[str, list[Row]]]:
    """What a definition declares, by topic."""
    return [
        ("Slots", [_slot(item) for item in definition.slots]),
        ("Inputs", [_input(item) for item in definition.inputs]),
        ("Config", [_config(item) for item in definition.config]),
        ("Gives", [_output(item) for item in definition.outputs]),
        ("Errors", [(error.name, "", visible_line(error.text)) for error in definition.errors]),
    ]


def invariants_of(definition: Definition) -> list[str]:
    """What holds always, one line each."""
    return [visible_line(clause.text) for clause in definition.invariants]


def costs_of(definition: Definition) -> list[str]:
    """The items of `### Cost`."""
    section = definition.section("cost")
    return (
        [visible_line(f"{item.name}: {item.text}" if item.name else item.text) for item in section.items]
        if section
        else []
    )


def _table(title: str, rows: Sequence[Row], paint: Paint, width: int) -> Iterator[str]:
    if not rows:
        return
    yield from ("", paint("place", title))
    names = max((columns(row[0]) for row in rows if columns(row[0]) <= _LONG_NAME), default=0)
    kinds = max((columns(row[1]) for row in rows if columns(row[1]) <= _LONG_KIND), default=0)
    indent = 2 + (names + 2 if names else 0) + (kinds + 2 if kinds else 0)
    for name, kind, text in rows:
        head = f"  {_padded(name, names)}  " + (f"{_padded(kind, kinds)}  " if kinds else "")
        wrapped = textwrap.wrap(text, max(width - indent, 24)) or [""]
        if columns(head) <= indent:
            yield (head + wrapped.pop(0)).rstrip()
        else:
            own = f"  {_padded(name, names)}  "
            yield from textwrap.wrap(own + kind, width, subsequent_indent=" " * len(own), drop_whitespace=True)
        yield from (" " * indent + line for line in wrapped if line)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _slot(slot: Slot) -> Row:
    marks = [word for word, holds in (("several", slot.many), ("optional", slot.optional)) if holds]
    needs = "; ".join(clause.text for clause in slot.requires)
    gives = "; ".join(clause.text for clause in slot.ensures)
    text = ". ".join(
        part
        for part in (slot.text, f"Is given: {needs}" if needs else "", f"Must give: {gives}" if gives else "")
        if part
    )
    return slot.name, ", ".join(marks), visible_line(text)


def _input(item: Input) -> Row:
    if item.has_default:
        mark = f" = {_value(item.default)}"
    else:
        mark = "" if item.required else ", optional"
    return item.name, print_type(item.type) + mark, visible_line(item.text)


def _config(item: Config) -> Row:
    return (
        item.name,
        print_type(item.type) + (f" = {_value(item.default)}" if item.has_default else ""),
        visible_line(item.text),
    )


def _output(item: Output) -> Row:
    kind = print_type(item.type) if item.declared_type else ""
    return item.name, kind, visible_line(item.text)


def _value(value: object) -> str:
    return visible_line(json.dumps(value, ensure_ascii=False))


def example_of(definition: Definition, reference: str) -> list[str]:
    """A command line to begin with."""
    words = [f"prose run {reference}"]
    words += [
        f"--bind {slot.name}=py:./services.py:{slot.name.replace('-', '_')}"
        for slot in definition.slots
        if not slot.optional
    ]
    if definition.kind == "function" and definition.script is None:
        words.append("--bind model=py:./services.py:model")
    words += [
        f"--input {item.name}={'@file' if item.type.kind == 'string' else '…'}"
        for item in definition.inputs
        if item.required and not item.has_default
    ]
    last = len(words) - 1
    return [
        visible(("  " if index else "") + word + (" \\" if index < last else "")) for index, word in enumerate(words)
    ]
