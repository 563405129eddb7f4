"""`prose explain CODE`: the page of a code, or of an error of a run."""

from __future__ import annotations

import sys

import click

from prose_runtime.cli.faults import Fault
from prose_runtime.cli.output import give, is_terminal, paint_for
from prose_runtime.diagnostics.pages import NoSuchPage, error_names, page


@click.command("explain", short_help="What a code means.")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """What a CODE like `unknown-slot`, or the name of an error like `timeout`, means, and what to do about it; without
    CODE, the list of them."""
    if code is None:
        give(_all_codes())
        return
    try:
        give(_dressed(page(code.strip("[]`"))), painted=True)
    except NoSuchPage as error:
        near = " or ".join(f"`prose explain {name}`" for name in error.nearest)
        raise Fault(
            f"there is no code `{error.code}`", f"try {near}" if near else "`prose explain` lists all codes"
        ) from None


def _all_codes() -> str:
    from prose_runtime.diagnostics import CODES

    listed = {name: str(entry.severity) for name, entry in CODES.items()}
    listed.update((name, "error of a run") for name in error_names())
    width = max(map(len, listed))
    return "\n".join(f"{name:<{width}}  {what}" for name, what in sorted(listed.items()))


def _dressed(text: str) -> str:
    """Headings in bold on a terminal; the Markdown itself reads well without it."""
    if not is_terminal(sys.stdout):
        return text
    paint = paint_for(sys.stdout)
    return "\n".join(paint("place", line) if line.startswith("#") else line for line in text.split("\n"))
