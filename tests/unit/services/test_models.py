"""Models behind a server that speaks chat completions: each way to answer, and each way to fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import prose_runtime as prose
from prose_runtime.services import BindingFault, service_from
from prose_runtime.services.models.addresses import read_model
from prose_runtime.services.models.chat import ChatModel
from prose_runtime.testing import ModelServer, Reply

pytest.importorskip("httpx2")
Servers = Callable[..., ModelServer]
BRIEF = {"task_brief": "<the brief>"}


def refine(server: ModelServer, *more: str, **options: Any) -> prose.Outcome:
    target = server.target + "".join(more)
    return prose.run("std/refine", bind={"refiner": target, "evaluator": target}, inputs=BRIEF, **options)


SCORED = [
    "first draft", {"score": 0.4, "suggestions": ["more"]},
    "second draft", {"score": 0.9, "suggestions": []},
]  # fmt: skip


def test_refine_over_http_with_structured_output(model_server: Servers) -> None:
    server = model_server(SCORED)
    outcome = refine(server)
    assert outcome.result == {"result": "second draft", "score": 0.9, "rounds_used": 2}
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (40, 20)
    form = server.asked[1]["response_format"]["json_schema"]["schema"]
    assert form == {
        "type": "object",
        "properties": {"score": {"type": "number"}, "suggestions": {}},
        "required": ["score"],
    }
    assert "response_format" not in server.asked[0]


def test_what_a_model_is_told_is_its_slot_and_its_inputs_alone(model_server: Servers) -> None:
    server = model_server(SCORED)
    refine(server)
    system, user = (message["content"] for message in server.asked[3]["messages"])
    assert "scores one draft against the task" in system
    assert "<the brief>" in user
    assert "second draft" in user
    for word in ("threshold", "refiner", "suggestions: more", "max_rounds", "0.4"):
        assert word not in system + user


@pytest.mark.parametrize("takes", [("tool",), ()])
def test_a_server_that_takes_no_schema(model_server: Servers, takes: tuple[str, ...]) -> None:
    said = SCORED[1] if takes else f"Here it is: {json.dumps(SCORED[1])} So it is."
    fenced = SCORED[3] if takes else f"```json\n{json.dumps(SCORED[3])}\n```"
    server = model_server([SCORED[0], said, SCORED[2], fenced], takes=takes)
    assert refine(server).result["score"] == 0.9
    asked = ["schema" if "response_format" in body else "tool" if "tools" in body else "words" for body in server.asked]
    ways = ["schema", "tool", "words", "tool"] if takes else ["schema", "tool", "words", "words", "words"]
    assert asked[1:] == ways
    if not takes:
        assert '"type": "number"' in server.asked[-1]["messages"][0]["content"]


def test_a_model_that_ignores_the_schema_is_asked_once_more(model_server: Servers) -> None:
    server = model_server(["a draft", {"score": "very good"}, {"score": 0.9}])
    outcome = refine(server)
    assert outcome.result["score"] == 0.9
    assert outcome.calls[1].attempts == 2
    assert "$.score must be a number" in server.asked[2]["messages"][-1]["content"]
    assert outcome.usage.input_tokens == 30


def test_a_model_that_never_keeps_to_it_is_one_clear_error(model_server: Servers) -> None:
    outcome = refine(model_server(["a draft", {"score": "good"}, {"score": "good"}]))
    assert outcome.error is not None
    assert (outcome.error.name, len(outcome.calls)) == ("contract", 2)
    assert "$.score must be a number" in outcome.error.message


def test_a_server_that_streams(model_server: Servers) -> None:
    server = model_server(SCORED)
    outcome = refine(server, "?stream=true")
    assert outcome.result["result"] == "second draft"
    assert all(body["stream"] for body in server.asked)
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (40, 20)


def test_usage_that_is_not_told_is_unknown(model_server: Servers) -> None:
    told, untold = Reply("a draft", usage=(3, 4)), Reply({"score": 1}, usage=None)
    assert refine(model_server([Reply("a draft", usage=None), untold])).usage.input_tokens is None
    outcome = refine(model_server([told, untold]))
    assert (outcome.usage.input_tokens, outcome.usage.cost) == (3, None)


def test_a_server_that_is_busy_twice(model_server: Servers) -> None:
    busy = Reply(status=429, error="slow down", headers={"Retry-After": "0"})
    server = model_server([busy, busy, "a draft", {"score": 1}])
    outcome = refine(server)
    assert (outcome.status, len(server.asked), len(outcome.calls)) == ("done", 4, 2)


@pytest.mark.parametrize(
    ("reply", "name", "said"),
    [
        (Reply(status=401, error="bad key"), "refused", "wants a key"),
        (Reply(status=404, error="no"), "no-such-model", "there is no model `test` at http://127.0.0.1:"),
        (Reply(status=500, error="oh"), "service-failed", "answered 500 Internal Server Error: "),
        (Reply("half a", finish="length"), "truncated", "was cut off after 5 tokens; allow it more"),
        (Reply("", refusal="I will not"), "refused", "refused to answer: I will not"),
        (Reply("x", finish="content_filter"), "refused", "refused to answer"),
        (Reply("  "), "service-failed", "gave an empty answer"),
        (Reply("a long draft", cut=30), "service-failed", "broke off"),
    ],
)  # fmt: skip
def test_each_failure_is_one_clear_error(model_server: Servers, reply: Reply, name: str, said: str) -> None:
    outcome = refine(model_server([reply]))
    assert outcome.error is not None
    assert (outcome.error.name, len(outcome.calls)) == (name, 1)
    assert said in outcome.error.message


def test_a_stream_that_is_cut_in_the_middle(model_server: Servers) -> None:
    outcome = refine(model_server([Reply("a long draft", cut=90)]), "?stream=true")
    assert outcome.error is not None
    assert "broke off" in outcome.error.message


async def _asked(model: ChatModel) -> prose.Answer:
    try:
        return await model.call(prose.Call("writer", {"topic": "x"}))
    finally:
        await model.close()


def chat(server: ModelServer, **options: Any) -> ChatModel:
    address = read_model(f"{server.url}#test", name="writer", target=server.target, environment={})
    return ChatModel(address, name="writer", target=server.target, **options)


def test_a_server_that_never_answers(model_server: Servers) -> None:
    import asyncio

    with pytest.raises(prose.ServiceError) as caught:
        asyncio.run(_asked(chat(model_server([Reply(silent=True)]), timeout=0.3)))
    assert (caught.value.name, "gave no answer within 0.3 s" in caught.value.message) == ("timeout", True)


def test_an_answer_that_is_too_large(model_server: Servers) -> None:
    import asyncio

    with pytest.raises(prose.ServiceError) as caught:
        asyncio.run(_asked(chat(model_server([Reply("x", size=100_000_000)]), limit=1_000_000)))
    assert "sent more than 1,000,000 bytes" in caught.value.message


# ---- keys and addresses --------------------------------------------------------------------------------------

KEY = "sk-0123456789abcdef"


def test_a_key_goes_to_its_server_and_is_masked_wherever_it_comes_back(
    model_server: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = model_server([f"I saw {KEY}", Reply(status=500, error=f"key {KEY} is wrong")])
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    target = "model:openai/test"
    outcome = prose.run("std/refine", bind={"refiner": target, "evaluator": target}, inputs=BRIEF)
    assert server.keys == [f"Bearer {KEY}"] * 2
    assert KEY not in json.dumps(outcome.to_json())
    assert outcome.calls[0].answer == "I saw [secret OPENAI_API_KEY]"


def test_no_key_is_said_before_any_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(BindingFault) as caught:
        service_from("model:openai/gpt", name="critic")
    assert caught.value.code == "variable-not-set"


@pytest.mark.parametrize(
    ("rest", "url", "model", "options"),
    [
        ("openai/gpt-5?temperature=0", "https://api.openai.com/v1", "gpt-5", {"temperature": 0.0}),
        ("ollama/llama3.2", "http://localhost:11434/v1", "llama3.2", {}),
        ("openrouter/org/name:free", "https://openrouter.ai/api/v1", "org/name:free", {}),
        ("http://h:1/v1#m?max_tokens=5&seed=1", "http://h:1/v1", "m", {"max_tokens": 5, "seed": 1}),
        ("https://h/api/v1/#a/b", "https://h/api/v1", "a/b", {}),
    ],
)
def test_addresses(rest: str, url: str, model: str, options: dict[str, Any]) -> None:
    found = read_model(rest, name="a", target=f"model:{rest}", environment={})
    assert (found.url, found.model, found.options) == (url, model, options)


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("openai", "it names no model"),
        ("opnai/x", "there is no provider `opnai`"),
        ("http://h/v1", "it names no model"),
        ("http://#x", "it is no web address"),
        ("ollama/x?temprature=1", "`temprature=1` is no option of a model"),
        ("ollama/x?temperature=warm", "`temperature=warm` is no option of a model"),
    ],
)
def test_addresses_that_cannot_be(rest: str, said: str) -> None:
    with pytest.raises(BindingFault) as caught:
        read_model(rest, name="a", target=f"model:{rest}", environment={})
    assert said in caught.value.diagnostic("here").message


# ---- who else a model can be ---------------------------------------------------------------------------------

FILE = """---
name: titled
kind: pattern
---

