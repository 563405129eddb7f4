"""`prose trust`: see what a project's `prose.toml` would start and import, and allow it."""

from __future__ import annotations

from pathlib import Path

import click

from prose_runtime.cli.asking import can_ask
from prose_runtime.cli.faults import Fault
from prose_runtime.cli.output import say
from prose_runtime.cli.trusting import ask_and_keep, keep, project_at, show_reach
from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.services import is_trusted, needs_trust


@click.command("trust", short_help="Allow what a project binds.")
@click.argument("folder", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(folder: Path, yes: bool) -> None:
    """Show what runs in the project of FOLDER (by default this one) would start and import, and keep your consent.

    It is kept for this state of prose.toml and the files that it names; once they change, it is asked for again.
    """
    project = project_at(folder)
    if project is None:
        raise Fault("there is no prose.toml here or above", "name the project's folder")
    if is_trusted(project):
        reach = "is trusted" if needs_trust(project) else "starts and imports nothing"
        say(f"{visible_line(str(project.file))} {reach}")
        return
    if yes:
        show_reach(project, None)
        keep(project)
    elif can_ask():
        ask_and_keep(project, None)
    else:
        show_reach(project, None)
        raise Fault("there is nobody to ask", "look at it, then give `--yes`")
