"""Python callables as services: what they declare, how they are called, what their failures become."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

import pytest

from prose_runtime.runtime.port import Call, Parameter, ServiceError
from prose_runtime.services import BindingFault, ScriptedService, service, service_from
from prose_runtime.services.python import PythonService
from prose_runtime.services.signatures import read_signature
from prose_runtime.syntax.document import Type

Ask = Callable[..., Any]


class Verdict(TypedDict):
    score: float
    suggestions: list[str]


class Loose(TypedDict):
    score: float
    note: NotRequired[str]


@dataclass
class Report:
    title: str
    verdict: Verdict


def declared(function: Callable[..., object]) -> dict[str, Parameter]:
    return {item.name: item for item in read_signature(function)[0].parameters}


def test_a_signature_is_read_with_types_and_defaults() -> None:
    def critic(draft: str, *, rounds: int = 3, mode: Literal["a", "b"] = "a", hint: str | None = None) -> Verdict: ...

    found = declared(critic)
    assert found["draft"] == Parameter("draft", Type("string"), True, None)
    assert found["rounds"] == Parameter("rounds", Type("integer"), False, 3)
    assert found["mode"] == Parameter("mode", Type("choice", choices=("a", "b")), False, "a")
    assert found["hint"].type == Type("union", members=(Type("string"), Type("null")))
    signature = read_signature(critic)[0]
    assert signature.outputs == ("score", "suggestions")
    assert not signature.open


def test_outputs_are_declared_only_where_they_are_certain() -> None:
    def loose() -> Loose: ...

    def report() -> Report: ...

    def text() -> str: ...

    assert read_signature(loose)[0].outputs is None
    assert read_signature(report)[0].outputs == ("title", "verdict")
    assert read_signature(text)[0].outputs is None


def test_containers_shapes_and_unknown_annotations() -> None:
    def function(a: list[str], b: dict[str, int], c: Verdict, d: threading.Thread, e: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821, UP037

    found = declared(function)
    assert all(item.type is None for item in found.values())  # one that cannot be evaluated spoils no call

    def known(a: list[str], b: dict[str, int], c: Verdict, d: threading.Thread) -> None: ...

    found = declared(known)
    assert found["a"].type == Type("list", item=Type("string"))
    assert found["b"].type == Type("object")
    assert found["c"].type is not None
    assert [name for name, _, _ in found["c"].type.fields] == ["score", "suggestions"]
    assert found["d"].type is None


def test_kwargs_open_a_signature() -> None:
    def function(draft: str, **others: object) -> None: ...

    assert read_signature(function)[0].open


@pytest.mark.parametrize("kind", ["sync", "async", "lambda", "partial", "object", "async object", "method", "inline"])
def test_every_kind_of_callable_is_called(kind: str, ask: Ask) -> None:
    def sync(draft: str) -> str:
        return draft.upper()

    async def later(draft: str) -> str:
        await asyncio.sleep(0)
        return draft.upper()

    class Upper:
        def __call__(self, draft: str) -> str:
            return draft.upper()

        def method(self, draft: str) -> str:
            return draft.upper()

    class Later:
        async def __call__(self, draft: str) -> str:
            return await later(draft)

    @service(inline=True)
    def inline(draft: str) -> str:
        assert threading.current_thread() is threading.main_thread()
        return draft.upper()

    def two(suffix: str, draft: str) -> str:
        return draft.upper() + suffix

    kinds: dict[str, object] = {
        "sync": sync,
        "async": later,
        "lambda": lambda draft: sync(draft),
        "partial": functools.partial(two, ""),
        "object": Upper(),
        "async object": Later(),
        "method": Upper().method,
        "inline": inline,
    }
    made = service_from(kinds[kind], name="upper")
    assert made.signature is not None
    assert [item.name for item in made.signature.parameters] == ["draft"]
    assert ask(made, {"draft": "a"}) == "A"


def test_hyphens_and_underscores_are_the_same(ask: Ask) -> None:
    assert ask(service_from(lambda task_brief: task_brief, name="s"), {"task-brief": "x"}) == "x"


def test_what_is_not_declared_is_withheld_and_what_is_open_gets_all(ask: Ask) -> None:
    def closed(draft: str, note: str = "none") -> list[str]:
        return [draft, note]

    def opened(draft: str, **others: object) -> dict[str, object]:
        return others

    assert ask(service_from(closed, name="s"), {"draft": "d", "other": 1}) == ["d", "none"]
    assert ask(service_from(opened, name="s"), {"draft": "d", "my-key": 1}) == {"my-key": 1}


def test_positional_only_parameters(ask: Ask) -> None:
    def function(a: int, b: int = 10, /, *, c: int = 1) -> int:
        return a * b + c

    assert ask(service_from(function, name="s"), {"a": 2, "c": 5}) == 25


def test_the_call_itself_can_be_taken(ask: Ask) -> None:
    def annotated(draft: str, about: Call) -> list[Any]:
        return [draft, about.attempt, dict(about.inputs)]

    def named(call) -> int:  # type: ignore[no-untyped-def]
        return call.attempt  # type: ignore[no-any-return]

    assert ask(service_from(annotated, name="s"), {"draft": "d"}, attempt=2) == ["d", 2, {"draft": "d"}]
    assert ask(service_from(named, name="s"), attempt=3) == 3
    assert read_signature(named)[0].parameters == ()


def test_prompt_and_context_reach_a_parameter_of_that_name(ask: Ask) -> None:
    assert ask(service_from(lambda prompt, context=None: [prompt, context], name="s"), prompt="p", context=[1]) == [
        "p",
        [1],
    ]


def test_answers_become_plain_values(ask: Ask) -> None:
    assert ask(service_from(lambda: Report("t", {"score": 1.0, "suggestions": []}), name="s")) == {
        "title": "t",
        "verdict": {"score": 1.0, "suggestions": []},
    }
    assert ask(service_from(lambda: (1, (2, 3)), name="s")) == [1, [2, 3]]


def test_a_cycle_is_left_for_the_runtime_to_name(ask: Ask) -> None:
    circle: list[Any] = []
    circle.append(circle)
    value = ask(service_from(lambda: circle, name="s"))
    assert value[0] is circle


def test_decorated_functions_stay_functions(ask: Ask) -> None:
    @service(name="second", inputs={"topic": "task_brief"}, outputs=["title"])
    def function(topic: str) -> dict[str, str]:
        return {"title": topic}

    assert function("x") == {"title": "x"}
    made = service_from(function, name="first")
    assert made.name == "second"
    assert made.signature is not None
    assert [item.name for item in made.signature.parameters] == ["task_brief"]
    assert made.signature.outputs == ("title",)
    assert ask(made, {"task_brief": "y"}) == {"title": "y"}

    @service
    def bare(topic: str) -> str:
        return topic

    assert bare("z") == "z"


def test_failures_become_service_errors(ask: Ask) -> None:
    def fails() -> None:
        raise ValueError("no such thing")

    def late() -> None:
        raise TimeoutError

    def leaves() -> None:
        raise SystemExit(3)

    def own() -> None:
        raise ServiceError("busy", name="busy", transient=False)

    def stops() -> None:
        raise StopIteration

    with pytest.raises(ServiceError) as caught:
        ask(service_from(fails, name="s"))
    assert caught.value.name == "service-failed"
    assert caught.value.message == "ValueError: no such thing"
    assert caught.value.detail == {"exception": "ValueError"}
    assert isinstance(caught.value.__cause__, ValueError)
    for function, name in [(late, "timeout"), (leaves, "service-failed"), (own, "busy"), (stops, "service-failed")]:
        with pytest.raises(ServiceError) as caught:
            ask(service_from(function, name="s"))
        assert caught.value.name == name


def test_a_missing_input_is_a_contract_error(ask: Ask) -> None:
    with pytest.raises(ServiceError, match="needs `draft`") as caught:
        ask(service_from(lambda draft: draft, name="s"), {"other": 1})
    assert caught.value.name == "contract"
    assert not caught.value.transient


def test_an_async_function_that_cancels_itself_is_a_failure(ask: Ask) -> None:
    async def function() -> None:
        raise asyncio.CancelledError

    with pytest.raises(ServiceError, match="cancelled itself"):
        ask(service_from(function, name="s"))


def test_sync_functions_overlap_however_many() -> None:
    def sleeps(x: int) -> int:
        time.sleep(0.2)
        return x

    async def run() -> tuple[list[Any], float]:
        made = service_from(sleeps, name="s")
        start = time.monotonic()
        answers = await asyncio.gather(*(made.call(Call("s", {"x": i})) for i in range(40)))
        await made.close()
        return [item.value for item in answers], time.monotonic() - start

    values, seconds = asyncio.run(run())
    assert values == list(range(40))
    assert seconds < 2


def test_a_timed_out_function_is_left_and_its_answer_dropped() -> None:
    release, ended = threading.Event(), threading.Event()

    def hangs() -> str:
        release.wait(10)
        ended.set()
        return "late"

    async def run() -> None:
        made = service_from(hangs, name="hangs")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await made.call(Call("hangs", {}))
        await made.close()

    start = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - start < 2  # the end of the loop does not wait for it
    release.set()
    assert ended.wait(5)


def test_threads_end_with_the_service() -> None:
    async def run() -> None:
        made = PythonService(lambda: 1, name="counted")
        await made.call(Call("counted", {}))
        await made.close()

    asyncio.run(run())
    deadline = time.monotonic() + 5
    while any(thread.name == "prose-counted" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_closed_service_can_be_used_again(ask: Ask) -> None:
    made = service_from(lambda: 1, name="s")
    assert ask(made) == 1
    assert ask(made) == 1


def test_context_variables_are_seen_in_the_thread() -> None:
    from contextvars import ContextVar

    variable: ContextVar[str] = ContextVar("variable", default="unset")

    async def run() -> Any:
        variable.set("set")
        made = service_from(lambda: variable.get(), name="s")
        try:
            return (await made.call(Call("s", {}))).value
        finally:
            await made.close()

    assert asyncio.run(run()) == "set"


def test_a_service_is_taken_as_it_is() -> None:
    made = ScriptedService(["a"])
    assert service_from(made, name="s") is made


class Uninstantiated:
    def __call__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("value", "said", "help_"),
    [
        (Uninstantiated, "the class `Uninstantiated`", "`Uninstantiated()`"),
        (ScriptedService, "the class `ScriptedService`", "`ScriptedService()`"),
        (3, "a value of type `int`", "give a function"),
        (None, "nothing", "give a function"),
    ],
)
def test_what_cannot_be_called_is_said(value: object, said: str, help_: str) -> None:
    with pytest.raises(BindingFault) as caught:
        service_from(value, name="critic")
    assert caught.value.code == "not-a-service"
    assert said in caught.value.message
    assert help_ in caught.value.help


def test_where_points_to_the_function() -> None:
    def function() -> None: ...

    made = service_from(function, name="s")
    assert made.signature is not None
    assert made.signature.where == f"{__file__}:{function.__code__.co_firstlineno}"


class Unusual(BaseException):
    """Neither an `Exception` nor anything that Python itself raises."""


@pytest.mark.parametrize("error", [Unusual("odd"), KeyboardInterrupt(), GeneratorExit(), StopIteration(3)])
def test_whatever_a_function_raises_in_its_thread_is_its_failure(ask: Ask, error: BaseException) -> None:
    def fails() -> None:
        raise error

    with pytest.raises(ServiceError, match=type(error).__name__):
        ask(service_from(fails, name="s"))


def test_an_async_function_may_raise_anything_too(ask: Ask) -> None:
    async def fails() -> None:
        raise Unusual("odd")

    with pytest.raises(ServiceError, match="Unusual: odd"):
        ask(service_from(fails, name="s"))
