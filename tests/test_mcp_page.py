"""docs/mcp.md holds: its options are those of the command, and its configuration starts a server for a client."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest
from pages import DOCS, ROOT, blocks, tables

from prose_runtime.cli.mcp import command

PAGE = DOCS / "mcp.md"


def test_the_options_are_those_there_are() -> None:
    written = {name for row in tables(PAGE, "option") for name in re.findall(r"--[a-z-]+", row["option"])}
    there = {name for option in command.params for name in option.opts if name.startswith("--")}
    assert written == there


def test_the_configuration_starts_a_server(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    from mcp import Client, StdioServerParameters

    (block,) = (item for item in blocks(PAGE) if item.language == "json")
    (entry,) = json.loads(block.text)["mcpServers"].values()
    assert entry["command"] == "prose"
    (tmp_path / "write.sh").write_text("#!/bin/sh\necho two words\n")
    (tmp_path / "write.sh").chmod(0o755)
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "prose_runtime", *entry["args"]],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
    )

    async def work() -> None:
        async with Client(parameters) as client:
            result = await client.call_tool("refine", {"task_brief": "x"})
            assert result.structured_content["result"] == "two words"

    asyncio.run(asyncio.wait_for(work(), 240))
