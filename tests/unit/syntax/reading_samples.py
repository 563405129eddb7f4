"""Documents of our own that hold every form the readers know."""

from __future__ import annotations

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.source import SourceText
from prose_runtime.syntax.document import Document
from prose_runtime.syntax.fence import Fence
from prose_runtime.syntax.nodes import Script
from prose_runtime.syntax.read import read

TIDY = """\
---
name: tidy-up
kind: pattern
version: 1.0.0
tags: [a, "b"]
note: 12:30
---

# Tidy Up

Clean a text until a reader calls it clean. Ünïcode, 😀.

### Slots

- `cleaner` (primary): cleans the text
  - requires: text, complaints
  - ensures: { text: string, changed: boolean }
- `readers` (string[]): read it
- `helper` (optional)

### Config

- `rounds` (integer, default: 3): how often
- `limit`: number, default `0.5`
- `n`: 3
- `style` (string, default: Plain English): the style
- `groups` (object[], default: {'size': 2, 'who': ['a']}, {'size': 3}): groups
- `depth` — how deep (default: 5)
- `mode` ("fast" | "slow", default: "fast"): speed

### Requires

- Pattern instance receives:
    cleaner: string      -- who cleans
    readers: string[]    -- who reads
    text: string         -- the text
                            to clean, over two lines
    rules: string[]      -- (optional, default []) rules
    rounds: number       -- (optional, default 3)
- The text is not empty

### Returns

- `text`: the clean text, or `null`
- `verdict` ("good" | "bad"): what the reader says
- `left`: complaints when some are left
- Every reader sees the same text

### Invariants

- The loop is bounded by `rounds`

### Errors

- `too-dirty`: it cannot be cleaned

### Shape

- `self`: the loop
- `delegates`:
  - `cleaner`: cleans
- `prohibited`: none

### Patterns

```yaml
- name: inner
  pattern: std/patterns/refine
  with:
    refiner: cleaner
    evaluator: [a, b]
    other:
      pattern: ./x.prose.md
      with: { target: cleaner }
  config:
    max_rounds: 2
    flag: no
```

### Delegation

```prose
let a = call cleaner
  text: text

return a
```

## cleaner

### Parameters

- `text`: run — what to clean
- `hint` (string, required) — a hint

### Returns

- `text`: string
"""


def no_script(source: SourceText, fence: Fence) -> tuple[Script, list[Diagnostic]]:
    """Stands for the script parser where only the document matters."""
    return Script(fence.span, fence.language, ()), []


def reading(text: str, name: str = "sample.prose.md") -> tuple[Document, list[Diagnostic]]:
    """Read a text without its scripts."""
    return read(SourceText(name, text), no_script)


def document(text: str) -> Document:
    """Read a text that has no fault."""
    found, diagnostics = reading(text)
    assert [str(item) for item in diagnostics] == []
    return found


def codes(text: str) -> list[str]:
    """The codes that reading a text reports, in order."""
    return [item.code for item in reading(text)[1]]


def pattern(sections: str = "", *, slots: str = "- `writer`") -> str:
    """A pattern around some sections."""
    return (
        f"---\nname: sample\nkind: pattern\n---\n\n### Slots\n\n{slots}\n\n{sections}\n\n"
        "### Delegation\n\n```prose\nreturn 1\n```\n"
    )


def function(sections: str = "") -> str:
    """A function around some sections."""
    return f"---\nname: sample\nkind: function\n---\n\n{sections}\n"
