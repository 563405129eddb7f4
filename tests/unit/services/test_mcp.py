"""Tools of MCP servers as services, against a server made with the official SDK, over stdio and HTTP."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import prose_runtime as prose
from prose_runtime import api
from prose_runtime.runtime.port import Call, Service, ServiceError
from prose_runtime.services import BindingFault, Project, is_trusted, load_project, needs_trust, service_from

pytest.importorskip("mcp")
from prose_runtime.services.mcp import McpService, arguments_of

SERVER = Path(__file__).with_name("mcp_server.py")
Ask = Callable[..., Any]


def write(folder: Path, text: str) -> Project:
    (folder / "prose.toml").write_text(text)
    project = load_project(folder)
    assert project is not None
    return project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("NOTES", str(tmp_path))
    monkeypatch.setenv("HIDDEN", "x")
    return write(tmp_path, f'[mcp.tests]\ncommand = ["{sys.executable}", "{SERVER}"]\nenvironment = ["NOTES"]\n')


def bound(project: Project, tool: str) -> Service:
    return service_from(f"mcp:tests/{tool}", name=tool, project=project, base=project.root)


def failure(ask: Ask, service: Service, *args: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        ask(service, *args)
    return caught.value


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_tool_is_called_with_the_inputs(project: Project, ask: Ask) -> None:
    assert ask(bound(project, "add"), {"a": 1, "b": 2}) == 3
    assert ask(bound(project, "shout"), {"text": "hi"}) == "HI"
    assert ask(bound(project, "shout"), {"text": "hi"}, prompt="!") == "HI!"


def test_it_sees_what_it_is_granted_and_ends_with_its_last_user(project: Project) -> None:
    async def run() -> tuple[Any, Any]:
        first, second = bound(project, "look"), bound(project, "look")
        answers = [await item.call(Call("look", {"name": "x"})) for item in (first, second)]
        await first.close()
        assert alive(answers[1].value["pid"])
        await second.close()
        return answers[0].value, answers[1].value

    one, other = asyncio.run(run())
    assert one == other  # also the pid: one server for both
    assert "NOTES" in one["seen"]
    assert "HIDDEN" not in one["seen"]
    assert not alive(one["pid"])


def test_what_a_tool_reports_is_an_error(project: Project, ask: Ask) -> None:
    error = failure(ask, bound(project, "fail"), {"text": "x"})
    assert "`fail` (mcp:tests/fail) failed: Error executing tool fail" in error.message
    assert "`add` (mcp:tests/add) failed" in failure(ask, bound(project, "add"), {"a": "x"}).message


def test_a_tool_that_is_not_there(project: Project, ask: Ask) -> None:
    error = failure(ask, bound(project, "shuot"))
    assert "the MCP server `tests` has no tool `shuot`" in error.message
    assert "`shout`" in error.message
    assert not error.transient


def test_a_server_that_ends_is_started_anew(project: Project) -> None:
    async def run() -> None:
        leaves, adds = bound(project, "leave"), bound(project, "add")
        assert (await adds.call(Call("add", {"a": 1, "b": 1}))).value == 2
        with pytest.raises(ServiceError, match="ended in the middle of the call") as caught:
            await leaves.call(Call("leave", {}))
        assert caught.value.transient
        assert (await adds.call(Call("add", {"a": 1, "b": 2}))).value == 3
        await leaves.close()
        await adds.close()

    asyncio.run(asyncio.wait_for(run(), 120))


def test_a_cancelled_call_is_cancelled_on_the_server(project: Project) -> None:
    async def run() -> None:
        service, other = bound(project, "hang"), bound(project, "add")
        task = asyncio.create_task(service.call(Call("hang", {})))
        while not (project.root / "hanging").exists():  # noqa: ASYNC110  (another process writes it)
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not (project.root / "cancelled").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        assert (await other.call(Call("add", {"a": 1, "b": 1}))).value == 2  # the connection is as it was
        await service.close()
        await other.close()

    asyncio.run(asyncio.wait_for(run(), 120))


def test_a_call_that_takes_too_long(project: Project, ask: Ask) -> None:
    made = bound(project, "hang")
    assert isinstance(made, McpService)
    made._timeout = 3.0
    error = failure(ask, made)
    assert error.name == "timeout"
    assert "within 3 s" in error.message


def test_a_program_that_is_no_server(tmp_path: Path, ask: Ask) -> None:
    project = write(tmp_path, '[mcp.tests]\ncommand = ["sh", "-c", "echo no key >&2; exit 1"]\ntimeout = 60\n')
    error = failure(ask, bound(project, "add"))
    assert "`add` (mcp:tests/add) could not be reached" in error.message
    assert "(it wrote: no key)" in error.message


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The same server over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(SERVER), str(port)], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def test_over_http(address: str, tmp_path: Path, ask: Ask) -> None:
    project = write(tmp_path, f'[mcp.tests]\nurl = "{address}"\n')
    assert ask(bound(project, "add"), {"a": 1, "b": 2}) == 3
    assert ask(service_from(f"mcp:{address}#shout", name="s"), {"text": "hi"}) == "HI"
    nobody = service_from("mcp:http://127.0.0.1:9/mcp#shout", name="s")
    assert "could not be reached" in failure(ask, nobody).message


def test_tools_answer_in_a_run(project: Project) -> None:
    text = """---
