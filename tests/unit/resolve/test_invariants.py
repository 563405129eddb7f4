"""Known sentences: what proves each, what refutes it at which line, and changes of the library that must be seen."""

from __future__ import annotations

import pytest

from prose_runtime import load
from prose_runtime.api import standard_library
from prose_runtime.resolve.invariants import SENTENCES, Finding, invariants_of
from prose_runtime.resolve.invariants.sentences import Sentence, known

HEAD = """---
name: example
kind: pattern
---

### Slots

- `a`
- `b`
- `many`

### Config

- `n` (integer, default: 3): how many

### Parameters

- `topic` (string): what about
- `xs` (any[]): some
- `many` (string[]): several

### Invariants

- {text}

### Delegation

```prose
{script}
```
"""


def finding(text: str, script: str) -> tuple[Finding, int | None]:
    """What becomes of the sentence, and the line of the script (from 1) that it points at."""
    loaded = load(HEAD.format(text=text, script=script))
    errors = [str(item) for item in loaded.diagnostics if item.severity == "error" and item.code != "invariant-refuted"]
    assert errors == []
    found = invariants_of(loaded.program.main)[0]
    head = HEAD.partition("{script}")[0].count("\n")
    line = loaded.document.source.position(found.at.start).line - head if found.at is not None else None
    return found, line


PROVED = [
    ("Rounds are bounded by `n`", "repeat n:\n  call a"),
    ("Rounds are bounded by `n`", "for x in xs:\n  call a\n    x: x\nloop until n > 3 (max: n):\n  call a"),
    ("The loop is bounded by `n`", "loop (max: n):\n  call a"),
    ("The rounds after the opening are bounded by `n`", "repeat n + 1:\n  call a"),
    ("Calls of `a` are bounded by `n`", "repeat n:\n  call a\n  call b"),
    ("Calls of `a` are bounded by `1`", "if n > 1:\n  call a\nelse:\n  call a\n    x: 1"),
    ("`a` is called at most `2` times", "call a\ncall a"),
    ("`a` is called exactly once", "let x = call a\nif x.ok:\n  return x\ncall b"),
    ("Each of `many` is called once at most", "for m in many:\n  let x = call m\n  if x.ok:\n    return x"),
    ("`many` is called once for each item of `many`", "parallel for m in many:\n  call m"),
    ("`a` is called once for each item of `xs`", "for x in xs:\n  call a\n    x: x"),
    ("`a` never receives `secret`", "let secret = call b\ncall a\n  topic: topic"),
    ("`a` never receives `advice`", "let r = call b\nlet advice = r.advice\ncall a\n  score: r.score"),
    ("`a` never receives `topic`", "call b\n  topic: topic\ncall a\n  x: xs"),
    ("`a` never receives `log`", "let log = []\nlet d = call b\nrecord { draft: d } in log\ncall a\n  draft: d"),
    ("`a` never sees an answer of `b`", "let x = call b\nif x.ok:\n  call a\n    topic: topic"),
    (
        "The branches of `a` never see each other's answers",
        "parallel repeat n:\n  let x = call a\n  call a\n    before: x",
    ),
    ("The branches of `a` never see each other's answers", "repeat n:\n  call a\n    topic: topic"),
    (
        "Every call of `a` receives the same inputs",
        "repeat n:\n  call a\n    topic: topic\n    model: xs\ncall a\n  topic: topic",
    ),
    ("`a` runs before `b`", "repeat n:\n  call a\ncall b"),
    ("`a` runs before `b`", "let x = call a\nif x.ok:\n  call b"),
    ("In every round `a` runs before `b`", "repeat n:\n  call a\n  if n > 1:\n    call b"),
    ("`b` runs only after `a` approved", "let x = call a\nif x explicitly approves:\n  call b"),
    ("`b` runs only after `a` approved", "let x = call a\nif x does not explicitly approve:\n  return null\ncall b"),
    ("`log` only grows", "let log = []\nrepeat n:\n  record topic in log\n  log = log + [1]\nreturn log"),
    ("The pattern stops at the first success", "repeat n:\n  let x = call a\n  if x.ok:\n    return x"),
    ("The pattern stops at the first success", 'let x = parallel for m in many ("first"):\n  call m\nreturn x'),
    ("`a` receives only `x` and `y`", "call a\n  x: n"),
    ("Every call of `a` receives `x`", "call a\n  x: n\ncall a\n  x: 3"),
    ("`a` receives `xs` unchanged", "repeat n:\n  call a\n    xs: xs"),
    ("Every call of `a` receives the same `x`", "repeat n as i:\n  call a\n    x: xs\n    y: i"),
    (
        "Within a round every call of `many` receives the same `x`",
        "let x = []\nrepeat n:\n  x = parallel for m in many:\n    call m\n      x: x",
    ),
    ("Every call of `a` receives inputs of the same names", "call a\n  x: 1\ncall a\n  x: 2"),
    ("No call of `a` receives both `xs` and `n`", "call a\n  x: xs\ncall a\n  x: n"),
    ("`x` and `y` are kept apart", "let x = call a\nlet y = call a"),
    ("`a` takes the items of `xs` one at a time, in their order", "for x in xs:\n  call a\n    x: x"),
    ("`a` sees of `xs` only its own item", "parallel for x in xs:\n  call a\n    x: x"),
    (
        "`b` receives all answers of `a`, in their order",
        "let x = parallel for y in xs:\n  call a\n    y: y\ncall b\n  x: x",
    ),
    ("`x` holds all answers of `a`, in their order", "let x = repeat n:\n  call a"),
    ("Each of `many` receives the answer of the one before it", "let x = xs\nfor m in many:\n  x = call m\n    x: x"),
    ("`a` and `b` are never both called", "if n > 1:\n  call a\nelse:\n  call b"),
    ("Only `a` and `b` are asked", "call a\ncall b"),
    ("The script decides nothing", "repeat n:\n  call a"),
    (
        "`history` grows only after `a` approved",
        "let history = []\nlet x = call a\nif x explicitly approves:\n  record x in history",
    ),
    ("`history` is empty at first", "let history = []\nrecord n in history"),
    (
        "Of answers at the same moment that of the earlier of `many` counts",
        'return parallel for m in many ("first"):\n  call m',
    ),
]

