"""Coding agents as services, with stand-in programs that take the same arguments and write the same JSON."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import prose_runtime as prose
from prose_runtime.runtime.port import Call, ServiceError, Turn, Usage, keys_of
from prose_runtime.services import BindingFault, load_project, needs_trust, project_services, service_from
from prose_runtime.services.agent_replies import read_claude, read_codex
from prose_runtime.services.agents import AgentService
from prose_runtime.services.command import CommandLine
from prose_runtime.services.lenient import json_in, strict

Ask = Callable[..., Any]
SCORE = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}

# Both take their flags as the real ones do, write down what they were given, and answer with what `reply.json` says.
CLAUDE = """
import argparse, json, os, sys
flags = argparse.ArgumentParser()
flags.add_argument("--print", action="store_true", required=True)
flags.add_argument("--output-format", choices=["json"], required=True)
flags.add_argument("--allowedTools", nargs="+", default=[])
flags.add_argument("--permission-mode", choices=["default", "acceptEdits", "plan"])
flags.add_argument("--max-turns", type=int)
flags.add_argument("--append-system-prompt")
flags.add_argument("--json-schema", type=json.loads)
flags.add_argument("--model")
here = os.path.dirname(os.path.abspath(__file__))
got = {**vars(flags.parse_args()), "stdin": sys.stdin.read(), "cwd": os.getcwd(), "env": sorted(os.environ)}
json.dump(got, open(os.path.join(here, "got.json"), "w"))
reply = json.load(open(os.path.join(here, "reply.json")))
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "session_id": "s",
    "total_cost_usd": 0.25, "usage": {"input_tokens": 4, "cache_creation_input_tokens": 100,
    "cache_read_input_tokens": 1000, "output_tokens": 20}, **reply}))
sys.exit(1 if reply.get("is_error") else 0)
"""
CODEX = """
import argparse, json, os, sys
assert sys.argv[1] == "exec"
flags = argparse.ArgumentParser()
flags.add_argument("--json", action="store_true", required=True)
flags.add_argument("--skip-git-repo-check", action="store_true")
flags.add_argument("--sandbox", choices=["read-only", "workspace-write", "danger-full-access"])
flags.add_argument("--model")
flags.add_argument("--output-schema", type=lambda path: json.load(open(path)))
flags.add_argument("prompt", choices=["-"])
here = os.path.dirname(os.path.abspath(__file__))
got = {**vars(flags.parse_args(sys.argv[2:])), "stdin": sys.stdin.read(), "cwd": os.getcwd()}
json.dump(got, open(os.path.join(here, "got.json"), "w"))
print("Reading prompt from stdin...", file=sys.stderr)
for event in json.load(open(os.path.join(here, "reply.json"))):
    print(json.dumps(event))
