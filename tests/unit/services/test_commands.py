"""`cmd:` targets, with real programs: what they are given, how they end, and that nothing is left of them."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.runtime.port import Call, Service, ServiceError
from prose_runtime.services import BindingFault, service_from
from prose_runtime.services.command import CommandLine, CommandService
from prose_runtime.services.process import _DRAIN, Program

Ask = Callable[..., Any]
Write = Callable[[str, str], Path]

HANGS = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"])
with open("pids.part", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
os.rename("pids.part", "pids")
time.sleep(60)
"""


def line(path: Path, *arguments: str) -> CommandLine:
    return CommandLine((str(path), *arguments), path.parent, {"PATH": os.environ["PATH"]})


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and only waits for its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return False
        return subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode == 0
    return state not in "ZX"


def gone(pids: list[int], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


async def pids_of(folder: Path) -> list[int]:
    while not (folder / "pids").exists():  # noqa: ASYNC110  (another process writes it)
        await asyncio.sleep(0.02)
    return [int(pid) for pid in (folder / "pids").read_text().split()]


def test_the_call_is_on_stdin_and_json_comes_back(program: Write, ask: Ask) -> None:
    path = program("echo", "import json, sys\njson.dump(json.load(sys.stdin), sys.stdout)\n")
    made = service_from("cmd:./echo", name="critic", base=path.parent)
    assert made.signature is None
    assert ask(made, {"draft": "ü ☃", "n": [1, None]}, prompt="p", model="m") == {
        "inputs": {"draft": "ü ☃", "n": [1, None]},
        "prompt": "p",
        "model": "m",
        "context": None,
        "schema": None,
    }


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("some text\\n", "some text"),
        ("two\\nlines\\n\\n", "two\nlines"),
        ("", ""),
        ("  [1, 2.5, null]\\n", [1, 2.5, None]),
        ("0.8\\n", 0.8),
        ("true", True),
        ('\\"quoted\\"', "quoted"),
        ("NaN", "NaN"),
        ("{not json}", "{not json}"),
    ],
)
def test_stdout_is_json_or_text(program: Write, ask: Ask, written: str, value: object) -> None:
    path = program("say", f'import sys\nsys.stdout.write("{written}")\n')
    assert ask(service_from("cmd:./say", name="s", base=path.parent)) == value


def test_arguments_are_split_without_a_shell(program: Write, ask: Ask) -> None:
    path = program("arguments", "import json, sys\njson.dump(sys.argv[1:], sys.stdout)\n")
    made = service_from("cmd:./arguments 'a b' $HOME ; rm *", name="s", base=path.parent)
    assert ask(made) == ["a b", "$HOME", ";", "rm", "*"]