name: sums
kind: pattern
---

### Slots

- `adder`
- `speaker`

### Delegation

```prose
let sum = call adder
  a: 1
  b: 2
return call speaker
  text: "it is three"
```
"""
    prepared = api.prepare(
        prose.load(text), bind={"adder": "mcp:tests/add", "speaker": "mcp:tests/shout"}, project=project
    )
    prepared.raise_for_errors()
    outcome = asyncio.run(prepared.execute())
    assert outcome.result == "IT IS THREE"


def test_arguments_are_named_as_the_tool_names_them() -> None:
    call = Call("s", {"task-brief": 1}, prompt="p", model="m")
    schema = {"properties": {"task_brief": {}, "prompt": {}}}
    assert arguments_of(call, schema) == {"task_brief": 1, "prompt": "p"}
    assert arguments_of(call, {}) == {"task-brief": 1}


# ---- of a project ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("", "has neither a `command` nor a `url`"),
        ('command = ["a"]\nurl = "https://e.org"', "has both a `command` and a `url`"),
        ('command = "a"', "`command` of `mcp.t` is not a list of texts"),
        ('url = "e.org"', "`url` of `mcp.t` is no web address"),
        ('command = ["a"]\nheaders = { A = "b" }', "`headers` is not for these"),
        ('url = "https://e.org"\nenvironment = ["A"]', "`environment` is not for these"),
        ('command = ["a"]\ntimeout = -1', "`timeout` is -1"),
        ('comand = ["a"]', "`comand` in `[mcp.t]`"),
    ],
)
def test_what_is_wrong_with_a_server(tmp_path: Path, table: str, said: str) -> None:
    with pytest.raises(BindingFault) as caught:
        write(tmp_path, f"[mcp.t]\n{table}\n")
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("mcp:testss/add", "write `tests`"),
        ("mcp:tests", "it names no tool"),
        ("mcp:https://e.org/mcp", "it names no tool"),
        ("mcp:", "nothing follows `mcp:`"),
    ],
)
def test_what_is_wrong_with_a_target(project: Project, target: str, said: str) -> None:
    with pytest.raises(BindingFault) as caught:
        service_from(target, name="s", project=project)
    assert said in f"{caught.value.message} {caught.value.help}"


def test_a_server_needs_trust_also_where_the_tool_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    project = write(
        tmp_path,
        '[services]\nx = "mcp:far/find"\n[mcp.near]\ncommand = ["search", "--stdio"]\nenvironment = ["A"]\n'
        '[mcp.far]\nurl = "https://e.org/mcp"\nheaders = { Authorization = "Bearer ${FAR_KEY}" }\n',
    )
    assert project.keys == ("FAR_KEY",)
    assert needs_trust(project) == ["send to https://e.org/mcp (MCP server `far`, with FAR_KEY)"]
    assert needs_trust(project, ["mcp:near/find"]) == ["start search --stdio (MCP server `near`, given A)"]
    assert not is_trusted(project, ["mcp:near/find"])
