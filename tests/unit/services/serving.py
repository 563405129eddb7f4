"""A web server in this process for the tests of services: what it is sent, and scripted answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Got:
    """One request: its path, its headers (names in small letters) and its body as JSON."""

    path: str
    headers: dict[str, str]
    body: Any


Handler = Callable[[BaseHTTPRequestHandler, int], None]


@dataclass
class Server:
    """`url` is its address; `got` what it was sent, in order; `done` is set at its end, for handlers that hang."""

    url: str
    got: list[Got] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)


def say(handler: BaseHTTPRequestHandler, status: int, body: bytes | str | object = b"", **headers: str) -> None:
    """Answer a request; what is no text or bytes is sent as JSON."""
    data = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(data)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def serving(handle: Handler) -> Iterator[Server]:
    """A server whose requests `handle(handler, number)` answers; `number` counts them from 0."""
    lock = threading.Lock()

    class Requests(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with lock:
                number = len(server.got)
                server.got.append(
                    Got(self.path, {key.lower(): text for key, text in self.headers.items()}, json.loads(data))
                )
            handle(self, number)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is written."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that leaves is what some tests are about."""

    listening = Quiet(("127.0.0.1", 0), Requests)
    server = Server(f"http://127.0.0.1:{listening.server_address[1]}")
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.done.set()
        listening.shutdown()
        listening.server_close()
        thread.join()
