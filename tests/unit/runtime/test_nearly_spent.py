"""A run that has spent four fifths of a limit says so, once for each limit."""

from __future__ import annotations

import pytest

import prose_runtime as prose

TEXT = """---
name: x
kind: pattern
---

### Slots

- `a`

### Delegation

```prose
repeat 12:
  call a
```
"""


async def spends(call: prose.Call) -> prose.Answer:
    return prose.Answer("x", prose.Usage(10, 5, 0.01))


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (prose.Budget(max_calls=15), ["12 of 15 calls are spent"]),
        (prose.Budget(max_calls=20), []),
        (prose.Budget(max_calls=12), ["10 of 12 calls are spent"]),
        (prose.Budget(max_tokens=200), ["165 of 200 tokens are spent"]),
        (prose.Budget(max_cost=0.15), ["$0.1200 of $0.15 are spent"]),
        (prose.Budget(max_calls=14, max_cost=0.14), ["12 of 14 calls are spent", "$0.1200 of $0.14 are spent"]),
    ],
)
def test_four_fifths_of_a_limit(budget: prose.Budget, said: list[str]) -> None:
    outcome = prose.run(TEXT, bind={"a": spends}, budget=budget)
    found = [item.message for item in outcome.warnings if item.code == "budget-nearly-spent"]
    assert found == said
