"""Invariants that only a run can break: it ends before the call, or at the statement, that would break one."""

from __future__ import annotations

from typing import Any

import pytest

import prose_runtime as prose
from prose_runtime.api import load
from prose_runtime.runtime import Outcome

TEXT = """---
name: example
kind: pattern
---

### Slots

- `a`
- `b`

### Config

- `n` (integer, default: 2): how many

### Parameters

- `yes` (boolean): whether it happens

### Invariants

- {sentence}

### Delegation

```prose
{script}
```
"""
WATCHED = [
    (
        "Calls of `a` are bounded by `n`",
        "repeat 2:\n  call a\nif yes:\n  call a",
        "this is call 3 of `a`, and n is 2",
        2,
    ),
    ("Calls of `a` are bounded by `1`", "call a\nif yes:\n  call a", "this is call 2 of `a`, and 1 is 1", 1),
    (
        "`a` is called exactly once",
        "let again = false\nif yes:\n  again = true\ncall a\nif again:\n  call a",
        "this is another call of `a`",
        1,
    ),
    ("`a` and `b` are never both called", "if yes:\n  call a\nif n > 1:\n  call b", "`a` was called before", 1),
    ("`a` runs before `b`", "if not yes:\n  call a\ncall b", "`a` was not called yet", 0),
    ("`log` only grows", "let log = [1, 2]\nlog = if yes then [2] else log\ncall a", "`log` loses what was in it", 0),
]


def run(sentence: str, script: str, yes: bool) -> Outcome:
    answers = iter(range(100))
    services: dict[str, Any] = {name: lambda **more: next(answers) for name in "ab"}
    return prose.run(TEXT.format(sentence=sentence, script=script), bind=services, inputs={"yes": yes})


@pytest.mark.parametrize(("sentence", "script", "because", "calls"), WATCHED)
def test_a_run_ends_before_it_breaks_an_invariant(sentence: str, script: str, because: str, calls: int) -> None:
    loaded = load(TEXT.format(sentence=sentence, script=script))
    assert [found.status for found in loaded.program.main.invariants] == ["watched"]
    broken = run(sentence, script, yes=True)
    assert broken.error is not None
    assert (broken.error.name, len(broken.calls)) == ("invariant", calls)
    assert sentence in broken.error.message
    assert because in broken.error.message
    assert run(sentence, script, yes=False).status == "done"
