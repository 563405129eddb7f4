"""`prose run`: bind, run, show. The steps of a run for a person stand in `running.py`; this is its command line."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from prose_runtime.cli.running import Request, perform_run

ProgressKind = Literal["auto", "live", "plain", "none"]


def positive(context: click.Context, option: click.Parameter, value: float | None) -> float | None:
    """A limit is above 0."""
    if value is not None and not 0 < value < float("inf"):
        raise click.BadParameter(f"{value:g} is not a number above 0", context, option)
    return value


def seconds(context: click.Context, option: click.Parameter, value: str | None) -> float | None:
    """A time above 0, without a unit."""
    try:
        return positive(context, option, None if value is None else float(value))
    except ValueError:
        said = f"{value!r} is no number of seconds; write 5 minutes as 300"
        raise click.BadParameter(said, context, option) from None


@click.command("run", short_help="Run a pattern or function file.")
@click.argument("file", metavar="FILE|std/…")
@click.option(
    "-b", "--bind", "binds", multiple=True, metavar="SLOT=TARGET", help="Bind a slot; repeat for a list slot."
)
@click.option("-i", "--input", "inputs", multiple=True, metavar="NAME=VALUE", help="Give an input; repeat for more.")
@click.option("-c", "--config", "configs", multiple=True, metavar="NAME=VALUE", help="Set a config value.")
@click.option("--model", metavar="TARGET", help="One model for every slot that is not bound.")
@click.option("--judge", metavar="TARGET", help="Who decides conditions that only reading can decide.")
@click.option("--judge-contracts", is_flag=True, help="Let the judge decide sentences of the contract, too.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the result to this file (- is stdout).",
)
@click.option("--json", "as_record", is_flag=True, help="Print the whole record of the run as JSON.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write what ran, a trace and the outputs there.",
)
@click.option("--max-calls", type=int, callback=positive, metavar="N", help="Stop before attempt N+1 of all calls.")
@click.option("--max-tokens", type=int, callback=positive, metavar="N", help="Start no call once N tokens are used.")
@click.option("--max-cost", type=float, callback=positive, metavar="DOLLARS", help="Start no call once it cost this.")
@click.option("--timeout", callback=seconds, metavar="SECONDS", help="Stop the run after this time, e.g. 300.")
@click.option("--max-parallel", type=int, callback=positive, metavar="N", help="At most N calls at a time.")
@click.option("--trust", is_flag=True, help="Use what the project's prose.toml names without asking.")
@click.option("--progress", type=click.Choice(["auto", "live", "plain", "none"]), default="auto", show_default=True)
@click.option("--debug", is_flag=True, help="Show Python's own tracebacks.")
def command(
    file: str,
    binds: tuple[str, ...],
    inputs: tuple[str, ...],
    configs: tuple[str, ...],
    model: str | None,
    judge: str | None,
    judge_contracts: bool,
    output: Path | None,
    as_record: bool,
    record: Path | None,
    max_calls: int | None,
    max_tokens: int | None,
    max_cost: float | None,
    timeout: float | None,
    max_parallel: int | None,
    trust: bool,
    progress: ProgressKind,
    debug: bool,
) -> int:
    """Run a pattern or function file; `FILE#name` runs one of its inline definitions.

    \b
    The result goes to stdout: a text as it is, everything else as JSON.
    NAME=text      read by the declared type, else as text; for a list,
                   one value is a list of one (commas part nothing)
    NAME=@file     the text of a file (NAME=@@x is the text "@x")
    NAME=-         stdin; like a file taken whole, its last line end too
    NAME:=JSON     a JSON value as it is, so a list is written as a list

    \b
    Targets: py:module:function  py:./file.py:function  cmd:PROGRAM ARGS
             script:replies.yaml  gate:NAME  ask

    \b
    Ends with 0 done, 1 failed, 2 wrong use or a file that does not check,
    3 a contract broken, 4 out of budget or time or stopped, 5 waiting.
    """
    request = Request(
        file=file,
        binds=binds,
        inputs=inputs,
        configs=configs,
        model=model,
        judge=judge,
        judge_contracts=judge_contracts,
        output=output,
        as_record=as_record,
        record=record,
        max_calls=max_calls,
        max_tokens=max_tokens,
        max_cost=max_cost,
        timeout=timeout,
        max_parallel=max_parallel,
        trust=trust,
        progress=progress,
        debug=debug,
    )
    return perform_run(request)
