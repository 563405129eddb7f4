"""What a person sees: the command line with stderr in a terminal of 80 columns and 24 lines."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest

SERVICES = """
def refiner(task_brief, **more):
    return "a \\x1b[31mred\\x07 draft " + "long " * 60

def evaluator(task_brief, result):
    return {"score": 0.9, "suggestions": []}
"""
WORDS = ["run", "std/refine", "-b", "refiner=py:s.py:refiner", "-b", "evaluator=py:s.py:evaluator"]
BRIEF = ["-i", "task_brief=hi"]


def watched(folder: Path, *words: str, typed: str = "", after: str = "", **environment: str) -> tuple[int, str, str]:
    """Status, stdout (a pipe) and what the terminal on stderr and stdin got. `typed` is typed once `after` is shown."""
    (folder / "s.py").write_text(SERVICES, encoding="utf-8")
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    root = str(Path(__file__).resolve().parents[3])
    variables = {**os.environ, "PYTHONPATH": root, "TERM": "xterm-256color", "XDG_CONFIG_HOME": str(folder / "c")}
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        variables.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-m", "prose_runtime", *words],
        cwd=folder,
        stdin=inner,
        stdout=subprocess.PIPE,
        stderr=inner,
        env={**variables, **environment},
        text=True,
    )
    os.close(inner)
    stuck = threading.Timer(60, process.kill)
    stuck.start()
    seen = b""
    while True:
        if typed and after.encode() in seen:
            os.write(outer, typed.encode())
            typed = ""
        try:
            chunk = os.read(outer, 4096)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        seen += chunk
    os.close(outer)
    with process:
        assert process.stdout is not None
        out = process.stdout.read()
    stuck.cancel()
    return process.returncode, out, seen.decode()


def without_escapes(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_tree_and_a_paragraph_on_stderr_and_the_result_alone_on_stdout(tmp_path: Path) -> None:
    status, out, seen = watched(tmp_path, *WORDS, *BRIEF)
    assert status == 0
    assert json.loads(out)["rounds_used"] == 1
    shown = without_escapes(seen)
    for text in (
        "└─ repeat 1",
        "✓ refiner",
        "✓ evaluator",
        "◇  yes: ",
        "Done after",
        "2 calls (refiner 1, evaluator 1)",
    ):
        assert text in shown
    assert all(len(line) <= 80 for line in shown.replace("\r", "\n").split("\n"))


def test_what_services_answer_moves_no_cursor(tmp_path: Path) -> None:
    _, _, seen = watched(tmp_path, *WORDS, *BRIEF)
    assert "␛[31mred␇ draft" in without_escapes(seen)
    assert "\x07" not in seen


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}])
def test_no_color_is_honoured(tmp_path: Path, environment: dict[str, str]) -> None:
    _, _, seen = watched(tmp_path, *WORDS, *BRIEF, **environment)
    colours = [code for code in re.findall(r"\x1b\[([0-9;]*)m", seen) if re.search(r"(?:^|;)(?:3|4|9)\d", code)]
    assert colours == []
    _, _, seen = watched(tmp_path, "run", "std/refine", *BRIEF, **environment)
    assert "\x1b" not in seen


def test_a_fault_has_colour_in_a_terminal(tmp_path: Path) -> None:
    _, _, seen = watched(tmp_path, "run", "std/refine", *BRIEF)
    assert "\x1b[1;31merror[slot-not-bound]:" in seen


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("n\n", 2), ("\n", 2)])
def test_a_person_is_asked_once_for_trust(tmp_path: Path, answer: str, status: int) -> None:
    (tmp_path / "prose.toml").write_text(
        '[services]\nrefiner = "py:./s.py:refiner"\nevaluator = "py:./s.py:evaluator"\n', encoding="utf-8"
    )
    found, _, seen = watched(tmp_path, "run", "std/refine", *BRIEF, typed=answer)
    assert found == status
    assert "import ./s.py (for `refiner`)" in seen
    if status == 0:
        found, _, seen = watched(tmp_path, "run", "std/refine", *BRIEF)
        assert found == 0
        assert "import ./s.py" not in seen
    else:
        assert seen.rstrip().endswith("It is not used, and nothing was started.")


def test_a_person_answers_as_a_service(tmp_path: Path) -> None:
    words = [*WORDS[:4], "-b", "evaluator=ask", *BRIEF, "-c", "max_rounds=1"]
    status, out, seen = watched(tmp_path, *words, typed="too long\n")
    assert status == 0
    assert "task_brief: hi" in seen
    assert json.loads(out)["score"] is None


def test_a_gate_asks_at_the_terminal_until_an_answer_fits(tmp_path: Path) -> None:
    (tmp_path / "publish.prose.md").write_text(
        "---\nname: publish\nkind: function\n---\n\n### Execution\n\n```prose\n"
        'return gate { question: "Publish?", options: ["yes", "no"], draft: "hello" }\n```\n',
        encoding="utf-8",
    )
    status, out, seen = watched(tmp_path, "run", "publish.prose.md", typed="perhaps\n2\n")
    assert (status, out.strip()) == (0, "no")
    assert "Publish?" in seen
    assert "draft: hello" in seen
    assert '("perhaps" is none of yes, no)' in seen
    assert "0 calls, 1 question to a person" in seen
    assert "1 call " not in seen


def test_a_gate_without_an_answer_in_time_leaves_the_next_line_to_the_next_gate(tmp_path: Path) -> None:
    (tmp_path / "two.prose.md").write_text(
        "---\nname: two\nkind: function\n---\n\n### Execution\n\n```prose\n"
        'let a = gate question: "First?", default: "none", timeout: 0.2\n'
        'let b = gate question: "Second?"\nreturn { a, b }\n```\n',
        encoding="utf-8",
    )
    status, out, seen = watched(tmp_path, "run", "two.prose.md", typed="yes\n", after="Second?")
    assert (status, json.loads(out)) == (0, {"a": "none", "b": "yes"})
    shown = without_escapes(seen)
    assert shown.count("timeout") == 0
    assert "two.prose.md:9:9: warning[default-counts]: `gate` gave no answer within 0.2 s" in shown.replace("\r\n", "")
