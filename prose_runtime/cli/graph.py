"""`prose graph`: who gets what in a pattern, as a tree or as a Mermaid flowchart. Nothing is run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from prose_runtime.cli.faults import FAILED, WRONG_USE, Ended, Fault
from prose_runtime.cli.files import load_or_fault
from prose_runtime.cli.output import give, paint_for, show_diagnostics, width_of
from prose_runtime.diagnostics import has_errors
from prose_runtime.diagnostics.terminal import plain
from prose_runtime.reports.graph import graph_of
from prose_runtime.reports.graph_mermaid import MOST_ARROWS, arrows_in, graph_mermaid
from prose_runtime.reports.graph_text import graph_text


@click.command("graph", short_help="Who gets what, as a diagram.")
@click.argument("file", metavar="FILE|std/…[#DEFINITION]")
@click.option("--format", "form", type=click.Choice(["text", "mermaid"]), default="text", show_default=True)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write it to this file.")
@click.option("--debug", is_flag=True, help="Let Python's own tracebacks through.")
def command(file: str, form: str, output: Path | None, debug: bool) -> None:
    """Draw FILE: its loops and branches as boxes, whoever is asked as a step, and for each what it gets from where.

    What comes from a config value, an input or an answer is followed through names, objects, lists and loops.
    """
    loaded = load_or_fault(file)
    if has_errors(loaded.diagnostics):
        show_diagnostics([item for item in loaded.diagnostics if item.severity == "error"])
        raise Ended(WRONG_USE)
    if loaded.program.main.definition.kind == "test":
        raise Fault("a test has no script of its own", "draw the file that it tests")
    graph = graph_of(loaded.program.main)
    if form == "mermaid":
        text = graph_mermaid(graph)
        arrows = arrows_in(graph)
        if arrows > MOST_ARROWS:
            click.echo(f"note: {arrows} arrows; Mermaid draws {MOST_ARROWS} unless the page sets `maxEdges`", err=True)
    else:
        paint, width = (plain, 100) if output else (paint_for(sys.stdout), width_of(sys.stdout))
        text = graph_text(graph, paint=paint, width=width)
    if output is None:
        give(text, painted=form == "text")
        return
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise Fault(f"{output} cannot be written: {error.strerror}", "name another file", status=FAILED) from None
