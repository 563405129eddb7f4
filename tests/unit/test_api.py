"""The public functions: sources, services, errors, the blocking twin."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

import prose_runtime as prose

TEXT = """---
name: twice
kind: pattern
---

# Twice

### Slots

- `worker`: does it

### Parameters

- `topic`: string, what about

### Returns

- `result`: both

### Delegation

```prose
let first = call worker
  topic: topic
let second = call worker
  topic: first
return [first, second]
```
"""


def louder(topic: str) -> str:
    return topic + "!"


def test_a_text_with_a_callable() -> None:
    outcome = prose.run(TEXT, bind={"worker": louder}, inputs={"topic": "a"})
    assert outcome.ok
    assert outcome.result == ["a!", "a!!"]
    assert [call.inputs for call in outcome.calls] == [{"topic": "a"}, {"topic": "a!"}]
    outcome.raise_for_status()


def test_a_path_a_path_text_and_the_library(tmp_path: Path) -> None:
    path = tmp_path / "twice.prose.md"
    path.write_text(TEXT, encoding="utf-8")
    for source in (path, str(path), f"{path}#twice"):
        assert prose.run(source, bind={"worker": louder}, inputs={"topic": "a"}).result == ["a!", "a!!"]
    assert prose.load("std/refine").name == prose.load("std/patterns/refine").name == "refine"


def test_async_and_scripted_and_registry() -> None:
    registry = prose.Registry()

    @registry.register("worker")
    async def work(topic: str) -> str:
        await asyncio.sleep(0)
        return topic.upper()

    async def both() -> list[object]:
        first = await prose.arun(TEXT, bind=registry, inputs={"topic": "a"})
        scripted = prose.ScriptedService(["one", "two"], name="worker")
        second = await prose.arun(TEXT, bind={"worker": scripted}, inputs={"topic": "a"})
        return [first.result, second.result]

    assert asyncio.run(both()) == [["A", "A"], ["one", "two"]]


def test_run_works_inside_a_running_loop() -> None:
    async def inside() -> object:
        return prose.run(TEXT, bind={"worker": louder}, inputs={"topic": "a"}).result

    assert asyncio.run(inside()) == ["a!", "a!!"]


def test_a_loaded_pattern_runs_many_times() -> None:
    loaded = prose.load(TEXT)
    assert loaded.ok
    for topic in ("a", "b"):
        assert loaded.run(bind={"worker": louder}, inputs={"topic": topic}).result[0] == topic + "!"


def test_what_is_wrong_before_the_first_call_is_check_failed() -> None:
    for more in (
        {"bind": {}},
        {"bind": {"worker": louder, "wroker": louder}},
        {"bind": {"worker": 3}},
        {"bind": {"worker": "cmd:no-such-program-anywhere"}},
        {"bind": {"worker": louder}, "inputs": {}},
        {"bind": {"worker": louder}, "inputs": {"topic": "a", "tpic": 1}},
    ):
        with pytest.raises(prose.CheckFailed) as caught:
            prose.run(TEXT, **{"inputs": {"topic": "a"}, **more})
        assert caught.value.diagnostics
        assert str(caught.value)


def test_a_file_with_mistakes_is_check_failed_and_check_lists_them() -> None:
    wrong = TEXT.replace("return [first, second]", "return [frist, second]")
    with pytest.raises(prose.CheckFailed, match="frist"):
        prose.run(wrong, bind={"worker": louder}, inputs={"topic": "a"})
    found = prose.check(wrong)
    assert "unknown-name" in [item.code for item in found]
    assert prose.check(TEXT) == []


def test_a_missing_file_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(prose.SourceNotFound) as caught:
        prose.load(tmp_path / "none.prose.md")
    assert str(tmp_path) in str(caught.value)
    with pytest.raises(prose.SourceNotFound) as caught:
        prose.load("std/refin")
    assert "std/refine" in caught.value.nearest


def test_what_is_no_file_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "large.prose.md").write_bytes(b"x" * 1_000_001)
    for source, said in (
        (tmp_path, "it is a folder"),
        (tmp_path / "large.prose.md", "larger than"),
        ("x" * 5000, "too long"),
        ("a\0b", "looked in"),
    ):
        with pytest.raises(prose.SourceNotFound, match=said):
            prose.load(source)


def test_a_failed_run_is_an_outcome_and_raises_when_asked() -> None:
    def fails(topic: str) -> str:
        raise ValueError("no")

    outcome = prose.run(TEXT, bind={"worker": fails}, inputs={"topic": "a"})
    assert outcome.status == "failed"
    with pytest.raises(prose.RunFailed, match="service-failed") as caught:
        outcome.raise_for_status()
    assert caught.value.outcome is outcome


def test_a_budget_stops_it() -> None:
    text = TEXT.replace("let second =", 'if first is "done":\n  return first\nlet second =')
    outcome = prose.run(text, bind={"worker": louder}, inputs={"topic": "a"}, budget=prose.Budget(max_calls=1))
    assert outcome.status == "stopped"
    assert outcome.names["first"] == "a!"


def test_subscribers_hear_every_event_and_a_failing_one_changes_nothing() -> None:
    heard: list[object] = []

    def deaf(event: object) -> None:
        raise RuntimeError("deaf")

    outcome = prose.run(TEXT, bind={"worker": louder}, inputs={"topic": "a"}, subscribers=[deaf, heard.append])
    assert outcome.ok
    assert type(heard[0]).__name__ == "RunStarted"
    assert type(heard[-1]).__name__ == "RunFinished"


def test_all_exceptions_have_one_root() -> None:
    for kind in (prose.SourceNotFound, prose.CheckFailed, prose.RunFailed):
        assert issubclass(kind, prose.ProseError)


def test_what_run_raises_has_no_other_fault_behind_it() -> None:
    with pytest.raises(prose.CheckFailed) as caught:
        prose.run("---\nname: a\nkind: pattern\n---\n\n### Delegation\n\n```prose\nreturn nope(\n```\n")
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"bind": ["a"]}, "`bind` must be a mapping of names to values, not list"),
        ({"inputs": 3}, "`inputs` must be a mapping of names to values, not int"),
        ({"config": {1: 2}}, "the names in `config` must be texts, not 1"),
    ],
)
def test_a_mistake_of_the_calling_code_is_a_type_error(given: Any, said: str) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        prose.run("std/refine", **given)


def test_bytes_are_no_source() -> None:
    with pytest.raises(TypeError, match="not as bytes"):
        prose.load(b"std/refine")  # type: ignore[arg-type]


def test_an_input_that_is_no_json_is_said_once() -> None:
    with pytest.raises(prose.CheckFailed) as caught:
        prose.run(
            "std/refine",
            bind={"refiner": lambda **given: "", "evaluator": lambda **given: {}},
            inputs={"task_brief": {1}},
        )
    assert [item.code for item in caught.value.diagnostics] == ["bad-input"]


def test_a_budget_that_no_run_can_end_well_within_is_refused_before_the_first_call() -> None:
    called: list[str] = []
    with pytest.raises(prose.CheckFailed, match="at least 2 calls, and the budget allows 1"):
        prose.run(
            TEXT,
            bind={"worker": lambda topic: called.append(topic)},
            inputs={"topic": "a"},
            budget=prose.Budget(max_calls=1),
        )
    assert called == []
