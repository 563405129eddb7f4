"""The command line, run in this process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from prose_runtime.cli.entry import perform


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it wrote."""

    status: int
    out: str
    err: str


Prose = Callable[..., Ran]


class _Input(io.TextIOWrapper):
    def isatty(self) -> bool:
        return False


@pytest.fixture
def prose(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Prose:
    """`prose("run", path, stdin="…")` runs a command line and gives its status and what it wrote."""

    def run(*words: object, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", _Input(io.BytesIO(stdin.encode()), encoding="utf-8"))
        capsys.readouterr()
        status = perform([str(word) for word in words])
        written = capsys.readouterr()
        return Ran(status, written.out, written.err)

    return run
