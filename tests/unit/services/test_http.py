"""Web addresses as services, against a real server: what is sent, what comes back, and everything that can go wrong."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from serving import say, serving

import prose_runtime as prose
from prose_runtime.runtime.port import Call, ServiceError
from prose_runtime.services import BindingFault, load_project, needs_trust, project_services, service_from
from prose_runtime.services.http import HttpService, retry_after

Ask = Callable[..., Any]

pytest.importorskip("httpx2")
stamina = pytest.importorskip("stamina")


@pytest.fixture(autouse=True)
def no_waiting() -> Any:
    """Pauses between attempts take no time; their number stays."""
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def failure(ask: Ask, service: HttpService, *args: Any, **about: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        ask(service, *args, **about)
    return caught.value


def test_the_inputs_are_the_body_and_json_comes_back(ask: Ask) -> None:
    with serving(lambda handler, number: say(handler, 200, {"score": 0.5})) as server:
        made = service_from(f"{server.url}/critic?v=2", name="critic")
        assert ask(made, {"draft": "ü ☃"}, idempotency_key="run/key:ü") == {"score": 0.5}
    (got,) = server.got
    assert got.path == "/critic?v=2"
    assert got.body == {"draft": "ü ☃"}
    assert got.headers["content-type"] == "application/json"
    assert got.headers["idempotency-key"] == "run/key:"


def test_text_comes_back_as_text(ask: Ask) -> None:
    with serving(lambda handler, number: say(handler, 200, "a text\n")) as server:
        assert ask(HttpService(server.url, name="s")) == "a text"


def test_what_says_more_than_its_inputs_is_sent_whole(ask: Ask) -> None:
    with serving(lambda handler, number: say(handler, 200, "1")) as server:
        ask(HttpService(server.url, name="s"), {"a": 1}, prompt="p")
        ask(HttpService(server.url, name="s", whole=True), {"a": 1})
    assert [got.body["inputs"] for got in server.got] == [{"a": 1}, {"a": 1}]
    assert server.got[0].body["prompt"] == "p"


@pytest.mark.parametrize(("status", "transient"), [(400, False), (401, False), (404, False), (500, True), (501, True)])
def test_a_status_is_an_error_with_what_the_server_says(ask: Ask, status: int, transient: bool) -> None:
    with serving(lambda handler, number: say(handler, status, "no\n\x1b[31mway")) as server:
        error = failure(ask, HttpService(server.url, name="critic"))
    assert len(server.got) == 1
    assert error.transient is transient
    assert error.detail == {"status": status}
    assert str(status) in error.message
    assert "no" in error.message
    assert "\x1b" not in error.message


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_refusal_is_asked_again_with_the_same_key(ask: Ask, status: int) -> None:
    def handle(handler: BaseHTTPRequestHandler, number: int) -> None:
        say(handler, status if number < 2 else 200, "ok")

    with serving(handle) as server:
        assert ask(HttpService(server.url, name="s"), {"a": 1}, idempotency_key="r/k") == "ok"
    assert [got.headers["idempotency-key"] for got in server.got] == ["r/k"] * 3


def test_after_three_refusals_it_is_an_error(ask: Ask) -> None:
    with serving(lambda handler, number: say(handler, 503, "full", Retry_After="7")) as server:
        error = failure(ask, HttpService(server.url, name="s"))
    assert len(server.got) == 3
    assert error.transient
    assert error.detail == {"status": 503, "retry_after": 7.0}


def test_a_long_retry_after_is_not_waited_for(ask: Ask) -> None:
    with serving(lambda handler, number: say(handler, 429, "", Retry_After="3600")) as server:
        error = failure(ask, HttpService(server.url, name="s"))
    assert len(server.got) == 1
    assert error.detail == {"status": 429, "retry_after": 3600.0}


def test_retry_after_is_waited_for(ask: Ask) -> None:
    def handle(handler: BaseHTTPRequestHandler, number: int) -> None:
        say(handler, 200 if number else 429, "ok", **({} if number else {"Retry_After": "1"}))

    with stamina.set_testing(False), serving(handle) as server:
        loop_time: list[float] = []

        async def run() -> None:
            service = HttpService(server.url, name="s")
            began = asyncio.get_running_loop().time()
            await service.call(Call("s", {}))
            loop_time.append(asyncio.get_running_loop().time() - began)
            await service.close()

        asyncio.run(run())
    assert loop_time[0] >= 1.0


def test_retry_after_as_a_number_and_as_a_date() -> None:
    assert retry_after("12") == 12.0
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT", now=1445412470.0) == 10.0
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT", now=1445412490.0) == 0.0
    assert retry_after("soon") is None
    assert retry_after(None) is None


def test_nobody_there(ask: Ask) -> None:
    with serving(lambda handler, number: None) as server:
        pass
    error = failure(ask, HttpService(server.url, name="critic"))
    assert error.transient
    assert "`critic`" in error.message
    assert "could not be reached" in error.message


def test_a_server_that_never_answers(ask: Ask) -> None:
    with serving(lambda handler, number: server.done.wait(60) and None) as server:  # type: ignore[func-returns-value]
        error = failure(ask, HttpService(server.url, name="critic", timeout=0.2))
    assert error.name == "timeout"
    assert "within 0.2 s" in error.message


def test_a_connection_that_is_cut(ask: Ask) -> None:
    def handle(handler: BaseHTTPRequestHandler, number: int) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")

    with serving(handle) as server:
        error = failure(ask, HttpService(server.url, name="s"))
    assert len(server.got) == 1
    assert "broke off" in error.message
    assert error.transient


def test_a_hundred_megabytes_are_cut_off_and_not_kept(ask: Ask) -> None:
    chunk = b"x" * 100_000

    def handle(handler: BaseHTTPRequestHandler, number: int) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(chunk)

    with serving(handle) as server:
        tracemalloc.start()
        try:
            error = failure(ask, HttpService(server.url, name="s", limit=1_000_000))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert "more than 1,000,000 bytes" in error.message
    assert not error.transient
    assert peak < 20_000_000


def test_a_cancelled_call_leaves_the_server(ask: Ask) -> None:
    with serving(lambda handler, number: server.done.wait(60) and None) as server:  # type: ignore[func-returns-value]

        async def run() -> None:
            service = HttpService(server.url, name="s")
            task = asyncio.create_task(service.call(Call("s", {})))
            while not server.got:  # noqa: ASYNC110  (another thread fills it)
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await service.close()

        asyncio.run(asyncio.wait_for(run(), 30))


def test_a_redirect_at_the_same_place_is_followed_and_no_other(ask: Ask) -> None:
    def handle(handler: BaseHTTPRequestHandler, number: int) -> None:
        places = {"/same": "/end", "/away": "http://localhost.invalid/end", "/get": "/end", "/round": "/round"}
        if handler.path == "/end":
            say(handler, 200, "there")
        else:
            say(handler, 302 if handler.path == "/get" else 307, "", Location=places[handler.path])

    headers = [("Authorization", "Bearer abc")]
    with serving(handle) as server:
        assert ask(HttpService(f"{server.url}/same", name="s", headers=headers), {"a": 1}) == "there"
        assert [got.body for got in server.got] == [{"a": 1}] * 2
        for path in ("/away", "/get"):
            error = failure(ask, HttpService(f"{server.url}{path}", name="s", headers=headers))
            assert "redirect to" in error.message
            assert not error.transient
        assert "from one address to the next" in failure(ask, HttpService(f"{server.url}/round", name="s")).message


def test_a_compressed_answer_is_refused(ask: Ask) -> None:
    with serving(lambda handler, number: say(handler, 200, b"xx", Content_Encoding="gzip")) as server:
        assert "compressed" in failure(ask, HttpService(server.url, name="s")).message
    assert server.got[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("https://", "it is no web address"),
        ("http://a b/", "it is no web address"),
        ("http://host:99999999/", "it is no web address"),
        ("http://[::1/", "it is no web address"),
        ("https://ada:hunter22@example.org/", "it holds a user or a password"),
    ],
)
def test_what_is_no_address(target: str, said: str) -> None:
    with pytest.raises(BindingFault, match=said) as caught:
        service_from(target, name="critic")
    assert caught.value.code == "malformed-target"
    assert "hunter22" not in str(caught.value)
    assert "hunter22" not in str(caught.value.diagnostic("--bind critic=…", ""))


# ---- of a project ------------------------------------------------------------------------------------------

TOML = """[services]
critic = {{ use = "{url}/critic", headers = {{ Authorization = "Bearer ${{CRITIC_KEY}}" }}, send = "call" }}
"""
KEY = "k-0123456789abcdef"


def test_a_key_goes_there_and_is_masked_where_it_comes_back(
    tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRITIC_KEY", KEY)

    def handle(handler: BaseHTTPRequestHandler, number: int) -> None:
        say(handler, 200 if number == 0 else 400, {"echo": handler.headers["Authorization"]})

    with serving(handle) as server:
        (tmp_path / "prose.toml").write_text(TOML.format(url=server.url))
        project = load_project(tmp_path)
        assert project is not None
        assert project.keys == ("CRITIC_KEY",)
        assert needs_trust(project) == [f"send to {server.url}/critic (for `critic`, with CRITIC_KEY)"]
        from prose_runtime.services import mask_service, project_masker

        made = project_services(project)["critic"]
        assert not isinstance(made, tuple)
        masked = mask_service(made, project_masker(project))
        assert ask(masked, {"a": 1}) == {"echo": "Bearer [secret CRITIC_KEY]"}
        assert KEY not in failure(ask, masked).message  # type: ignore[arg-type]
    assert server.got[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.got[0].body["inputs"] == {"a": 1}


def test_a_proxy_is_said_with_what_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://me:pass@proxy.example:3128")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    (tmp_path / "prose.toml").write_text('[services]\ncritic = "https://example.org/x"\n')
    project = load_project(tmp_path)
    assert project is not None
    assert needs_trust(project) == [
        "send to https://example.org/x (for `critic`, through the proxy http://…@proxy.example:3128)"
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('{ use = "cmd:x", headers = { A = "b" } }', "`critic` is no web address"),
        ('{ use = "https://e.org", send = "all" }', "`send` of `critic` is 'all'"),
        ('{ use = "https://e.org", timeout = 0 }', "`timeout` is 0"),
        ('{ use = "https://e.org", headers = ["a"] }', "is not a table of texts"),
        ('{ use = "https://e.org", headers = { Host = "b" } }', "`Host` is no header that can be given"),
        ('{ use = "https://e.org", headers = { "A b" = "b" } }', "`A b` is no header that can be given"),
        ('{ use = "https://e.org", headers = { A = "a\\nb" } }', "is not printable ASCII"),
    ],
)
def test_what_an_address_cannot_have(tmp_path: Path, entry: str, said: str) -> None:
    (tmp_path / "prose.toml").write_text(f"[services]\ncritic = {entry}\n")
    with pytest.raises(BindingFault) as caught:
        load_project(tmp_path)
    assert said in str(caught.value)
    assert caught.value.diagnostic("").line == 2


def test_refine_over_http() -> None:
    def handle(handler: BaseHTTPRequestHandler, number: int) -> None:
        if handler.path == "/refiner":
            say(handler, 200, f"draft {number}")
        else:
            say(handler, 200, {"score": 0.2 * number, "suggestions": ["more"]})

    with serving(handle) as server:
        outcome = prose.run(
            "std/patterns/refine",
            bind={"refiner": f"{server.url}/refiner", "evaluator": f"{server.url}/evaluator"},
            inputs={"task_brief": "a letter"},
        )
    assert outcome.status == "done", outcome.error
    assert outcome.result["rounds_used"] == 3
    assert server.got[0].body["task_brief"] == "a letter"
