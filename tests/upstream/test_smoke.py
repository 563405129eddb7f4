"""The published smoke suite: each case of its manifest, by the real command line, with models of our own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from checkout import SUITE, needs_checkout, smoke_cases

from prose_runtime import load

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CASES = smoke_cases()
MOUNTED = [case for case in CASES if case["outputRoot"] == "world-model"]
RUN = [case for case in CASES if case not in MOUNTED]

pytestmark = needs_checkout
each_run = pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in RUN])


@dataclass(frozen=True)
class Ran:
    """How a case ended, and the folder of its record: that of the one run of a test."""

    status: int
    out: str
    err: str
    record: Path

    def trace(self) -> str:
        return (self.record / "vm.log.md").read_text(encoding="utf-8")


def prose(folder: Path, case: dict[str, Any], model: str | None) -> Ran:
    """Run a case in a workspace of its own, with `model` of our models or nobody to ask."""
    for name in case.get("workspaceSources", [case["source"]]):
        shutil.copyfile(SUITE / name, folder / name)
    shutil.copyfile(HERE / "models.py", folder / "models.py")
    target = f"py:./models.py:{model}"
    if case["command"] == "test":
        (folder / "prose.toml").write_text("[services]\n" + (f'model = "{target}"\n' if model else ""))
        words = ["test", case["source"], "--live", "--trust"]
    else:
        words = ["run", case["source"], *(["--bind", f"model={target}"] if model else [])]
        words += [f"--input={name}={value}" for name, value in case.get("inputs", {}).items()]
    command = [sys.executable, "-m", "prose_runtime", *words, "--record", "record"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)
    record = folder / "record"
    if case["command"] == "test" and record.is_dir():
        record = next(record.iterdir(), record)
    return Ran(ran.returncode, ran.stdout, ran.stderr, record)


def lacking(record: Path, case: dict[str, Any]) -> list[str]:
    """What the manifest expects and the record does not hold, or holds without a word in it. The published check takes
    an output from any folder below the root; here it must be that of the definition that ran."""
    outputs, root = Path(case["outputRoot"]), record / "root.prose.md"
    if root.is_file():
        outputs /= re.findall("^name: *(.+)$", root.read_text(), re.MULTILINE)[0]
    wanted = [Path(name) for name in case["expectedArtifacts"]]
    wanted += [outputs / f"{name}.md" for name in case["expectedOutputs"]]
    return [str(path) for path in wanted if not (record / path).is_file() or not (record / path).read_text().strip()]


def outputs_of(case: dict[str, Any], missing: list[str]) -> set[str]:
    return {Path(path).stem for path in missing if path.startswith(case["outputRoot"])}


@each_run
def test_it_runs_and_leaves_what_the_manifest_expects(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, "ask")
    assert ran.status == 0, ran.err or ran.out
    assert lacking(ran.record, case) == []
    assert "\n---end " in ran.trace()
    assert ("---test PASS" in ran.trace().splitlines()) is (case["command"] == "test")
    assert "✗" not in ran.trace()


@each_run
def test_its_outputs_hold_the_phrases_that_its_contract_names(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, "ask")
    definition = load(ran.record / "root.prose.md").definition
    for output in definition.outputs:
        text = (ran.record / case["outputRoot"] / definition.name / f"{output.name}.md").read_text()
        phrases = re.findall("`([^`]+)`", output.text)
        assert phrases
        assert all(phrase in text for phrase in phrases)


@each_run
def test_each_file_that_is_gone_is_missed(case: dict[str, Any], tmp_path: Path) -> None:
    """The check itself: it names whatever was taken away, and nothing else."""
    ran = prose(tmp_path, case, "ask")
    definition = load(ran.record / "root.prose.md").name
    outputs = [str(Path(case["outputRoot"], definition, f"{name}.md")) for name in case["expectedOutputs"]]
    for name in (*outputs, *(name for name in case["expectedArtifacts"] if name != "root.prose.md")):
        text = (ran.record / name).read_bytes()
        (ran.record / name).unlink()
        assert lacking(ran.record, case) == [name]
        (ran.record / name).write_bytes(text)
    (ran.record / "root.prose.md").unlink()
    assert "root.prose.md" in lacking(ran.record, case)


@each_run
@pytest.mark.parametrize("model", ["ask_nothing", "ask_blank"])
def test_each_output_is_missed_where_it_is_not_given(case: dict[str, Any], model: str, tmp_path: Path) -> None:
    ran = prose(tmp_path, case, model)
    assert outputs_of(case, lacking(ran.record, case)) == set(case["expectedOutputs"])
    if model == "ask_nothing":
        assert ran.status != 0
        assert "---end " not in ran.trace()
        assert "\n---error " in ran.trace()


@each_run
def test_nothing_is_left_where_nobody_can_be_asked(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, None)
    assert ran.status != 0
    wanted = len(case["expectedArtifacts"]) + len(case["expectedOutputs"])
    assert len(lacking(ran.record, case)) == wanted


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in RUN if case["command"] == "test"])
@pytest.mark.parametrize("model", ["ask_wrong", "ask_blank"])
def test_a_wrong_answer_fails_the_test(case: dict[str, Any], model: str, tmp_path: Path) -> None:
    ran = prose(tmp_path, case, model)
    assert ran.status == 1
    assert re.search(r"^---test FAIL \(\d+/\d+ assertions\)$", ran.trace(), re.MULTILINE)
    assert "---test PASS" not in ran.trace()


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in MOUNTED])
def test_a_responsibility_is_refused_with_the_reason(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, "ask")
    assert "compiled-intent.json" in case["expectedArtifacts"]
    assert ran.status == 2
    assert "responsibility" in ran.err
    assert not ran.record.exists()


def test_every_case_of_the_manifest_is_run_or_refused() -> None:
    assert len(RUN) + len(MOUNTED) == len(CASES) > 0
    assert {case["command"] for case in CASES} <= {"run", "test"}
    assert {case["outputRoot"] for case in RUN} == {"bindings"}
