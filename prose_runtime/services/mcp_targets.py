"""Reading `mcp:SERVER/TOOL` and `mcp:https://HOST/PATH#TOOL`. In: a target and the project. Out: the service.

Nothing is started or contacted.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping

from prose_runtime.diagnostics.suggestions import did_you_mean
from prose_runtime.services.addresses import filled, read_address
from prose_runtime.services.command import CommandLine
from prose_runtime.services.extras import require_extra
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.mcp import PATIENCE, McpService
from prose_runtime.services.mcp_connection import Server
from prose_runtime.services.project import Project, ServerEntry
from prose_runtime.services.targets import Target, server_of


def read_mcp(
    target: Target,
    *,
    name: str,
    project: Project | None,
    environment: Mapping[str, str],
    find: Callable[[str, tuple[str, ...]], CommandLine],
) -> McpService:
    """The tool that a target means. `find` finds the program of a command line that is granted some variables. Raises
    `BindingFault`."""

    def fault(reason: str, suggestion: str) -> BindingFault:
        return BindingFault("malformed-target", name=name, target=target.text, reason=reason, suggestion=suggestion)

    if not server_of(target.rest):
        address, _, tool = target.rest.partition("#")
        if not tool:
            raise fault("it names no tool", f"write `mcp:{address}#TOOL`")
        url = read_address(address, name=name, target=target.text)
        require_extra("mcp", name=name, target=target.text)
        return McpService(Server(url, url=url), tool, name=name, target=target.text)
    word, _, tool = target.rest.partition("/")
    servers = project.servers if project is not None else {}
    if not tool:
        raise fault("it names no tool", f"write `mcp:{word}/TOOL`")
    if word not in servers:
        advice = did_you_mean(word, servers, f"add a table `[mcp.{word}]` to prose.toml")
        raise fault(f"there is no MCP server `{word}`", advice)
    entry = servers[word]
    server = _server(entry, name, target, environment, find)
    require_extra("mcp", name=name, target=target.text)
    timeout = entry.timeout if entry.timeout is not None else PATIENCE
    return McpService(server, tool, name=name, target=target.text, timeout=timeout)


def _server(
    entry: ServerEntry,
    name: str,
    target: Target,
    environment: Mapping[str, str],
    find: Callable[[str, tuple[str, ...]], CommandLine],
) -> Server:
    if entry.url:
        url = read_address(entry.url, name=name, target=target.text)
        headers = filled(entry.headers, environment, name=name, target=target.text)
        return Server(entry.name, url=url, headers=headers)
    line = find(shlex.join(entry.command), entry.environment)
    return Server(entry.name, line.arguments, line.folder, tuple(sorted(line.environment.items())))
