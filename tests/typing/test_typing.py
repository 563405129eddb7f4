"""The public names are typed: a strict program passes, and each misuse is found at its line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent


def mypy(path: Path) -> str:
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout


def test_a_strict_program_passes() -> None:
    assert mypy(FOLDER / "uses.py") == ""


def test_each_misuse_is_found() -> None:
    path = FOLDER / "misuses.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    expected = {number: line.rpartition("# ")[2] for number, line in enumerate(lines, 1) if "  # " in line}
    found = {int(m[1]): m[2] for m in re.finditer(r"misuses\.py:(\d+): error: .*\[([\w-]+)\]", mypy(path))}
    assert found == expected
