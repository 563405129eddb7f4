"""Pattern instances: slots and config bound in the file, keys and tracebacks nested."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from interpreting import Call, Fake, failing, numbered

from prose_runtime.diagnostics import Diagnostic, has_errors
from prose_runtime.resolve import NotFound, resolve
from prose_runtime.resolve.loader import Found
from prose_runtime.runtime import Outcome, bind, execute, traceback_lines
from prose_runtime.runtime.port import UnitService
from prose_runtime.source import SourceText
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document

TWICE = """---
name: twice
kind: pattern
---

### Slots

- `worker`

### Config

- `times` (integer, default: 2): how often

### Parameters

- `task` (string, required) — what to do
- `hint` (string, optional) — how

### Returns

- `result`: the last answer
- `rounds`: how many

### Delegation

```prose
let last = null
repeat times as round:
  try:
    last = call worker
      task: task
      hint: hint
  finally:
    let ended = round
return { result: last, rounds: config.times }
```
"""

OUTER = """---
name: outer
kind: pattern
---

### Slots

- `writer`

### Patterns

```yaml
- name: again
  pattern: ./twice
  with:
    worker: writer
  config:
    times: 3
```

### Delegation

```prose
let r = call again
  task: "t"
return r
```
"""


class Files:
    def __init__(self, **files: str) -> None:
        self.files = files

    def load(self, reference: str, near: Document) -> Document | NotFound:
        name = reference.rpartition("/")[2]
        if name not in self.files:
            return NotFound((reference,))
        return read(SourceText(f"{name}.prose.md", self.files[name]))[0]

    def diagnostics(self, document: Document) -> list[Diagnostic]:
        return []

    def found(self, reference: str, near: Document) -> Found:
        return Found("beside")

    def standard(self, name: str) -> Sequence[str]:
        return ()


def run(outer: str, services: dict[str, Any], **options: Any) -> Outcome:
    document, _ = read(SourceText("outer.prose.md", outer))
    program, found = resolve(document, Files(twice=TWICE))
    assert not has_errors(found), [str(item) for item in found]
    plan, found = bind(program, services, **options)
    assert plan is not None, [str(item) for item in found]
    return asyncio.run(execute(plan))


def test_an_instance_runs_its_pattern_with_its_config() -> None:
    writer = numbered("draft")
    outcome = run(OUTER, {"writer": writer})
    assert outcome.result == {"result": "draft3", "rounds": 3}
    assert [item.key for item in outcome.calls] == [f"outer/call:again/repeat#{i}/call:worker" for i in (1, 2, 3)]
    assert writer.received == [{"task": "t"}] * 3


def test_a_call_may_set_the_config_of_an_instance() -> None:
    text = OUTER.replace('task: "t"', 'task: "t"\n  times: 1')
    assert run(text, {"writer": numbered("draft")}).result == {"result": "draft1", "rounds": 1}


def test_retry_of_an_instance_runs_all_of_it_again() -> None:
    text = OUTER.replace('task: "t"', 'task: "t"\n  retry: 1')
    writer = Fake([1, failing(), 3, 4, 5])
    assert run(text, {"writer": writer}).result == {"result": 5, "rounds": 3}


def test_a_timeout_of_an_instance_stops_what_runs_inside() -> None:
    going = 0

    async def hang(call: Call) -> Any:
        nonlocal going
        going += 1
        try:
            await asyncio.sleep(30)
        finally:
            going -= 1

    outcome = run(OUTER.replace('task: "t"', 'task: "t"\n  timeout: 0.02'), {"writer": Fake(hang)})
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.fields["service"], going) == ("timeout", "again", 0)


def test_the_traceback_goes_through_the_instances() -> None:
    outcome = run(OUTER, {"writer": Fake([1, failing("quota")])})
    assert outcome.error is not None
    assert traceback_lines(outcome.error) == [
        "Traceback of the pattern (innermost last):",
        "  outer.prose.md:24:1 in `outer`",
        "    let r = call again",
        "  twice.prose.md:30:5 in `twice`, round 2 of `repeat times as round:` (line 28)",
        "    last = call worker",
        "quota: no (service `writer`, attempt 1)",
    ]


def test_a_definition_can_be_bound_like_a_service() -> None:
    document, _ = read(SourceText("twice.prose.md", TWICE))
    inner, _ = resolve(document, Files())
    outer = OUTER.replace("### Patterns", "### Notes").replace("call again", "call writer")
    worker = numbered("w")
    service = UnitService("writer", "./twice.prose.md", inner.main, {"worker": worker})
    outcome = run(outer, {"writer": service})
    assert outcome.result == {"result": "w2", "rounds": 2}
    assert [item.key for item in outcome.calls] == [f"outer/call:writer/repeat#{i}/call:worker" for i in (1, 2)]


INNER = """---
name: inner
kind: pattern
---

### Slots

- `one`

### Delegation

```prose
return call one
  task: "t"
```
"""

BETWEEN = """---
name: between
kind: pattern
---

### Slots

- `who`

### Patterns

```yaml
- name: within
  pattern: inner
  with:
    one: who
```

### Delegation

```prose
return call within
```
"""

OUTSIDE = """---
name: outer
kind: pattern
---

### Slots

- `left`
- `right`

### Patterns

```yaml
- name: a
  pattern: between
  with:
    who: left
- name: b
  pattern: between
  with:
    who: right
```

### Delegation

```prose
return [call a, call b]
```
"""


def test_an_instance_inside_of_a_pattern_has_the_slots_of_the_pattern_around_it() -> None:
    document, _ = read(SourceText("outer.prose.md", OUTSIDE))
    program, found = resolve(document, Files(inner=INNER, between=BETWEEN))
    assert not has_errors(found), [str(item) for item in found]
    left, right = numbered("l"), numbered("r")
    plan, found = bind(program, {"left": left, "right": right})
    assert plan is not None, [str(item) for item in found]
    outcome = asyncio.run(execute(plan))
    assert (outcome.result, len(left.calls), len(right.calls)) == (["l1", "r1"], 1, 1)