REFUTED = [
    ("Rounds are bounded by `n`", "call b\nrepeat n + 1:\n  call a", 2),
    ("Rounds are bounded by `n`", "call b\nloop until n > 3:\n  call a", 2),
    ("The rounds after the opening are bounded by `n`", "repeat n + 2:\n  call a", 1),
    ("Calls of `a` are bounded by `n`", "call b\nloop while n > 3:\n  call a", 3),
    ("`a` is called exactly once", "call a\ncall a", 2),
    ("`a` is called exactly once", "call b\nrepeat n:\n  call a", 3),
    ("Each of `many` is called once at most", "for m in many:\n  call m\nfor m in many:\n  call m", 4),
    ("`a` is called once for each item of `xs`", "for x in xs:\n  call a\n  call a\n    x: x", 2),
    ("`a` never receives `secret`", "let secret = call b\nlet other = secret\ncall a\n  topic: other", 4),
    ("`a` never receives `secret`", 'let secret = call b\ncall a\n  topic: "of {secret}"', 3),
    ("`a` never receives `advice`", "let r = call b\nlet advice = r.advice\ncall a\n  report: r\nreturn advice", 4),
    ("`a` never receives `topic`", "call a\n  topic: 3", 2),
    ("`a` never receives `topic`", "let all = { t: [topic] }\ncall a\n  x: all", 3),
    ("`a` never sees an answer of `b`", "let seen = null\nrepeat n:\n  call a\n    seen: seen\n  seen = call b", 4),
    (
        "`a` never sees an answer of `b`",
        "let x = null\nrepeat n:\n  x = call b\n  if n > 1:\n    break\n  x = null\ncall a\n  x: x",
        8,
    ),
    (
        "`a` never sees an answer of `b`",
        "let x = null\ntry:\n  x = call b\n  x = call a\ncatch:\n  call a\n    x: x",
        7,
    ),
    ("The branches of `a` never see each other's answers", "let x = null\nrepeat n:\n  x = call a\n    x: x", 4),
    ("Every call of `a` receives the same inputs", "call a\n  topic: topic\ncall a\n  topic: 3", 3),
    ("Every call of `a` receives the same inputs", "repeat n as i:\n  call a\n    topic: i", 3),
    ("`a` runs before `b`", "repeat n:\n  call b\n  call a", 2),
    ("In every round `a` runs before `b`", "repeat n:\n  call b\n  call a", 2),
    ("`b` runs only after `a` approved", "let x = call a\ncall b", 2),
    (
        "`b` runs only after `a` approved",
        "try:\n  let x = call a\n  if x does not explicitly approve:\n    return null\ncatch:\n  call b",
        6,
    ),
    (
        "`b` runs only after `a` approved",
        "try:\n  let x = call a\n  if x does not explicitly approve:\n    return null\nfinally:\n  call b",
        6,
    ),
    ("`b` runs only after `a` approved", "let x = call a\nif x does not approve:\n  call b", 3),
    ("`log` only grows", "let log = []\nrepeat n:\n  record topic in log\n  log = []\nreturn log", 4),
    ("`log` only grows", "let log = []\nrecord topic in log\nlog[0] = 1\nreturn log", 3),
    ("The pattern stops at the first success", "repeat n:\n  call a", 1),
    ("`a` receives only `x` and `y`", "call a\n  x: n\n  z: n", 3),
    ("Every call of `a` receives `x`", "call a\n  x: n\ncall a", 3),
    ("`a` receives `xs` unchanged", "call a\n  xs: first(xs, 1)", 2),
    ("Every call of `a` receives the same `x`", "repeat n as i:\n  call a\n    x: i", 3),
    (
        "Within a round every call of `many` receives the same `x`",
        "parallel for m in many:\n  let x = call a\n  call m\n    x: x",
        4,
    ),
    ("Every call of `a` receives inputs of the same names", "call a\n  x: 1\ncall a\n  y: 2", 3),
    ("No call of `a` receives both `xs` and `n`", "call a\n  x: { y: xs, z: n }", 1),
    ("`x` and `y` are kept apart", "let x = call a\nlet y = [x]", 1),
    ("`a` takes the items of `xs` one at a time, in their order", "parallel for x in xs:\n  call a\n    x: x", 1),
    ("`a` sees of `xs` only its own item", "parallel for x in xs:\n  call a\n    x: x\n    y: xs", 4),
    ("`b` receives all answers of `a`, in their order", "call a\ncall b\n  x: xs", 2),
    ("`x` holds all answers of `a`, in their order", "let x = call b\ncall a", None),
    (
        "Each of `many` receives the answer of the one before it",
        "parallel for m in many:\n  let x = call m\n    x: xs",
        1,
    ),
    ("`a` and `b` are never both called", "call a\ncall b", 2),
    ("Only `a` and `b` are asked", "for m in many:\n  call m", 2),
    ("The script decides nothing", "if n > 1:\n  call a", 1),
    ("`history` grows only after `a` approved", "let history = []\nlet x = call a\nrecord x in history", 3),
    ("`history` is empty at first", "let history = [1]\nrecord n in history", 1),
    (
        "Of answers at the same moment that of the earlier of `many` counts",
        "return parallel for m in many:\n  call m",
        1,
    ),
]


