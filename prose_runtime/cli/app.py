"""The command `prose`: its subcommands are imported when they are called.

In: nothing. Out: `app`, a click group.
"""

from __future__ import annotations

import difflib
from importlib import import_module

import click

from prose_runtime.cli.faults import WRONG_USE, Ended
from prose_runtime.version import __version__

# name -> what it does, in the order of `prose --help`; each stands in `cli/<name>.py` as `command`
COMMANDS = {
    "run": "Run a pattern or function file.",
    "check": "Check files without running anything.",
    "test": "Run the `kind: test` documents of files and folders.",
    "new": "Begin a pattern, a function or a test.",
    "fmt": "Lay files out in the canonical way.",
    "upgrade": "Bring files of older editions to today's words.",
    "graph": "Who gets what in a file, as a tree or as a Mermaid flowchart.",
    "std": "The standard library: one line each, or one file's card.",
    "services": "What a project binds, and where each binding comes from.",
    "mcp": "Serve patterns and functions as tools over MCP.",
    "trust": "See what a project's prose.toml would start, and allow it.",
    "explain": "What a code means, or what can be known of a file before it runs.",
}


class Commands(click.Group):
    """A group that knows its commands' names without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"prose_runtime.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name not in COMMANDS and not name.startswith("-"):
            ctx.fail(_unknown(name))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _unknown(name: str) -> str:
    if name.endswith(".md") or "/" in name or "#" in name:
        return f"there is no command `{name}`; did you mean `prose run {name}`?"
    near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    return f"there is no command `{name}`" + (f"; did you mean `{near[0]}`?" if near else "")


@click.command(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Run, check and test OpenProse pattern files (*.prose.md).",
    epilog="`prose COMMAND --help` shows a command's options.",
)
@click.version_option(__version__, "-V", "--version", message="prose %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """The group itself only shows its help when no command is named."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        raise Ended(WRONG_USE)
