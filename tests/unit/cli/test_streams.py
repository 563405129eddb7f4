"""stdout is for the result alone, and streams that are closed or full end a command with a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SERVICE = """
import os, subprocess, sys
print("at import")

def loud(**inputs):
    print("a print")
    sys.__stdout__.write("past the stand-in\\n")
    os.write(1, b"past python\\n")
    subprocess.run(["echo", "a child"])
    return "the result"

def closes(**inputs):
    sys.stdout.close()
    raise ValueError("said in spite of it")
"""
ONE = """---
name: one
kind: pattern
---

### Slots

- `a`

### Delegation

```prose
return call a
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.py").write_text(SERVICE)
    (tmp_path / "one.prose.md").write_text(ONE)
    return tmp_path


def prose(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    """The command line in a shell, which can close streams."""
    line = f"{sys.executable} -m prose_runtime {words}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, env=environment, timeout=60)


def test_nothing_but_the_result_comes_to_stdout(folder: Path) -> None:
    ran = prose(folder, "run one.prose.md --bind a=py:./s.py:loud")
    assert (ran.returncode, ran.stdout) == (0, "the result\n")
    assert sorted(ran.stderr.splitlines()) == ["a child", "a print", "at import", "past python", "past the stand-in"]


def test_a_service_that_closes_stdout_takes_nothing_away(folder: Path) -> None:
    ran = prose(folder, "run one.prose.md --bind a=py:./s.py:closes")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "said in spite of it" in ran.stderr


def test_output_to_a_dash_is_stdout(folder: Path) -> None:
    ran = prose(folder, "run one.prose.md --bind a=py:./s.py:loud --output -")
    assert ran.stdout == "the result\n"
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("run one.prose.md --bind a=py:./s.py:loud >&-", 1, "error: stdout cannot be written: "),
        ("run one.prose.md --bind a=py:./s.py:loud >/dev/full", 1, "error: stdout cannot be written: "),
        ("check one.prose.md >/dev/full", 1, "error: stdout cannot be written: "),
        ("check --help >/dev/full", 1, "error: stdout cannot be written: "),
        ("--version >/dev/full", 1, "error: stdout cannot be written: "),
        ("run one.prose.md --bind a=py:./s.py:loud --input x=- <&-", 2, "`x=-` cannot be read from stdin"),
    ],
)
def test_a_stream_that_cannot_be_used_is_said(folder: Path, words: str, status: int, said: str) -> None:
    ran = prose(folder, words)
    assert ran.returncode == status
    assert said in ran.stderr
    assert "Traceback (most" not in ran.stderr
    assert "Exception ignored" not in ran.stderr


@pytest.mark.parametrize("words", ["explain | true", "run --help | true", "check . >&- 2>&-", "check nope 2>/dev/full"])
def test_nobody_who_listens_is_no_fault_of_the_command(folder: Path, words: str) -> None:
    assert prose(folder, words).stderr == ""