"""


def said(text: str) -> list[dict[str, Any]]:
    return [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "0", "type": "reasoning", "text": "hm"}},
        {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "first"}},
        {"type": "item.completed", "item": {"id": "2", "type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": {"input_tokens": 50, "cached_input_tokens": 40, "output_tokens": 7}},
    ]


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in PATH with a `claude` and a `codex`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("claude", CLAUDE), ("codex", CODEX)):
        (folder / name).write_text(f"#!{sys.executable}\n{text}")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    return folder


def given(agents: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((agents / "got.json").read_text())
    return found


def reply(agents: Path, value: object) -> None:
    (agents / "reply.json").write_text(json.dumps(value))


def test_claude_gets_words_and_gives_words(agents: Path, tmp_path: Path) -> None:
    reply(agents, {"result": "a letter"})
    made = service_from("agent:claude", name="writer", base=tmp_path)
    answer = asyncio.run(made.call(Call("writer", {"topic": "rain ☂"}, instructions="# writer\n\nWrite.")))
    assert answer.value == "a letter"
    assert answer.usage == Usage(1104, 20, 0.25)
    got = given(agents)
    assert "rain ☂" in got["stdin"]
    assert "topic" in got["stdin"]
    assert got["append_system_prompt"] == "# writer\n\nWrite."
    assert got["cwd"] == str(tmp_path)
    assert (got["allowedTools"], got["permission_mode"], got["json_schema"]) == ([], None, None)
    assert set(got["env"]) - {"LC_CTYPE"} <= {"PATH", "HOME", "LANG", "TMPDIR"}


def test_claude_is_given_leave_a_folder_and_a_model(agents: Path, tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "work").mkdir()
    reply(agents, {"result": "done"})
    target = "agent:claude?tools=Read,Bash(git log:*)&tools=Edit&edits=yes&turns=7&model=opus&folder=work"
    made = service_from(target, name="coder", base=tmp_path)
    assert ask(made, {}, prompt="Mend it.") == "done"
    got = given(agents)
    assert got["allowedTools"] == ["Read,Bash(git log:*),Edit"]
    assert (got["permission_mode"], got["max_turns"], got["model"]) == ("acceptEdits", 7, "opus")
    assert got["cwd"] == str(tmp_path / "work")
    assert got["stdin"] == "Mend it."


def test_claude_is_asked_for_a_form(agents: Path, tmp_path: Path, ask: Ask) -> None:
    made = service_from("agent:claude", name="critic", base=tmp_path)
    reply(agents, {"result": "here it is", "structured_output": {"score": 0.5}})
    assert ask(made, {}, schema=SCORE) == {"score": 0.5}
    assert given(agents)["json_schema"] == SCORE
    reply(agents, {"result": 'Gladly:\n```json\n{"score": 1}\n```\nDone.'})
    assert ask(made, {}, schema=SCORE) == {"score": 1}
    reply(agents, {"result": "0.75"})
    assert ask(made, {}, schema={"type": "number"}) == 0.75
    assert given(agents)["json_schema"] is None
    assert '{"type": "number"}' in given(agents)["stdin"]


def test_a_long_contract_is_read_and_no_argument(agents: Path, tmp_path: Path, ask: Ask) -> None:
    reply(agents, {"result": "ok"})
    made = service_from("agent:claude", name="w", base=tmp_path)
    assert ask(made, {}, instructions="long " * 50_000, prompt="Go.") == "ok"
    got = given(agents)
    assert got["append_system_prompt"] is None
    assert got["stdin"].startswith("long long")
    assert got["stdin"].endswith("Go.")


def test_memory_skills_and_options_are_told(agents: Path, tmp_path: Path, ask: Ask) -> None:
    reply(agents, {"result": "ok"})
    made = service_from("agent:claude", name="w", base=tmp_path)
    turn = Turn("about rain", "it is wet")
    ask(made, {}, prompt="Shorter.", memory=(turn,), skills=("poems",), options=("yes", "no"))
    got = given(agents)
    assert got["stdin"].index("about rain") < got["stdin"].index("it is wet") < got["stdin"].index("Shorter.")
    assert '["yes", "no"]' in got["stdin"]
    assert got["append_system_prompt"] == "Use these skills: poems."


@pytest.mark.parametrize(
    ("value", "message", "transient"),
    [
        ({"is_error": True, "subtype": "error_max_turns"}, "not done within its turns", False),
        ({"is_error": True, "result": "Invalid API key\n· Please run /login"}, "Invalid API key · Please run", True),
        ({"subtype": "error_during_execution"}, "error_during_execution", True),
    ],
)
def test_what_claude_says_of_its_failure(
    agents: Path, tmp_path: Path, ask: Ask, value: object, message: str, transient: bool
) -> None:
    reply(agents, value)
    with pytest.raises(ServiceError) as caught:
        ask(service_from("agent:claude", name="w", base=tmp_path))
    assert message in caught.value.message
    assert caught.value.transient is transient
    assert caught.value.usage == Usage(1104, 20, 0.25)


def test_codex_gets_words_and_gives_its_last_message(agents: Path, tmp_path: Path) -> None:
    reply(agents, said('{"score": 0.5}'))
    made = service_from("agent:codex", name="critic", base=tmp_path)
    answer = asyncio.run(made.call(Call("critic", {"draft": "x"}, instructions="Judge.", schema=SCORE)))
    assert answer.value == {"score": 0.5}
    assert answer.usage == Usage(50, 7)
    got = given(agents)
    assert got["sandbox"] == "read-only"
    assert got["output_schema"] == {**SCORE, "additionalProperties": False}
    assert got["stdin"].startswith("Judge.")
    assert "draft" in got["stdin"]


def test_codex_is_asked_in_words_for_what_is_no_strict_schema(agents: Path, tmp_path: Path, ask: Ask) -> None:
    reply(agents, said('It is: {"a": [1]}'))
    schema = {"type": "object", "properties": {"a": {}}}
    made = service_from("agent:codex?edits=yes&model=o9", name="c", base=tmp_path)
    assert ask(made, {}, schema=schema) == {"a": [1]}
    got = given(agents)
    assert (got["output_schema"], got["sandbox"], got["model"]) == (None, "workspace-write", "o9")
    assert json.dumps(schema) in got["stdin"]


def test_what_codex_says_of_its_failure(agents: Path, tmp_path: Path, ask: Ask) -> None:
    reply(
        agents, [{"type": "error", "message": "once more"}, {"type": "turn.failed", "error": {"message": "no credit"}}]
    )
    with pytest.raises(ServiceError, match="no credit"):
        ask(service_from("agent:codex", name="w", base=tmp_path))


@pytest.mark.parametrize("text", ["", "no json", "[1, 2]", '{"type": "system"}', '{"type": "result"', "null"])
def test_no_result_is_none(text: str) -> None:
    assert read_claude(text) is None
    assert read_codex(text) is None


def test_a_result_is_found_among_events() -> None:
    lines = '{"type": "system"}\nnoise\n{"type": "result", "subtype": "success", "result": "x"}\n'
    for text in (lines, '[{"type": "system"}, {"type": "result", "subtype": "success", "result": "x"}]'):
        found = read_claude(text)
        assert found is not None
        assert (found.text, found.usage) == ("x", Usage())


def test_a_later_turn_makes_good_for_a_failed_one() -> None:
    events = [{"type": "turn.failed", "error": {}}, *said("late"), *said("last")]
    found = read_codex("\n".join(map(json.dumps, events)))
    assert found is not None
    assert (found.text, found.failed, found.usage) == ("last", "", Usage(100, 14))


def test_a_program_without_a_result(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\necho 'out of memory' >&2\nexit 3\n")
    path.chmod(0o755)
    made = AgentService("claude", CommandLine((str(path),), tmp_path, {}), name="w", target="agent:claude")
    with pytest.raises(ServiceError, match=r"ended with status 3 without a result: out of memory"):
        ask(made)


def test_an_agent_that_takes_too_long_is_ended(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\nexec sleep 600\n")
    path.chmod(0o755)
    line = CommandLine((str(path),), tmp_path, {"PATH": os.environ["PATH"]})
    made = AgentService("claude", line, name="w", target="agent:claude", timeout=0.2)
    with pytest.raises(ServiceError, match=r"was not done within 0\.2 s") as caught:
        ask(made)
    assert caught.value.name == "timeout"


def test_a_missing_one_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for kind, package in (("claude", "@anthropic-ai/claude-code"), ("codex", "@openai/codex")):
        with pytest.raises(BindingFault) as caught:
            service_from(f"agent:{kind}", name="w")
        assert caught.value.code == "program-not-found"
        assert f"npm install -g {package}" in caught.value.help


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("agent:cluade", "there is no coding agent `cluade`"),
        ("agent:claude?tool=Read", "no option `tool`"),
        ("agent:codex?tools=Read", "no option `tools`"),
        ("agent:claude?edits=maybe", "neither yes nor no"),
        ("agent:claude?timeout=soon", "`timeout` is `soon`"),
        ("agent:claude?folder=nowhere", "there is no folder"),
    ],
)
def test_what_is_wrong_with_a_target(agents: Path, tmp_path: Path, target: str, reason: str) -> None:
    with pytest.raises(BindingFault) as caught:
        service_from(target, name="w", base=tmp_path)
    assert caught.value.code == "malformed-target"
    assert reason in caught.value.message


def test_a_project_says_what_it_starts_and_keeps_it_inside(
    agents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-0123456789")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "prose.toml").write_text(
        '[services]\nw = { use = "agent:claude?tools=Read", environment = ["MODE"] }\nx = "agent:codex?folder=.."\n'
    )
    project = load_project(folder)
    assert project is not None
    assert needs_trust(project, ["w"]) == [
        "start claude (agent:claude?tools=Read) (for `w`, given ANTHROPIC_API_KEY, MODE)"
    ]
    (made,) = project_services(project, ["w"]).values()
    assert keys_of(made) == {"ANTHROPIC_API_KEY": "sk-0123456789"}
    with pytest.raises(BindingFault) as caught:
        project_services(project, ["x"])
    assert caught.value.code == "outside-project"


def test_an_agent_in_a_slot_is_told_what_the_pattern_says_of_it_and_its_key_is_masked(
    agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-0123456789")
    reply(agents, {"result": "the key is sk-0123456789", "structured_output": {"score": 1, "suggestions": []}})
    outcome = prose.run(
        "std/patterns/refine",
        bind={"refiner": lambda **inputs: "a draft", "evaluator": "agent:claude"},
        inputs={"task_brief": "a letter"},
    )
    assert outcome.status == "done", outcome.error
    got = given(agents)
    assert got["append_system_prompt"].startswith("# evaluator")
    assert got["json_schema"]["properties"]["score"] == {"type": "number"}
    assert outcome.usage.cost == 0.25
    reply(agents, {"is_error": True, "result": "bad key sk-0123456789"})
    failed = prose.run(
        "std/patterns/refine", bind={"refiner": "agent:claude", "evaluator": "gate:json"}, inputs={"task_brief": "x"}
    )
    assert failed.error is not None
    assert "bad key [secret ANTHROPIC_API_KEY]" in failed.error.message


def test_json_is_found_in_words() -> None:
    assert json_in('{"a": 1}') == {"a": 1}
    assert json_in("```\n[1]\n```") == [1]
    assert json_in('So {"a": {"b": 2}} it is.') == {"a": {"b": 2}}
    assert json_in("no json {at all}") is None


def test_a_schema_is_made_strict() -> None:
    loose = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "string"}},
            "b": {"type": "number", "description": "n"},
        },
        "required": ["a"],
    }
    assert strict(loose) == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "string"}},
            "b": {"anyOf": [{"type": "number", "description": "n"}, {"type": "null"}]},
        },
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert strict({"type": "array"}) is None
    assert strict({"anyOf": [{"type": "string"}, {}]}) is None
