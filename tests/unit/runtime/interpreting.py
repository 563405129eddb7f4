"""Scripts from text, run with small fake services."""

from __future__ import annotations

import asyncio
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from prose_runtime.diagnostics import Diagnostic, has_errors
from prose_runtime.resolve import NoLoader, Program, resolve
from prose_runtime.runtime import Budget, Outcome, Plan, bind, execute
from prose_runtime.runtime.port import Answer, Call, Parameter, Service, ServiceError, Signature
from prose_runtime.source import SourceText
from prose_runtime.syntax import read


class Fake:
    """A service that a function answers for, or a list of replies (an exception is raised). Keeps what it received."""

    def __init__(self, answer: Any = None, *, name: str = "fake", signature: Signature | None = None) -> None:
        self.answer = answer
        self.name = name
        self.target = f"fake {name}"
        self.signature = signature
        self.calls: list[Call] = []

    @property
    def received(self) -> list[dict[str, Any]]:
        return [dict(call.inputs) for call in self.calls]

    async def call(self, call: Call) -> Answer:
        self.calls.append(call)
        answer = self.answer
        if isinstance(answer, list):
            answer = answer[len(self.calls) - 1]
        elif callable(answer):
            answer = answer(call)
        if inspect.isawaitable(answer):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Answer) else Answer(answer)

    async def close(self) -> None:
        pass


def numbered(name: str = "fake") -> Fake:
    """Answers `name1`, `name2`, …"""
    fake = Fake(name=name)
    fake.answer = lambda call: f"{name}{len(fake.calls)}"
    return fake


def takes(*names: str, optional: Sequence[str] = (), outputs: tuple[str, ...] | None = None) -> Signature:
    """A signature of untyped inputs."""
    every = [Parameter(name) for name in names] + [Parameter(name, required=False) for name in optional]
    return Signature(tuple(every), outputs=outputs)


def document(
    script: str,
    *,
    slots: Sequence[str] = (),
    inputs: Sequence[str] = (),
    config: Sequence[str] = (),
    outputs: Sequence[str] = (),
    more: str = "",
) -> str:
    """A pattern file around a script. Items are written without their bullets."""
    parts = ["---\nname: example\nkind: pattern\n---\n"]
    for title, items in (("Slots", slots), ("Config", config), ("Parameters", inputs), ("Returns", outputs)):
        if items:
            parts.append(f"### {title}\n\n" + "\n".join(f"- {item}" for item in items) + "\n")
    parts.append(f"### Delegation\n\n```prose\n{textwrap.dedent(script).strip()}\n```\n")
    parts.append(textwrap.dedent(more))
    return "\n".join(parts)


def program(text: str) -> tuple[Program, list[Diagnostic]]:
    source = SourceText("example.prose.md", text)
    read_document, first = read(source)
    linked, second = resolve(read_document, NoLoader())
    return linked, [*first, *second]


def planned(text: str, services: Mapping[str, Any], **options: Any) -> tuple[Plan | None, list[Diagnostic]]:
    linked, found = program(text)
    assert not has_errors(found), [str(item) for item in found]
    return bind(linked, services, **options)


def run(
    script: str,
    services: Mapping[str, Service | Sequence[Service]] | None = None,
    *,
    subscribers: Sequence[Callable[[Any], object]] = (),
    cancel: Any = None,
    clock: Any = None,
    keep_calls: int | None = None,
    inputs: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    budget: Budget | None = None,
    judge: Any = None,
    seed: int | None = 1,
    **parts: Any,
) -> Outcome:
    """Run a script (or, if it begins with `---`, a document)."""
    services = services or {}
    if script.startswith("---"):
        text = script
    else:
        slots = parts.pop("slots", None) or [f"`{name}`" for name in services]
        text = document(script, slots=slots, **parts)
    plan, found = planned(text, services, inputs=inputs, config=config, budget=budget, judge=judge)
    assert plan is not None, [str(item) for item in found]

    async def whole() -> Outcome:
        stop = cancel() if inspect.isfunction(cancel) else cancel
        return await execute(plan, subscribers=subscribers, cancel=stop, clock=clock, seed=seed, keep_calls=keep_calls)

    return asyncio.run(whole())


def result(script: str, services: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """The result of a run that must be done."""
    outcome = run(script, services, **options)
    assert outcome.status == "done", outcome.error
    return outcome.result


def error(script: str, services: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """The error of a run that must have failed."""
    outcome = run(script, services, **options)
    assert outcome.status == "failed", (outcome.status, outcome.result)
    return outcome.error


def codes(script: str, services: Mapping[str, Any], **options: Any) -> list[str]:
    """The codes that binding reports."""
    parts = {key: options.pop(key) for key in ("slots", "inputs_", "config_", "outputs", "more") if key in options}
    parts = {key.rstrip("_"): value for key, value in parts.items()}
    _, found = planned(document(script, **parts), services, **options)
    return [item.code for item in found]


class FakeClock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


def failing(name: str = "service-failed", *, transient: bool = True) -> ServiceError:
    return ServiceError("no", name=name, transient=transient)
