"""A person as a service: `ask`.

In: a port that shows a question and gives the line that was answered. Out: an `AskService`. Questions are put one after
the other, also from parallel branches.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from prose_runtime.diagnostics.visible import visible
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature
from prose_runtime.services.threads import Threads

# Shows a question and waits for one answer; raises EOFError when there is nobody (any more).
Asker: TypeAlias = Callable[[str], str | Awaitable[str]]

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


class AskService:
    """Asks the person at the terminal. The answer is the line that was typed, as text."""

    def __init__(self, ask: Asker, *, name: str, target: str = "ask") -> None:
        self.name = name
        self.target = target
        self.signature: Signature | None = None
        self._ask = ask
        self._threads = Threads(f"prose-{name}")

    def turn(self) -> AbstractAsyncContextManager[object]:
        """When no other question is being asked."""
        return _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    async def call(self, call: Call) -> Answer:
        """Put the question; it has to be this call's turn. Raises `ServiceError` when nobody answers."""
        ask = self._ask
        try:
            if inspect.iscoroutinefunction(ask):
                return Answer(await ask(question(self.name, call)))
            answer = await self._threads.run(lambda: ask(question(self.name, call)))
            return Answer(await answer if inspect.isawaitable(answer) else answer)
        except EOFError:
            raise ServiceError(f"nobody answered for `{self.name}`", transient=False) from None

    async def close(self) -> None:
        """A line that is being read cannot be taken back: its thread ends with it."""
        self._threads.close()


def question(name: str, call: Call) -> str:
    """What a person is shown: who asks (an agent after the name), why the answer before was not taken, what holds for
    all that is asked (a contract, an agent's own prompt), the prompt, each input under its name, what can be chosen;
    control characters as pictures."""
    parts = [f"{name} ({call.agent}):" if call.agent else f"{name}:"]
    if call.correction:
        parts.append(f"({call.correction})")
    if call.instructions:
        parts.append(call.instructions.strip())
    if call.prompt is not None:
        parts.append(_shown(call.prompt))
    parts += [f"{key}: {_shown(value)}" for key, value in call.inputs.items()]
    if call.context is not None:
        parts.append(f"context: {_shown(call.context)}")
    parts += [f"  {number}  {_shown(option)}" for number, option in enumerate(call.options, 1)]
    ending = _without_answer(call)
    if ending:
        parts.append(f"({ending})")
    return visible("\n".join(parts))


def _without_answer(call: Call) -> str:
    """What an empty line means, and how long there is time."""
    late = "" if call.timeout is None else f"within {call.timeout:g} s"
    if call.default is None:
        return f"to be answered {late}" if late else ""
    return f"Enter alone{f', or no answer {late}' if late else ''}: {_shown(call.default)}"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