### Slots

- `writer`

### Returns

- `title`: a good title

### Delegation

```prose
let title = call writer
  topic: "tea"
if the title is about tea:
  return title
return null
```
"""


def test_a_model_judges(model_server: Servers) -> None:
    server = model_server([{"holds": True, "reason": "it names tea"}])
    outcome = prose.run(FILE, bind={"writer": lambda topic: "On tea"}, judge=server.target)
    assert (outcome.result, outcome.decisions[0].how) == ("On tea", "judge")
    assert "it names tea" in outcome.decisions[0].because
    system, user = (message["content"] for message in server.asked[0]["messages"])
    assert "Decide whether the statement holds" in system
    assert "the title is about tea" in user
    assert outcome.usage.input_tokens == 10


def test_one_model_for_every_slot_that_is_not_bound(model_server: Servers) -> None:
    server = model_server(["a draft", {"score": 0.9}])
    outcome = prose.run("std/refine", bind={"model": server.target}, inputs=BRIEF)
    assert outcome.result["result"] == "a draft"
    assert "writes the first draft" in server.asked[0]["messages"][0]["content"]


def test_an_answer_that_is_a_number_is_wrapped(model_server: Servers) -> None:
    script = "let n = call writer\nif n > 3:\n  return n\nreturn 0"
    text = FILE[: FILE.index("### Returns")] + f"### Delegation\n\n```prose\n{script}\n```\n"
    server = model_server([{"answer": 7}])
    assert prose.run(text, bind={"writer": server.target}).result == 7
    assert server.asked[0]["response_format"]["json_schema"]["schema"]["properties"] == {"answer": {"type": "number"}}


def test_a_run_that_is_cancelled_leaves_nothing_running(model_server: Servers) -> None:
    budget = prose.Budget(timeout=0.3)
    outcome = refine(model_server([Reply(silent=True)]), budget=budget)
    assert outcome.status == "stopped"
