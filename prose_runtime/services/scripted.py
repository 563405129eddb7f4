"""Scripted answers: a service that gives replies in order, for tests and demonstrations.

In: a list of replies, or a YAML file of them (`script:FILE`). Out: a `ScriptedService`, which keeps what it received.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature

_FAILURE = frozenset({"error", "message"})


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: wait `delay` seconds, then fail with `error` or give `value` (called with the `Call` if callable)."""

    value: Any = None
    delay: float = 0.0
    error: Exception | None = None


class ScriptedService:
    """Replies in order, one a call (and so one an attempt).

    A reply is any value, and further:

    - `{"error": NAME, "message": TEXT}` fails with that error;
    - `{"delay": SECONDS, "reply": REPLY}` waits first; `{"reply": VALUE}` gives a value that reads as one of these;
    - an exception is raised; a callable is called with the `Call`, and may be async.

    One more call than there are replies fails and says how many there were. `calls` are the `Call`s received, in the
    order in which they came; `received` their inputs.
    """

    def __init__(
        self,
        replies: Iterable[Any],
        *,
        name: str = "scripted",
        target: str = "",
        signature: Signature | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = name
        self.target = target or "scripted replies"
        self.signature = signature
        self.calls: list[Call] = []
        self._replies = tuple(read_reply(item) for item in replies)
        self._sleep = sleep

    @property
    def received(self) -> list[dict[str, Any]]:
        """The inputs of every call so far."""
        return [dict(call.inputs) for call in self.calls]

    @property
    def left(self) -> int:
        """How many replies have not been given."""
        return max(0, len(self._replies) - len(self.calls))

    def reset(self) -> None:
        """Begin again with the first reply."""
        self.calls.clear()

    async def call(self, call: Call) -> Answer:
        """The next reply. Raises `ServiceError` where it is a failure, and when there is none left."""
        self.calls.append(call)
        number = len(self.calls)
        if number > len(self._replies):
            count = len(self._replies)
            replies = f"{count} scripted " + ("reply" if count == 1 else "replies")
            raise ServiceError(f"`{self.name}` has {replies}, and this is call {number}", transient=False)
        reply = self._replies[number - 1]
        if reply.delay:
            await self._sleep(reply.delay)
        if reply.error is not None:
            raise reply.error
        value = reply.value(call) if callable(reply.value) else reply.value
        return Answer(await value if inspect.isawaitable(value) else value)

    async def close(self) -> None:
        """Holds nothing."""


def read_reply(value: Any) -> Reply:
    """The reply that a value stands for. Raises `ValueError` for one that is half a failure or half a wait."""
    if isinstance(value, Reply):
        return value
    if isinstance(value, BaseException):
        if not isinstance(value, Exception):
            raise ValueError(f"{type(value).__name__} cannot be a reply")
        return Reply(error=value)
    if not isinstance(value, Mapping):
        return Reply(value)
    keys = set(value)
    if "error" in keys and keys <= _FAILURE:
        return Reply(error=_failure(value))
    if keys == {"reply"}:
        return Reply(value["reply"])
    if "delay" in keys and keys <= {"delay", "reply", *_FAILURE} and keys != {"delay"}:
        return _delayed(value)
    return Reply(value)


def _failure(value: Mapping[str, Any]) -> ServiceError:
    name, message = value["error"], value.get("message", "")
    if not isinstance(name, str) or not isinstance(message, str):
        raise ValueError("`error` and `message` of a failing reply are texts")
    return ServiceError(message or name, name=name)


def _delayed(value: Mapping[str, Any]) -> Reply:
    delay = value["delay"]
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not 0 <= delay < float("inf"):
        raise ValueError(f"`delay` is {delay!r}, not a number of seconds")
    if "error" in value:
        return Reply(delay=delay, error=_failure(value))
    if "reply" not in value:
        raise ValueError("a reply with `delay` has a `reply` or an `error`")
    inner = read_reply(value["reply"])
    return Reply(inner.value, delay + inner.delay, inner.error)
