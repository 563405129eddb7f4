"""`prose mcp`, driven by the official client: tools, schemas, progress, results, cancellation, and what is refused."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp import Client, MCPError, StdioServerParameters

ROOT = Path(__file__).resolve().parents[3]
PEOPLE = """import asyncio, os, pathlib, sys

drafts = 0


def refine(task_brief, **rest):
    global drafts
    drafts += 1
    print("noise on stdout")
    os.write(1, b"noise below it")
    return f"{task_brief} {drafts}"


def judge(**rest):
    return {"score": 0.3 * drafts, "suggestions": ["more"]}


async def hang(**rest):
    pathlib.Path("hanging").touch()
    try:
        await asyncio.sleep(3600)
    finally:
        pathlib.Path("ended").touch()


def leak(**rest):
    raise ValueError("the key is " + os.environ["PART_KEY"])
"""
SHOUT = """---
name: shout
kind: function
description: Says it loud.
---

### Parameters

- `text` (string): what is said
- `times` (integer, default: 2): how often

### Returns

- `loud` (string): the text

### Execution

```prose
let words = []
repeat times:
  words = words + [text]
return "{words}"
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.py").write_text(PEOPLE)
    (tmp_path / "shout.prose.md").write_text(SHOUT)
    return tmp_path


def parameters(folder: Path, *words: str, **more: str) -> StdioServerParameters:
    env = {"PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder / "config"), **more}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "prose_runtime", "mcp", *words], cwd=folder, env=env
    )


def run(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), 240))  # type: ignore[arg-type]


REFINE = ("std/refine", "--bind", "refiner=py:people.py:refine", "--bind", "evaluator=py:people.py:judge")


def test_a_client_lists_and_runs_a_pattern_with_progress(folder: Path) -> None:
    async def work() -> None:
        async with Client(parameters(folder, *REFINE, "shout.prose.md", "--record", "runs")) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(tools) == ["refine", "shout"]
            assert "improved from its own score" in (tools["refine"].description or "")
            assert "- score: the score of that draft" in (tools["refine"].description or "")
            assert tools["refine"].input_schema["required"] == ["task_brief"]
            assert tools["shout"].input_schema == {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "what is said"},
                    "times": {"type": "integer", "description": "how often", "default": 2},
                },
                "required": ["text"],
                "additionalProperties": False,
            }
            heard: list[tuple[float, str | None]] = []

            async def hear(progress: float, total: float | None, message: str | None) -> None:
                heard.append((progress, message))

            result = await client.call_tool("refine", {"task_brief": "a letter"}, progress_callback=hear)
            assert not result.is_error
            assert result.structured_content["result"] == "a letter 3"
            assert result.structured_content["rounds_used"] == 3
            assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
            assert [number for number, _ in heard] == sorted({number for number, _ in heard})
            texts = [text for _, text in heard]
            assert "refine/repeat#3/call:evaluator: evaluator answered" in texts
            assert texts.index("refine/repeat#2: round 2") < texts.index("refine/repeat#3: round 3")
            plain = await client.call_tool("shout", {"text": "hi"})
            assert plain.structured_content == {"loud": '["hi","hi"]'}
            assert plain.content[0].text == '["hi","hi"]'  # type: ignore[union-attr]

    run(work)
    (record,) = (path for path in (folder / "runs").iterdir() if path.name.startswith("refine"))
    assert "a letter 3" in (record / "bindings" / "refine" / "result.md").read_text()


def test_a_cancelled_call_stops_its_run_and_its_services(folder: Path) -> None:
    async def work() -> None:
        words = ("std/refine", "--bind", "refiner=py:people.py:hang", "--bind", "evaluator=py:people.py:judge")
        async with Client(parameters(folder, *words, "shout.prose.md", "--max-runs", "1")) as client:
            task = asyncio.create_task(client.call_tool("refine", {"task_brief": "x"}))
            while not (folder / "hanging").exists():  # noqa: ASYNC110  (another process writes it)
                await asyncio.sleep(0.02)
            assert not (folder / "ended").exists()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while not (folder / "ended").exists():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            # The one run that is allowed at a time is over: another one gets its turn.
            assert not (await client.call_tool("shout", {"text": "hi"})).is_error

    run(work)


def test_what_is_wrong_is_a_result_of_its_own(folder: Path) -> None:
    async def work() -> None:
        bind = ("--bind", "refiner=py:people.py:leak", "--bind", "evaluator=py:people.py:judge")
        (folder / "prose.toml").write_text('[secrets]\nnames = ["PART_KEY"]\n')
        async with Client(parameters(folder, "std/refine", *bind, PART_KEY="k-0123456789")) as client:
            wrong = await client.call_tool("refine", {"task_brie": "x", "bind": "cmd:rm"})
            assert wrong.is_error
            text = wrong.content[0].text  # type: ignore[union-attr]
            assert "`refine` has no input `task_brie`" in text
            assert "the input `task_brief` is required" in text
            assert "--input" not in text
            failed = await client.call_tool("refine", {"task_brief": "x"})
            assert failed.is_error
            text = failed.content[0].text  # type: ignore[union-attr]
            assert "the run of `refine` failed: service-failed" in text
            assert "the key is [secret PART_KEY]" in text
            with pytest.raises(MCPError, match="there is no tool 'other'"):
                await client.call_tool("other", {})

    run(work)


def test_a_budget_holds_for_each_run(folder: Path) -> None:
    async def work() -> None:
        async with Client(parameters(folder, *REFINE, "--max-calls", "3")) as client:
            for _ in range(2):
                result = await client.call_tool("refine", {"task_brief": "x"})
                if result.is_error:
                    assert "was stopped" in result.content[0].text  # type: ignore[union-attr]
                    assert "budget of 3 calls" in result.content[0].text  # type: ignore[union-attr]
                    return
            raise AssertionError("nothing was stopped")

    run(work)


def ended(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder / "config")}
    return subprocess.run(
        [sys.executable, "-m", "prose_runtime", "mcp", *words],
        cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_a_folder_is_served_but_for_what_cannot_be_called(folder: Path) -> None:
    (folder / "open.prose.md").write_text(
        "---\nname: open\nkind: pattern\n---\n\n### Slots\n\n- `a`\n\n### Delegation\n\n```prose\nreturn call a\n```\n"
    )
    done = ended(folder)
    assert done.returncode == 0
    assert "not served: open.prose.md: nothing is bound to the slot `a`" in done.stderr
    assert "serving shout" in done.stderr
    assert done.stdout == ""
    done = ended(folder, "open.prose.md")
    assert done.returncode == 2
    assert "there is nothing to serve" in done.stderr


def test_a_project_that_nobody_trusted_is_not_used(folder: Path) -> None:
    (folder / "prose.toml").write_text('[services]\nrefiner = "py:people.py:refine"\nevaluator = "gate:json"\n')
    done = ended(folder, "std/refine")
    assert done.returncode == 2
    assert "untrusted-project" in done.stderr
    assert "serving refine" in ended(folder, "std/refine", "--trust").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--http", "0.0.0.0:8123"), "0.0.0.0 can be reached from other machines"),
        (("--http", "here"), "names no port"),
        (("--http", "8123", "--token", "NO_SUCH_TOKEN"), "NO_SUCH_TOKEN is not set"),
        (("--token", "X"), "`--token` is for `--http`"),
        (("--max-runs", "0"), "0 is not a number above 0"),
    ],
)
def test_what_cannot_be_served(folder: Path, words: tuple[str, ...], said: str) -> None:
    done = ended(folder, "shout.prose.md", *words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


# ---- over HTTP ---------------------------------------------------------------------------------------------


@pytest.fixture
def served(folder: Path) -> Iterator[Callable[..., str]]:
    """Starts a server on a free port and gives its address."""
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, **more: str) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        env = {**os.environ, "PYTHONPATH": str(ROOT), **more}
        process = subprocess.Popen(
            [sys.executable, "-m", "prose_runtime", "mcp", "shout.prose.md", "--http", str(port), *words],
            cwd=folder, env=env, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("at http"):
                return line.split()[1]
        raise AssertionError("it did not start")

    yield start
    for process in started:
        process.terminate()
        process.wait(60)
        assert process.stderr is not None
        process.stderr.close()


def post(address: str, **headers: str) -> int:
    data = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(
        address, data, {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **given}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return int(error.code)


def test_over_http(served: Callable[..., str]) -> None:
    address = served()

    async def work() -> None:
        async with Client(address) as client:
            result = await client.call_tool("shout", {"text": "hi", "times": 1})
            assert not result.is_error

    run(work)
    assert post(address, Host="evil.example") == 421
    assert post(address, Origin="https://evil.example") == 403


def test_a_token_is_needed_where_one_is_named(served: Callable[..., Any]) -> None:
    address = served("--token", "MCP_TOKEN", MCP_TOKEN="t-0123456789abcdef")
    assert post(address) == 401
    assert post(address, Authorization="Bearer t-0123456789abcdeX") == 401
    assert post(address, Authorization="Bearer t-0123456789abcdef") != 401
