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
from prose_runtime.syntax.document import Document

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
    pages = {f"{reference.rpartition('/')[2]}.md": pattern_page(reference, program) for reference, program in every}
    return {"README.md": _list(every), **pages}


def pattern_page(reference: str, program: Program) -> str:
    """What a pattern does, who gets what, what it needs, gives and costs, and what else there is."""
    return "\n".join(_page(reference, program)).rstrip() + "\n"


def _list(every: Sequence[tuple[str, Program]]) -> str:
    lines = ["# The patterns", "", MADE, "", "| pattern | what it does | most calls |", "|---|---|---|"]
    for reference, program in every:
        name = reference.rpartition("/")[2]
        costs = [text.partition(":")[2].strip() for text in costs_of(program.main.definition) if "most" in text]
        lines.append(_row((f"[{name}]({name}.md)", summary_of(program.document), costs[0] if costs else "")))
    return "\n".join([*lines, ""])


def _page(reference: str, program: Program) -> Iterator[str]:
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
        yield from ("## When to use it", "", notes.text.strip(), "")
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
