"""What reaches each property of each call, through names, objects, lists, loops, branches and blocks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from prose_runtime import load
from prose_runtime.reports.explanation import explained, explanation_of
from prose_runtime.resolve import blocks
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
            names = {f"{item.name}.{item.part}" if item.part else item.name for item in flow if item.kind != "failure"}
            names |= {f"failure of {item.name}" for item in flow if item.kind == "failure"}
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
        # every way out of a loop
        (
            "let x = 1\nrepeat 3:\n  x = call maker\n  if limit > 1:\n    break\n  x = 1\ncall critic\n  text: x",
            {"maker"},
        ),
        (
            "let x = 1\nlet y = 1\nrepeat 3:\n  y = x\n  x = call maker\n  if limit > 1:\n    continue\n  x = 1\n"
            "call critic\n  text: y",
            {"maker"},
        ),
        ("let x = 1\nrepeat 3:\n  do:\n    x = call maker\n    break\ncall critic\n  text: x", {"maker"}),
        # the way that ended leads nowhere
        ("let x = call maker\nif limit > 1:\n  return x\nelse:\n  x = topic\ncall critic\n  text: x", {"topic"}),
        # a body that failed anywhere, and what is caught
        (
            "let x = 1\ntry:\n  x = call maker\n  x = topic\ncatch:\n  x = x\ncall critic\n  text: x",
            {"maker", "topic"},
        ),
        ("let x = 1\ntry:\n  x = call maker\n  x = 2\nfinally:\n  call critic\n    text: x", {"maker"}),
        ("let x = 1\ntry:\n  x = call maker\n  return 1\nfinally:\n  call critic\n    text: x", {"maker"}),
        ("try:\n  throw topic\ncatch as e:\n  call critic\n    text: e.message", {"topic"}),
        (
            'let a = call maker\ntry:\n  throw { name: "n", message: a, why: topic }\ncatch as e:\n'
            "  call critic\n    text: e.message",
            {"maker"},
        ),
        ("try:\n  call maker\ncatch as e:\n  call critic\n    text: e.message", {"failure of maker"}),
        (
            "try:\n  try:\n    call maker\n  catch as inner:\n    throw inner\ncatch as e:\n"
            "  call critic\n    text: e.cause",
            {"failure of maker"},
        ),
        (
            'let xs = parallel for c in checks (on-fail: "continue"):\n  call maker\n'
            "call critic\n  text: xs[0].message",
            {"maker.message", "failure of maker"},
        ),
        (
            'parallel (on-fail: "continue"):\n  a = call maker\n  b = 1\ncall critic\n  text: a',
            {"maker", "failure of maker"},
        ),
        # parts by another name than a property's
        ('let o = { k: { text: topic } }\nlet j = "k"\ncall critic\n  text: o[j].text', {"topic"}),
        ('let o = { k: topic }\no["k"] = call maker\ncall critic\n  text: o.k', {"topic", "maker"}),
        ('let o = { k: topic, l: limit }\ncall critic\n  text: o["k"]', {"topic"}),
        ("let o = { k: { text: topic } }\nfor key, held in o:\n  call critic\n    text: held.text", {"topic"}),
        ("let xs = [topic]\nfor x, i in xs:\n  call critic\n    text: i", set()),
        ('let o = { k: { text: topic } }\nlet j = "k"\ncall critic\n  text: field(o, j).text', {"topic"}),
        ('let o = { key_one: topic }\ncall critic\n  text: field(o, "Key One")', {"topic"}),
        ("let a = call maker\ncall critic\n  text: a.count", {"maker.count"}),
        ("let v = parallel:\n  a = { k: topic }\n  b = 1\ncall critic\n  text: v.a.k", {"topic"}),
        ("call critic\n  text: config", {"limit"}),
        # what bodies with names of their own read and add
        ("let xs = []\nblock b(x):\n  record x in xs\ndo b(topic)\ncall critic\n  text: xs", {"topic"}),
        (
            "let x = topic\nblock c():\n  return x\nblock b(x):\n  return do c()\nlet y = do b(1)\n"
            "call critic\n  text: y",
            {"topic"},
        ),
        ("let xs = []\nlet ys = [topic] | map(y):\n  record y in xs\n  1\ncall critic\n  text: xs", {"topic"}),
        ("let a = [1, topic] | reduce(sum, x): [sum, limit]\ncall critic\n  text: a", {"topic", "limit"}),
        ("let v = repeat 2:\n  let x = call maker\n  return x\ncall critic\n  text: v", {"maker"}),
        ("let v = do:\n  if limit > 2:\n    return topic\n  call maker\ncall critic\n  text: v", {"maker", "topic"}),
        # an input that gets another value on some way only
        ("if limit > 1:\n  topic = call maker\ncall critic\n  text: topic", {"topic", "maker"}),
        ("let xs = parallel for c in checks:\n  call c\n    about: topic\ncall critic\n  text: xs", {"checks"}),
    ],
)
def test_what_reaches_a_property(script: str, reaches: set[str]) -> None:
    assert passed(script)["critic.text"] == reaches


@pytest.mark.parametrize(
    ("script", "reaches"),
    [
        ("block b(x):\n  return x\nlet a = do b(topic)\ncall critic\n  text: a", {"topic"}),
        ("let xs = []\nblock b(x):\n  record x in xs\ndo b(topic)\ncall critic\n  text: xs", {"topic"}),
        (
            "block c(x):\n  call maker\n    about: x\nblock b(x):\n  do c(x)\nlet why = null\ntry:\n  do b(topic)\n"
            "catch as e:\n  why = e\ncall critic\n  text: why",
            {"failure of maker"},
        ),
        (
            "let x = limit\nblock c():\n  return [x]\nblock b():\n  return do c()\nx = topic\nlet y = do b()\n"
            "call critic\n  text: y",
            {"topic"},
        ),
    ],
)
def test_blocks_that_are_gone_through_by_themselves(
    script: str, reaches: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "are_deep", lambda unit: True)
    assert passed(script)["critic.text"] == reaches


def _chain(count: int, last: str) -> str:
    each = (f"block b{number}(x):\n  return do b{number - 1}(x)" for number in range(1, count))
    return "\n".join([f"block b0(x):\n  {last}", *each, f"let a = do b{count - 1}(topic)", "call critic\n  text: a"])


def test_blocks_that_call_each_other_very_deeply_end() -> None:
    assert passed(_chain(400, "return call maker\n    about: x")) == {
        "maker.about": {"topic"},
        "critic.text": {"maker"},
    }
    assert passed(_chain(400, "return do b399([x])"))["critic.text"] == set()


def test_what_is_known_of_very_deep_blocks_is_shown() -> None:
    chain = explained(explanation_of(load(f"{HEAD}{_chain(400, 'return call maker')}\n```\n").program.main))
    assert "at least  2\n  at most   2\n" in chain
    ring = explained(explanation_of(load(f"{HEAD}{_chain(400, 'return do b399(x)')}\n```\n").program.main))
    assert "at least  1\n" in ring
    assert "no bound" in ring


def test_what_goes_from_name_to_name_a_round_at_a_time_arrives() -> None:
    names = [f"a{number}" for number in range(100)]
    begin = "\n".join(f"let {name} = 1" for name in names)
    moved = "\n".join(f"  {name} = {before}" for before, name in reversed(list(pairwise(names))))
    script = f"{begin}\nrepeat limit:\n  call critic\n    text: a99\n{moved}\n  a0 = call maker\n"
    assert passed(f"{script}call critic\n  also: a7")["critic.text"] == {"maker"}
    assert passed(f"{script}call critic\n  also: topic")["critic.also"] == {"topic"}


def test_objects_that_grow_into_themselves_end() -> None:
    assert passed("let o = topic\nrepeat 9:\n  o = {before: o}\ncall critic\n  text: o")["critic.text"] == {"topic"}


def test_blocks_that_call_themselves_end() -> None:
    script = "block b(x):\n  if limit > 1:\n    return do b(x)\n  return x\nlet a = do b(topic)\ncall critic\n  text: a"
    assert passed(script)["critic.text"] == {"topic"}


def test_a_call_in_a_position_is_one_of_the_calls() -> None:
    assert passed('let xs = [1]\ncall critic\n  text: xs[session "{topic}"]') == {
        "model.prompt": {"topic"},
        "critic.text": set(),
    }


def test_blocks_that_call_many_blocks_end() -> None:
    blocks = ["block b0(x):\n  return [x]"]
    blocks += [
        f"block b{number}(x):\n  let one = do b{number - 1}([x, {number}])\n  return do b{number - 1}([one, topic])"
        for number in range(1, 30)
    ]
    script = "\n".join(blocks) + "\nlet m = call maker\nlet a = do b29(m)\ncall critic\n  text: a"
    assert passed(script)["critic.text"] == {"topic", "maker"}


def test_deeply_nested_loops_end() -> None:
    lines = ["let a = 1"]
    lines += [f"{'  ' * depth}repeat 2:" for depth in range(25)]
    lines += [f"{'  ' * 25}call critic\n{'  ' * 25}  text: a\n{'  ' * 25}a = call maker"]
    assert passed("\n".join(lines))["critic.text"] == {"maker"}


def test_branches_side_by_side_see_nothing_of_each_other() -> None:
    script = "let a = topic\nparallel for c in checks:\n  call critic\n    text: a\n  let b = call maker"
    assert passed(script)["critic.text"] == {"topic"}
    script = "let a = topic\nparallel:\n  a = call maker\n  b = call critic\n    text: a"
    assert passed(script)["critic.text"] == {"topic"}
