"""Pages of a library in Markdown: one for each pattern, with its diagram, and a list of all.

In: documents that were resolved. Out: texts by file name. They are made of the files alone, so that no page can say
what its pattern does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from prose_runtime.reports.card import Row, costs_of, example_of, invariants_of, summary_of, tables_of
from prose_runtime.reports.graph import graph_of
from prose_runtime.reports.graph_mermaid import graph_mermaid
from prose_runtime.reports.graph_text import graph_text
from prose_runtime.resolve.program import Program
from prose_runtime.syntax.document import Definition, Document

MADE = "<!-- Made by `make pages` from the pattern itself; change that. -->"
_HEADS = {
    "Slots": ("slot", "", "who it is"),
    "Inputs": ("input", "type", "what it is"),
    "Config": ("config", "type", "what it is"),
    "Gives": ("output", "type", "what it is"),
    "Errors": ("error", "", "when"),
}


def library_pages(programs: Iterable[tuple[str, Program]]) -> dict[str, str]:
    """The pages of a library by file name; each program comes with how it is referred to (`std/patterns/refine`)."""
    every = sorted(programs, key=lambda item: item[0])
    names = [reference.rpartition("/")[2] for reference, _ in every]
    pages = {
        f"{name}.md": pattern_page(reference, program, names)
        for name, (reference, program) in zip(names, every, strict=True)
    }
    return {"README.md": _list(every), **pages}


def pattern_page(reference: str, program: Program, library: Sequence[str] = ()) -> str:
    """What a pattern does, who gets what, what it needs, gives and costs, and what else there is; names of `library`
    are links to their pages."""
    return "\n".join(_page(reference, program, library)).rstrip() + "\n"


def _list(every: Sequence[tuple[str, Program]]) -> str:
    names = [reference.rpartition("/")[2] for reference, _ in every]
    heads = ("pattern", "what it does", "when rather another", "most calls")
    lines = ["# The patterns", "", MADE, "", _row(heads), "|" + "---|" * len(heads)]
    for name, (_, program) in zip(names, every, strict=True):
        costs = [text.partition(":")[2].strip() for text in costs_of(program.main.definition) if "most" in text]
        others = _linked(_about_others(program.main.definition, name, names), name, names)
        lines.append(_row((f"[{name}]({name}.md)", summary_of(program.document), others, costs[0] if costs else "")))
    return "\n".join([*lines, ""])


def _about_others(definition: Definition, own: str, names: Sequence[str]) -> str:
    """The sentences of the notes that name another pattern."""
    notes = definition.section("notes")
    sentences = re.split(r"(?<=[.!?])\s+", notes.text.strip()) if notes is not None else []
    others = {f"`{name}`" for name in names if name != own}
    return " ".join(" ".join(text.split()) for text in sentences if any(other in text for other in others))


def _linked(text: str, own: str, names: Sequence[str]) -> str:
    for name in names:
        if name != own:
            text = text.replace(f"`{name}`", f"[`{name}`]({name}.md)")
    return text


def _page(reference: str, program: Program, library: Sequence[str]) -> Iterator[str]:
    document, unit = program.document, program.main
    definition = unit.definition
    graph = graph_of(unit)
    yield from (f"# {_title(document)}", "", MADE, "", summary_of(document), "")
    yield from ("```mermaid", graph_mermaid(graph), "```", "")
    yield from ("The same as text, as `prose graph` shows it:", "", "```text", graph_text(graph, width=100), "```", "")
    for title, rows in tables_of(definition):
        if rows:
            yield from _table(title, rows)
    for title, lines in (("Holds always", invariants_of(definition)), ("Costs", costs_of(definition))):
        if lines:
            yield from (f"## {title}", "", *(f"- {line}" for line in lines), "")
    notes = definition.section("notes")
    if notes is not None:
        yield from ("## When to use it", "", _linked(notes.text.strip(), reference.rpartition("/")[2], library), "")
    yield from ("## Begin with", "", "```sh", *example_of(definition, reference), "```", "")


def _title(document: Document) -> str:
    title = re.search(r"^# (.+)$", document.source.text, re.MULTILINE)
    return title[1].strip() if title else document.main.name


def _table(title: str, rows: Sequence[Row]) -> Iterator[str]:
    name, kind, text = _HEADS[title]
    typed = any(row[1] for row in rows)
    heads = (name, kind or "how", text) if typed else (name, text)
    yield from (f"## {title}", "", _row(heads), "|" + "---|" * len(heads))
    for row in rows:
        cells = (f"`{row[0]}`", f"`{row[1]}`" if row[1] and kind else row[1], row[2])
        yield _row(cells if typed else (cells[0], cells[2]))
    yield ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
