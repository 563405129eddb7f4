"""Messages about what a run was given begin with what was written, not with a place in no file."""

from __future__ import annotations

from pathlib import Path

import pytest

import prose_runtime as prose
from prose_runtime.casebook import run_case
from prose_runtime.cli.arguments import read_settings
from prose_runtime.cli.origins import typed_origin

PATTERN = (
    "---\nname: echo\nkind: pattern\n---\n\n### Slots\n\n- `critic`\n\n### Requires\n\n- `topic` (string): it\n\n"
    "### Delegation\n\n```prose\nreturn call critic\n  topic: topic\n```\n"
)


def test_a_command_line_is_quoted_as_typed() -> None:
    inputs = read_settings(["topc=rain", 'n:={"a": 1}'], "--input")
    origin = typed_origin(["critic=py:a.py:b,cmd:./c"], inputs, read_settings(["k=2"], "--config"))
    assert origin("inputs", "topc", "rain")[0].name == "--input topc=rain"
    assert origin("inputs", "n", {"a": 1})[0].name == '--input n:={"a": 1}'
    assert origin("config", "k", "2")[0].name == "--config k=2"
    assert origin("bind", "critic", "cmd:./c")[0].name == "--bind critic=cmd:./c"
    assert origin("bind", "judge", "ask")[0].name == "--judge ask"


def test_code_is_quoted_as_it_would_be_written() -> None:
    with pytest.raises(prose.CheckFailed) as caught:
        prose.run(PATTERN, bind={"critic": "nothing"}, inputs={"topic": "a"})
    assert str(caught.value.diagnostics[0]).startswith("bind={'critic': 'nothing'}: error[unknown-target]")
    with pytest.raises(prose.CheckFailed) as caught:
        prose.run(PATTERN, bind={"critic": lambda topic: topic}, inputs={"topc": "a"})
    assert "inputs={'topc': 'a'}: error[unknown-given-input]" in str(caught.value)


def test_a_case_points_at_its_own_lines(tmp_path: Path) -> None:
    (tmp_path / "echo.prose.md").write_text(PATTERN)
    case = tmp_path / "case.prose.md"
    case.write_text(
        "---\nname: c\nkind: test\nsubject: ./echo.prose.md\n---\n\n### Fixtures\n\n- `topic`: rain\n- `topc`: rain\n\n"
        "### Services\n\n```yaml\ncritic: [1]\ncritc: [1]\n```\n\n### Expects\n\n- `it`: is 1\n"
    )
    problems = [str(problem) for problem in run_case(case).problems]
    assert any(f"{case}:10:4: error[unknown-given-input]" in problem for problem in problems), problems
    assert any(f"{case}:16:1: error[nothing-to-bind]" in problem for problem in problems), problems


def test_a_file_that_is_not_there_names_the_folders_that_were_looked_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin.prose.md").write_bytes(b"---\n\xff\xfe")
    said = {source: _refused(source) for source in ("nope", "no/such", "std/nope", "bin.prose.md")}
    assert f"looked in {tmp_path}" in said["nope"]
    assert "there is no folder no" in said["no/such"]
    assert "looked in the standard library" in said["std/nope"]
    assert said["bin.prose.md"].startswith("`bin.prose.md` cannot be read: it is not UTF-8 text (line 2)")


def _refused(source: str) -> str:
    with pytest.raises(prose.SourceNotFound) as caught:
        prose.load(source)
    return str(caught.value)
