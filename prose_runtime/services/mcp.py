"""Tools of MCP servers as services: `mcp:SERVER/TOOL`, the server named in prose.toml, and `mcp:https://HOST/PATH#TOOL`.

In: a server and the name of a tool. Out: an `McpService` that calls the tool with the inputs of a call and takes its
result, structured or as text, as the answer. A cancelled call is cancelled on the server, too.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.diagnostics.visible import visible
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature
from prose_runtime.services.command import read_output
from prose_runtime.services.mcp_connection import Connection, Server, first_of, leave, take
from prose_runtime.services.process import OUTPUT_LIMIT
from prose_runtime.services.requests import whole_call

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult, Tool

PATIENCE = 300.0
"""Seconds for a whole attempt, the start of the server included, where nothing else is said."""
_SHOWN = 400
_PAGES = 100


class McpService:
    """One tool. The server is started, or connected to, with the first call, and shared with the other tools of it."""

    def __init__(
        self,
        server: Server,
        tool: str,
        *,
        name: str,
        target: str,
        timeout: float = PATIENCE,
        limit: int = OUTPUT_LIMIT,
    ) -> None:
        self.name = name
        self.target = target
        self.signature: Signature | None = None
        self._server = server
        self._tool = tool
        self._timeout = timeout
        self._limit = limit
        self._connection: Connection | None = None
        self._described: Tool | None = None

    async def call(self, call: Call) -> Answer:
        """Call the tool once. What the tool reports as an error is a `ServiceError` with its text."""
        from mcp import MCPError
        from mcp.types import CONNECTION_CLOSED

        try:
            async with asyncio.timeout(self._timeout):
                client = await self._connected()
                tool = await self._tool_of(client)
                result = await client.call_tool(tool.name, arguments_of(call, tool.input_schema))
        except TimeoutError as error:
            late = f"`{self.name}` ({self.target}) gave no answer within {self._timeout:g} s"
            raise ServiceError(late, name="timeout") from error
        except ServiceError:
            raise
        except MCPError as error:
            if error.code != CONNECTION_CLOSED:
                raise ServiceError(self._said(f"refused the call: {_shown(str(error))}")) from error
            said = self._said("ended in the middle of the call")
            await self.close(broken=True)
            raise ServiceError(said) from error
        except Exception as error:
            why = _shown(str(first_of(error)) or type(error).__name__)
            raise ServiceError(self._said(f"broke off: {why}")) from error
        return self._answer(result)

    async def reach(self) -> str:
        """Connect, and look for the tool."""
        from mcp import MCPError

        try:
            tool = await self._tool_of(await self._connected())
        except MCPError as error:
            raise ServiceError(self._said(f"refused to list its tools: {_shown(str(error))}")) from error
        return f"found the tool {visible(tool.name)}"

    async def close(self, *, broken: bool = False) -> None:
        """Leave the server; the last tool of it ends it. A `broken` connection is of no use to the others, either."""
        connection, self._connection = self._connection, None
        if connection is not None:
            if broken:
                connection.give_up()
            await leave(self._server, connection)

    def _said(self, what: str) -> str:
        words = self._connection.last_words() if self._connection is not None else ""
        return f"`{self.name}` ({self.target}) {what}" + (f" (it wrote: {words})" if words else "")

    async def _connected(self) -> Client:
        if self._connection is not None and self._connection.is_over:
            await self.close()
        if self._connection is None:
            self._connection, self._described = take(self._server), None
        try:
            return await self._connection.client()
        except Exception as error:
            said = self._said(f"could not be reached: {_shown(str(error) or type(error).__name__)}")
            await self.close()
            raise ServiceError(said) from error

    async def _tool_of(self, client: Client) -> Tool:
        """The description of the tool, asked for once. Raises `ServiceError` with the names that there are."""
        if self._described is None:
            found: dict[str, Tool] = {}
            cursor: str | None = None
            for _ in range(_PAGES):
                page = await client.list_tools(cursor=cursor)
                found.update((tool.name, tool) for tool in page.tools)
                cursor = page.next_cursor
                if not cursor:
                    break
            if self._tool not in found:
                advice = did_you_mean(self._tool, found, f"it has {listed(sorted(found), 'none')}")
                said = f"the MCP server `{self._server.name}` has no tool `{self._tool}`: {visible(advice)}"
                raise ServiceError(said, transient=False)
            self._described = found[self._tool]
        return self._described

    def _answer(self, result: CallToolResult) -> Answer:
        texts = [text for item in result.content if isinstance(text := getattr(item, "text", None), str)]
        text = "\n".join(texts)
        if result.is_error:
            said = _shown(text) or "it did not say why"
            raise ServiceError(f"`{self.name}` ({self.target}) failed: {said}")
        if result.structured_content is not None:
            return Answer(_unwrapped(result.structured_content, text))
        if len(text.encode("utf-8", "surrogatepass")) > self._limit:
            raise ServiceError(f"`{self.name}` gave more than {self._limit:,} bytes", transient=False)
        if len(texts) == len(result.content):
            return Answer(read_output(text.encode("utf-8", "surrogatepass"), name=self.name))
        return Answer([item.model_dump(mode="json", by_alias=True, exclude_none=True) for item in result.content])


def arguments_of(call: Call, schema: dict[str, Any]) -> dict[str, Any]:
    """The inputs, under the names of the tool (`-` and `_` are the same), and what else of the call it has a name for:
    `prompt`, `context`, `message` and the rest."""
    properties = schema.get("properties")
    names = {name.replace("-", "_"): name for name in properties} if isinstance(properties, dict) else {}
    given = {names.get(name.replace("-", "_"), name): value for name, value in call.inputs.items()}
    about = {key: value for key, value in whole_call(call).items() if key != "inputs" and value is not None}
    return {**{key: value for key, value in about.items() if key in names.values()}, **given}


def _unwrapped(value: Any, text: str) -> Any:
    """What a tool gave: servers that may only send objects put another value under `result`, and send it as it is in
    the text."""
    if not isinstance(value, dict) or value.keys() != {"result"}:
        return value
    try:
        return value if json.loads(text) == value else value["result"]
    except (ValueError, RecursionError):
        return value["result"]


def _shown(text: str) -> str:
    return visible(" ".join(text.split()))[:_SHOWN]
