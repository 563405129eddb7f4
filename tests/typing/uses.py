"""How the public names are used by a program that is checked strictly. Read by mypy, never run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import assert_type

import prose_runtime as prose


def refine(task_brief: str, current_result: str | None = None) -> str:
    return current_result or task_brief


async def evaluate(task_brief: str, result: str) -> dict[str, float]:
    return {"score": 0.5}


@prose.service
def plain(topic: str) -> str:
    return topic


@prose.service(name="other", outputs=["result"])
def named(topic: str) -> str:
    return topic


assert_type(plain("a"), str)
assert_type(named("a"), str)

registry = prose.Registry(refiner=refine)
registry.register("evaluator", evaluate)


@registry.register("third")
def third(topic: str) -> str:
    return topic


assert_type(third("a"), str)

outcome = prose.run(
    "std/refine",
    bind={"refiner": refine, "evaluator": evaluate, "several": [plain, "cmd:cat"]},
    inputs={"task_brief": "hi", "items": [1, None]},
    config={"max_rounds": 2},
    budget=prose.Budget(max_calls=4, timeout=1.5),
    judge="py:judges:strict",
    subscribers=[lambda event: None],
)
assert_type(outcome, prose.Outcome)
assert_type(outcome.calls, tuple[prose.CallRecord, ...])
assert_type(outcome.clauses, tuple[prose.ClauseRecord, ...])
assert_type(outcome.decisions, tuple[prose.DecisionRecord, ...])
assert_type(outcome.warnings, tuple[prose.RunWarning, ...])
assert_type(outcome.error, prose.RunError | None)
assert_type(outcome.ok, bool)

loaded = prose.load(Path("a.prose.md"), definition="b")
assert_type(loaded, prose.Loaded)
assert_type(loaded.diagnostics, tuple[prose.Diagnostic, ...])
assert_type(prose.check("std/refine"), list[prose.Diagnostic])
assert_type(prose.check([Path("a"), Path("b")], portable=True), list[prose.Diagnostic])


async def use() -> prose.Outcome:
    first = await prose.arun(loaded, bind=registry)
    assert_type(first, prose.Outcome)
    return await loaded.arun(bind={"worker": prose.ScriptedService(["one", "two"], name="worker")})


def handle(error: prose.ProseError) -> Sequence[prose.Diagnostic]:
    if isinstance(error, prose.CheckFailed):
        assert_type(error.diagnostics, tuple[prose.Diagnostic, ...])
        return error.diagnostics
    if isinstance(error, prose.RunFailed):
        assert_type(error.outcome, prose.Outcome)
    if isinstance(error, prose.SourceNotFound):
        assert_type(error.nearest, tuple[str, ...])
    return []


class Echo:
    """An object that is a service by its shape."""

    name = "echo"
    target = "echo"
    signature = None

    async def call(self, call: prose.Call) -> prose.Answer:
        return prose.Answer(dict(call.inputs), prose.Usage(cost=0.1))

    async def close(self) -> None:
        return None


fails: Callable[[], prose.ServiceError] = lambda: prose.ServiceError("no", name="timeout")  # noqa: E731
