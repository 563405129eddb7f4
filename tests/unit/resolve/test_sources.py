"""What reaches each property of each call, through names, objects, lists, loops, branches and blocks."""

from __future__ import annotations

import pytest

from prose_runtime import load
from prose_runtime.resolve.sources import sources_of

HEAD = """---
name: example
kind: pattern
---

### Slots

- `maker`
- `critic`
- `checks`

### Config

- `limit` (integer, default: 3): how many

### Parameters

- `topic` (string): what about
- `checks` (string[]): who check

### Delegation

```prose
"""


def passed(script: str) -> dict[str, set[str]]:
    """`critic.text` -> `maker.score`, of the last call of each name."""
    loaded = load(f"{HEAD}{script}\n```\n")
    assert not [str(item) for item in loaded.diagnostics if item.severity == "error"]
    found: dict[str, set[str]] = {}
    for call, properties in sources_of(loaded.program.main).passed.items():
        for key, flow in properties.items():
            names = {f"{item.name}.{item.part}" if item.part else item.name for item in flow}
            found[f"{getattr(call, 'target', 'model')}.{key}"] = names
    return found


@pytest.mark.parametrize(
    ("script", "reaches"),
    [
        ("call critic\n  text: topic", {"topic"}),
        ("call critic\n  text: config.limit", {"limit"}),
        ("call critic\n  text: limit + 1", {"limit"}),
        ("call critic\n  text: 3", set()),
        ("let a = call maker\ncall critic\n  text: a", {"maker"}),
        ("let a = call maker\ncall critic\n  text: a.score.value", {"maker.score"}),
        ("let {score} = call maker\ncall critic\n  text: score", {"maker.score"}),
        ('let a = call maker\ncall critic\n  text: "of {topic}: {a.title}"', {"topic", "maker.title"}),
        # objects keep their entries apart
        ("let a = call maker\nlet o = {made: a, about: topic}\ncall critic\n  text: o.about", {"topic"}),
        ("let a = call maker\nlet o = {made: a, about: topic}\ncall critic\n  text: o.made.title", {"maker.title"}),
        ("let a = call maker\nlet o = {made: a, about: topic}\ncall critic\n  text: o", {"maker", "topic"}),
        ("let o = {about: topic}\no.made = call maker\ncall critic\n  text: o.made", {"maker"}),
        ('let a = call maker\nlet o = {made: a}\ncall critic\n  text: field(o, "made")', {"maker"}),
        # lists, and how many items they have
        ("let xs = []\nrecord topic in xs\ncall critic\n  text: xs[0]", {"topic"}),
        ("let a = call maker\nlet xs = [a]\ncall critic\n  text: xs.length", set()),
        ("let a = call maker\nlet xs = [a]\ncall critic\n  text: len(xs)", set()),
        ("let a = call maker\nfor x in [a]:\n  call critic\n    text: x.title", {"maker.title"}),
        # branches: whatever can have happened
        ('let a = topic\nif topic contains "x":\n  a = call maker\ncall critic\n  text: a', {"topic", "maker"}),
        ("let a = topic\nif limit > 1:\n  a = 1\nelse:\n  a = call maker\ncall critic\n  text: a", {"maker"}),
        ("let a = null\ntry:\n  a = call maker\ncatch:\n  a = topic\ncall critic\n  text: a", {"maker", "topic"}),
        # a condition decides, and is not passed on
        ('let a = call maker\nlet b = if a.score > 1 then "x" else topic\ncall critic\n  text: b', {"topic"}),
        # what a later line of the loop bound comes round
        ("let a = topic\nrepeat 2:\n  call critic\n    text: a\n  a = call maker", {"topic", "maker"}),
        ("let a = 1\nlet b = 1\nrepeat 5:\n  call critic\n    text: a\n  a = b\n  b = call maker", {"maker"}),
        # values that loops, blocks and pipelines give
        ("let xs = for x in [1]:\n  call maker\ncall critic\n  text: xs", {"maker"}),
        (
            "let xs = repeat 2:\n  if limit > 1:\n    return topic\n  call maker\ncall critic\n  text: xs",
            {"topic", "maker"},
        ),
        ("block b(x):\n  return x\nlet a = do b(topic)\ncall critic\n  text: a", {"topic"}),
        ("let a = [topic] | map(x): [x, limit]\ncall critic\n  text: a", {"topic", "limit"}),
        ("let a = [topic] | filter(x): x == limit\ncall critic\n  text: a", {"topic"}),
        ("parallel:\n  a = call maker\n  b = topic\ncall critic\n  text: a", {"maker"}),
        ("let xs = parallel for c in checks:\n  call c\n    about: topic\ncall critic\n  text: xs", {"checks"}),
    ],
)
def test_what_reaches_a_property(script: str, reaches: set[str]) -> None:
    assert passed(script)["critic.text"] == reaches


def test_objects_that_grow_into_themselves_end() -> None:
    assert passed("let o = topic\nrepeat 9:\n  o = {before: o}\ncall critic\n  text: o")["critic.text"] == {"topic"}


def test_blocks_that_call_themselves_end() -> None:
    script = "block b(x):\n  if limit > 1:\n    return do b(x)\n  return x\nlet a = do b(topic)\ncall critic\n  text: a"
    assert passed(script)["critic.text"] == {"topic"}
