"""`ask`: one question at a time, shown safely, and nobody there is an error."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from prose_runtime.runtime.port import Call, ServiceError
from prose_runtime.services import service_from
from prose_runtime.services.human import question

Ask = Callable[..., Any]


def test_a_question_holds_prompt_and_inputs_and_the_answer_is_text(ask: Ask) -> None:
    seen: list[str] = []

    def answer(question: str) -> str:
        seen.append(question)
        return "yes"

    assert (
        ask(service_from("ask", name="approver", ask=answer), {"draft": "a\x1b[2J", "score": 0.5}, prompt="Ship it?")
        == "yes"
    )
    assert seen == ["approver:\nShip it?\ndraft: a␛[2J\nscore: 0.5"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"default": "no"}, "\n(Enter alone: no)"),
        ({"timeout": 8.0}, "\n(to be answered within 8 s)"),
        ({"default": 1, "timeout": 0.5}, "\n(Enter alone, or no answer within 0.5 s: 1)"),
        ({"options": ("a", 2)}, "\n  1  a\n  2  2"),
        ({}, ""),
        ({"inputs": {"draft": "b"}, "context": [1]}, "\ndraft: b\ncontext: [1]"),
    ],
)
def test_a_question_says_what_counts_as_an_answer(more: dict[str, Any], said: str) -> None:
    call = replace(Call("gate", {}, prompt="Go on?"), **more)
    assert question("gate", call) == f"gate:\nGo on?{said}"


def test_who_is_asked_for_a_model_sees_what_a_model_is_told() -> None:
    call = Call("model", {}, prompt="About rain.", agent="writer", instructions="You write one line.\n")
    assert question("model", call) == "model (writer):\nYou write one line.\nAbout rain."


def test_an_async_port_is_awaited(ask: Ask) -> None:
    async def answer(question: str) -> str:
        return "later"

    assert ask(service_from("ask", name="a", ask=answer)) == "later"


def test_questions_are_put_one_after_the_other_and_do_not_block_the_loop() -> None:
    inside, most = 0, 0
    lock = threading.Lock()

    def answer(question: str) -> str:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.05)
        with lock:
            inside -= 1
        return question

    async def run() -> int:
        made = [service_from("ask", name=f"s{i}", ask=answer) for i in range(4)]
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1

        ticking = asyncio.create_task(tick())

        async def call(item: Any) -> None:
            async with item.turn():
                await item.call(Call("s", {}))

        await asyncio.gather(*(call(item) for item in made))
        ticking.cancel()
        return ticks

    assert asyncio.run(run()) > 5
    assert most == 1


def test_nobody_there_is_an_error(ask: Ask) -> None:
    def answer(question: str) -> str:
        raise EOFError

    with pytest.raises(ServiceError, match="nobody answered for `a`") as caught:
        ask(service_from("ask", name="a", ask=answer))
    assert not caught.value.transient


def test_a_cancelled_question_lets_the_next_one_through() -> None:
    release = threading.Event()

    def answer(question: str) -> str:
        if question.startswith("first"):
            release.wait(5)
        return "ok"

    async def run() -> Any:
        first = service_from("ask", name="first", ask=answer)
        second = service_from("ask", name="second", ask=answer)
        task = asyncio.create_task(first.call(Call("first", {})))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await second.call(Call("second", {}))).value

    assert asyncio.run(run()) == "ok"
    release.set()
