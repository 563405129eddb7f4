"""`prose.toml`: what it binds and grants, where its faults are, and what of it needs trust."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.services import (
    BindingFault,
    Project,
    find_project,
    is_trusted,
    load_project,
    needs_trust,
    project_services,
    require_trust,
    service_from,
    set_environment,
    trust,
    trust_state,
)
from prose_runtime.services.environment import parse_dotenv, project_environment, read_dotenv
from prose_runtime.services.project import Limits

Ask = Callable[..., Any]

TOML = """# a project
[services]
critic = "cmd:./critic.sh"
reviewers = ["py:lib/review.py:strict", "gate:json"]
refiner = { use = "py:lib/refine.py:run", inputs = { topic = "task_brief" }, answer = "result", environment = ["MODE"] }

[budget]
max_calls = 40
timeout = 2.5

[environment]
pass = ["DATA_DIR"]

[secrets]
names = ["SEARCH_KEY"]
"""


def write(folder: Path, text: str) -> Project:
    (folder / "prose.toml").write_text(text, newline="")
    project = load_project(folder)
    assert project is not None
    return project


@pytest.fixture
def full(tmp_path: Path) -> Project:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "review.py").write_text("def strict(draft):\n    return 'strict'\n")
    (tmp_path / "lib" / "refine.py").write_text("def run(topic):\n    return topic + '!'\n")
    (tmp_path / "critic.sh").write_text('#!/bin/sh\necho "$DATA_DIR,$MODE,$SEARCH_KEY"\n')
    (tmp_path / "critic.sh").chmod(0o755)
    return write(tmp_path, TOML)


@pytest.fixture(autouse=True)
def config(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("config")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder / "prose" / "trust.json"


def test_the_file_is_read(full: Project) -> None:
    assert set(full.services) == {"critic", "reviewers", "refiner"}
    assert full.lists == {"reviewers"}
    entry = full.services["refiner"][0]
    assert (entry.inputs, entry.answer, entry.environment) == ({"topic": "task_brief"}, "result", ("MODE",))
    assert full.source.slice(entry.span) == "py:lib/refine.py:run"
    assert full.limits == Limits(max_calls=40, timeout=2.5)
    assert full.declared_names == {"DATA_DIR", "MODE", "SEARCH_KEY"}


def test_it_is_that_of_the_folder_or_above(full: Project) -> None:
    below = full.root / "a" / "b"
    below.mkdir(parents=True)
    (below / "x.prose.md").write_text("")
    assert find_project(below / "x.prose.md") == full.file
    assert load_project(below) is not None
    (below / "prose.toml").write_text("")
    found = load_project(below / "x.prose.md")
    assert found is not None
    assert found.root == below


def test_services_are_made_with_inputs_renamed_and_the_answer_named(full: Project, ask: Ask) -> None:
    made = project_services(full)
    refiner = made["refiner"]
    assert not isinstance(refiner, tuple)
    assert refiner.signature is not None
    assert [item.name for item in refiner.signature.parameters] == ["task_brief"]
    assert refiner.signature.outputs == ("result",)
    assert ask(refiner, {"task-brief": "x"}) == {"result": "x!"}
    reviewers = made["reviewers"]
    assert isinstance(reviewers, tuple)
    assert ask(reviewers[0], {"draft": "d"}) == "strict"
    assert set(project_services(full, ["critic", "nothing"])) == {"critic"}


def test_a_plain_name_is_that_of_a_service_of_the_project(full: Project, ask: Ask) -> None:
    assert ask(service_from("refiner", name="other", project=full), {"task_brief": "x"}) == {"result": "x!"}


def test_an_answer_that_has_the_field_already_stays(tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "s.py").write_text("def run():\n    return {'result': 1, 'more': 2}\n")
    project = write(tmp_path, '[services]\na = { use = "py:s.py:run", answer = "result" }\n')
    assert ask(project_services(project)["a"]) == {"result": 1, "more": 2}


def test_programs_see_what_is_granted_and_nothing_else(full: Project, ask: Ask) -> None:
    outer = {**os.environ, "DATA_DIR": "data", "MODE": "fast", "SEARCH_KEY": "0123456789"}
    critic = project_services(full, ["critic"], environment=outer)["critic"]
    assert ask(critic) == "data,,"


@pytest.mark.parametrize(
    ("text", "code", "line", "said", "help_"),
    [
        ("[servises]\na = 'ask'\n", "unknown-project-key", 1, "table `[servises]`", "`services`"),
        ("[budget]\n\nmax_cals = 3\n", "unknown-project-key", 3, "`max_cals` in `[budget]`", "`max_calls`"),
        ("[services]\na = { us = 'ask' }\n", "unknown-project-key", 2, "`us` in the service `a`", "`use`"),
        ("[services.a]\nuse = 'ask'\nanswr = 'x'\n", "unknown-project-key", 3, "`answr`", "`answer`"),
        ("[secrets]\nname = ['A']\n", "unknown-project-key", 2, "`name`", "`names`"),
        ("[environment]\nA = 'value'\n", "unknown-project-key", 2, "`A`", "`pass`"),
        ("services = 3\n", "project-file", 1, "`services` is a number", "[services]"),
        ("[services]\nb = 'ask'\na = 3\n", "project-file", 3, "`a` is a number", "target text"),
        ("[services]\na = []\n", "project-file", 2, "the list of `a` is empty", "at least one"),
        ("[services]\na = { answer = 'x' }\n", "project-file", 2, "`a` has no `use`", "use ="),
        ("[services]\na = { use = 'ask', answer = 3 }\n", "project-file", 2, "`answer` of `a` is a number", "a text"),
        ("[services]\na = { use = 'ask', inputs = ['x'] }\n", "project-file", 2, "`inputs` of `a`", "inputs ="),
        ("[budget]\nmax_calls = 0\n", "project-file", 2, "`max_calls` is 0", "whole number above 0"),
        ("[budget]\nmax_calls = 2.5\n", "project-file", 2, "`max_calls` is 2.5", "whole number"),
        ("[budget]\ntimeout = '5m'\n", "project-file", 2, "`timeout` is '5m'", "(seconds)"),
        ("[budget]\ntimeout = true\n", "project-file", 2, "`timeout` is True", "(seconds)"),
        ("[budget]\ntimeout = inf\n", "project-file", 2, "`timeout` is inf", "(seconds)"),
        ("[secrets]\nnames = ['KEY=value']\n", "project-file", 2, "names of environment variables", "never values"),
        ("\n[services\n", "project-file", 2, "it is not TOML here", "mend"),
        ("a = 1\na = 2\n", "project-file", 2, "it is not TOML here", "mend"),
        ("a = [1,\n", "project-file", 2, "it is not TOML here", "mend"),
    ],
)
def test_faults_have_their_place(tmp_path: Path, text: str, code: str, line: int, said: str, help_: str) -> None:
    for written in (text, text.replace("\n", "\r\n")):
        with pytest.raises(BindingFault) as caught:
            write(tmp_path, written)
        found = caught.value.diagnostic("elsewhere")
        assert (found.code, found.line) == (code, line), found.message
        assert found.source.name == str(tmp_path / "prose.toml")
        assert said in found.message
        assert help_ in found.help


def test_bytes_that_are_no_text_are_said(tmp_path: Path) -> None:
    (tmp_path / "prose.toml").write_bytes(b"# ok\n# \xff\n")
    with pytest.raises(BindingFault, match="line 2 is not UTF-8"):
        load_project(tmp_path)


def test_a_fault_of_a_target_is_shown_in_the_file(tmp_path: Path) -> None:
    project = write(tmp_path, '[services]\na = "gate:json"\nb = "gate:jsn"\n')
    with pytest.raises(BindingFault) as caught:
        project_services(project)
    found = caught.value.diagnostic("elsewhere")
    assert (found.code, found.line, found.source.slice(found.labels[0].span)) == ("unknown-gate", 3, "gate:jsn")


@pytest.mark.parametrize(
    "target", ["py:../outside.py:run", "py:link.py:run", "script:../outside.py", "cmd:../outside.py"]
)
def test_files_outside_the_project_are_refused(tmp_path: Path, target: str) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    outside = tmp_path / "outside.py"
    outside.write_text("#!/bin/sh\nraise SystemExit('imported')\n")
    outside.chmod(0o755)
    (inside / "link.py").symlink_to(outside)
    project = write(inside, f'[services]\na = "{target}"\n')
    with pytest.raises(BindingFault) as caught:
        project_services(project)
    assert caught.value.code == "outside-project"


def test_what_the_user_writes_himself_may_lie_outside(tmp_path: Path, ask: Ask) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (tmp_path / "outside.py").write_text("def run():\n    return 1\n")
    project = write(inside, "")
    assert ask(service_from("py:../outside.py:run", name="a", project=project, base=inside)) == 1


def test_a_path_is_looked_for_in_the_folder_then_in_the_project(full: Project, ask: Ask) -> None:
    below = full.root / "below"
    below.mkdir()
    assert ask(service_from("py:lib/refine.py:run", name="a", project=full, base=below), {"topic": "x"}) == "x!"
    assert ask(service_from("cmd:./critic.sh", name="a", project=full, base=below)) == ",,"


# ---- trust ----


def test_what_a_run_would_use_is_listed(full: Project) -> None:
    assert needs_trust(full) == [
        "start ./critic.sh (for `critic`, given DATA_DIR)",
        "import lib/review.py (for `reviewers`)",
        "import lib/refine.py (for `refiner`)",
    ]
    assert needs_trust(full, ["refiner"]) == ["import lib/refine.py (for `refiner`)"]


def test_gates_and_scripts_need_none_but_a_command_does(tmp_path: Path) -> None:
    project = write(
        tmp_path,
        "[services]\na = 'gate:json'\nb = 'script:a.yaml'\nc = 'ask'\n"
        "d = 'gate:command?run=pytest -q'\ne = 'std/x'\nf = 'nonsense'\n",
    )
    assert needs_trust(project) == ["start pytest -q (for `d`)"]


def test_trust_is_kept_until_something_changes(full: Project, config: Path) -> None:
    assert not is_trusted(full)
    with pytest.raises(BindingFault) as caught:
        require_trust(full)
    assert caught.value.code == "untrusted-project"
    assert "start ./critic.sh" in caught.value.message
    assert "prose trust" in caught.value.help
    trust(full)
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert stat.S_IMODE(config.parent.stat().st_mode) == 0o700
    assert is_trusted(full)
    require_trust(full)
    again = load_project(full.root)
    assert again is not None
    assert is_trusted(again)


@pytest.mark.parametrize("path", ["critic.sh", "lib/review.py", "prose.toml"])
def test_a_changed_file_is_no_longer_trusted(full: Project, path: str) -> None:
    trust(full)
    place = full.root / path
    place.write_text(place.read_text().replace("critic.sh", "critic.sh -x") + "\n# changed\n")
    changed = load_project(full.root)
    assert changed is not None
    if path == "prose.toml":
        assert changed.table != full.table
    assert not is_trusted(changed)
    name = "`critic` under [services] in prose.toml" if path == "prose.toml" else path
    assert trust_state(changed) == f"has changed since you trusted it ({name})"
    with pytest.raises(BindingFault, match="has changed since you trusted it"):
        require_trust(changed)


def test_a_comment_in_the_table_changes_nothing(full: Project) -> None:
    trust(full)
    assert is_trusted(write(full.root, TOML + "\n# a comment\n"))


def test_trust_is_for_one_folder(full: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    trust(full)
    other = write(tmp_path_factory.mktemp("other"), TOML)
    assert not is_trusted(other)
    trust(other)
    assert is_trusted(full)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"version": 2, "projects": {}}', b'{"version": 1, "projects": 3}', b"\xff"]
)
def test_a_broken_store_approves_nothing(full: Project, config: Path, content: bytes) -> None:
    config.parent.mkdir()
    config.write_bytes(content)
    assert not is_trusted(full)
    trust(full)
    assert is_trusted(full)


def test_what_needs_nothing_is_trusted(tmp_path: Path) -> None:
    assert is_trusted(write(tmp_path, "[services]\na = 'gate:json'\n"))


def test_nothing_is_imported_or_started_by_looking(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\n")
    project = write(tmp_path, "[services]\na = 'py:s.py:run'\n")
    needs_trust(project)
    is_trusted(project)
    trust(project)
    assert not (tmp_path / "mark").exists()


# ---- .env ----


def test_dotenv_lines() -> None:
    text = '\ufeff# c\nA=1\nexport B = two words # c\nC=\'a # b\'\nD="a\\n\\"b\\" $X"\nE=\nnot a line\nF=a#b\r\nG=x=y\n'
    assert parse_dotenv(text) == {
        "A": "1", "B": "two words", "C": "a # b", "D": 'a\n"b" $X', "E": "", "F": "a#b", "G": "x=y",
    }  # fmt: skip


STEERING = [
    "OPENAI_BASE_URL",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "PATH",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "PYTHONPATH",
]


def test_dotenv_sets_only_what_is_declared_and_never_what_steers(tmp_path: Path) -> None:
    names = ", ".join(f"'{name}'" for name in ["MINE", "SET", *STEERING])
    project = write(tmp_path, f"[environment]\npass = [{names}]\n")
    (tmp_path / ".env").write_text("\n".join(f"{name}=x" for name in ["MINE", "SET", "OTHER", *STEERING]))
    assert read_dotenv(project) == {"MINE": "x", "SET": "x"}
    outer = {"SET": "outer"}
    assert project_environment(project, outer) == {"SET": "outer", "MINE": "x"}
    assert set_environment(project, outer) == ("MINE",)
    assert outer == {"SET": "outer", "MINE": "x"}


def test_only_the_dotenv_of_the_root_is_read(tmp_path: Path) -> None:
    project = write(tmp_path, "[environment]\npass = ['A']\n")
    assert read_dotenv(project) == {}
    (tmp_path / ".env").mkdir()
    assert read_dotenv(project) == {}
    (tmp_path / ".env").rmdir()
    outside = tmp_path.parent / f"{tmp_path.name}-env"
    outside.write_text("A=1\n")
    (tmp_path / ".env").symlink_to(outside)
    assert read_dotenv(project) == {}


def test_a_linked_file_does_not_move_the_project(tmp_path: Path) -> None:
    """Else the folder that the link leads to would count as the project, with all that lies in it."""
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    own.mkdir()
    (shared / "prose.toml").write_text('[services]\nworker = "script:../shared/replies.yaml"\n')
    (shared / "replies.yaml").write_text("- one\n")
    (own / "prose.toml").symlink_to(shared / "prose.toml")
    project = load_project(own)
    assert project is not None
    assert project.root == own.resolve()
    with pytest.raises(BindingFault) as caught:
        project_services(project)
    assert caught.value.code == "outside-project"
