"""Gates: what passes, what does not, and that no text and no pattern can stop a run."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.runtime.port import Call, ServiceError
from prose_runtime.services import BindingFault, service_from
from prose_runtime.services.gates import GATES

Ask = Callable[..., Any]


@pytest.mark.parametrize(
    ("target", "text", "issue"),
    [
        ("gate:word-count?min=2&max=3", "one two", None),
        ("gate:word-count?min=2", "one", "it has 1 word, fewer than 2"),
        ("gate:word-count?max=2", "one two three", "it has 3 words, more than 2"),
        ("gate:word-count?min=1", "", "it has 0 words, fewer than 1"),
        ("gate:contains?text=Fix&text=why", "FIX it, and say Why", None),
        ("gate:contains?text=Fix", "nothing", 'it does not contain "Fix"'),
        ("gate:contains?text=Fix&case=yes", "fix", 'it does not contain "Fix"'),
        ("gate:contains?without=todo", "a TODO is left", 'it contains "todo"'),
        ("gate:contains?text=a%26b", "a&b", None),
        ("gate:contains?text=a+b", "a+b", None),
        ("gate:json", ' {"a": [1]} ', None),
        ("gate:json", '{"a": 1,\n "b" 2}', "(line 2, column 6)"),
        ("gate:json", '{"a": NaN}', "NaN is no JSON value"),
        ("gate:json", '{"a": 1, "a": 2}', 'the key "a" stands twice'),
        ("gate:json", "[" * 100_000, "nested too deeply"),
        ("gate:json", "", "it is not JSON"),
        ("gate:regex?pattern=^fix(\\(.+\\))?: ", "fix(core): mend", None),
        ("gate:regex?pattern=^fix: &flags=i", "FIX: mend", None),
        ("gate:regex?pattern=\\d+", "no digit", "nothing in it matches"),
        ("gate:regex?pattern=TODO&absent=yes", "a\nTODO: b", "line 2 has 'TODO'"),
        ("gate:regex?pattern=TODO&absent=yes", "done", None),
        ("gate:regex?pattern=a?b", "b", None),
        ("gate:python-syntax", "def f(x):\n    return x\n", None),
        ("gate:python-syntax", "def f(x:\n    return x\n", "it is not Python: "),
        ("gate:python-syntax", "x = 1\nreturn x\n", "'return' outside function (line 2"),
        ("gate:python-syntax", "x = '\\0'\0", "null bytes"),
        ("gate:python-syntax", "", None),
    ],
)
def test_verdicts(target: str, text: str, issue: str | None, ask: Ask) -> None:
    answer = ask(service_from(target, name="gate"), {"draft": text})
    assert set(answer) == {"passed", "score", "issues", "suggestions"}
    if issue is None:
        assert answer == {"passed": True, "score": 1.0, "issues": [], "suggestions": []}
    else:
        assert answer["passed"] is False
        assert answer["score"] < 1
        assert issue in answer["issues"][0]
        assert answer["suggestions"]


def test_scores_say_how_far_it_is(ask: Ask) -> None:
    assert ask(service_from("gate:word-count?min=4", name="g"), {"text": "one two three"})["score"] == 0.75
    assert ask(service_from("gate:contains?text=a&text=b&without=c", name="g"), {"text": "a c"})[
        "score"
    ] == pytest.approx(1 / 3, abs=1e-4)


@pytest.mark.parametrize(
    ("inputs", "about", "words"),
    [
        ({"anything": "one two"}, {}, 2),
        ({"task": "one", "result": "one two"}, {}, 2),
        ({"draft": "one", "text": "one two"}, {}, 2),
        ({"n": 3, "summary": "one two"}, {}, 2),
        ({"draft": None}, {}, 0),
        ({"draft": ["a b", "c"]}, {}, 3),
        ({}, {"prompt": "one two three"}, 3),
    ],
)
def test_which_text_is_looked_at(inputs: dict[str, Any], about: dict[str, Any], words: int, ask: Ask) -> None:
    answer = ask(service_from("gate:word-count?min=100", name="g"), inputs, **about)
    assert answer["issues"][0].startswith(f"it has {words} word")


def test_of_names_the_text(ask: Ask) -> None:
    made = service_from("gate:word-count?min=2&of=summary", name="g")
    assert ask(made, {"text": "one", "summary": "one two"})["passed"]
    with pytest.raises(ServiceError, match="was given no `summary`"):
        ask(made, {"text": "one"})


def test_no_text_is_an_error(ask: Ask) -> None:
    with pytest.raises(ServiceError, match="no text to check") as caught:
        ask(service_from("gate:json", name="g"), {"a": 1, "b": 2})
    assert caught.value.name == "contract"


def test_a_text_that_is_too_large_is_refused(ask: Ask) -> None:
    with pytest.raises(ServiceError, match="more than 2,000,000 characters"):
        ask(service_from("gate:json", name="g"), {"text": "x" * 2_000_001})


def test_a_pattern_that_would_never_end_is_ended(ask: Ask) -> None:
    start = time.monotonic()
    with pytest.raises(ServiceError, match=r"took longer than 0\.2 s") as caught:
        ask(service_from("gate:regex?pattern=^(a%2B)%2B$&seconds=0.2", name="g"), {"text": "a" * 60 + "!"})
    assert caught.value.name == "timeout"
    assert time.monotonic() - start < 8


def test_a_running_pattern_is_ended_on_cancel() -> None:
    async def run() -> None:
        made = service_from("gate:regex?pattern=^(a%2B)%2B$&seconds=60", name="g")
        task = asyncio.create_task(made.call(Call("g", {"text": "a" * 60 + "!"})))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await made.close()

    start = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - start < 8


@pytest.mark.parametrize("text", ["(" * 5000 + ")" * 5000, "-" * 200_000 + "1", "[" * 90_000, "f(" * 3000])
def test_code_that_is_nested_too_deeply_is_a_verdict(text: str, ask: Ask) -> None:
    answer = ask(service_from("gate:python-syntax", name="g"), {"code": text})
    assert not answer["passed"]


def test_code_is_not_run(tmp_path: Path, ask: Ask) -> None:
    mark = tmp_path / "mark"
    assert ask(service_from("gate:python-syntax", name="g"), {"code": f"open({str(mark)!r}, 'w')"})["passed"]
    assert not mark.exists()


def test_a_code_fence_is_named(ask: Ask) -> None:
    for gate in ("json", "python-syntax"):
        answer = ask(service_from(f"gate:{gate}", name="g"), {"text": "```\n{}\n```"})
        assert "without a code fence" in answer["suggestions"][0]


def test_a_command_decides_by_its_status(program: Callable[[str, str], Path], ask: Ask) -> None:
    path = program(
        "lint", "import sys\ntext = sys.stdin.read()\nif 'bad' in text:\n    print('line 1: bad'); sys.exit(1)\n"
    )
    made = service_from("gate:command?run=./lint -q", name="g", base=path.parent)
    assert ask(made, {"text": "good"})["passed"]
    answer = ask(made, {"text": "bad"})
    assert (answer["passed"], answer["issues"]) == (False, ["line 1: bad"])
    program("silent", "raise SystemExit(4)\n")
    answer = ask(service_from("gate:command?run=./silent", name="g", base=path.parent), {"text": ""})
    assert answer["issues"] == ["`silent` ended with status 4"]
    program("slow", "import time\ntime.sleep(60)\n")
    with pytest.raises(ServiceError, match=r"took longer than 0\.3 s"):
        ask(service_from("gate:command?run=./slow&seconds=0.3", name="g", base=path.parent), {"text": ""})


SCHEMA = {
    "type": "object",
    "required": ["title", "score"],
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string", "minLength": 2, "maxLength": 5},
        "score": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2},
        "count": {"type": ["integer", "null"]},
        "kind": {"const": 1},
    },
}


@pytest.mark.parametrize(
    ("value", "issues"),
    [
        ({"title": "abc", "score": 0.5, "tags": ["a"], "count": 2.0, "kind": 1}, []),
        ({"title": "abc", "score": 0}, []),
        ([], ["$: is array, not object"]),
        ({"title": "a"}, ["$: has no `score`", "$.title: has 1 characters, fewer than 2"]),
        ({"title": "abc", "score": 1}, ["$.score: is 1, not below 1"]),
        ({"title": "abc", "score": True}, ["$.score: is boolean, not number"]),
        ({"title": "abc", "score": 0, "more": 1}, ["$: has `more`, which the schema does not know"]),
        (
            {"title": "abc", "score": 0, "tags": ["c", "a", "b"]},
            ["$.tags: has 3 items, more than 2", '$.tags[0]: is none of "a", "b"'],
        ),
        ({"title": "abc", "score": 0, "kind": True}, ["$.kind: is not 1"]),
        ({"title": "abc", "score": 0, "count": 1.5}, ["$.count: is number, not integer or null"]),
    ],
)
def test_json_schema(tmp_path: Path, value: object, issues: list[str], ask: Ask) -> None:
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    made = service_from("gate:json-schema?schema=schema.json", name="g", base=tmp_path)
    assert ask(made, {"text": json.dumps(value)})["issues"] == issues


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ('{"properties": {"a": {"pattern": "x"}}}', "#/properties/a: `pattern` is not read"),
        ('{"type": "text"}', '`type` is "text"'),
        ("[1]", "a schema is an object"),
        ("{", "is not JSON"),
    ],
)
def test_a_schema_beyond_the_subset_is_refused_when_bound(tmp_path: Path, schema: str, said: str) -> None:
    (tmp_path / "schema.json").write_text(schema)
    with pytest.raises(BindingFault) as caught:
        service_from("gate:json-schema?schema=schema.json", name="g", base=tmp_path)
    assert caught.value.code == "gate-option"
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("target", "code", "said", "help_"),
    [
        ("gate:jsn", "unknown-gate", "no gate `jsn`", "`json`"),
        ("gate:zzzzzzzz", "unknown-gate", "no gate `zzzzzzzz`", "`python-syntax`"),
        ("gate:word-count", "gate-option", "needs `min` or `max`", "min=100"),
        ("gate:word-count?min=5&max=2", "gate-option", "`min` 5 is above `max` 2", "exchange"),
        ("gate:word-count?min=-1", "gate-option", "`min` is `-1`", "min=100"),
        ("gate:word-count?mni=1", "gate-option", "no option `mni`", "`min`"),
        ("gate:word-count?min=1&min=2", "gate-option", "given 2 times", "once"),
        ("gate:word-count?min", "gate-option", "`min` has no value", "min=VALUE"),
        ("gate:regex", "gate-option", "needs `pattern`", "pattern="),
        ("gate:regex?pattern=(", "gate-option", "is not a pattern", "mend"),
        ("gate:regex?pattern=a&flags=q", "gate-option", "`flags` has `q`", "i, m, s"),
        ("gate:regex?pattern=a&seconds=0", "gate-option", "`seconds` is `0`", "seconds=5"),
        ("gate:contains", "gate-option", "needs `text` or `without`", "text="),
        ("gate:contains?text=a&case=maybe", "gate-option", "neither yes nor no", "case=yes"),
        ("gate:command", "gate-option", "needs `run`", "run="),
        ("gate:command?run=no-such-program-at-all", "program-not-found", "no program", "install"),
        ("gate:json-schema?schema=absent.json", "gate-option", "no file absent.json", "relative to"),
        ("gate:", "malformed-target", "nothing follows `gate:`", "gate:json"),
    ],
)
def test_a_gate_that_is_asked_for_wrongly(target: str, code: str, said: str, help_: str, tmp_path: Path) -> None:
    with pytest.raises(BindingFault) as caught:
        service_from(target, name="g", base=tmp_path)
    assert caught.value.code == code
    assert said in caught.value.message
    assert help_ in caught.value.help


def test_every_gate_declares_what_it_answers(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("true")
    options = {
        "word-count": "?min=1",
        "contains": "?text=a",
        "regex": "?pattern=a",
        "command": "?run=ls",
        "json-schema": "?schema=s.json",
    }
    for gate in GATES:
        made = service_from(f"gate:{gate}{options.get(gate, '')}", name="g", base=tmp_path)
        assert made.signature is not None
        assert made.signature.open
        assert made.signature.outputs == ("passed", "score", "issues", "suggestions")
