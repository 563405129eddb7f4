"""Connections to MCP servers, shared by the tools of a run that name the same server. The extra `mcp`, on first use.

In: how a server is started or where it is. Out: a client that is connected; closed when its last user closes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from prose_runtime.services.command import last_lines

if TYPE_CHECKING:
    from mcp import Client

_TAIL = 8192
_LEAVING = 10.0
"""Seconds that the end of a connection is waited for; the program's own end is bounded below that."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is started (`command`, in `folder`, with `environment`) or reached (`url`, with `headers`)."""

    name: str
    command: tuple[str, ...] = ()
    folder: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class Connection:
    """One connection. A task of its own opens and closes it, since whoever opens one must be who closes it."""

    def __init__(self, server: Server) -> None:
        self.users = 0
        self._server = server
        self._closing = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._said = _Tail()
        self._task = asyncio.create_task(self._serve(), name=f"mcp-{server.name}")

    @property
    def is_over(self) -> bool:
        """Whether it cannot be used any more."""
        return self._task.done() or self._closing.is_set()

    async def client(self) -> Client:
        """The connected client. Raises what went wrong on the way."""
        return await asyncio.shield(self._ready)

    def last_words(self) -> str:
        """The end of what the program wrote to stderr."""
        return last_lines(self._said.read(), 1)

    def give_up(self) -> None:
        """Let nobody else use it."""
        self._closing.set()

    async def close(self) -> None:
        """End it, and the program that was started for it."""
        self._closing.set()
        if not self._ready.done():
            self._task.cancel()
        await asyncio.wait([self._task], timeout=_LEAVING)
        self._said.close()

    async def _serve(self) -> None:
        try:
            async with self._opened() as client:
                self._ready.set_result(client)
                await self._closing.wait()
        except asyncio.CancelledError:
            self._fail(ConnectionError("it was given up"))
            raise
        except BaseException as error:
            self._fail(first_of(error))
        finally:
            self._closing.set()

    def _fail(self, error: BaseException) -> None:
        if not self._ready.done():
            self._ready.set_exception(error if isinstance(error, Exception) else ConnectionError(str(error)))
            self._ready.exception()  # it is told to whoever asks; nobody need ask

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Client]:
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client

        server = self._server
        if server.url:
            import httpx2

            timeout = httpx2.Timeout(None, connect=10.0)
            async with httpx2.AsyncClient(headers=dict(server.headers), timeout=timeout) as http:
                async with Client(streamable_http_client(server.url, http_client=http)) as client:
                    yield client
            return
        program, *arguments = server.command
        parameters = StdioServerParameters(
            command=program, args=arguments, env=dict(server.environment), cwd=server.folder
        )
        async with Client(stdio_client(parameters, errlog=self._said.writer)) as client:
            yield client


def first_of(error: BaseException) -> BaseException:
    """The error itself, out of the groups that it came in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class _Tail:
    """The end of what is written to a file, however much it is."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        self.writer: Any = os.fdopen(writing, "w", encoding="utf-8")
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._keep, args=(reading,), daemon=True)
        self._thread.start()

    def _keep(self, reading: int) -> None:
        with os.fdopen(reading, "rb", buffering=0) as file:
            while chunk := file.read(65536):
                self._kept = (self._kept + chunk)[-_TAIL:]

    def read(self) -> bytes:
        return bytes(self._kept)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.writer.close()


_open: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Server, Connection]] = WeakKeyDictionary()


def take(server: Server) -> Connection:
    """The connection to a server in this event loop, with one user more; opened if there is none that works."""
    known = _open.setdefault(asyncio.get_running_loop(), {})
    found = known.get(server)
    if found is None or found.is_over:
        found = known[server] = Connection(server)
    found.users += 1
    return found


async def leave(server: Server, connection: Connection) -> None:
    """One user less; the last one closes it."""
    connection.users -= 1
    if connection.users <= 0:
        known = _open.get(asyncio.get_running_loop(), {})
        if known.get(server) is connection:
            del known[server]
        await connection.close()
