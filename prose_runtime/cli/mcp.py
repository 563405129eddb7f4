"""`prose mcp`: patterns and functions of a project as tools for MCP clients, such as coding agents."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import click

from prose_runtime import api
from prose_runtime.cli.arguments import read_bindings
from prose_runtime.cli.faults import WRONG_USE, Ended, Fault
from prose_runtime.cli.files import documents, load_or_fault
from prose_runtime.cli.limits import budget_of
from prose_runtime.cli.masking import Masking, masked_streams
from prose_runtime.cli.mcp_serving import Serving, serve_http, serve_stdio
from prose_runtime.cli.mcp_tools import ServedTool, usable
from prose_runtime.cli.output import say, show_diagnostics
from prose_runtime.cli.recording import CaseFolders
from prose_runtime.cli.run import positive, seconds
from prose_runtime.cli.streams import stdout_for_the_result
from prose_runtime.cli.trusting import project_of
from prose_runtime.services import BindingFault
from prose_runtime.services.extras import is_installed

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@click.command("mcp", short_help="Serve files as tools over MCP.")
@click.argument("files", nargs=-1, metavar="[FILE|FOLDER|std/…]…")
@click.option("-b", "--bind", "binds", multiple=True, metavar="SLOT=TARGET", help="Bind a slot of all files.")
@click.option("--model", metavar="TARGET", help="One model for every slot that is not bound.")
@click.option("--judge", metavar="TARGET", help="Who decides conditions that only reading can decide.")
@click.option("--max-calls", type=int, callback=positive, metavar="N", help="Calls that one run may make.")
@click.option("--max-tokens", type=int, callback=positive, metavar="N", help="Tokens that one run may use.")
@click.option("--max-cost", type=float, callback=positive, metavar="DOLLARS", help="What one run may cost.")
@click.option("--timeout", callback=seconds, metavar="SECONDS", help="How long one run may take.")
@click.option("--max-runs", type=int, callback=positive, default=4, show_default=True, help="Runs at a time.")
@click.option("--record", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="Write runs there.")
@click.option("--http", "address", metavar="[HOST:]PORT", help="Serve over HTTP at /mcp instead of stdin and stdout.")
@click.option("--token", metavar="VARIABLE", help="The variable with the token that clients must send (HTTP).")
@click.option("--trust", is_flag=True, help="Use what the project's prose.toml names without asking.")
def command(
    files: tuple[str, ...],
    binds: tuple[str, ...],
    model: str | None,
    judge: str | None,
    max_calls: int | None,
    max_tokens: int | None,
    max_cost: float | None,
    timeout: float | None,
    max_runs: int,
    record: Path | None,
    address: str | None,
    token: str | None,
    trust: bool,
) -> None:
    """Serve the patterns and functions of FILES (by default of this folder) as tools for an MCP client.

    \b
    A client sees each file as a tool whose parameters are its inputs. What is
    bound, and what a run may spend, is said here and in prose.toml, never by
    the client. Cancelling a call stops its run and its services.

    \b
    claude mcp add prose -- prose mcp std/refine --model agent:claude
    """
    if not is_installed("mcp"):
        raise Fault("serving over MCP needs the extra `mcp`", "run `pip install 'prose-runtime[mcp]'`")
    place = _address(address, token)
    bind: dict[str, object] = dict(read_bindings(binds))
    bind.update({key: value for key, value in (("model", model), ("judge", judge)) if value is not None})
    tools: list[ServedTool] = []
    for loaded in _loaded(files or (".",), named=bool(files)):
        own = {key: value for key, value in bind.items() if key in api.names_to_bind(loaded.program)}
        try:
            project = project_of(loaded, own, trusted=trust)
        except BindingFault as fault:
            show_diagnostics([fault.diagnostic("prose.toml")])
            raise Ended(WRONG_USE) from None
        budget = budget_of(project, max_calls=max_calls, max_tokens=max_tokens, max_cost=max_cost, timeout=timeout)
        tools.append(ServedTool(loaded.name, loaded, own, budget, project))
    _serve(tools, max_runs, CaseFolders(record) if record is not None else None, place)


def _loaded(files: Sequence[str], *, named: bool) -> list[api.Loaded]:
    """The files that can be run. One that was named and cannot be is an end; others in a folder are passed over."""
    found = []
    for word in documents(files):
        loaded = load_or_fault(word)
        if loaded.definition.kind not in ("pattern", "function"):
            if word in files:
                raise Fault(f"{word} is a {loaded.definition.kind}", "serve patterns and functions")
            continue
        if not loaded.ok:
            show_diagnostics([item for item in loaded.diagnostics if item.severity == "error"])
            if named and word in files:
                raise Ended(WRONG_USE)
            continue
        found.append(loaded)
    return found


Place = tuple[str, int, str | None]


def _address(text: str | None, variable: str | None) -> Place | None:
    """Host, port and token. A place that other machines can reach needs a token."""
    if text is None:
        if variable is not None:
            raise Fault("`--token` is for `--http`", "take it out")
        return None
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdigit() or int(port) > 65535:
        raise Fault(f"`--http {text}` names no port", "write it like `--http 8123` or `--http 0.0.0.0:8123`")
    token = os.environ.get(variable, "") if variable is not None else None
    if variable is not None and len(token or "") < 16:
        raise Fault(f"{variable} is not set, or has fewer than 16 characters", f"set {variable} to a long random text")
    if token is None and host not in _LOOPBACK:
        raise Fault(f"{host} can be reached from other machines", "name the variable of a token: `--token VARIABLE`")
    return host, int(port), token


def _serve(tools: list[ServedTool], most_runs: int, folder: CaseFolders | None, place: Place | None) -> None:
    """Serve until the client leaves, or the process is told to end."""

    async def work(masking: Masking) -> None:
        with stdout_for_the_result():  # what modules write when they are imported is no part of the protocol
            served = await usable(tools)
        server = Serving(served, most_runs=most_runs, folder=folder).server()
        say(f"serving {', '.join(tool.name for tool in served)}")
        for tool in served:
            masking.add_project(tool.project)
        if place is None:
            await serve_stdio(server)
        else:
            host, port, token = place
            shown = f"[{host}]" if ":" in host else host
            await serve_http(server, host, port, token, lambda number: say(f"at http://{shown}:{number}/mcp"))

    try:
        with masked_streams() as masking:
            asyncio.run(work(masking))
    except KeyboardInterrupt:
        say("stopped")
    except OSError as error:
        raise Fault(f"it cannot be served: {error.strerror or error}", "name another port") from None
