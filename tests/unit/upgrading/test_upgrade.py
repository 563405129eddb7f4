"""Files of older editions in today's words: what is changed, what is left, and what is refused."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from prose_runtime.api import load
from prose_runtime.diagnostics import has_errors
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.syntax import read
from prose_runtime.upgrading import Upgraded, upgrade
from prose_runtime.upgrading.writing import ChangedMeanwhile, encoded, replace_file

ROOT = Path(__file__).resolve().parents[3]

SERVICE = """---
name: greet
kind: service
---

### Requires

- `who`: the person

### Ensures

- `greeting`: one line

### Execution

```prose
return "Dear {who}"
```
"""

LOOP = """---
name: refine
kind: composite
---

# Refine

### Slots

- `refiner`
- `evaluator`

### Requires

- &controlState exists at __controlState with:
    refiner: string     -- who makes it
    evaluator: string   -- who scores it
    task_brief: string  -- the task
    max_rounds: number  -- (optional, default 5) how often

### Delegation Loop

Round by round.

```javascript
for (let round = 0; round < max_rounds; round++) {
  await rlm(task_brief, null, { use: refiner });
}
```

### Notes

It ends.
"""


def upgraded(text: str, folder: Path, name: str = "file.prose.md") -> Upgraded:
    return upgrade(SourceText(name, text), folder / name, DiskLoader(cwd=folder))


def rewritten(text: str, folder: Path) -> str:
    """The new text; a second run changes nothing, and it checks without an error."""
    result = upgraded(text, folder)
    assert not result.refused
    again = upgraded(result.source.text, folder)
    assert (again.changes, again.refused, again.source.text) == ((), "", result.source.text)
    path = folder / "file.prose.md"
    path.write_text(result.source.text, encoding="utf-8", newline="")
    assert not has_errors(load(path).diagnostics), [str(item) for item in load(path).diagnostics]
    return result.source.text


def test_words_are_replaced_where_they_stand(tmp_path: Path) -> None:
    expected = SERVICE.replace("kind: service", "kind: function")
    expected = expected.replace("### Requires", "### Parameters").replace("### Ensures", "### Returns")
    assert rewritten(SERVICE, tmp_path) == expected
    assert [(change.line, change.what) for change in upgraded(SERVICE, tmp_path).changes] == [
        (3, "`service` -> `function`"),
        (6, "`Requires` -> `Parameters`"),
        (10, "`Ensures` -> `Returns`"),
    ]


def test_everything_else_stays_byte_for_byte(tmp_path: Path) -> None:
    odd = SERVICE.replace("one line", "é one line  \t").replace("\n", "\r\n") + "\r\nno end of line \u2028 here"
    before = b"\xef\xbb\xbf" + odd.encode()
    source = SourceText.from_bytes("file.prose.md", before)
    result = upgrade(source, tmp_path / "file.prose.md", DiskLoader(cwd=tmp_path))
    expected = before.replace(b"kind: service", b"kind: function")
    expected = expected.replace(b"### Requires", b"### Parameters").replace(b"### Ensures", b"### Returns")
    assert encoded(result.source) == expected


def test_a_section_that_would_stand_twice_is_left_to_the_author(tmp_path: Path) -> None:
    both = SERVICE.replace("### Execution", "### Returns\n\n- `other`: a text\n\n### Execution")
    both = both.replace('return "Dear {who}"', 'return { greeting: who, other: "x" }')
    assert "### Ensures" in rewritten(both, tmp_path)
    assert [(change.line, change.what.split(":")[0]) for change in upgraded(both, tmp_path).left] == [
        (10, "`### Ensures` is retired here; it is read as `### Returns`")
    ]


def test_instances_of_an_older_edition(tmp_path: Path) -> None:
    old = """---
name: reviewed
kind: program
---

### Services

```yaml
- name: draft
  compose: std/composites/worker-critic
  with:
    worker: writer
    max_rounds: 4   # enough
    critic: reviewer
```

### Parameters

- `topic`: it

### Execution

```prose
return call draft
  task_brief: topic
  criteria: "clear"
```

## writer

### Parameters

- `task_brief`: it

## reviewer

### Parameters

- `output`: it
"""
    expected = old.replace("kind: program", "kind: function").replace("### Services", "### Patterns")
    expected = expected.replace("compose: std/composites", "pattern: std/patterns")
    line = "    max_rounds: 4   # enough\n"
    expected = expected.replace(line, "").replace("critic: reviewer\n", f"critic: reviewer\n  config:\n{line}")
    assert rewritten(old, tmp_path) == expected
    assert rewritten(old.replace("\n", "\r\n"), tmp_path) == expected.replace("\n", "\r\n")


def test_settings_join_the_config_that_is_there(tmp_path: Path) -> None:
    old = """---
name: better
kind: function
---

### Patterns

```yaml
- name: loop
  pattern: std/patterns/refine
  with:
    max_rounds: 4
    refiner: writer
    evaluator: judge-it
  config:
    threshold: 0.9
```

