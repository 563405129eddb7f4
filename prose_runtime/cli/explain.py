"""`prose explain CODE`: the page of a code, or of an error of a run. `prose explain FILE`: what can be known of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prose_runtime.cli.faults import WRONG_USE, Ended, Fault
from prose_runtime.cli.files import load_or_fault
from prose_runtime.cli.output import as_json, give, is_terminal, paint_for, show_diagnostics, width_of
from prose_runtime.diagnostics import Diagnostic, has_errors
from prose_runtime.diagnostics.pages import NoSuchPage, error_names, page

if TYPE_CHECKING:
    from prose_runtime.api import Loaded
    from prose_runtime.reports.bound import Bound


@click.command("explain", short_help="What a code means, or what can be known of a file.")
@click.argument("what", required=False, metavar="CODE|FILE|std/…")
@click.option(
    "-b", "--bind", "binds", multiple=True, metavar="SLOT=TARGET", help="Show what is bound, and whether it fits."
)
@click.option(
    "--price", "prices", multiple=True, metavar="SLOT=DOLLARS", help="What a call costs at most; shows what a run can."
)
@click.option("--prompt", metavar="SLOT", help="Show what a model is sent that stands for this slot or function.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--debug", is_flag=True, help="Let Python's own tracebacks through.")
def command(
    what: str | None, binds: tuple[str, ...], prices: tuple[str, ...], prompt: str | None, form: str, debug: bool
) -> None:
    """What a CODE like `unknown-slot`, or the name of an error like `timeout`, means, and what to do about it; without
    CODE, the list of them.

    Of a FILE what can be known before it runs: who gets and must give what, how each condition is decided, how many
    calls there are, which invariants are proved, what must be bound. With `--bind` also what each service takes and
    gives, and what does not fit; nothing is called. With `--price` also what a run can cost.
    """
    if what is None:
        give(_all_codes())
        return
    try:
        give(_dressed(page(what.strip("[]`"))), painted=True)
    except NoSuchPage as error:
        if _is_file(what) and prompt is not None:
            _show_prompt(what, prompt)
            return
        if _is_file(what):
            _explain(what, form, binds, _prices(prices))
            return
        near = " or ".join(f"`prose explain {name}`" for name in error.nearest)
        raise Fault(
            f"there is no code `{error.code}`", f"try {near}" if near else "`prose explain` lists all codes"
        ) from None


def _is_file(what: str) -> bool:
    return "/" in what or what.partition("#")[0].endswith(".md") or Path(what).exists()


_LATER = frozenset({"input-not-given", "judge-needed"})
"""What only matters when it runs."""


def _prices(words: tuple[str, ...]) -> dict[str, float]:
    found = {}
    for word in words:
        name, _, amount = word.partition("=")
        try:
            found[name.strip()] = float(amount)
        except ValueError:
            found[name] = -1.0
        if not name.strip() or not 0 <= found[name.strip()] < float("inf"):
            raise Fault(f"`--price {word}` is not SLOT=DOLLARS", "write it like `--price critic=0.02`")
    return found


def _show_prompt(file: str, name: str) -> None:
    """What a model is sent, with placeholders for what only a run knows."""
    from prose_runtime.diagnostics.suggestions import did_you_mean, listed
    from prose_runtime.reports.prompt import askable, prompts_of

    loaded = load_or_fault(file)
    if not loaded.ok:
        show_diagnostics(loaded.diagnostics)
        raise Ended(WRONG_USE)
    unit = loaded.program.main
    names = askable(unit)
    if name not in names:
        advice = f"take one of {listed(names)}" if names else "no model is asked by it"
        raise Fault(
            f"`{unit.name}` has no slot or function `{name}` that a model may be", did_you_mean(name, names, advice)
        )
    give(prompts_of(unit, name))


def _explain(file: str, form: str, binds: tuple[str, ...], prices: dict[str, float]) -> None:
    from prose_runtime.reports.costs import costs_of
    from prose_runtime.reports.explanation import explained, explanation_of

    loaded = load_or_fault(file)
    errors = [item for item in loaded.diagnostics if item.severity == "error" and item.code != "invariant-refuted"]
    if errors:
        show_diagnostics(errors)
        raise Ended(WRONG_USE)
    bound, wrong = _bound(loaded, binds) if binds else (None, list(loaded.diagnostics))
    costs = (lambda bounds: costs_of(loaded.program, bounds, prices)) if prices else None
    found = explanation_of(loaded.program.main, bound, costs)
    if form == "json":
        give(as_json(found.to_json()))
    else:
        give(explained(found, paint=paint_for(sys.stdout), width=width_of(sys.stdout, 80)), painted=True)
    if binds:
        show_diagnostics(wrong)
    if has_errors(wrong):
        raise Ended(WRONG_USE)


def _bound(loaded: Loaded, binds: tuple[str, ...]) -> tuple[Bound, list[Diagnostic]]:
    """The services that are bound, and what is wrong with them. What is not bound yet is no fault here."""
    from prose_runtime.api import prepare
    from prose_runtime.cli.arguments import read_bindings
    from prose_runtime.cli.origins import typed_origin

    if not loaded.ok:
        return {}, list(loaded.diagnostics)
    prepared = prepare(loaded, bind=read_bindings(binds), origin=typed_origin(binds, {}, {}))
    found = [item for item in prepared.diagnostics if item.code not in _LATER and not item.code.endswith("not-bound")]
    return prepared.bound or {}, found


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
