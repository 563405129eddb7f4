"""docs/contracts.md is run: its commands, and every row of its tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pages import DOCS, Row, code, hold_commands, tables

import prose_runtime as prose
from prose_runtime import load
from prose_runtime.resolve.bounds import bounds_of
from prose_runtime.resolve.clauses.tree import unread
from prose_runtime.resolve.invariants import SENTENCES, invariants_of
from prose_runtime.resolve.invariants.sentences import known
from prose_runtime.runtime.clauses.keeping import contract_of
from prose_runtime.runtime.clauses.record import ClauseRecord

PAGE = DOCS / "contracts.md"
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

- `xs` (any[]): some
- `many` (string[]): several

### Invariants

- {text}

### Delegation

```prose
{script}
```
"""


def test_the_commands_show_what_the_page_shows(tmp_path: Path) -> None:
    hold_commands(PAGE, tmp_path)


def _rows(*headings: str) -> list[object]:
    return [pytest.param(row, id=f"line-{row.line}") for row in tables(PAGE, *headings)]


def _status(text: str, script: str) -> str:
    loaded = load(HEAD.format(text=text, script=script.replace("⏎", "\n")))
    wrong = [str(item) for item in loaded.diagnostics if item.severity == "error" and item.code != "invariant-refuted"]
    assert wrong == []
    return invariants_of(loaded.program.main)[0].status


@pytest.mark.parametrize("row", _rows("sentence", "proved of", "refuted by"))
def test_sentences(row: Row) -> None:
    assert _status(row["sentence"], code(row["proved of"])) == "proved"
    assert _status(row["sentence"], code(row["refuted by"])) == "refuted"


@pytest.mark.parametrize("row", _rows("sentence", "also said as"))
def test_other_words_for_a_sentence(row: Row) -> None:
    one, other = known(row["sentence"]), known(row["also said as"])
    assert one is not None
    assert other is not None
    assert one[0] is other[0]


@pytest.mark.parametrize("row", _rows("sentence", "script", "it is"))
def test_what_is_not_certain(row: Row) -> None:
    says = {"open": "not shown"}
    status = _status(row["sentence"], code(row["script"]))
    assert says.get(status, status) == row["it is"]


def test_every_sentence_has_a_row() -> None:
    assert len(tables(PAGE, "sentence", "proved of", "refuted by")) == len(SENTENCES)


@pytest.mark.parametrize("row", _rows("pattern", "published promise, in short", "kept by"))
def test_published_promises_are_kept(row: Row) -> None:
    unit = load(f"std/patterns/{code(row['pattern'])}").program.main
    proved = {found.clause.text for found in unit.invariants if found.status == "proved"}
    decided = {clause.text for clause in contract_of(unit) if not unread(clause.rule)}
    assert row["kept by"] == "–" or row["kept by"] in proved | decided


@pytest.mark.parametrize("row", _rows("script", "at least", "at most"))
def test_bounds(row: Row) -> None:
    text = HEAD.format(text="none", script=code(row["script"]).replace("⏎", "\n"))
    found = bounds_of(load(text).program.main)
    assert (str(found.fewest_calls), str(found.most_calls)) == (row["at least"], row["at most"])


CONTRACT = """---
name: example
kind: pattern
---

### Slots

- `a`
- `b`

### Config

- `limit` (integer, default: 3): how much

### Parameters

- `given` (object): what comes back

### Ensures

- `text` (optional)
- `count` (optional)
- `articles` (optional)
- `report` (optional)
- {clause}

### Delegation

```prose
if given.calls is present:
  repeat given.calls:
    call a
if given.others is present:
  call b
return given
```
"""


def _last_clause(clause: str, given: object) -> ClauseRecord:
    """What became of the clause of a run that gives `given`, with as many calls as `given` says."""
    outcome = prose.run(
        CONTRACT.format(clause=clause), bind={"a": lambda: "x", "b": lambda: "y"}, inputs={"given": given}
    )
    record = outcome.clauses[-1]
    assert outcome.ok == (record.holds is not False)
    return record


@pytest.mark.parametrize("row", _rows("clause", "kept by", "broken by"))
def test_a_clause_is_kept_and_broken(row: Row) -> None:
    for cell, holds in (("kept by", True), ("broken by", False)):
        record = _last_clause(code(row["clause"]).strip(), json.loads(code(row[cell])))
        assert (record.how, record.holds) == ("checked", holds), record


@pytest.mark.parametrize("row", _rows("clause", "why"))
def test_what_leaves_a_doubt_is_not_checked(row: Row) -> None:
    given = {"text": "one two three four"}
    assert _last_clause(code(row["clause"]).strip(), given).how == "not checked"