def test_only_the_basic_environment_is_seen(program: Write, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_PRIVATE_TOKEN", "12345")
    monkeypatch.setenv("LANG", "C.UTF-8")
    path = program("env", "import json, os, sys\njson.dump(dict(os.environ), sys.stdout)\n")
    seen = ask(service_from("cmd:./env", name="s", base=path.parent))
    assert seen["LANG"] == "C.UTF-8"
    assert set(seen) <= {"PATH", "HOME", "LANG", "TMPDIR", "LC_CTYPE"}  # Python itself may set LC_CTYPE


def test_a_status_other_than_zero_fails_with_the_last_lines(program: Write, ask: Ask) -> None:
    path = program(
        "fails",
        "import sys\nfor i in range(9): print('line', i, file=sys.stderr)\n"
        "print('\\x1b[31mred', file=sys.stderr)\nsys.exit(3)\n",
    )
    with pytest.raises(ServiceError) as caught:
        ask(service_from("cmd:./fails", name="critic", base=path.parent))
    said, *before = caught.value.message.split("\n")
    assert said == "`critic` (cmd:./fails) ended with status 3: ␛[31mred"
    assert before == [f"    line {number}" for number in range(4, 9)]
    assert caught.value.detail == {"status": 3}


def test_a_signal_is_named(program: Write, ask: Ask) -> None:
    path = program("dies", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    with pytest.raises(ServiceError, match="was ended by SIGSEGV"):
        ask(service_from("cmd:./dies", name="s", base=path.parent))


def test_a_program_need_not_read_its_stdin(program: Write, ask: Ask) -> None:
    path = program("deaf", "import os, sys\nos.close(0)\nprint('done')\n")
    assert ask(service_from("cmd:./deaf", name="s", base=path.parent), {"text": "x" * 3_000_000}) == "done"
    path = program("deafer", "print('done')\n")
    assert ask(service_from("cmd:./deafer", name="s", base=path.parent), {"text": "x" * 3_000_000}) == "done"


def test_much_goes_in_and_out_at_once(program: Write, ask: Ask) -> None:
    path = program("cat", "import shutil, sys\nshutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)\n")
    text = "y" * 4_000_000
    assert ask(service_from("cmd:./cat", name="s", base=path.parent), {"text": text})["inputs"] == {"text": text}


def test_output_is_limited(program: Write, ask: Ask) -> None:
    path = program("floods", "import sys\nwhile True: sys.stdout.write('x' * 65536)\n")
    with pytest.raises(ServiceError, match="wrote more than 100,000 bytes"):
        ask(CommandService(line(path), name="s", target="cmd:./floods", limit=100_000))


def test_bytes_that_are_no_text_and_json_that_is_too_deep(program: Write, ask: Ask) -> None:
    path = program("bytes", "import sys\nsys.stdout.buffer.write(b'ab\\xff')\n")
    with pytest.raises(ServiceError, match=r"not UTF-8 text \(at byte 2\)"):
        ask(service_from("cmd:./bytes", name="s", base=path.parent))
    path = program("deep", "print('[' * 200000)\n")
    with pytest.raises(ServiceError, match="nested too deeply"):
        ask(service_from("cmd:./deep", name="s", base=path.parent))


@pytest.mark.parametrize("how", ["timeout", "cancel", "cancel twice"])
def test_program_and_children_are_ended_though_they_ignore_term(program: Write, how: str) -> None:
    path = program("hangs", HANGS)

    async def run() -> list[int]:
        made = CommandService(line(path), name="s", target="cmd:./hangs", grace=0.3 if how != "cancel twice" else 30)
        task = asyncio.create_task(made.call(Call("s", {}, timeout=None)))
        pids = await pids_of(path.parent)
        assert all(alive(pid) for pid in pids)
        if how == "timeout":
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await task
        else:
            task.cancel()
            if how == "cancel twice":
                await asyncio.sleep(0.2)
                assert not task.done()
                task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert not alive(pids[0])  # before the cancellation is passed on
        assert not any(other is not asyncio.current_task() for other in asyncio.all_tasks())
        await made.close()
        return pids

    start = time.monotonic()
    assert gone(asyncio.run(run()))
    assert time.monotonic() - start < 10


def test_what_ignores_term_has_two_seconds_by_default(program: Write) -> None:
    path = program("hangs", HANGS)
    made = service_from("cmd:./hangs", name="s", base=path.parent)
    assert isinstance(made, CommandService)
    assert made._grace + _DRAIN < 3  # so that it is gone within 3 s of its time-out


def test_a_gigabyte_is_cut_off_and_not_kept(program: Write, ask: Ask) -> None:
    path = program("big", "import os\nos.execvp('head', ['head', '-c', '1000000000', '/dev/zero'])\n")
    tracemalloc.start()
    try:
        with pytest.raises(ServiceError, match="wrote more than 10,000,000 bytes") as caught:
            ask(service_from("cmd:./big", name="s", base=path.parent))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not caught.value.transient
    assert peak < 50_000_000


def test_term_is_enough_for_a_program_that_heeds_it(program: Write) -> None:
    path = program(
        "heeds",
        "import os, signal, sys, time\n"
        "def end(*_):\n    open('ended', 'w').close()\n    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\nopen('pids', 'w').write(str(os.getpid()))\ntime.sleep(60)\n",
    )

    async def run() -> None:
        made = CommandService(line(path), name="s", target="cmd:./heeds", grace=30)
        task = asyncio.create_task(made.call(Call("s", {})))
        await pids_of(path.parent)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await made.close()

    start = time.monotonic()
    asyncio.run(run())
    assert (path.parent / "ended").exists()
    assert time.monotonic() - start < 10


def test_a_child_left_behind_neither_holds_the_call_nor_lives_on(program: Write, ask: Ask) -> None:
    path = program(
        "leaves",
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "open('child', 'w').write(str(child.pid))\nprint('answer')\n",
    )
    start = time.monotonic()
    assert ask(service_from("cmd:./leaves", name="s", base=path.parent)) == "answer"
    assert time.monotonic() - start < 10
    assert gone([int((path.parent / "child").read_text())])


def test_nothing_is_left_open(program: Write, ask: Ask) -> None:
    path = program("quick", "print(1)\n")
    folder = Path("/proc/self/fd")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask(service_from("cmd:./quick", name="s", base=path.parent))
        before = len(list(folder.iterdir())) if folder.exists() else 0
        for _ in range(3):
            assert ask(service_from("cmd:./quick", name="s", base=path.parent)) == 1
        gc.collect()
        assert not folder.exists() or len(list(folder.iterdir())) == before
    assert not [item for item in caught if issubclass(item.category, ResourceWarning)]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # no child, so no zombie


def test_calls_run_side_by_side(program: Write) -> None:
    path = program("sleeps", "import time\ntime.sleep(0.5)\nprint(1)\n")

    async def run() -> float:
        made = service_from("cmd:./sleeps", name="s", base=path.parent)
        start = time.monotonic()
        await asyncio.gather(*(made.call(Call("s", {})) for _ in range(8)))
        await made.close()
        return time.monotonic() - start

    assert asyncio.run(run()) < 3.5


def test_programs_end_when_python_exits_in_the_middle(program: Write) -> None:
    path = program("hangs", HANGS)
    script = f"""
import threading, time, os
from pathlib import Path
from prose_runtime.services.process import Program
program = Program([{str(path)!r}], environment=dict(os.environ), folder=Path({str(path.parent)!r}))
threading.Thread(target=program.run, daemon=True).start()
while not Path({str(path.parent / "pids")!r}).exists():
    time.sleep(0.02)
"""
    subprocess.run(
        [sys.executable, "-c", script], check=True, timeout=30, env={**os.environ, "PYTHONPATH": str(Path.cwd())}
    )
    assert gone([int(pid) for pid in (path.parent / "pids").read_text().split()])


def test_a_stop_before_the_start_is_kept(program: Write) -> None:
    path = program("hangs", HANGS)
    made = Program([str(path)], environment=dict(os.environ), folder=path.parent, grace=0.1)
    made.stop()
    assert made.run().status < 0


@pytest.mark.parametrize(
    ("target", "code", "said", "help_"),
    [
        ("cmd:no-such-program-anywhere -x", "program-not-found", "no program `no-such-program-anywhere`", "install"),
        ("cmd:./absent", "program-not-found", "no program `./absent`", "path of an executable"),
        ("cmd:plain", "program-not-found", "no program `plain`", "`cmd:./plain`"),
        ("cmd:./plain", "malformed-target", "is not executable", "chmod +x"),
        ("cmd:echo 'open", "malformed-target", "no closing quotation", "close the quote"),
        ("cmd:''", "malformed-target", "names no program", "cmd:PROGRAM ARGS"),
    ],
)
def test_what_cannot_be_started_is_said(tmp_path: Path, target: str, code: str, said: str, help_: str) -> None:
    (tmp_path / "plain").write_text("text")
    with pytest.raises(BindingFault) as caught:
        service_from(target, name="critic", base=tmp_path)
    assert caught.value.code == code
    assert said in caught.value.message
    assert help_ in caught.value.help


def test_the_current_folder_is_never_searched_for_a_bare_name(
    program: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("surprise", "print(1)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"::.:{os.environ['PATH']}")
    with pytest.raises(BindingFault, match="no program `surprise`"):
        service_from("cmd:surprise", name="s", base=tmp_path)


def test_a_file_that_is_no_program_fails_when_it_is_called(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "noise"
    path.write_bytes(b"\x00\x01\x02")
    path.chmod(0o755)
    with pytest.raises(ServiceError, match="could not be started"):
        ask(service_from("cmd:./noise", name="s", base=tmp_path))


def test_a_command_is_a_service(program: Write) -> None:
    path = program("quick", "print(1)\n")
    assert isinstance(service_from("cmd:./quick", name="s", base=path.parent), Service)


@pytest.mark.parametrize("written", ['{"score": NaN}', "[1, -Infinity]"])
def test_json_with_what_is_no_json_in_it_is_a_failure_and_no_text(program: Write, ask: Ask, written: str) -> None:
    path = program("say", f"print({written!r})\n")
    with pytest.raises(ServiceError, match=r"NaN|-Infinity"):
        ask(service_from("cmd:./say", name="s", base=path.parent))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("no first line", "has no first line like `#!/bin/sh`"),
        ("#!/no/such/program\n", "first line names is not there"),
    ],
)
def test_an_executable_file_that_does_not_start_says_why(tmp_path: Path, ask: Ask, content: str, said: str) -> None:
    (tmp_path / "say").write_text(content)
    (tmp_path / "say").chmod(0o755)
    with pytest.raises(ServiceError, match=said):
        ask(service_from("cmd:./say", name="s", base=tmp_path))
