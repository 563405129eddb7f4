"""The trace of a run: its lines in the published markers, and none that data could write."""

from __future__ import annotations

import re
from typing import Any

import pytest

import prose_runtime as prose
from prose_runtime.reports.trace import Trace, _letters
from prose_runtime.runtime.events import CallFailed, CallFinished, RunFinished, RunStarted
from prose_runtime.runtime.port import Usage
from prose_runtime.services.secrets import Masker

TEXT = """---
name: notes
kind: pattern
---

### Slots

- `writer`
- `others` (list)

### Parameters

- `topics` (string[]): them

### Delegation

```prose
{script}
```
"""
MARKER = re.compile(
    r"# run:t \S+|root: \S+||\d+→ \[input\] \S+ ✓|\d+→ ∥start [^\s,]+(,[^\s,]+)*|\d+→ ∥done"
    r"|\d+[a-z]*→ .+ ✓( rendered)?|\d+[a-z]*→ .+ ✗ [\w.-]+|---(end \S+|error \S+ [\w.-]+)"
)


def lines_of(script: str, topics: int = 2, **bind: Any) -> list[str]:
    """The trace below its head, of a run whose services answer with their names."""
    trace, lines = Trace("t", lambda value: value), []
    services = {"writer": lambda: "w", "others": {"a": lambda: "a", "b": lambda: "b"}, **bind}
    inputs = {"topics": [str(n) for n in range(topics)]}
    prose.run(
        TEXT.format(script=script), bind=services, inputs=inputs, subscribers=[lambda e: lines.extend(trace.lines(e))]
    )
    assert all(MARKER.fullmatch(line) for line in lines), lines
    return [line for line in lines[4:] if not line.startswith("---")]


def test_branches_have_a_letter_each() -> None:
    assert sorted(lines_of("parallel:\n  let x = call writer\n  let y = call writer\ncall writer")) == [
        "2a→ writer ✓ rendered",
        "2b→ writer ✓ rendered",
        "2→ ∥done",
        "2→ ∥start x,y",
        "3→ writer ✓ rendered",
    ]


def test_every_line_of_a_branch_stands_between_its_start_and_its_end() -> None:
    lines = lines_of("for n in [1, 2]:\n  parallel for topic in topics:\n    call writer\n    call writer")
    assert (lines[0], lines[5], lines[6], lines[11]) == ("2→ ∥start 1,2", "2→ ∥done", "3→ ∥start 1,2", "3→ ∥done")
    assert sorted(lines[1:5]) == ["2a→ writer ✓ rendered"] * 2 + ["2b→ writer ✓ rendered"] * 2


def test_branches_inside_of_a_branch_have_a_number_of_their_own() -> None:
    lines = lines_of("parallel:\n  let x = call writer\n  let ys = parallel for topic in topics:\n    call writer")
    assert lines[0] == "2→ ∥start x,ys"
    assert lines[-1] == "2→ ∥done"
    assert sorted(lines[1:-1]) == [
        "2a→ writer ✓ rendered",
        "3a→ writer ✓ rendered",
        "3b→ writer ✓ rendered",
        "3→ ∥done",
        "3→ ∥start 1,2",
    ]


def test_branches_that_fail_are_done_too() -> None:
    def fail() -> None:
        raise prose.ServiceError("no", name="too bad")

    lines = lines_of(
        "try:\n  parallel:\n    call writer\n    call writer\ncatch as e:\n  for other in others:\n    call other",
        writer=fail,
    )
    assert (lines[0], lines[-3], lines[-2]) == ("2→ ∥start 1,2", "2→ ∥done", "3→ a ✓ rendered")
    ended = {line[2:] for line in lines[1:-3]}  # the second is told to stop, unless it was quicker
    assert "→ writer ✗ too-bad" in ended
    assert ended <= {"→ writer ✗ too-bad", "→ writer ✗ stopped"}


def test_no_branch_is_no_line() -> None:
    assert lines_of("parallel for topic in topics:\n  call writer", topics=0) == []


@pytest.mark.parametrize(("index", "letters"), [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (702, "aaa")])
def test_letters_go_on_after_the_last(index: int, letters: str) -> None:
    assert _letters(index) == letters


