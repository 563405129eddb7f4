"""An MCP server over tools: lists them, runs them, tells how far a run is, and stops it when the client cancels.

In: `ServedTool`s. Out: a server of the official SDK, on stdio or on HTTP. A run that is cancelled is stopped like any
other: its services are ended before the call is given up.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

from prose_runtime.api import Prepared
from prose_runtime.cli.mcp_tools import ServedTool
from prose_runtime.cli.output import as_text
from prose_runtime.diagnostics import Diagnostic, has_errors
from prose_runtime.resolve.program import Program
from prose_runtime.runtime import Outcome
from prose_runtime.runtime.events import CallFailed, CallFinished, CallStarted, Event, IterationStarted, Subscriber
from prose_runtime.version import __version__

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

Folder = Callable[[str, Program, Callable[[Any], Any]], Any]
"""Makes the folder of a run: the tool's name, its program, what masks secrets."""
_INSTRUCTIONS = (
    "Each tool runs a pattern of services and gives its result. It may take minutes; progress says where it is."
)


class Serving:
    """The tools by name; `most_runs` at a time, more wait. `folder`: where each run is written down, or None."""

    def __init__(self, tools: Sequence[ServedTool], *, most_runs: int, folder: Folder | None = None) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._permits = asyncio.Semaphore(most_runs)
        self._folder = folder

    def server(self) -> Server[Any]:
        """The server of the SDK."""
        from mcp.server import Server

        return Server(
            "prose",
            version=__version__,
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def _list(self, context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        from mcp.types import ListToolsResult, Tool

        return ListToolsResult(
            tools=[
                Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.input_schema,
                    output_schema=tool.output_schema,
                )
                for tool in self._tools.values()
            ]
        )

    async def _call(self, context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        from mcp import MCPError
        from mcp.types import INVALID_PARAMS

        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(code=INVALID_PARAMS, message=f"there is no tool {params.name!r}")
        async with self._permits:
            prepared = tool.prepare(params.arguments or {})
            if prepared.plan is None or has_errors(prepared.diagnostics):
                for service in prepared.services:
                    await service.close()
                return _failed(prepared.mask(_sentences(prepared.diagnostics)))
            async with _progress(context) as tell:
                outcome = await self._perform(tool, prepared, tell)
            return _result(tool, prepared, outcome)

    async def _perform(self, tool: ServedTool, prepared: Prepared, tell: Subscriber) -> Outcome:
        """Run it in a task of its own. Once the client cancels, the run is told to stop, and its end is waited for."""
        import anyio

        record = self._folder(tool.name, tool.loaded.program, prepared.mask) if self._folder is not None else None
        subscribers = (tell,) if record is None else (tell, record)
        cancel = asyncio.Event()
        running = asyncio.ensure_future(prepared.execute(subscribers, cancel))
        try:
            outcome = await asyncio.shield(running)
        except asyncio.CancelledError:
            cancel.set()
            with anyio.CancelScope(shield=True):
                outcome = await running
            if record is not None:
                record.finish(outcome)
            raise
        return outcome if record is None else record.finish(outcome)


@asynccontextmanager
async def _progress(context: ServerRequestContext[Any]) -> AsyncIterator[Subscriber]:
    """A subscriber whose words go to the client, in their order."""
    words: asyncio.Queue[str | None] = asyncio.Queue()

    def tell(event: Event) -> None:
        text = _words(event)
        if text:
            words.put_nowait(text)

    async def send() -> None:
        number = 0.0  # the protocol wants one that grows
        while (text := await words.get()) is not None:
            number += 1
            await context.session.report_progress(number, None, text)

    sending = asyncio.create_task(send())
    try:
        yield tell
        words.put_nowait(None)
        await sending
    finally:
        sending.cancel()


def _words(event: Event) -> str:
    match event:
        case CallStarted():
            return f"{event.key}: asking {event.service}"
        case CallFinished():
            return f"{event.key}: {event.service} answered"
        case CallFailed():
            return f"{event.key}: {event.service} failed ({event.error})"
        case IterationStarted():
            return f"{event.key}: round {event.round}"
    return ""


def _result(tool: ServedTool, prepared: Prepared, outcome: Outcome) -> CallToolResult:
    from mcp.types import CallToolResult, TextContent

    if not outcome.ok:
        error = outcome.error
        said = f"{error.name}: {error.message}" if error is not None else outcome.reason or outcome.status
        ended = {"broken": "broke a contract", "stopped": "was stopped"}.get(outcome.status, outcome.status)
        return _failed(prepared.mask(f"the run of `{tool.name}` {ended}: {said}"))
    result = prepared.mask(outcome.result)
    return CallToolResult(
        content=[TextContent(type="text", text=as_text(result))], structured_content=tool.structured(result)
    )


def _failed(text: str) -> CallToolResult:
    from mcp.types import CallToolResult, TextContent

    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _sentences(diagnostics: Sequence[Diagnostic]) -> str:
    """What is wrong. Advice about the command line is none for a client."""
    wrong = [item for item in diagnostics if item.severity == "error"]
    return "\n".join(
        item.message + (f" ({item.help})" if item.help and "--" not in item.help else "") for item in wrong
    )


# ---- transports --------------------------------------------------------------------------------------------

Scope = Mapping[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the one client that started this process, until it closes stdin."""
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        with redirect_stdout(sys.stderr):  # what services print is no part of the protocol
            await server.run(reading, writing, server.create_initialization_options())


def http_app(server: Server[Any], host: str, token: str | None) -> App:
    """The server for HTTP at `/mcp`. Without a token only clients on this machine are let in: `Host` and `Origin` must
    name it, so that no page in a browser can call it. With one, every request must carry it."""
    from mcp.server.transport_security import TransportSecuritySettings

    if token is None:
        app: App = server.streamable_http_app(host="127.0.0.1")
        return app
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return _guarded(server.streamable_http_app(host=host, transport_security=security), token)


def _guarded(app: App, token: str) -> App:
    wanted = f"Bearer {token}".encode()

    async def guard(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not hmac.compare_digest(given, wanted):
                body = json.dumps({"error": "the token is missing or wrong"}).encode()
                headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": body})
                return
        await app(scope, receive, send)

    return guard


async def serve_http(
    server: Server[Any], host: str, port: int, token: str | None, ready: Callable[[int], None]
) -> None:
    """Serve until the process is told to end. `ready` is given the port, once it listens."""
    import socket

    import uvicorn

    with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        config = uvicorn.Config(http_app(server, host, token), log_level="warning", timeout_graceful_shutdown=5)
        ready(listening.getsockname()[1])
        await uvicorn.Server(config).serve(sockets=[listening])
