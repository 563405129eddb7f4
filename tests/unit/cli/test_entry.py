"""What holds for every command: help, the version, mistakes in typing, closed pipes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from prose_runtime.version import __version__

Prose = Callable[..., Any]


def process(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "prose_runtime", *words], capture_output=True, text=True, timeout=30, **more
    )


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version(word: str) -> None:
    done = process(word)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"prose {__version__}\n", "")


def test_no_command_is_wrong_use_and_shows_the_commands(prose: Prose) -> None:
    ran = prose()
    assert ran.status == 2
    assert ran.out == ""
    assert "explain" in ran.err


def test_help_is_a_result(prose: Prose) -> None:
    ran = prose("--help")
    assert ran.status == 0
    assert "check" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("chek", "x"), "did you mean `check`?"),
        (("refine.prose.md",), "did you mean `prose run refine.prose.md`?"),
        (("std/refine",), "did you mean `prose run std/refine`?"),
        (("qqqqq",), "there is no command `qqqqq`"),
        (("check", "--portabel", "x"), "--portable"),
    ],
)
def test_mistakes_in_typing_are_answered_with_the_nearest(prose: Prose, words: tuple[str, ...], said: str) -> None:
    ran = prose(*words)
    assert ran.status == 2
    assert said in ran.err
    assert ran.out == ""


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m prose_runtime explain | true; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "Traceback" not in done.stderr
    assert done.stderr == ""