@pytest.mark.parametrize(("text", "script"), PROVED)
def test_what_proves_a_sentence(text: str, script: str) -> None:
    found, _ = finding(text, script)
    assert (found.status, found.because != "") == ("proved", True)


@pytest.mark.parametrize(("text", "script", "line"), REFUTED)
def test_what_refutes_a_sentence(text: str, script: str, line: int | None) -> None:
    found, at = finding(text, script)
    assert (found.status, at) == ("refuted", line), found.because


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Rounds are bounded by `n`", "call a"),
        ("`a` is called exactly once", "if n > 1:\n  call a"),
        ("`a` runs before `b`", "if n > 1:\n  call a\ncall b"),
        ("In every round `a` runs before `b`", "call a\nrepeat n:\n  call b"),
        ("The branches of `a` never see each other's answers",
         "let x = null\nrepeat n:\n  x = parallel repeat 2:\n    call a\n      x: x"),
    ],
)  # fmt: skip
def test_what_the_script_leaves_open(text: str, script: str) -> None:
    assert finding(text, script)[0].status in ("open", "watched")


@pytest.mark.parametrize(
    ("text", "script", "status"),
    [
        ("Every call of `a` receives the same inputs", 'let x = "of {topic}"\ncall a\n  x: x', "proved"),
        ("Every call of `a` receives the same inputs", 'let x = "of {topic}"\nrepeat n:\n  call a\n    x: x', "proved"),
        ("Every call of `a` receives the same inputs", "let x = call b\nrepeat n:\n  call a\n    x: x", "proved"),
        ("Every call of `a` receives the same inputs", "call a\n  x: xs\ncall a\n  x: first(xs, n)", "watched"),
        ("Every call of `a` receives inputs of the same names",
         "if n > 1:\n  call a\nelse:\n  call a\n    x: 1", "open"),
        ("Each of `many` is called once at most",
         "for m in many:\n  if n > 1:\n    call m\n  else:\n    call m", "watched"),
        ("`a` is called exactly once", "for x in first(xs, n):\n  call b\nif n > 1:\n  call a", "watched"),
        ("`a` is called exactly once", "let x = call b\nfor y in x.items:\n  call a\n    y: y", "refuted"),
        ("`a` is called once for each item of `xs`", "for x in xs:\n  if x.ok:\n    call a\n      x: x", "open"),
        ("Rounds are bounded by `n`", "repeat min(n, 5):\n  call a", "proved"),
        ("Rounds are bounded by `n`", "let k = n\nrepeat k:\n  call a", "open"),
        ("Calls of `a` are bounded by `n`", "let i = 0\nloop while i < n:\n  i = i + 1\n  call a", "watched"),
        ("The pattern stops at the first success", "loop until x.ok (max: n):\n  let x = call a", "proved"),
        ("The pattern stops at the first success", "let x = repeat n:\n  return call a", "refuted"),
        ("The pattern stops at the first success", 'return parallel for m in many ("all"):\n  call m', "refuted"),
        ("`b` runs only after `a` approved", "for x in xs:\n  let y = call a\n  if y does not explicitly approve:\n"
         "    continue\n  call b\n    y: y", "proved"),
        ("`b` runs only after `a` approved", "let x = call a\nif x does not explicitly approve:\n  return 1\n"
         "else:\n  call b", "proved"),
        ("`b` runs only after `a` approved", "block later:\n  call b\ndo later\nlet x = call a\n"
         "if x does not explicitly approve:\n  return 1\ndo later", "open"),
        ("`a` never receives `log`", "let log = [topic]\ncall a\n  x: topic\nreturn log", "open"),
        ("`a` receives `topic` unchanged", "let same = topic\ncall a\n  topic: same", "open"),
        ("`log` only grows",
         "let log = []\nrecord topic in log\nlet other = [topic, 1]\nlog = other\nreturn log", "watched"),
        ("Within a round every call of `a` receives the same `x`",
         "parallel:\n  call a\n    x: 1\n  call a\n    x: 2", "open"),
        ("`b` receives all answers of `a`, in their order",
         "call b\n  x: xs\nlet z = for x in xs:\n  call a\n    x: x", "refuted"),
        ("The script decides nothing", "block idle:\n  if n > 1:\n    call a\ncall b", "proved"),
    ],
)  # fmt: skip
def test_what_is_certain_of_scripts_as_people_write_them(text: str, script: str, status: str) -> None:
    assert finding(text, script)[0].status == status, finding(text, script)[0].because


