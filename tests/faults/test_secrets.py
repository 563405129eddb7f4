"""A key that a service gives back in every way there is stands in no line of output and in no file of the run."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-abcdef/0123456789+xyz"
LIB = """import base64, logging, os, sys, warnings

key = os.environ["PART_KEY"]
print("imported with", key)
asked = 0


def draft(task_brief, **rest):
    return f"{key} and {base64.b64encode(('x' + key).encode()).decode()}"


def judge(**rest):
    return {"score": 1, "suggestions": [], key: key}


def fail(**rest):
    def deeper(found):
        raise RuntimeError("the key is " + found)

    deeper(key)


def fail_once(**rest):
    global asked
    asked += 1
    if asked == 1:
        raise ValueError(key)
    return {"score": 1, "suggestions": [key]}


def speak(**rest):
    print("printed", key, end=" ")
    sys.stderr.write(key[:9])
    sys.stderr.write(key[9:])
    warnings.warn("warned of " + key)
    logging.getLogger("lib").warning("logged %s", key)
    print("no line end", key, end="")
    return {"score": 1, "suggestions": []}
"""
PROGRAM = """#!/bin/sh
echo "on stderr: $PART_KEY" >&2
echo "$PART_KEY"
exit 3
"""
PROJECT = """[services]
refiner = "py:lib.py:draft"
evaluator = "py:lib.py:judge"

[environment]
pass = ["PART_KEY"]

[secrets]
names = ["PART_KEY"]
"""


def forms() -> list[str]:
    """The key as it may come out, and the part of its base64 that no other text decides."""
    return [KEY, KEY.replace("/", "%2F"), base64.b64encode(b"x" + KEY.encode()).decode()[2:-4]]


TARGETS = ["py:lib.py:judge", "py:lib.py:fail", "py:lib.py:fail_once", "py:lib.py:speak", "cmd:./p"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("options", [["--debug"], ["--json"], ["--progress", "plain", "--debug"]], ids=" ".join)
def test_it_is_masked_in_every_line_and_file(tmp_path: Path, target: str, options: list[str]) -> None:
    (tmp_path / "lib.py").write_text(LIB)
    (tmp_path / "p").write_text(PROGRAM)
    (tmp_path / "p").chmod(0o755)
    (tmp_path / "prose.toml").write_text(PROJECT.replace("py:lib.py:judge", target))
    words = ["run", "std/refine", "--trust", "--input", "task_brief=x", "--record", "record", "-o", "out.txt", *options]
    done = subprocess.run(
        [sys.executable, "-m", "prose_runtime", *words],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PART_KEY": KEY},
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    written = {path.name: path.read_text() for path in files}
    assert "vm.log.md" in written
    for name, text in {"stdout": done.stdout, "stderr": done.stderr, **written}.items():
        for form in forms():
            assert form not in text, name
    assert "imported with [secret PART_KEY]" in done.stderr
    assert "[secret PART_KEY]" in (written["out.txt"] if done.returncode == 0 else done.stdout + done.stderr)
    if "speak" in target:
        for said in ("printed ", "warned of ", "logged ", "no line end "):
            assert f"{said}[secret PART_KEY]" in done.stderr
