"""`prose services`: what the project binds, where each binding stands, and, with `--check`, whether it can be reached.

Without `--check` nothing is imported, started or contacted.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from prose_runtime.cli.faults import DONE, FAILED, WRONG_USE, Ended, Fault
from prose_runtime.cli.masking import masked_streams
from prose_runtime.cli.output import as_json, give, paint_for, show_diagnostics
from prose_runtime.cli.reaching import Found, as_data, look
from prose_runtime.cli.streams import stdout_for_the_result
from prose_runtime.cli.trusting import project_at
from prose_runtime.diagnostics.terminal import Paint
from prose_runtime.diagnostics.visible import columns, visible_line
from prose_runtime.services import BindingFault, Project, is_trusted, require_trust, trust_state


@click.command("services", short_help="What a project binds.")
@click.argument("folder", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--check", "checks", is_flag=True, help="Make each binding and see whether it can be reached.")
@click.option("--trust", is_flag=True, help="With --check: use what the prose.toml names without asking.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of prose.toml.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(folder: Path, checks: bool, trust: bool, schema: bool, form: str) -> int:
    """The services that the `prose.toml` of a FOLDER (by default this one) binds, and whether it is trusted.

    --check imports, finds and connects what is bound, calls nothing and
    spends nothing; it ends with 1 if something cannot be reached.
    """
    if schema:
        from prose_runtime.services.project_schema import project_schema

        give(as_json(project_schema()))
        return DONE
    project = project_at(folder)
    if project is None:
        raise Fault("there is no prose.toml here or above", "bind services with `--bind SLOT=TARGET`, or write one")
    found = _looked_for(project, trusted=trust) if checks else {}
    rows = _rows(project, found)
    give(_as_data(project, rows) if form == "json" else _as_text(project, rows), painted=form == "text")
    return DONE if all(row.found is None or row.found.ok for row in rows) else FAILED


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    target: str
    where: str
    found: Found | None


def _looked_for(project: Project, *, trusted: bool) -> Mapping[tuple[str, int], Found]:
    """Everything looked for. Raises `Ended` for a project that is not trusted."""
    try:
        if not trusted:
            require_trust(project)
    except BindingFault as fault:
        show_diagnostics([fault.diagnostic("prose.toml")])
        raise Ended(WRONG_USE) from None
    with stdout_for_the_result(), masked_streams() as masking:
        masking.add_project(project)
        return asyncio.run(look(project))


def _rows(project: Project, found: Mapping[tuple[str, int], Found]) -> list[_Row]:
    rows = []
    for name, entries in project.services.items():
        for number, entry in enumerate(entries):
            where = f"prose.toml:{project.source.position(entry.span.start).line}"
            rows.append(_Row(visible_line(name), visible_line(entry.target), where, found.get((name, number))))
    return rows


def _as_data(project: Project, rows: list[_Row]) -> str:
    services = [{"name": row.name, "target": row.target, "where": row.where, **as_data(row.found)} for row in rows]
    return as_json({"file": str(project.file), "trusted": is_trusted(project), "services": services})


def _as_text(project: Project, rows: list[_Row]) -> str:
    paint = paint_for(sys.stdout)
    width = max((columns(row.name) for row in rows), default=0)
    lines = [
        f"{paint('place', f'{row.name:<{width}}')}  {row.target}  {paint('quiet', row.where)}{_said(row.found, paint)}"
        for row in rows
    ]
    state = "trusted" if is_trusted(project) else f"{_untrusted(project)}: `prose trust` shows what a run would start"
    return "\n".join([*lines, visible_line(f"{project.file}: {state}")])


def _said(found: Found | None, paint: Paint) -> str:
    if found is None:
        return ""
    if found.ok:
        return f"  {visible_line(found.said)}"
    help_ = f"\n  {paint('help', 'help:')} {visible_line(found.advice)}" if found.advice else ""
    return f"\n  {paint('error', 'error:')} {visible_line(found.said)}{help_}"


def _untrusted(project: Project) -> str:
    state = trust_state(project)
    return state if state.startswith("has changed") else "not trusted yet"
