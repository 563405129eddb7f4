"""Scripted replies, from Python and from `script:` files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.runtime.port import Call, ServiceError
from prose_runtime.services import BindingFault, ScriptedService, service_from
from prose_runtime.services.replies import BadReplies, parse_replies

Ask = Callable[..., Any]


def test_replies_come_in_order_and_calls_are_kept(ask: Ask) -> None:
    made = ScriptedService(["one", {"score": 0.4}, None], name="critic")
    assert [ask(made, {"draft": n}) for n in range(3)] == ["one", {"score": 0.4}, None]
    assert made.received == [{"draft": 0}, {"draft": 1}, {"draft": 2}]
    assert made.left == 0
    with pytest.raises(ServiceError, match=r"`critic` has 3 scripted replies, and this is call 4") as caught:
        ask(made)
    assert not caught.value.transient
    made.reset()
    assert ask(made) == "one"


def test_one_reply_is_counted_in_the_singular(ask: Ask) -> None:
    made = ScriptedService(["a"])
    ask(made)
    with pytest.raises(ServiceError, match="1 scripted reply, and this is call 2"):
        ask(made)


def test_failures_and_exceptions_are_raised(ask: Ask) -> None:
    made = ScriptedService(
        [{"error": "timeout", "message": "too slow"}, {"error": "busy"}, ServiceError("x", name="own")]
    )
    for name, message in [("timeout", "too slow"), ("busy", "busy"), ("own", "x")]:
        with pytest.raises(ServiceError) as caught:
            ask(made)
        assert (caught.value.name, caught.value.message) == (name, message)


def test_delays_wait_with_the_given_clock(ask: Ask) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    replies = [
        {"delay": 5, "reply": "a"},
        {"delay": 0.5, "error": "late"},
        {"delay": 1, "reply": {"delay": 2, "reply": 0}},
    ]
    made = ScriptedService(replies, sleep=sleep)
    assert ask(made) == "a"
    with pytest.raises(ServiceError, match="late"):
        ask(made)
    assert ask(made) == 0
    assert waited == [5, 0.5, 3]


def test_a_delay_really_waits_and_can_be_cancelled() -> None:
    async def run() -> None:
        made = ScriptedService([{"delay": 60, "reply": 1}])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await made.call(Call("s", {}))

    asyncio.run(run())


def test_callables_see_the_call(ask: Ask) -> None:
    async def later(call: Call) -> int:
        return call.inputs["n"] + 1  # type: ignore[operator, return-value]

    made = ScriptedService([lambda call: call.inputs["n"], later])
    assert ask(made, {"n": 1}) == 1
    assert ask(made, {"n": 1}) == 2


@pytest.mark.parametrize(
    "value",
    [
        {"error": "x", "score": 1},
        {"delay": 3},
        {"reply": "x", "score": 1},
        {"delay": 1, "reply": 2, "more": 3},
        {"message": "hello"},
        [],
        {},
    ],
)
def test_objects_of_other_fields_are_replies(ask: Ask, value: object) -> None:
    assert ask(ScriptedService([value])) == value
    assert ask(ScriptedService([{"reply": value}])) == value


def test_a_value_that_reads_as_a_failure_can_be_given(ask: Ask) -> None:
    assert ask(ScriptedService([{"reply": {"error": "x"}}])) == {"error": "x"}


@pytest.mark.parametrize(
    "value",
    [
        {"delay": "3", "reply": 1},
        {"delay": -1, "reply": 1},
        {"delay": True, "reply": 1},
        {"error": 3},
        KeyboardInterrupt(),
    ],
)
def test_half_a_reply_is_refused_at_once(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        ScriptedService([value])


YAML = """# replies of a critic
- no
- 2024-01-01
- 12:30
- 1_000
- 0x1F
- 012
- .5
- .inf
- yes
- true
- null
-
- 3
- -2.5
- 1e3
- "true"
- |
  two
  lines
- {error: timeout, message: too slow}
- {delay: 0.01, reply: {score: 0.9, on: no}}
"""


def test_scalars_are_those_of_json() -> None:
    assert parse_replies(YAML) == [
        "no", "2024-01-01", "12:30", "1_000", "0x1F", "012", ".5", ".inf", "yes", True, None, None, 3, -2.5, 1000.0,
        "true", "two\nlines\n", {"error": "timeout", "message": "too slow"},
        {"delay": 0.01, "reply": {"score": 0.9, "on": "no"}},
    ]  # fmt: skip


def test_json_is_read_too() -> None:
    assert parse_replies('[{"a": [1, 2.5, "x", null, false]}]') == [{"a": [1, 2.5, "x", None, False]}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n", "not a list"),
        ("", "it is empty"),
        ("- &a [x]\n- *a\n", "anchors and aliases"),
        ("- {a: 1, a: 2}\n", "`a` stands here twice (line 1)"),
        ("- ? [a]\n  : 1\n", "a key is not a text"),
        ("- " + "[" * 150 + "]" * 150, "nested too deeply"),
        ("- [a\n", "(line "),
        ("- 1e999\n", "too large a number"),
        ("- !!python/object:os.system x\n", "tags are not read (line 1)"),
        ("- 1\n---\n- 2\n", "expected a single document in the stream, but found another document"),
        ("- \x01\n", "special characters"),
        ("- !!set {a}\n", "tags are not read (line 1)"),
    ],
)
def test_what_is_no_list_of_replies_is_said(text: str, said: str) -> None:
    with pytest.raises(BadReplies) as caught:
        parse_replies(text)
    assert said in str(caught.value)


def test_a_merge_key_is_a_key_like_any_other() -> None:
    assert parse_replies("- <<: {a: 1}\n") == [{"<<": {"a": 1}}]


def test_a_file_is_bound(tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "critic.yaml").write_text(YAML)
    made = service_from("script:critic.yaml", name="critic", base=tmp_path)
    assert ask(made) == "no"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no file"),
        (b"a: 1", "not a list"),
        (b"- {delay: soon, reply: 1}", "`delay` is 'soon'"),
        (b"- \xff", "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used_is_said(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "critic.yaml").write_bytes(content)
    with pytest.raises(BindingFault) as caught:
        service_from("script:critic.yaml", name="critic", base=tmp_path)
    assert caught.value.code == "bad-replies"
    assert said in caught.value.message
