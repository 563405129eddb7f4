"""What a run needs of the machine, and what of it is never written down."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import prose_runtime as prose
from prose_runtime.resolve.needs import needs_of
from prose_runtime.runtime.port import Call
from prose_runtime.services.project import load_project
from prose_runtime.services.readiness import missing_needs
from prose_runtime.source import SourceText
from prose_runtime.syntax import read

SEND = """---
name: send
kind: function
---

### Parameters

- `text`: what is sent

### Returns

- `sent`: what was sent

### Environment

- `MAIL_TOKEN`: the key
- `MAIL_HOST`: (required for smtp) the server

### Tools

- `cli:mail-program`: sends it
- `mcp:post`: (optional) sends it
"""
SECRET = "very-secret-value"


def missing(tmp_path: Path, text: str = SEND, **values: str) -> list[str]:
    loaded = prose.load(text)
    found = missing_needs(loaded.program.units, load_project(tmp_path), values)
    return [item.message for item in found]


def test_what_a_definition_needs() -> None:
    document, _ = read(SourceText("send.prose.md", SEND))
    assert [(need.kind, need.name, need.required) for need in needs_of(document.main)] == [
        ("environment", "MAIL_TOKEN", True),
        ("environment", "MAIL_HOST", False),
        ("cli", "mail-program", True),
        ("mcp", "post", False),
    ]


def test_each_lack_is_named(tmp_path: Path) -> None:
    messages = missing(tmp_path, PATH=str(tmp_path))
    assert len(messages) == 2
    assert "MAIL_TOKEN" in messages[0]
    assert f"`mail-program`, which is not found (looked in PATH: {tmp_path})" in messages[1]


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    assert "MAIL_TOKEN" in missing(tmp_path, PATH=str(tmp_path), MAIL_TOKEN="")[0]


def test_a_program_is_looked_for_and_not_started(tmp_path: Path) -> None:
    program = tmp_path / "mail-program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    assert missing(tmp_path, PATH=str(tmp_path), MAIL_TOKEN=SECRET) == []
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("table", "count"), [("[mcp.post]\ncommand = ['x']\n", 0), ("[mcp.other]\ncommand = ['y']\n", 1)]
)
def test_a_server_is_one_that_the_project_names(tmp_path: Path, table: str, count: int) -> None:
    (tmp_path / "prose.toml").write_text(table)
    text = SEND.replace("(optional) sends it", "sends it").replace("- `cli:mail-program`: sends it\n", "")
    assert len(missing(tmp_path, text, MAIL_TOKEN=SECRET)) == count


def test_a_function_that_somebody_else_fulfils_needs_nothing() -> None:
    text = "---\nname: outer\nkind: pattern\n---\n\n### Delegation\n\n```prose\nreturn call send\n  text: 1\n```\n\n"
    inner = SEND.split("---\n", 2)[2].replace("### Parameters", "## send\n\n### Parameters", 1)
    assert prose.run(text + inner, bind={"send": lambda text: "sent"}).result == "sent"
    with pytest.raises(prose.CheckFailed) as caught:
        prose.run(text + inner, bind={"model": lambda call: "sent"})
    assert "environment-not-set" in {item.code for item in caught.value.diagnostics}


def test_a_declared_variable_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_TOKEN", SECRET)
    text = SEND.split("### Tools")[0]

    def model(call: Call) -> str:
        return f"with {os.environ['MAIL_TOKEN']}"

    outcome = prose.run(text, bind={"model": model}, inputs={"text": "x"})
    assert outcome.result == "with [secret MAIL_TOKEN]"


def test_a_value_too_short_to_be_told_from_text_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_TOKEN", "smtp")
    outcome = prose.run(SEND.split("### Tools")[0], bind={"model": lambda call: "by smtp"}, inputs={"text": "x"})
    assert outcome.result == "by smtp"


def test_inputs_of_a_file_are_renamed_by_the_project(tmp_path: Path) -> None:
    from prose_runtime.api import load, prepare

    (tmp_path / "prose.toml").write_text(
        '[services]\nwriter = { use = "./send.prose.md", inputs = { text = "topic" } }\n'
    )
    (tmp_path / "send.prose.md").write_text(
        SEND.split("### Environment")[0] + "### Execution\n\n```prose\nreturn text\n```\n"
    )
    pattern = (
        "---\nname: p\nkind: pattern\n---\n\n### Slots\n\n- `writer`\n\n### Delegation\n\n"
        '```prose\nreturn call writer\n  topic: "rain"\n```\n'
    )
    prepared = prepare(load(pattern), project=load_project(tmp_path))
    prepared.raise_for_errors()
    import asyncio

    assert asyncio.run(prepared.execute()).result == "rain"