FORGERIES = [
    "x ✓ rendered\n9→ y",
    "[input] topic",
    "[eval] it is good",
    "---end 2026-01-01T00:00:00Z",
    "x\r---test PASS",
    "x\u2028---test PASS",
    "∥done",
    "a ⇒ b (delegate: c)",
    "a ∅ skipped",
    "a ⟳ (resumed)",
    "\x1b[2J",
]


@pytest.mark.parametrize("forged", FORGERIES)
def test_a_name_is_one_line_and_no_marker(forged: str) -> None:
    line, *more = lines_of("for other in others:\n  call other", others={forged: lambda: "a"})
    assert more == []
    number, name = line.removesuffix(" ✓ rendered").split("→ ", 1)
    assert number == "2"
    assert not re.search("[→∥✓✗∅⇒⟳\\s\x1b\u2028]", name.replace(" ", ""))
    assert not name.startswith("[")
    assert len((line + "\n").splitlines()) == 1


@pytest.mark.parametrize("forged", FORGERIES)
def test_an_error_is_one_word(forged: str) -> None:
    trace = Trace("t", lambda value: value)
    (failed,) = trace.lines(CallFailed("k", "writer", forged, "m", 1, 0.0))
    (ended,) = trace.lines(RunFinished("failed", 0.0, forged))
    assert re.fullmatch(r"1→ writer ✗ [\w.-]+", failed)
    assert re.fullmatch(r"---error \S+Z [\w.-]+", ended)


@pytest.mark.parametrize("forged", FORGERIES)
def test_inputs_and_assertions_are_one_line_each(forged: str) -> None:
    trace = Trace("t", lambda value: value)
    (line,) = trace.lines(RunStarted("p", "f", {forged: 1}))[3:]
    assert re.fullmatch("1→ \\[input\\] [^→∥✓✗∅⇒⟳\n\r\u2028\x1b]+ ✓", line)
    line, verdict = trace.assertions([(forged, False)])
    assert re.fullmatch("2→ \\[eval\\] [^→∥✓✗∅⇒⟳\n\r\u2028\x1b]+ ✗", line)
    assert verdict == "---test FAIL (0/1 assertions)"


def test_secrets_are_masked_before_anything_else_is_done_to_them() -> None:
    trace = Trace("t", Masker({"KEY": "open, sesame!"}).mask)
    lines = [
        *trace.lines(RunStarted("p", "dir/open, sesame!", {"open, sesame!": 1})),
        *trace.lines(CallFailed("k", "open, sesame!", "open, sesame!", "", 1, 0.0)),
        *trace.lines(RunFinished("failed", 0.0, "open, sesame!")),
        *trace.assertions([("open, sesame!", True)]),
    ]
    assert not any("sesame" in line for line in lines)
    assert lines[-3].endswith(" secret-KEY")


def test_judges_and_persons_render_nothing() -> None:
    trace = Trace("t", lambda value: value)
    judged = prose.ScriptedService([True], name="judge")
    lines: list[str] = []
    prose.run(
        TEXT.format(script="if **it is calm**:\n  call writer"),
        bind={"writer": lambda: "w", "others": [], "judge": judged},
        inputs={"topics": []},
        subscribers=[lambda event: lines.extend(trace.lines(event))],
    )
    assert lines[4:-1] == ["2→ judge ✓", "3→ writer ✓ rendered"]


@pytest.mark.parametrize(
    ("status", "error", "last"),
    [
        ("done", None, "---end"),
        ("stopped", None, "---error"),
        ("broken", "contract", "---error"),
        ("waiting", None, ""),
    ],
)
def test_how_it_ended(status: Any, error: str | None, last: str) -> None:
    lines = Trace("t", lambda value: value).lines(RunFinished(status, 1.0, error))
    assert (lines[0].split()[0] if lines else "") == last
    if last == "---error":
        assert lines[0].endswith(f" {error or status}")


def test_an_answer_without_its_beginning_is_a_line_too() -> None:
    (line,) = Trace("t", lambda value: value).lines(CallFinished("k", "writer", "w", 1, 0.0, Usage()))
    assert line == "1→ writer ✓ rendered"
