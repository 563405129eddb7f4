"""The mutation test: a sample of the mutants in every run of the suite; `make mutants` tries all of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mutation.conditions import other_conditions
from mutation.edits import diff_of
from mutation.operators import Script
from mutation.report import REQUIRED, Figures, table
from mutation.trial import cases, equivalent, found_by, laboratory, mutants, original, patterns
from prose_runtime import load
from prose_runtime.casebook import run_case
from prose_runtime.source.shipped import shipped

EVERY = 61
ALL = [mutant for pattern in patterns() for mutant in mutants(pattern)]
SAMPLE = [mutant for mutant in ALL[::EVERY] if mutant.key not in equivalent(mutant.pattern)]


def test_there_are_enough_mutants_of_every_pattern() -> None:
    made = Counter(mutant.pattern for mutant in ALL)
    assert len(ALL) > 2_500
    assert min(made[pattern] for pattern in patterns()) >= 20
    assert all(len(cases()[pattern]) >= 3 for pattern in patterns())
    assert len({(mutant.pattern, mutant.text) for mutant in ALL}) == len(ALL)


@pytest.mark.parametrize("pattern", patterns())
def test_what_is_said_to_be_equivalent_is_a_mutant_with_a_reason(pattern: str) -> None:
    keys = {mutant.key for mutant in mutants(pattern)}
    assert set(equivalent(pattern)) - keys == set()
    assert all(len(reason) > 20 for reason in equivalent(pattern).values())


def test_a_sample_is_found(tmp_path: Path) -> None:
    with laboratory(tmp_path) as place:
        left = [mutant for mutant in SAMPLE if found_by(mutant, place) is None]
    told = "\n".join(f"{each.pattern}: {each.kind}\n{diff_of(each, original(each.pattern))}" for each in left)
    assert len(left) <= (1 - REQUIRED) * len(SAMPLE), told


@pytest.mark.parametrize(
    ("pattern", "key", "finder", "where"),
    [
        ("refine", "removed-bound: repeat max_rounds as round: -> loop as round:", "error", "invariant-refuted"),
        ("refine", "dropped-statement: let current_score = 0", "warning", "maybe-unbound"),
        (
            "best-of-n",
            "bound: let made = parallel repeat n: -> let made = parallel repeat n + 1:",
            "proof",
            "Calls of `evaluator` are bounded by `n`",
        ),
        (
            "refine",
            "dropped-statement: improvement_suggestions = evaluation.suggestions",
            "case",
            "refine-takes-three-rounds",
        ),
    ],
)
def test_each_way_to_find_one(tmp_path: Path, pattern: str, key: str, finder: str, where: str) -> None:
    mutant = next(mutant for mutant in mutants(pattern) if mutant.key == key)
    with laboratory(tmp_path) as place:
        assert found_by(mutant, place) == (finder, where)
        assert (place / f"{pattern}.prose.md").read_text(encoding="utf-8") == original(pattern)
    assert (shipped("std") / "patterns" / f"{pattern}.prose.md").read_text(encoding="utf-8") == original(pattern)


def test_one_that_means_the_same_is_found_by_nothing(tmp_path: Path) -> None:
    with laboratory(tmp_path) as place:
        same = [mutant for mutant in mutants("tree-of-thoughts") if mutant.key in equivalent("tree-of-thoughts")]
        assert [found_by(mutant, place) for mutant in same] == [None]


def test_cases_pass_in_the_laboratory_and_run_what_stands_there(tmp_path: Path) -> None:
    with laboratory(tmp_path) as place:
        assert [run_case(path).ok for path in cases()["refine"]] == [True] * len(cases()["refine"])
        (place / "refine.prose.md").write_text(original("refine").replace("call refiner", "call nobody"))
        assert not any(run_case(path).ok for path in cases()["refine"])


HEAD = """---
name: example
kind: pattern
---

### Slots

- `a`
- `b`

### Parameters

- `xs` (any[]): some

### Config

- `n` (integer, default: 3): how many

### Delegation

```prose
"""
SCRIPTS = {
    "dropped-property": "call a\n  x: xs",
    "swapped-slot": "call a",
    "swapped-values": "call a\n  x: xs\n  y: n",
    "wrong-name": "let y = xs",
    "dropped-statement": "call a\ncall b",
    "missing-return": "call a\nreturn n",
    "swapped-order": "call a\ncall b",
    "returns-nothing": "return n",
    "constant": "return 3",
    "other-operator": "return n + 1",
    "one-operand": "return n + 1",
    "one-arm": "return if n > 1 then 1 else 2",
    "dropped-part": "return xs[0]",
    "dropped-function": "return len(xs)",
    "dropped-argument": "return min(n, 2)",
    "dropped-entry": "return { n: n }",
    "bound": "repeat n:\n  call a",
    "removed-bound": "loop until n > 3 (max: 9):\n  call a",
    "parallel-removed": "parallel repeat n:\n  call a",
    "dropped-modifiers": 'parallel ("first"):\n  call a\n  call b',
    "caught-nothing": "try:\n  call a\ncatch:\n  call b",
    "dropped-else": "if n > 1:\n  call a\nelse:\n  call b",
    "continue-for-break": "repeat n:\n  break",
    "break-for-continue": "repeat n:\n  continue",
    "condition-turned": "if n > 1:\n  call a",
    "condition-always": "if n > 1:\n  call a",
    "condition-never": "if n > 1:\n  call a",
    "condition-part": "if n > 1 or xs is empty:\n  call a",
    "comparison": "if n > 1:\n  call a",
    "and-or": "if n > 1 or xs is empty:\n  call a",
}


@pytest.mark.parametrize("kind", SCRIPTS)
def test_each_operator(kind: str) -> None:
    text = f"{HEAD}{SCRIPTS[kind]}\n```\n"
    edits = [edit for edit in Script(text, load(text).document.main).edits() if edit.kind == kind]
    assert edits
    for edit in edits:
        changed = text[: edit.span.start] + edit.new + text[edit.span.end :]
        assert changed != text
        assert (changed.startswith(HEAD), changed.endswith("\n```\n")) == (True, True)


def test_the_library_has_every_kind() -> None:
    assert {mutant.kind for mutant in ALL} == set(SCRIPTS)


def test_parts_of_conditions() -> None:
    found = [text for kind, text in other_conditions('a or (b >= 3 and c is "or")') if kind == "condition-part"]
    assert found == ['(b >= 3 and c is "or")', "a", 'a or (c is "or")', "a or (b >= 3)"]
    assert ("comparison", 'a or (b > 3 and c is "or")') in list(other_conditions('a or (b >= 3 and c is "or")'))


def test_the_table_adds_up() -> None:
    figures = {
        "one": Figures(10, 2, Counter(error=3, case=4), ["one:1: constant"]),
        "two": Figures(5, 0, Counter(case=5)),
    }
    assert table(figures).splitlines() == [
        "pattern                 made  same    error  warning    proof     case  left    found",
        "one                       10     2        3        0        0        4     1    87.5%",
        "two                        5     0        0        0        0        5     0   100.0%",
        "all                       15     2        3        0        0        9     1    92.3%",
    ]
