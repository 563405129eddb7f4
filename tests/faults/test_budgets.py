"""Limits hold for all that a run does: rounds, nesting, second attempts, judgements, failures, what is in flight."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import prose_runtime as prose
from prose_runtime.runtime.port import Answer, Call, ServiceError, Usage

ROOT = Path(__file__).resolve().parents[2]


class Paid:
    """A service that counts what it is asked and tells what it cost; it fails where `fails` says so."""

    signature = None

    def __init__(self, name: str, answer: Any, *, tokens: int = 0, cost: float | None = None, fails: int = 0) -> None:
        self.name = self.target = name
        self.answer = answer
        self.usage = Usage(tokens or None, None, cost)
        self.fails = fails
        self.asked: list[Call] = []

    async def call(self, call: Call) -> Answer:
        self.asked.append(call)
        if len(self.asked) <= self.fails:
            raise ServiceError("not now", usage=self.usage)
        return Answer(self.answer, self.usage)

    async def close(self) -> None:
        """Nothing is held."""


def refine(budget: prose.Budget, **more: Any) -> tuple[prose.Outcome, Paid, Paid]:
    refiner = Paid("refiner", "a draft", tokens=10, cost=0.25)
    evaluator = Paid("evaluator", {"score": 0.1, "suggestions": ["more"]}, tokens=5, cost=0.125)
    outcome = prose.run(
        "std/patterns/refine",
        bind={"refiner": refiner, "evaluator": evaluator, **more},
        inputs={"task_brief": "a letter"},
        config={"max_rounds": 3},
        budget=budget,
    )
    return outcome, refiner, evaluator


def test_five_calls_on_refine_with_three_rounds_are_five_and_what_was_paid_is_kept() -> None:
    outcome, refiner, evaluator = refine(prose.Budget(max_calls=5))
    assert (len(refiner.asked), len(evaluator.asked)) == (3, 2)
    assert outcome.status == "stopped"
    assert "the budget of 5 calls is spent" in outcome.reason
    assert outcome.usage.attempts == 5
    assert outcome.usage.cost == 3 * 0.25 + 2 * 0.125
    assert [record.service for record in outcome.calls if record.error is None] == [
        "refiner", "evaluator", "refiner", "evaluator", "refiner",
    ]  # fmt: skip
    assert "a draft" in outcome.names.values()


@pytest.mark.parametrize(
    ("budget", "calls"),
    [
        (prose.Budget(max_tokens=15), 2),
        (prose.Budget(max_tokens=16), 3),
        (prose.Budget(max_cost=0.375), 2),
        (prose.Budget(max_cost=0.376), 3),
    ],
)
def test_no_attempt_is_made_once_a_limit_is_reached(budget: prose.Budget, calls: int) -> None:
    outcome, refiner, evaluator = refine(budget)
    assert outcome.status == "stopped"
    assert len(refiner.asked) + len(evaluator.asked) == calls


NESTED = """---
name: outer
kind: pattern
---

### Slots

- `worker`

### Patterns

```yaml
- name: inner
  pattern: again
  with:
    helper: worker
```

### Delegation

```prose
let found = call inner
if the tone of found is friendly:
  return found
return "no"
```
"""
AGAIN = """---
name: again
kind: pattern
---

### Slots

- `helper`

### Delegation

```prose
return call helper
  retry: 3
```
"""


def test_second_attempts_nested_calls_failures_and_judgements_all_count(tmp_path: Path) -> None:
    (tmp_path / "outer.prose.md").write_text(NESTED)
    (tmp_path / "again.prose.md").write_text(AGAIN)
    for limit in (1, 2, 3, 4):
        worker = Paid("worker", "x", tokens=1, fails=2)
        judge = Paid("judge", {"holds": True, "reason": "it is"}, tokens=1)
        budget = prose.Budget(max_calls=limit)
        if limit == 1:
            with pytest.raises(prose.CheckFailed, match="the budget allows 1"):
                prose.run(tmp_path / "outer.prose.md", bind={"worker": worker}, judge=judge, budget=budget)
            continue
        outcome = prose.run(tmp_path / "outer.prose.md", bind={"worker": worker}, judge=judge, budget=budget)
        made = len(worker.asked) + len(judge.asked)
        assert made == min(limit, 4), outcome.error
        assert outcome.usage.attempts == made
        assert outcome.usage.input_tokens == made
        assert outcome.status == ("done" if limit == 4 else "stopped")


MANY = """---
name: many
kind: pattern
---

### Slots

- `worker`

### Requires

- Pattern instance receives:
    items: number[]  -- what is worked on

### Returns

- `answers`: in the order of the items

### Delegation

```prose
let answers = parallel for item in items:
  call worker
    item: item
return answers
```
"""

MEASURED = """
import asyncio, sys
import prose_runtime as prose

class Worker:
    name = target = "worker"
    signature = None
    now = most = 0
    full = asyncio.Event()
    async def call(self, call):
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now == 100:
            self.full.set()
        await self.full.wait()  # until all that may go on at a time do
        await asyncio.sleep(0.001 * (call.inputs["item"] * 7 % 3))
        self.now -= 1
        return prose.Answer(call.inputs["item"] * 2)
    async def close(self):
        pass

worker = Worker()
outcome = prose.run(open(sys.argv[1]).read(), bind={"worker": worker}, inputs={"items": list(range(10_000))},
    budget=prose.Budget(max_parallel=100))
assert outcome.status == "done", outcome.error
assert outcome.result == [2 * item for item in range(10_000)]
assert worker.most == 100, worker.most
"""
# A process begins with the size of the one that started it: a small one in between measures what is asked for.
LAUNCHED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=open("out.json", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
MEGABYTES = 150 * (2**20 if sys.platform == "darwin" else 2**10)  # in what `ru_maxrss` counts


def test_ten_thousand_calls_are_never_more_than_a_hundred_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "many.prose.md").write_text(MANY)
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHED, sys.executable, "-c", MEASURED, str(tmp_path / "many.prose.md")],
        cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < MEGABYTES


def test_ten_thousand_scripted_calls_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "many.prose.md").write_text(MANY)
    (tmp_path / "replies.yaml").write_text("".join(f"- {{reply: {n}, delay: 0.00{n % 3}}}\n" for n in range(10_000)))
    (tmp_path / "items.json").write_text(str(list(range(10_000))))
    words = ["run", "many.prose.md", "--bind", "worker=script:replies.yaml", "--input", "items=@items.json"]
    command = [sys.executable, "-m", "prose_runtime", *words, "--max-parallel", "100", "--record", "record"]
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHED, *command],
        cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < MEGABYTES
    answers = json.loads((tmp_path / "out.json").read_text())
    assert sorted(answers) == list(range(10_000))  # each reply once; which branch is served first is nobody's promise