def test_every_sentence_is_proved_and_refuted_here() -> None:
    for cases in (PROVED, REFUTED):
        said = {found[0].proof for case in cases if (found := known(case[0])) is not None}
        assert {sentence.proof for sentence in SENTENCES} - said == set()


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_written_form_is_read_as_its_sentence(sentence: Sentence) -> None:
    found = known(sentence.written)
    assert found is not None
    assert found[0] is sentence


def test_other_words_are_words_and_near_ones_have_a_hint() -> None:
    assert finding("Everybody is kind", "call a")[0].status == "words"
    assert finding("`a` gets called exactly once", "call a")[0].near == "`a` is called exactly once"


# ---- the library -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(name for name, path in standard_library().items() if "patterns" in path.parts))
def test_every_sentence_of_the_library_is_proved(name: str) -> None:
    unit = load(standard_library()[name]).program.main
    found = {item.clause.text: item.status for item in invariants_of(unit)}
    assert {text: status for text, status in found.items() if status != "proved"} == {}
    assert found


def test_a_failure_may_quote_an_answer() -> None:
    script = "try:\n  call b\ncatch as error:\n  call a\n    why: error.message"
    found, line = finding("`a` never sees an answer of `b`", script)
    assert (found.status, line) == ("open", 5)


def test_what_an_instance_asks_is_out_of_sight() -> None:
    instance = "### Patterns\n\n```yaml\n- name: inner\n  pattern: std/patterns/refine\n  with:\n"
    instance += "    refiner: a\n    evaluator: b\n```\n\n### Delegation"
    text = HEAD.format(text="`a` never sees an answer of `b`", script="call inner\n  task_brief: topic")
    found = invariants_of(load(text.replace("### Delegation", instance)).program.main)[0]
    assert (found.status, found.because) == ("open", "`a` is handed to `inner`, which asks it out of sight")


BROKEN = [
    (
        "refine",
        "    result: current_result\n\n",
        "    result: current_result\n    hints: improvement_suggestions\n\n",
        "hints:",
    ),
    ("refine", "repeat max_rounds as round:", "loop as round:", "loop as round:"),
    ("race", "      task_brief: task_brief\n", "      task_brief: candidate\n", "task_brief: candidate"),
    ("guard", "if decision does not explicitly proceed:", "if decision is null:", "let result = call target"),
    (
        "ratchet",
        "      rejection_feedback = null\n",
        "      rejection_feedback = null\n      certified_progress = []\n",
        "certified_progress = []",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "at"), BROKEN)
def test_a_change_that_breaks_a_promise_is_found_at_its_line(name: str, old: str, new: str, at: str) -> None:
    text = standard_library()[name].read_text(encoding="utf-8")
    assert text.count(old) == 1
    loaded = load(text.replace(old, new))
    source = loaded.document.source
    found = [item for item in loaded.diagnostics if item.code == "invariant-refuted"]
    places = [source.position(label.span.start).line for item in found for label in item.labels[1:]]
    assert any(at in source.text.splitlines()[line - 1] for line in places), [str(item) for item in found]
