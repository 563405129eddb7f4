"""Questions at the terminal: each line is the answer of the question that is open when it is finished."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prose_runtime.cli.asking import Lines


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """A stdin that types what it is given."""
    outer, inner = os.pipe()
    with os.fdopen(outer, encoding="utf-8") as stdin, os.fdopen(inner, "w", encoding="utf-8") as keys:
        monkeypatch.setattr(sys, "stdin", stdin)

        def type_(text: str) -> None:
            keys.write(text)
            keys.flush()

        yield type_
        type_("\n")  # ends a reading that is still going on


async def _withdrawn(lines: Lines, question: str) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await lines.answer(question)


def test_a_withdrawn_question_takes_no_answer_from_the_next(typed: Callable[[str], None]) -> None:
    async def ask() -> str:
        lines = Lines()
        await _withdrawn(lines, "First? ")
        second = asyncio.ensure_future(lines.answer("Second? "))
        await asyncio.sleep(0.01)
        typed("yes\n")
        return await second

    assert asyncio.run(asyncio.wait_for(ask(), 5)) == "yes"


def test_what_is_typed_while_nothing_is_asked_answers_nothing(typed: Callable[[str], None]) -> None:
    async def ask() -> str:
        lines = Lines()
        await _withdrawn(lines, "First? ")
        typed("too late\n")
        await asyncio.sleep(0.05)
        second = asyncio.ensure_future(lines.answer("Second? "))
        await asyncio.sleep(0.01)
        typed("yes\n")
        return await second

    assert asyncio.run(asyncio.wait_for(ask(), 5)) == "yes"


def test_an_answer_that_comes_as_the_question_is_shown_is_taken(
    typed: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reading that the first question left behind has the line before `answer` goes on."""

    class Quick(io.StringIO):
        def write(self, text: str) -> int:
            if text.startswith("Second"):
                typed("yes\n")
                time.sleep(0.05)
            return len(text)

    monkeypatch.setattr(sys, "stderr", Quick())

    async def ask() -> str:
        lines = Lines()
        await _withdrawn(lines, "First? ")
        return await lines.answer("Second? ")

    assert asyncio.run(asyncio.wait_for(ask(), 5)) == "yes"


def test_the_end_of_the_input_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        with pytest.raises(EOFError):
            asyncio.run(Lines().answer("Anybody? "))
