"""The card of a file: long names and types leave room for the texts."""

from __future__ import annotations

import pytest

import prose_runtime as prose
from prose_runtime.api import standard_library
from prose_runtime.reports.card import card

LONG = '"the_first_of_the_ends" | "the_second_of_the_ends" | "the_third_of_the_ends" | "the_fourth_of_the_ends"'
TEXT = f"""---
name: long
kind: pattern
---

### Requires

- `topic` (string): what is to be written about, in a sentence that is longer than what is left of the line

### Returns

- `result` (string): the text
- `a_name_that_is_longer_than_any_name_should_be` ({LONG}): why it ended, which is told in a sentence of some length
- `n` (integer): how many

### Delegation

```prose
return topic
```
"""


def test_a_long_type_stands_on_lines_of_its_own() -> None:
    lines = card(prose.load(TEXT).document, "long").split("\n")
    assert all(len(line) <= 80 for line in lines)
    assert "  result  string   the text" in lines
    assert "  n       integer  how many" in lines
    at = next(index for index, line in enumerate(lines) if line.startswith("  a_name_that"))
    assert lines[at + 1].strip().startswith('"the_second_of_the_ends" |') or '"the_first_of_the_ends" |' in lines[at]
    text = next(line for line in lines if line.strip().startswith("why it ended"))
    assert text.startswith(" " * len("  result  string   "))


@pytest.mark.parametrize("name", sorted(standard_library()))
def test_the_cards_of_the_library_fit(name: str) -> None:
    shown = card(prose.load(f"std/{name}").document, f"std/{name}", width=200)
    assert max(map(len, shown.split("\n"))) <= 80
