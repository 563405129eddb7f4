"""A model behind a server that speaks chat completions, as OpenAI's, Ollama, vLLM and many others do.

In: an address, a key, options. Out: a service. The form of an answer is asked for by a JSON schema; of a server that
does not take one, by a tool; of one that knows no tools, in words. What a server takes is remembered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from prose_runtime.runtime.port import Answer, Call, ServiceError
from prose_runtime.services.http import PATIENCE, HttpService
from prose_runtime.services.models.addresses import ModelAddress
from prose_runtime.services.models.messages import messages_of
from prose_runtime.services.models.replies import Reply, read_reply, take_event
from prose_runtime.services.process import OUTPUT_LIMIT

if TYPE_CHECKING:
    import httpx2

Way = Literal["schema", "tool", "words"]
WAYS: tuple[Way, ...] = ("schema", "tool", "words")
_TOOL = "answer"
# By these a server says that it does not take what was sent.
_NOT_TAKEN = frozenset((400, 404, 415, 422, 500, 501))
_ABOUT_FORM = ("response_format", "json_schema", "schema", "tool", "function", "structured")


class _NotTaken(Exception):
    """The server does not take the way in which the form of the answer was asked for."""


class ChatModel(HttpService):
    """One model. `model` of a call takes the place of its name; the key goes to this address and nowhere else.
    `keys`: its key by the name of the variable, to be masked wherever it comes back."""

    is_model = True

    def __init__(
        self,
        address: ModelAddress,
        *,
        name: str,
        target: str,
        key: str = "",
        headers: Sequence[tuple[str, str]] = (),
        timeout: float = PATIENCE,
        limit: int = OUTPUT_LIMIT,
    ) -> None:
        own = (("Authorization", f"Bearer {key}"),) if key else ()
        super().__init__(
            f"{address.url}/chat/completions", name=name, headers=(*own, *headers), timeout=timeout, limit=limit
        )
        self.address = address
        self.target = target
        self.keys = {address.key or "the key": key} if key else {}
        self._key = key
        self._way: Way = "schema"

    async def _ask(self, call: Call) -> Answer:
        if call.schema is None:
            return await self._asked(call, None)
        for way in WAYS[WAYS.index(self._way) :]:
            try:
                answer = await self._asked(call, way)
            except _NotTaken:
                continue
            self._way = way
            return answer
        raise AssertionError("words are always taken")

    async def _asked(self, call: Call, way: Way | None) -> Answer:
        schema = call.schema or {}
        wrapped = way is not None and schema.get("type") != "object" and "anyOf" not in schema
        asked = {"type": "object", "properties": {"answer": schema}, "required": ["answer"]} if wrapped else schema
        body = {
            "model": call.model or self.address.model,
            "messages": messages_of(call, schema=asked if way == "words" else None),
            **(self.address.options or {}),
            **_form(way, asked),
        }
        if self.address.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        async with self._sent(data, call) as response:
            reply = await self._reply(response, way)
        value = reply.value(f"`{self.name}`", structured=way is not None)
        if wrapped and isinstance(value, dict) and value.keys() == {"answer"}:
            value = value["answer"]
        return Answer(value, reply.usage)

    async def _reply(self, response: httpx2.Response, way: Way | None) -> Reply:
        who = f"`{self.name}` ({self.address.model} at {self.address.url})"
        if response.status_code >= 400:
            content = await self._content(response, cut=True)
            if way in ("schema", "tool") and response.status_code in _NOT_TAKEN and _is_about_form(content):
                raise _NotTaken
            raise self._failure(response, content)
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            return await self._streamed(response, who)
        return read_reply(await self._content(response, cut=False), who)

    async def _streamed(self, response: httpx2.Response, who: str) -> Reply:
        reply, size, ended = Reply(), 0, False
        async for line in response.aiter_lines():
            size += len(line)
            if size > self._limit:
                raise ServiceError(f"`{self.name}` sent more than {self._limit:,} bytes", transient=False)
            word, _, data = line.partition(":")
            if word == "data" and data.strip() == "[DONE]":
                ended = True
            elif word == "data" and data.strip():
                take_event(reply, data.strip(), who)
        if not (ended or reply.finish):
            raise ServiceError(f"{who} broke off in the middle of its answer", usage=reply.usage)
        return reply

    def _failure(self, response: httpx2.Response, content: bytes) -> Exception:
        status = response.status_code
        if status in (401, 403):
            variable = self.address.key
            advice = f"look at {variable}" if variable else "give a key: `headers` in prose.toml"
            said = "refused the key" if self._key else "wants a key"
            return ServiceError(f"`{self.name}` ({self.address.url}) {said}; {advice}", name="refused", transient=False)
        if status == 404:
            said = f"`{self.name}`: there is no model `{self.address.model}` at {self.address.url}"
            return ServiceError(said, name="no-such-model", transient=False)
        return super()._failure(response, content)


def _form(way: Way | None, schema: Mapping[str, Any]) -> dict[str, Any]:
    if way == "schema":
        form = {"name": _TOOL, "schema": schema, "strict": False}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
    if way == "tool":
        tool = {"name": _TOOL, "description": "Give your answer.", "parameters": schema}
        chosen = {"type": "function", "function": {"name": _TOOL}}
        return {"tools": [{"type": "function", "function": tool}], "tool_choice": chosen}
    return {}


def _is_about_form(content: bytes) -> bool:
    text = content.decode("utf-8", "replace").lower()
    return any(word in text for word in _ABOUT_FORM)
