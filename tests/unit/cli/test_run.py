"""`prose run`: results, records, statuses, faults, and what is never shown."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Prose = Callable[..., Any]

SERVICES = """
def refiner(task_brief, current_result=None, current_score=None, improvement_suggestions=None):
    print("a service prints")
    return f"{current_result or task_brief}!"

def evaluator(task_brief, result):
    return {"score": result.count("!") / 10, "suggestions": ["more \\x1b[31m!"]}

def broken(task_brief, **more):
    raise RuntimeError("no \\x1b[2J way")
"""
ECHO = """---
name: echo
kind: function
---

# Echo

Gives back what it was given.

### Parameters

- `value` (any, optional): anything
- `count` (integer, default: 2): a number
- `on` (boolean, optional): a switch

### Returns

- `given`: all of it

### Execution

```prose
return { value: value, count: count, on: on }
```
"""
REFINE_TEXT = (Path(__file__).parents[3] / "std/patterns/refine.prose.md").read_text(encoding="utf-8")
REFINE = ("run", "std/refine", "--bind", "refiner=py:./s.py:refiner", "--bind", "evaluator=py:./s.py:evaluator")
BRIEF = ("--input", "task_brief=hi", "--config", "threshold=0.3")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "s.py").write_text(SERVICES, encoding="utf-8")
    (tmp_path / "echo.prose.md").write_text(ECHO, encoding="utf-8")
    return tmp_path


def test_piped_there_is_nothing_but_the_result(prose: Prose, folder: Path) -> None:
    ran = prose(*REFINE, *BRIEF)
    assert ran.status == 0
    assert json.loads(ran.out) == {"result": "hi!!!", "score": 0.3, "rounds_used": 3}
    assert ran.err == "a service prints\n" * 3


def test_a_text_is_given_as_text(prose: Prose, folder: Path) -> None:
    text = ECHO.replace("return { value: value, count: count, on: on }", "return value")
    (folder / "text.prose.md").write_text(text, encoding="utf-8")
    assert prose("run", "text.prose.md", "-i", "value=two\nlines").out == "two\nlines\n"


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ((), {"value": None, "count": 2, "on": None}),
        (("-i", "value=3", "-i", "count=3", "-i", "on=yes"), {"value": "3", "count": 3, "on": True}),
        (("-i", 'value:={"a": [1, null]}'), {"value": {"a": [1, None]}, "count": 2, "on": None}),
        (("-i", "value=-"), {"value": "piped\n", "count": 2, "on": None}),
        (("-i", "value=@@x"), {"value": "@x", "count": 2, "on": None}),
    ],
)
def test_inputs_are_read_by_their_types(prose: Prose, folder: Path, words: tuple[str, ...], given: object) -> None:
    ran = prose("run", "echo", *words, stdin="piped\n")
    assert ran.err == ""
    assert json.loads(ran.out) == given


def test_the_record_has_exactly_these_keys(prose: Prose, folder: Path) -> None:
    ran = prose(*REFINE, *BRIEF, "--json")
    record = json.loads(ran.out)
    assert list(record) == ["status", "result", "calls", "decisions", "contract", "warnings", "usage", "error"]
    assert record["status"] == "done"
    assert len(record["calls"]) == 6
    assert list(record["calls"][0]) == ["key", "service", "inputs", "answer", "error", "attempts", "seconds"]
    assert record["calls"][0]["service"] == "refiner"
    assert "suggestions" not in json.dumps(record["calls"][1]["inputs"])
    assert [item["holds"] for item in record["decisions"]] == [False, False, True]
    assert list(record["decisions"][0]) == ["key", "text", "how", "holds", "because"]
    assert record["decisions"][0]["how"] == "formal"


def test_the_record_of_a_failed_run_has_the_same_keys(prose: Prose, folder: Path) -> None:
    ran = prose(
        "run", "std/refine", "-b", "refiner=py:s.py:broken", "-b", "evaluator=py:s.py:evaluator", *BRIEF, "--json"
    )
    record = json.loads(ran.out)
    assert ran.status == 1
    assert list(record) == ["status", "result", "calls", "decisions", "contract", "warnings", "usage", "error"]
    assert record["error"]["name"] == "service-failed"


def test_a_failure_shows_the_pattern_and_not_python(prose: Prose, folder: Path) -> None:
    ran = prose("run", "std/refine", "-b", "refiner=py:s.py:broken", "-b", "evaluator=py:s.py:evaluator", *BRIEF)
    assert ran.status == 1
    assert ran.out == ""
    line = REFINE_TEXT[: REFINE_TEXT.index("current_result = call refiner")].count("\n") + 1
    assert f"std/patterns/refine.prose.md:{line}:" in ran.err
    assert "round 1" in ran.err
    assert "Traceback (most recent" not in ran.err
    assert ".py" not in ran.err
    assert "\x1b" not in ran.err


def test_debug_shows_python_too(prose: Prose, folder: Path) -> None:
    words = ("run", "std/refine", "-b", "refiner=py:s.py:broken", "-b", "evaluator=py:s.py:evaluator", *BRIEF)
    assert "RuntimeError" in prose(*words, "--debug").err


def test_the_result_goes_to_a_file(prose: Prose, folder: Path) -> None:
    ran = prose(*REFINE, *BRIEF, "--output", "out.json")
    assert (ran.status, ran.out) == (0, "")
    assert json.loads((folder / "out.json").read_text(encoding="utf-8"))["result"] == "hi!!!"


def test_a_file_that_cannot_be_written_is_found_before_the_run(prose: Prose, folder: Path) -> None:
    ran = prose(*REFINE, *BRIEF, "--output", "nowhere/out.json")
    assert ran.status == 2
    assert "a service prints" not in ran.err


def test_out_of_calls_is_status_4_and_shows_what_was_kept(prose: Prose, folder: Path) -> None:
    ran = prose(*REFINE, *BRIEF, "--max-calls", "3")
    assert ran.status == 4
    assert ran.out == ""
    assert "budget" in ran.err
    assert "current_result: hi!" in ran.err


def test_plain_progress_is_one_line_an_event(prose: Prose, folder: Path) -> None:
    ran = prose(*REFINE, *BRIEF, "--progress", "plain")
    lines = [line for line in ran.err.splitlines() if line != "a service prints"]
    assert [line[0] for line in lines[:9]] == list("✓✓◇✓✓◇✓✓◇")
    assert lines[9].startswith("Done after ")
    assert lines[2].startswith("◇ refine/repeat#1  line ")
    assert lines[0].startswith("✓ refine/repeat#1/call:refiner  0.0 s  hi!")
    assert lines[2].endswith("no: current_score 0.1 >= threshold 0.3 is false (formal)")
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "ecko.prose.md"), "did you mean `echo.prose.md`?"),
        (("run", "std/refin"), "did you mean `std/refine`?"),
        (("run", "echo", "-i", "valeu=1"), "value"),
        (("run", "std/refine", "-b", "refinr=cmd:cat"), "refiner"),
        (("run", "std/refine", "-c", "tresholds=1"), "threshold"),
        (("run", "std/refine", "--confg", "a=1"), "--config"),
        (("run", "echo", "-i", "count=three"), "integer"),
        (("run", "std/refine", "-b", "refiner=pi:./s.py:refiner"), "py:"),
        (("run", "std/refine", "-b", "refiner=py:./s.py:refine"), "refiner"),
        (("run", "echo", "--max-calls", "0"), "above 0"),
        (("run", "echo", "--timeout", "nan"), "above 0"),
    ],
)
def test_wrong_use_is_status_2_with_one_thing_to_do(
    prose: Prose, folder: Path, words: tuple[str, ...], said: str
) -> None:
    ran = prose(*words)
    assert ran.status == 2
    assert said in ran.err
    assert "help:" in ran.err
    assert ran.out == ""


def test_an_unbound_slot_is_said_before_anything_runs(prose: Prose, folder: Path) -> None:
    ran = prose("run", "std/refine", "-b", "refiner=py:./s.py:refiner", *BRIEF)
    assert ran.status == 2
    assert "evaluator" in ran.err
    assert "a service prints" not in ran.err


def test_a_project_is_used_only_when_it_is_trusted(prose: Prose, folder: Path) -> None:
    (folder / "prose.toml").write_text(
        '[services]\nrefiner = "py:./s.py:refiner"\nevaluator = "py:./s.py:evaluator"\n', encoding="utf-8"
    )
    ran = prose("run", "std/refine", *BRIEF)
    assert ran.status == 2
    assert "--trust" in ran.err
    assert "a service prints" not in ran.err
    ran = prose("run", "std/refine", *BRIEF, "--trust")
    assert ran.status == 0
    assert json.loads(ran.out)["rounds_used"] == 3


def test_a_project_whose_services_are_not_used_asks_nothing(prose: Prose, folder: Path) -> None:
    (folder / "prose.toml").write_text('[services]\nother = "cmd:rm -r x"\n', encoding="utf-8")
    assert prose(*REFINE, *BRIEF).status == 0


def test_the_limits_of_a_project_hold(prose: Prose, folder: Path) -> None:
    (folder / "prose.toml").write_text("[budget]\nmax_calls = 3\n", encoding="utf-8")
    assert prose(*REFINE, *BRIEF).status == 4
    assert prose(*REFINE, *BRIEF, "--max-calls", "9").status == 0


def test_an_inline_definition_is_named_after_a_hash(prose: Prose, folder: Path) -> None:
    text = ECHO + "\n## twice\n\n### Parameters\n\n- `x`: anything\n\n### Execution\n\n```prose\nreturn [x, x]\n```\n"
    (folder / "two.prose.md").write_text(text, encoding="utf-8")
    assert json.loads(prose("run", "two.prose.md#twice", "-i", "x=a").out) == ["a", "a"]


def slow_run(folder: Path) -> subprocess.Popen[str]:
    (folder / "slow.py").write_text(
        "import time\n\ndef refiner(task_brief, **more):\n    return 'a draft'\n\n"
        "def evaluator(task_brief, result):\n    time.sleep(60)\n",
        encoding="utf-8",
    )
    words = ["std/refine", "-b", "refiner=py:slow.py:refiner", "-b", "evaluator=py:slow.py:evaluator", *BRIEF]
    process = subprocess.Popen(
        [sys.executable, "-m", "prose_runtime", "run", "--progress", "plain", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    )
    assert process.stderr is not None
    assert "refiner" in process.stderr.readline()
    return process


def test_the_first_interrupt_keeps_the_names(folder: Path) -> None:
    process = slow_run(folder)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 4
    assert out == ""
    assert "current_result: a draft" in err
    assert "Traceback" not in err


def test_the_second_interrupt_ends_it_at_once(folder: Path) -> None:
    process = slow_run(folder)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode in (130, -signal.SIGINT, 4)
    assert "KeyboardInterrupt" not in err
    assert time.monotonic() - began < 3
