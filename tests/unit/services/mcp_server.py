"""An MCP server for the tests, made with the official SDK. Over stdio, or with a port as its argument over HTTP."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("tests")
HERE = Path(os.environ.get("NOTES", "."))


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def shout(text: str, prompt: str = "") -> str:
    """Say it loud."""
    return text.upper() + prompt


@server.tool()
def look(name: str) -> dict[str, object]:
    """An object, and what this server sees."""
    return {"name": name, "pid": os.getpid(), "seen": sorted(os.environ)}


@server.tool()
def fail(text: str) -> str:
    """Report an error."""
    raise ValueError(f"not {text}")


@server.tool()
def leave() -> str:
    """End in the middle."""
    sys.stderr.write("out of memory\n")
    sys.stderr.flush()
    os._exit(3)


@server.tool()
async def hang() -> str:
    """Wait until cancelled, and write that down."""
    (HERE / "hanging").touch()
    try:
        await asyncio.sleep(3600)
    finally:
        (HERE / "cancelled").touch()
    return "never"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
