"""`prose std`: the standard library, one line each; `prose std refine`: one file's card."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from prose_runtime.api import standard_library
from prose_runtime.cli.card import card, summary_of
from prose_runtime.cli.faults import Fault
from prose_runtime.cli.output import as_json, give, paint_for, width_of
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.diagnostics.visible import cut
from prose_runtime.source import SourceText
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document


@click.command("std", short_help="The standard library.")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(name: str | None, form: str) -> None:
    """The files of the standard library, or the card of the one called NAME: what it needs, what it gives."""
    library = standard_library()
    if name is None:
        _list(library, form)
        return
    wanted = name.removeprefix("std/").removesuffix(".prose.md")
    path = library.get(wanted) or library.get(wanted.rpartition("/")[2])
    if path is None:
        near = nearest(wanted, library)
        raise Fault(
            f"the standard library has no `{name}`", f"try `prose std {near}`" if near else "`prose std` lists it"
        )
    give(card(_read(path), reference_of(path), paint=paint_for(sys.stdout), width=width_of(sys.stdout)), painted=True)


def reference_of(path: Path) -> str:
    """How a file of the library is named: `std/patterns/refine`."""
    return "std/" + path.relative_to(shipped("std")).as_posix().removesuffix(".prose.md")


def _read(path: Path) -> Document:
    return read(SourceText.from_bytes(reference_of(path), path.read_bytes()))[0]


def _list(library: dict[str, Path], form: str) -> None:
    rows = [(name, reference_of(path), summary_of(_read(path))) for name, path in library.items()]
    if form == "json":
        give(as_json([{"name": ref, "summary": text} for _, ref, text in rows]))
        return
    width = max((len(name) for name, _, _ in rows), default=0)
    room = width_of(sys.stdout) - width - 2
    paint = paint_for(sys.stdout)
    groups: dict[str, list[str]] = {}
    for name, reference, text in rows:
        line = f"{paint('place', f'{name:<{width}}')}  {cut(text, max(room, 20))}"
        groups.setdefault(reference.rpartition("/")[0], []).append(line)
    listed = ["\n".join([paint("quiet", f"{folder}/"), *lines]) for folder, lines in groups.items()]
    give("\n\n".join(listed), painted=True)
