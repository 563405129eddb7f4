"""The published smoke suite: each case of its manifest, by the real command line, with models of our own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT, needs_checkout

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SUITE = CHECKOUT / "tests" / "open-prose" / "smoke"
CASES: list[dict[str, Any]] = (
    json.loads((SUITE / "manifest.json").read_text(encoding="utf-8"))["cases"] if SUITE.is_dir() else []
)
MOUNTED = [case for case in CASES if case["outputRoot"] == "world-model"]
RUN = [case for case in CASES if case not in MOUNTED]

pytestmark = needs_checkout


def prose(folder: Path, case: dict[str, Any], model: str | None) -> subprocess.CompletedProcess[str]:
    """Run a case in a workspace of its own; its record is in `folder/record`."""
    for name in case.get("workspaceSources", [case["source"]]):
        (folder / name).write_bytes((SUITE / name).read_bytes())
    (folder / "models.py").write_bytes((HERE / "models.py").read_bytes())
    target = f"py:./models.py:{model}"
    if case["command"] == "test":
        bound = f'model = "{target}"' if model else ""
        (folder / "prose.toml").write_text(f"[services]\n{bound}\n")
        words = ["test", case["source"], "--live", "--trust"]
    else:
        words = ["run", case["source"], *(["--bind", f"model={target}"] if model else [])]
        words += [f"--input={name}={value}" for name, value in case.get("inputs", {}).items()]
    command = [sys.executable, "-m", "prose_runtime", *words, "--record", "record"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def record_of(folder: Path, case: dict[str, Any]) -> Path:
    found = folder / "record"
    return next(found.iterdir(), found) if case["command"] == "test" and found.is_dir() else found


def lacking(folder: Path, case: dict[str, Any]) -> list[str]:
    """What the manifest expects and the record does not hold."""
    record = record_of(folder, case)
    wanted = [record / name for name in case["expectedArtifacts"]]
    wanted += [record / case["outputRoot"] / f"{name}.md" for name in case["expectedOutputs"]]
    return [str(path.relative_to(folder)) for path in wanted if not path.is_file() or not path.read_text().strip()]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in RUN])
def test_it_runs_and_leaves_what_the_manifest_expects(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, "ask")
    assert ran.returncode == 0, ran.stderr or ran.stdout
    assert lacking(tmp_path, case) == []
    record = record_of(tmp_path, case)
    trace = (record / "vm.log.md").read_text()
    assert "---end " in trace
    if case["command"] == "test":
        assert trace.rstrip().endswith("---test PASS")


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in RUN])
def test_each_output_is_missed_where_it_is_not_given(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, "ask_nothing")
    assert ran.returncode != 0
    missing = lacking(tmp_path, case)
    for name in case["expectedOutputs"]:
        assert any(path.endswith(f"{case['outputRoot']}/{name}.md") for path in missing), missing


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in RUN])
def test_each_artefact_is_missed_where_nothing_ran(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, None)
    assert ran.returncode != 0
    for name in case["expectedArtifacts"]:
        assert any(path.endswith(name) for path in lacking(tmp_path, case))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in RUN if case["command"] == "test"])
def test_a_wrong_answer_fails_the_test(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, "ask_wrong")
    assert ran.returncode == 1
    assert "---test FAIL" in (record_of(tmp_path, case) / "vm.log.md").read_text()


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in MOUNTED])
def test_a_responsibility_is_refused_with_the_reason(case: dict[str, Any], tmp_path: Path) -> None:
    ran = prose(tmp_path, case, "ask")
    assert ran.returncode == 2
    assert "responsibility" in ran.stderr
    assert not (tmp_path / "record").exists()