### Execution

```prose
return call loop
  task_brief: "a"
```

## writer

## judge-it
"""
    expected = old.replace("    max_rounds: 4\n", "").replace("0.9\n", "0.9\n    max_rounds: 4\n")
    assert rewritten(old, tmp_path) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_loop_becomes_an_instance_of_the_pattern_of_its_name(tmp_path: Path, end: str) -> None:
    text = rewritten(LOOP.replace("\n", end), tmp_path)
    start, stop = LOOP.index("### Delegation Loop"), LOOP.index("\n### Notes")
    expected = (
        LOOP[:start].replace("composite", "pattern")
        + """### Patterns

```yaml
- name: standard-refine
  pattern: std/patterns/refine
  with:
    refiner: refiner
    evaluator: evaluator
```

### Delegation

Round by round.

```prose
return call standard-refine
  task_brief: task_brief
  max_rounds: max_rounds
```
"""
        + LOOP[stop:]
    )
    assert text == expected.replace("\n", end)


def test_the_instance_runs_with_the_slots_and_settings_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "refine.prose.md"
    path.write_text(rewritten(LOOP, tmp_path), encoding="utf-8")
    drafts: list[str] = []

    def refiner(task_brief: str) -> str:
        drafts.append(task_brief)
        return f"draft {len(drafts)}"

    def evaluator(result: str) -> dict[str, object]:
        return {"score": 0.1, "suggestions": "more"}

    outcome = load(path).run(bind={"refiner": refiner, "evaluator": evaluator}, inputs={"task_brief": "a poem"})
    assert outcome.status == "done"
    assert drafts == ["a poem"] * 5
    drafts.clear()
    load(path).run(bind={"refiner": refiner, "evaluator": evaluator}, inputs={"task_brief": "a poem", "max_rounds": 2})
    assert len(drafts) == 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("name: refine", "name: no-such-pattern", "has no pattern `no-such-pattern`"),
        ("- `evaluator`\n", "- `scorer`\n", "are not those of `std/patterns/refine`"),
        ("    task_brief: string  -- the task\n", "    brief: string  -- the task\n", "takes `brief`"),
        ("    task_brief: string  -- the task\n", "", "does not give `task_brief`"),
        ("### Notes", "```js\nmore()\n```\n\n### Notes", "does not hold exactly one loop"),
    ],
)
def test_a_loop_that_nothing_can_take_the_place_of(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in LOOP
    result = upgraded(LOOP.replace(old, new), tmp_path)
    assert reason in result.refused
    assert result.source.text == LOOP.replace(old, new)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SERVICE.replace('return "Dear {who}"', "return nobody"), "line 17: nothing called `nobody`"),
        (
            SERVICE.replace("kind: service", "kind: system").split("### Execution")[0] + "### Wiring\n\na to b\n",
            "by a list",
        ),
        (SERVICE.replace('return "Dear {who}"', 'output x = "Dear {who}"'), "line 17: "),
    ],
)
def test_what_cannot_be_upgraded_stays_and_says_why(tmp_path: Path, text: str, reason: str) -> None:
    result = upgraded(text, tmp_path)
    assert reason in result.refused
    assert result.source.text == text


def test_today_is_left_alone(tmp_path: Path) -> None:
    text = rewritten(SERVICE, tmp_path)
    assert upgraded(text, tmp_path).source.text == text


SHIPPED = sorted((ROOT / "std").rglob("*.prose.md"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_the_library_is_written_in_todays_words(path: Path) -> None:
    source = SourceText.from_bytes(str(path), path.read_bytes())
    result = upgrade(source, path, DiskLoader())
    assert (result.changes, result.refused, result.left) == ((), "", ())


def test_every_case_is_a_fixed_point() -> None:
    """What is shipped, whatever it holds, changes at most once and never crashes."""
    loader = DiskLoader()
    for path in sorted((ROOT / "tests" / "cases").rglob("*.prose.md")):
        source = SourceText.from_bytes(str(path), path.read_bytes())
        first = upgrade(source, path, loader)
        second = upgrade(first.source, path, loader)
        assert second.source.text == first.source.text, path
        assert not second.changes, path
        if first.changes:
            before, after = read(source)[0], read(first.source)[0]
            assert [item.name for item in before.definitions] == [item.name for item in after.definitions]


# ---- writing --------------------------------------------------------------------------------------------------------


def test_a_file_is_replaced_as_a_whole_and_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "a.prose.md"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link = tmp_path / "link.prose.md"
    link.symlink_to(path)
    replace_file(link, b"old", b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode), link.is_symlink()) == (b"new", 0o640, True)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.prose.md", "link.prose.md"]


def test_a_file_that_somebody_changed_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.prose.md"
    path.write_bytes(b"theirs")
    with pytest.raises(ChangedMeanwhile):
        replace_file(path, b"old", b"new")
    assert path.read_bytes() == b"theirs"
    assert [item.name for item in tmp_path.iterdir()] == ["a.prose.md"]
