"""A budget of calls that no run can end well within is an error before the first call."""

from __future__ import annotations

from typing import Any

import pytest

import prose_runtime as prose

HEAD = """---
name: example
kind: pattern
---

### Slots

- `a`
- `many`

### Config

- `n` (integer, default: 3): how many

### Parameters

- `xs` (any[]): some
- `many` (string[]): several

### Delegation

```prose
{script}
```
"""


def refused(script: str, calls: int, more: str = "", **binding: Any) -> bool:
    services: dict[str, Any] = {"a": lambda **given: 1, "many": [lambda **given: 1] * 3, **binding.pop("bind", {})}
    given = {"xs": [1, 2], **binding.pop("inputs", {})}
    called: list[int] = []
    services["a"] = services["a"] if isinstance(services["a"], str) else lambda **_: called.append(1) or 1
    budget = prose.Budget(max_calls=calls)
    try:
        outcome = prose.run(HEAD.format(script=script) + more, bind=services, inputs=given, budget=budget, **binding)
    except prose.CheckFailed as error:
        codes = [item.code for item in error.diagnostics if item.severity == "error"]
        if codes != ["budget-too-small"] or called:
            raise
        return True
    return outcome.status not in ("done", "stopped")


@pytest.mark.parametrize(
    ("script", "needed"),
    [
        ("call a\ncall a", 2),
        ("repeat n:\n  call a", 3),
        ("for x in xs:\n  call a\n    x: x\ncall a", 3),
        ("for m in many:\n  call m", 3),
        ("if n > 1:\n  call a\n  call a\nelse:\n  call a", 1),
        ("let y = call a\nfor x in first(y.items or [], 5):\n  call a", 1),
    ],
)
def test_what_is_given_counts(script: str, needed: int) -> None:
    assert refused(script, needed - 1) if needed > 1 else True
    assert not refused(script, needed)


def test_config_counts() -> None:
    assert refused("repeat n:\n  call a", 3, config={"n": 4})
    assert not refused("repeat n:\n  call a", 1, config={"n": 1})


def test_what_only_the_run_knows_is_not_held_against_it() -> None:
    assert not refused("let y = call a\nrepeat y:\n  call a", 1)


def test_a_service_in_the_place_of_a_function_is_one_call() -> None:
    more = "\n## twice\n\n### Execution\n\n```prose\ncall one\ncall one\n```\n\n## one\n\n### Returns\n\n- `x`: it\n"
    assert refused("return call twice", 1, more, bind={"one": lambda **given: 1})
    assert not refused("return call twice", 1, more, bind={"twice": lambda **given: 1})


def test_a_file_in_the_place_of_a_service_makes_its_own_calls(tmp_path: Any) -> None:
    none = tmp_path / "none.prose.md"
    none.write_text("---\nname: none\nkind: function\n---\n\n### Execution\n\n```prose\nreturn 1\n```\n")
    assert not refused("call a\ncall a\nfor m in many:\n  call m", 3, bind={"a": str(none)})
    assert refused("call a\ncall a\nfor m in many:\n  call m", 2, bind={"a": str(none)})
