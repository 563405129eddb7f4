"""`prose std`: the standard library, one line each; `prose std refine`: one file's card."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from prose_runtime.api import load, standard_library
from prose_runtime.cli.faults import FAILED, Fault
from prose_runtime.cli.output import as_json, give, paint_for, width_of
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.diagnostics.visible import cut
from prose_runtime.reports.card import card, summary_of
from prose_runtime.reports.explanation import calls_of
from prose_runtime.reports.pages import library_pages, pattern_page
from prose_runtime.resolve.bounds import bounds_of
from prose_runtime.source import SourceText
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document


@click.command("std", short_help="The standard library.")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option("--pages", type=click.Path(file_okay=False, path_type=Path), help="Write a page for each pattern there.")
def command(name: str | None, form: str, pages: Path | None) -> None:
    """The files of the standard library, or the card of the one called NAME: what it needs, what it gives."""
    library = standard_library()
    if pages is not None:
        _write(library, pages)
        return
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
    if form == "json":
        raise Fault("a card is text or Markdown", "leave `--format json` out")
    if form == "markdown":
        names = [reference_of(other).rpartition("/")[2] for other in library.values() if "patterns" in other.parts]
        give(pattern_page(reference_of(path), load(path).program, sorted(names)))
        return
    unit = load(path).program.main
    calls = [(name, "", text) for name, text in calls_of(bounds_of(unit), unit.source)]
    shown = card(
        unit.document, reference_of(path), calls=calls, paint=paint_for(sys.stdout), width=width_of(sys.stdout)
    )
    give(shown, painted=True)


def reference_of(path: Path) -> str:
    """How a file of the library is named: `std/patterns/refine`."""
    return "std/" + path.relative_to(shipped("std")).as_posix().removesuffix(".prose.md")


def _read(path: Path) -> Document:
    return read(SourceText.from_bytes(reference_of(path), path.read_bytes()))[0]


def pages_of(library: dict[str, Path]) -> dict[str, str]:
    """The pages of all patterns, by file name."""
    patterns = [(reference_of(path), path) for path in library.values()]
    return library_pages(
        (reference, load(path).program) for reference, path in patterns if reference.startswith("std/patterns/")
    )


def _write(library: dict[str, Path], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages_of(library).items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Fault(f"{folder} cannot be written: {error.strerror}", "name another folder", status=FAILED) from None


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
