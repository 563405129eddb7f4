"""The JSON schema of prose.toml says of a file what the reader says of it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.services import BindingFault
from prose_runtime.services.project import read_project
from prose_runtime.services.project_schema import project_schema
from prose_runtime.source import SourceText

VALID = [
    "",
    '[services]\na = "cmd:x"',
    '[services]\na = ["cmd:x", { use = "gate:json", answer = "b" }]',
    '[services]\na = { one = "cmd:x", two = { use = "cmd:y" } }',
    '[services]\na = { use = "cmd:x", inputs = { b = "c" }, environment = ["D"] }',
    '[services]\na = { use = "https://e.org", headers = { A = "${B}" }, send = "call", timeout = 1.5 }',
    "[budget]\nmax_calls = 1\nmax_tokens = 2\nmax_cost = 0.5\ntimeout = 3\nmax_parallel = 4",
    '[environment]\npass = ["A"]\n[secrets]\nnames = []',
    '[mcp.a]\ncommand = ["b", "c"]\nenvironment = ["D"]\ntimeout = 5',
    '[mcp.a]\nurl = "https://e.org/mcp"\nheaders = { A = "b" }',
    '[check]\nunused-name = "off"',
]
INVALID = [
    '[service]\na = "cmd:x"',
    "[services]\na = 1",
    "[services]\na = []",
    "[services]\na = [1]",
    '[services]\na = { answer = "b" }',
    '[services]\na = { use = "cmd:x", answer = 1 }',
    '[services]\na = { use = "cmd:x", inputs = { b = 1 } }',
    '[services]\na = { use = "cmd:x", environment = ["A B"] }',
    '[services]\na = { use = "https://e.org", send = "all" }',
    '[services]\na = { use = "https://e.org", timeout = 0 }',
    '[services]\na = { use = "https://e.org", headers = { A = 1 } }',
    "[budget]\nmax_calls = 0",
    "[budget]\nmax_calls = 1.5",
    "[budget]\nmax_cost = true",
    "[budget]\nmax_call = 1",
    '[environment]\npass = "A"',
    '[environment]\nnames = ["A"]',
    '[secrets]\nnames = ["A=b"]',
    "[mcp.a]",
    '[mcp.a]\ncommand = "b"',
    '[mcp.a]\ncommand = ["b"]\nurl = "https://e.org"',
    '[mcp.a]\nurl = "e.org"',
    '[check]\nunused-nam = "off"',
    '[check]\nunused-name = "loud"',
    '[check]\nunknown-call = "off"',
    "services = 1",
]


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(project_schema())
    return jsonschema.Draft202012Validator(project_schema())


@pytest.mark.parametrize("text", VALID)
def test_what_is_read_fits(text: str, validator: Any, tmp_path: Path) -> None:
    read_project(SourceText("prose.toml", text), tmp_path)
    assert [error.message for error in validator.iter_errors(tomllib.loads(text))] == []


@pytest.mark.parametrize("text", INVALID)
def test_what_is_refused_does_not_fit(text: str, validator: Any, tmp_path: Path) -> None:
    with pytest.raises(BindingFault):
        read_project(SourceText("prose.toml", text), tmp_path)
    assert not validator.is_valid(tomllib.loads(text))
