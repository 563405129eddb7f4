"""`prose services`: what the project binds and where each binding stands. Nothing is imported, started or contacted."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from prose_runtime.cli.faults import Fault
from prose_runtime.cli.output import as_json, give, paint_for
from prose_runtime.cli.trusting import project_at
from prose_runtime.diagnostics.visible import columns, visible_line
from prose_runtime.services import Project, is_trusted, trust_state


@click.command("services", short_help="What a project binds.")
@click.argument("folder", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(folder: Path, form: str) -> None:
    """The services that the `prose.toml` of a FOLDER (by default this one) binds, and whether it is trusted."""
    project = project_at(folder)
    if project is None:
        raise Fault("there is no prose.toml here or above", "bind services with `--bind SLOT=TARGET`, or write one")
    rows = list(_rows(project))
    if form == "json":
        services = [{"name": name, "target": target, "where": where} for name, target, where in rows]
        give(as_json({"file": str(project.file), "trusted": is_trusted(project), "services": services}))
        return
    paint = paint_for(sys.stdout)
    width = max((columns(name) for name, _, _ in rows), default=0)
    lines = [f"{paint('place', f'{name:<{width}}')}  {target}  {paint('quiet', where)}" for name, target, where in rows]
    state = "trusted" if is_trusted(project) else f"{_untrusted(project)}: `prose trust` shows what a run would start"
    give("\n".join([*lines, visible_line(f"{project.file}: {state}")]), painted=True)


def _untrusted(project: Project) -> str:
    state = trust_state(project)
    return state if state.startswith("has changed") else "not trusted yet"


def _rows(project: Project) -> list[tuple[str, str, str]]:
    rows = []
    for name, entries in project.services.items():
        for entry in entries:
            line = project.source.position(entry.span.start).line
            rows.append((visible_line(name), visible_line(entry.target), f"prose.toml:{line}"))
    return rows
