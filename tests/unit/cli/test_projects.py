"""`prose services` and `prose trust`."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Prose = Callable[..., Any]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (folder / "prose.toml").write_text(
        '[services]\nworker = "cmd:cat"\ncritics = ["gate:json", "cmd:sort"]\n', encoding="utf-8"
    )
    return folder


def test_services_are_listed_with_their_places(prose: Prose, project: Path) -> None:
    ran = prose("services")
    assert ran.status == 0
    assert "worker   cmd:cat  prose.toml:2\n" in ran.out
    assert "critics  cmd:sort  prose.toml:3\n" in ran.out
    assert "not trusted yet" in ran.out
    data = json.loads(prose("services", "--format", "json").out)
    assert data["trusted"] is False
    assert [item["target"] for item in data["services"]] == ["cmd:cat", "gate:json", "cmd:sort"]


def test_consent_needs_a_person_or_a_word(prose: Prose, project: Path) -> None:
    ran = prose("trust")
    assert ran.status == 2
    assert "--yes" in ran.err
    assert "start cat (for `worker`)" in ran.err
    ran = prose("trust", "--yes")
    assert ran.status == 0
    assert "start cat (for `worker`)" in ran.err
    assert "trusted\n" in prose("services").out
    assert "is trusted" in prose("trust").err


def test_consent_ends_with_a_change(prose: Prose, project: Path) -> None:
    prose("trust", "--yes")
    with (project / "prose.toml").open("a", encoding="utf-8") as file:
        file.write('other = "cmd:rm"\n')
    said = "has changed since you trusted it (`other` under [services] in prose.toml)"
    assert said in prose("services").out
    assert said in prose("trust").err


def test_no_project_is_said(prose: Prose, tmp_path: Path) -> None:
    for command in ("services", "trust"):
        ran = prose(command, tmp_path)
        assert ran.status == 2
        assert "no prose.toml" in ran.err


def test_a_broken_project_shows_its_place(prose: Prose, project: Path) -> None:
    (project / "prose.toml").write_text("[services]\nworker = 3\n", encoding="utf-8")
    ran = prose("services")
    assert ran.status == 2
    assert "prose.toml:2:" in ran.err
    assert "[project-file]" in ran.err


def test_a_secret_is_masked_wherever_a_run_is_shown(
    prose: Prose, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the user gave it as an input: the service receives it, the record does not."""
    monkeypatch.setenv("TOKEN", "a-very-secret-word")
    (project / "prose.toml").write_text('[services]\nworker = "cmd:cat"\n[secrets]\nnames = ["TOKEN"]\n')
    (project / "one.prose.md").write_text(
        "---\nname: one\nkind: pattern\n---\n\n### Slots\n\n- `worker`\n\n### Requires\n\n- `token` (string): it\n\n"
        "### Delegation\n\n```prose\nlet kept = token\n"
        "let a = call worker\n  token: token\nreturn a.nothing.here\n```\n"
    )
    run = ("run", "one.prose.md", "--trust", "--input", "token=a-very-secret-word")
    for words in (run, (*run, "--json"), (*run, "--progress", "plain"), (*run, "--timeout", "0.0001")):
        ran = prose(*words)
        assert "a-very-secret-word" not in ran.out + ran.err
    assert json.loads(prose(*run, "--json").out)["calls"][0]["inputs"] == {"token": "[secret TOKEN]"}


def test_a_check_says_of_each_binding_whether_it_can_be_reached(prose: Prose, project: Path) -> None:
    (project / "lib.py").write_text("print('imported')\n\ndef kind(text):\n    return text\n", encoding="utf-8")
    (project / "prose.toml").write_text(
        '[services]\nworker = "cmd:cat"\ncritics = ["py:lib.py:kind", "py:lib.py:kidn"]\nasked = "ask"\n'
        'renamed = { use = "http://127.0.0.1:9/x", answer = "a" }\n',
        encoding="utf-8",
    )
    ran = prose("services", "--check")
    assert ran.status == 2
    assert "untrusted-project" in ran.err
    assert "imported" not in ran.out + ran.err
    ran = prose("services", "--check", "--trust")
    assert ran.status == 1
    assert "worker   cmd:cat  prose.toml:2  found\n" in ran.out
    assert "critics  py:lib.py:kind  prose.toml:3  found\n" in ran.out
    assert "critics  py:lib.py:kidn  prose.toml:3\n  error: `critics`" in ran.out
    assert "help: " in ran.out
    assert "imported" not in ran.out
    data = json.loads(prose("services", "--check", "--trust", "--format", "json").out)
    assert [item["ok"] for item in data["services"]][:4] == [True, True, False, True]
    (project / "prose.toml").write_text('[services]\nworker = "cmd:cat"\n', encoding="utf-8")
    assert prose("services", "--check", "--trust").status == 0


def test_an_address_is_connected_to_and_sent_nothing(prose: Prose, project: Path) -> None:
    pytest.importorskip("httpx2")
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def listen() -> None:
            with server.accept()[0] as client:
                heard.append(client.recv(100))

        accepting = threading.Thread(target=listen, daemon=True)
        accepting.start()
        (project / "prose.toml").write_text(
            f'[services]\nworker = "http://127.0.0.1:{port}/x"\ngone = "http://127.0.0.1:9/x"\n', encoding="utf-8"
        )
        ran = prose("services", "--check", "--trust")
        accepting.join(60)
    assert heard == [b""]
    assert f"worker  http://127.0.0.1:{port}/x  prose.toml:2  reached 127.0.0.1:{port}\n" in ran.out
    assert "error: 127.0.0.1:9 could not be reached: Connection refused" in ran.out
    assert ran.status == 1


def test_the_schema_is_printed(prose: Prose, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # no project is needed
    assert json.loads(prose("services", "--schema").out)["title"] == "prose.toml"
