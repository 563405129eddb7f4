"""For tests of patterns and of services: a server that speaks chat completions and answers what it is told to.

    from prose_runtime.testing import ModelServer

    with ModelServer(["a draft", {"score": 0.9}]) as server:
        outcome = prose.run("std/refine", bind={"refiner": server.target, "evaluator": server.target}, inputs=…)
        assert server.asked[1]["messages"][-1]["content"]…

It listens on this machine only, in a thread, and needs nothing that is not in the standard library. `ScriptedService`,
which answers without any server, is here too. With pytest the fixture `model_server` makes one for a test.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from prose_runtime.services import ScriptedService

__all__ = ["ModelServer", "Reply", "ScriptedService"]


@dataclass
class Reply:
    """One answer of a `ModelServer`.

    - `content`: a text, or a value that is sent as JSON in a text. `tool`: it comes as the arguments of a tool call.
    - `status`, `headers`, `error`: another status than 200, with that text.
    - `usage`: `(input tokens, output tokens)`, or None where the server tells nothing.
    - `finish`: why it ended: `stop`, `length` (cut off), `content_filter`. `refusal`: what it says instead.
    - `cut`: the connection is closed after that many bytes of the body. `silent`: nothing comes until the server ends.
    - `size`: the content is followed by that many bytes of blanks.
    """

    content: Any = ""
    status: int = 200
    error: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    usage: tuple[int, int] | None = (10, 5)
    finish: str = "stop"
    refusal: str | None = None
    tool: bool = False
    cut: int | None = None
    silent: bool = False
    size: int = 0

    @property
    def text(self) -> str:
        """The content as a text."""
        return self.content if isinstance(self.content, str) else json.dumps(self.content)


class ModelServer:
    """Answers one question after the other with `replies` (`Reply`, a text, or a value that is sent as JSON).

    - `takes`: which ways to ask for a form it takes: "schema", "tool", both or neither. Others are refused with 400.
    - `again`: the last reply is given again for ever; otherwise a question too many is answered with 500.
    - `asked`: the bodies of the questions, in order; `keys`: what stood in `Authorization`.

    `url` is its address up to `/v1`, `target` what a slot is bound to.
    """

    def __init__(
        self, replies: Iterable[Any], *, takes: Iterable[str] = ("schema", "tool"), again: bool = False
    ) -> None:
        self.replies = [item if isinstance(item, Reply) else Reply(item) for item in replies]
        self.takes = frozenset(takes)
        self.again = again
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.given = 0
        self.left = threading.Event()
        self._lock = threading.Lock()
        self._server = _Quiet(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def target(self) -> str:
        """What a slot is bound to."""
        return f"model:{self.url}#test"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply_to(self, body: dict[str, Any], key: str) -> Reply:
        """The next reply."""
        with self._lock:
            self.asked.append(body)
            self.keys.append(key)
            if "response_format" in body and "schema" not in self.takes:
                return Reply(status=400, error="response_format is not supported")
            if "tools" in body and "tool" not in self.takes:
                return Reply(status=400, error="tools are not supported")
            number, self.given = self.given, self.given + 1
        if number >= len(self.replies) and not self.again:
            return Reply(status=500, error=f"there is no reply number {number + 1}")
        found = self.replies[min(number, len(self.replies) - 1)]
        if "tools" in body and not found.tool and found.status == 200:
            return Reply(found.content, usage=found.usage, finish=found.finish, tool=True)
        return found


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves is what some tests are about."""


def _handler_of(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.loads(data)
            reply = server.reply_to(body, self.headers.get("Authorization", ""))
            if reply.silent:
                server.left.wait(60)
                return
            if reply.status != 200:
                self._send(reply, json.dumps({"error": {"message": reply.error}}).encode(), "application/json")
            elif body.get("stream"):
                self._send(reply, _stream_of(reply), "text/event-stream")
            else:
                self._send(reply, json.dumps(_completion_of(reply)).encode(), "application/json")

        def _send(self, reply: Reply, data: bytes, kind: str) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data) + reply.size))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data if reply.cut is None else data[: reply.cut])
            for _ in range(0, reply.size, 1_000_000):
                self.wfile.write(b" " * 1_000_000)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is written."""

    return Handler


def _completion_of(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None if reply.tool else reply.text}
    if reply.tool:
        message["tool_calls"] = [_tool_call(reply.text)]
    if reply.refusal is not None:
        message["refusal"] = reply.refusal
    body: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": reply.finish}]}
    return body | _usage_of(reply)


def _stream_of(reply: Reply) -> bytes:
    half = len(reply.text) // 2
    parts: list[dict[str, Any]] = []
    for text in (reply.text[:half], reply.text[half:]):
        parts.append({"tool_calls": [_tool_call(text)]} if reply.tool else {"content": text})
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in parts
    ]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]})
    if reply.usage is not None:
        events.append({"choices": [], **_usage_of(reply)})
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def _tool_call(text: str) -> dict[str, Any]:
    return {"index": 0, "id": "1", "type": "function", "function": {"name": "answer", "arguments": text}}


def _usage_of(reply: Reply) -> dict[str, Any]:
    if reply.usage is None:
        return {}
    given, made = reply.usage
    return {"usage": {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}}
