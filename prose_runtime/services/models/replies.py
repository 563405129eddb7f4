"""What a chat completion means. In: the body of a reply, or the lines of a stream. Out: `Reply`, or `ServiceError`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from prose_runtime.runtime.port import ServiceError, Usage
from prose_runtime.services.lenient import json_in


@dataclass(slots=True)
class Reply:
    """The parts of a reply, as far as they have come. `arguments`: of the tool that it was to answer with."""

    text: str = ""
    arguments: str = ""
    refusal: str = ""
    finish: str = ""
    usage: Usage = field(default_factory=Usage)

    def value(self, who: str, *, structured: bool) -> Any:
        """The answer: a text or, where `structured` was asked for, what its JSON says; a text that is none stays one.

        Raises `ServiceError` for a reply that was refused, cut off or empty.
        """
        if self.refusal or self.finish == "content_filter":
            said = f": {self.refusal}" if self.refusal else ""
            raise ServiceError(f"{who} refused to answer{said}", name="refused", transient=False, usage=self.usage)
        if self.finish == "length":
            spent = f" after {self.usage.output_tokens} tokens" if self.usage.output_tokens is not None else ""
            said = f"{who} was cut off{spent}; allow it more: `?max_tokens=N` behind its name"
            raise ServiceError(said, name="truncated", transient=False, usage=self.usage)
        text = self.arguments or self.text
        if not text.strip():
            raise ServiceError(f"{who} gave an empty answer", usage=self.usage)
        if not structured:
            return text.strip("\n")
        found = json_in(text)
        return text if found is None else found


def read_reply(content: bytes, who: str) -> Reply:
    """A whole reply. Raises `ServiceError` for what is none."""
    try:
        body = json.loads(content)
        choice = body["choices"][0]
        message = choice["message"]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        raise ServiceError(f"{who} sent no chat completion: {_begin(content)}") from None
    if not isinstance(message, Mapping):
        raise ServiceError(f"{who} sent no chat completion: {_begin(content)}")
    reply = Reply(finish=str(choice.get("finish_reason") or ""), usage=usage_of(body.get("usage")))
    _take(reply, message)
    return reply


def take_event(reply: Reply, data: str, who: str) -> None:
    """A line of a stream, behind `data:`. Raises `ServiceError`."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise ServiceError(f"{who} sent a line that is no JSON: {_begin(data.encode())}", usage=reply.usage) from None
    if not isinstance(body, Mapping):
        return
    if body.get("error"):
        raise ServiceError(f"{who} broke off: {_begin(json.dumps(body['error']).encode())}", usage=reply.usage)
    if body.get("usage"):
        reply.usage = usage_of(body["usage"])
    for choice in body.get("choices") or ():
        if isinstance(choice, Mapping):
            reply.finish = str(choice.get("finish_reason") or reply.finish)
            delta = choice.get("delta")
            if isinstance(delta, Mapping):
                _take(reply, delta)


def _take(reply: Reply, message: Mapping[str, Any]) -> None:
    content = message.get("content")
    if isinstance(content, list):  # parts, each with its text
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    reply.text += content if isinstance(content, str) else ""
    reply.refusal += message["refusal"] if isinstance(message.get("refusal"), str) else ""
    for call in message.get("tool_calls") or ():
        made = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(made, Mapping):
            given = made.get("arguments")
            reply.arguments += given if isinstance(given, str) else "" if given is None else json.dumps(given)


def usage_of(told: object) -> Usage:
    """What a server says that it spent; what it does not say is unknown, never 0."""
    if not isinstance(told, Mapping):
        return Usage()

    def figure(*names: str) -> Any:
        found = next((told[name] for name in names if name in told), None)
        return found if isinstance(found, int | float) and not isinstance(found, bool) else None

    return Usage(figure("prompt_tokens", "input_tokens"), figure("completion_tokens", "output_tokens"), figure("cost"))


def _begin(content: bytes) -> str:
    from prose_runtime.diagnostics.visible import visible

    text = " ".join(visible(content[:1200].decode("utf-8", "replace")).split())
    return text[:200] or "nothing"
