"""What a model is asked in sessions, and what agents remember of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from interpreting import Fake, error, numbered, planned, result, run

from prose_runtime.runtime import Outcome, execute
from prose_runtime.runtime.memory import InMemory
from prose_runtime.runtime.port import Call

WRITER = """
agent writer:
  prompt: "You write."
  persist: {persist}
  skills: ["spelling", web]
"""


def _remembered(call: Call) -> list[tuple[object, object]]:
    return [(turn.asked, turn.answered) for turn in call.memory]


def test_a_call_carries_what_belongs_to_the_session() -> None:
    model = numbered("model")
    script = WRITER.format(persist="true") + 'let a = session: writer\n  prompt: "One."\n  context: 3\nreturn a'
    assert result(script, {"model": model}) == "model1"
    call = model.calls[0]
    assert (call.prompt, call.agent, call.instructions, call.context) == ("One.", "writer", "You write.", 3)
    assert (call.skills, call.memory, call.key) == (("spelling", "web"), (), "example/session:writer")


def test_resume_gives_along_what_was_asked_and_session_does_not() -> None:
    model = numbered("model")
    script = WRITER.format(persist="true") + (
        'session: writer\n  prompt: "1"\nresume: writer\n  prompt: "2"\nsession: writer\n  prompt: "3"\n'
        'return resume: writer\n  prompt: "4"'
    )
    result(script, {"model": model})
    assert [_remembered(call) for call in model.calls] == [
        [],
        [("1", "model1")],
        [],
        [("1", "model1"), ("2", "model2"), ("3", "model3")],
    ]


def test_branches_add_in_their_order_and_see_nothing_of_each_other() -> None:
    async def slowest_first(call: Call) -> str:
        await asyncio.sleep({"a": 0.03, "b": 0.01, "c": 0.0}.get(str(call.prompt), 0.0))
        return f"to {call.prompt}"

    model = Fake(slowest_first)
    script = WRITER.format(persist="true") + (
        'session: writer\n  prompt: "first"\n'
        'parallel for text in ["a", "b", "c"]:\n  resume: writer\n    prompt: text\n'
        'return resume: writer\n  prompt: "last"'
    )
    result(script, {"model": model})
    assert [_remembered(call) for call in model.calls[1:4]] == [[("first", "to first")]] * 3
    assert [asked for asked, _ in _remembered(model.calls[4])] == ["first", "a", "b", "c"]


def test_what_was_not_asked_cannot_be_resumed() -> None:
    failed = error(WRITER.format(persist="true") + 'return resume: writer\n  prompt: "x"', {"model": numbered()})
    assert failed.name == "no-memory"
    assert "nothing was asked of it in this run" in failed.message


def test_a_memory_outlives_the_run_where_it_is_kept() -> None:
    store, asked = InMemory(), []

    async def once(prompt: str) -> Any:
        model = numbered("model")
        script = WRITER.format(persist="project") + f'return resume: writer\n  prompt: "{prompt}"'
        plan, _ = planned(f"---\nname: example\nkind: function\n---\n\n### Execution\n\n```prose{script}\n```\n",
                          {"model": model})  # fmt: skip
        assert plan is not None
        outcome = await execute(plan, memory=store)
        asked.append(_remembered(model.calls[0]))
        return outcome

    first, second = asyncio.run(once("1")), asyncio.run(once("2"))
    assert [first.status, second.status] == ["done", "done"]
    assert asked == [[], [("1", "model1")]]
    assert "memory-begins" in [warning.code for warning in first.warnings]


def test_an_answer_counts_where_its_memory_cannot_be_written() -> None:
    class Full(InMemory):
        async def keep(self, *_: Any) -> int:
            from prose_runtime.runtime.port import ServiceError

            raise ServiceError("the disk is full", name="memory")

    script = f"---\nname: example\nkind: function\n---\n\n### Execution\n\n```prose{WRITER.format(persist='user')}"
    plan, _ = planned(script + 'return session: writer\n  prompt: "1"\n```\n', {"model": numbered("model")})
    assert plan is not None
    outcome = asyncio.run(execute(plan, memory=Full()))
    assert (outcome.result, [warning.code for warning in outcome.warnings]) == ("model1", ["memory-not-kept"])


@pytest.mark.parametrize("asked", ["session", "resume"])
def test_a_run_that_is_stopped_while_a_memory_is_read_or_written_still_cleans_up(asked: str) -> None:
    class Slow(InMemory):
        async def read(self, *about: Any) -> Any:
            await asyncio.sleep(60 if asked == "resume" else 0)
            return await super().read(*about)

        async def keep(self, *about: Any) -> int:
            await asyncio.sleep(60)
            return 0

    model = numbered("model")
    script = WRITER.format(persist="project") + (
        f'try:\n  {asked}: writer\n    prompt: "1"\nfinally:\n  session "tidy up"\nreturn 1'
    )
    plan, _ = planned(f"---\nname: example\nkind: function\n---\n\n### Execution\n\n```prose{script}\n```\n",
                      {"model": model})  # fmt: skip
    assert plan is not None

    async def stopped() -> Outcome:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(0.1, stop.set)
        return await execute(plan, memory=Slow(), cancel=stop)

    assert asyncio.run(stopped()).status == "stopped"
    assert [call.prompt for call in model.calls] == [*(["1"] if asked == "session" else []), "tidy up"]


@pytest.mark.parametrize("persist", ["true", "project"])
def test_a_memory_that_is_full_is_said_once_for_each_place(persist: str) -> None:
    model = Fake(lambda call: "x" * 300_000)
    script = WRITER.format(persist=persist) + (
        'repeat 6 as n:\n  session: writer\n    prompt: "{n}"\nreturn resume: writer\n  prompt: "last"'
    )
    outcome = run(script, {"model": model})
    assert [turn.asked for turn in model.calls[-1].memory] == ["4", "5", "6"]
    full = [(warning.line, warning.message) for warning in outcome.warnings if warning.code == "memory-full"]
    assert [message.partition("; ")[2] for _, message in full] == [
        "1 turn had to be left out, the oldest first",
        "4 turns had to be left out, the oldest first",
    ]


def test_gates_are_questions_and_no_calls() -> None:
    person = Fake(["purple", "2"])
    script = 'return gate question: "Which?", options: ["red", "blue"]'
    outcome = run(script, {"gate": person})
    assert outcome.result == "blue"
    assert [record.kind for record in outcome.calls] == ["gate"]
    assert [call.correction for call in person.calls] == ["", '"purple" is none of red, blue']


@pytest.mark.parametrize(
    ("about", "answer", "value"),
    [
        ('options: ["yes", "no"]', "Y", "yes"),
        ('options: ["yes", "no", "n"]', "n", "n"),
        ('type: "boolean"', "n", False),
        ('type: "boolean"', " yes ", True),
        ('type: "string"', "y", "y"),
        ("schema: {type: boolean}", "y", True),
    ],
)
def test_a_letter_is_a_yes_or_a_no(about: str, answer: str, value: object) -> None:
    about = about.replace("boolean}", '"boolean"}')
    assert result(f'return gate question: "Go on?", {about}', {"gate": Fake([answer])}) == value


def test_a_gate_that_nobody_answers_in_time_has_its_default() -> None:
    async def never(call: Call) -> None:
        await asyncio.sleep(60)

    script = 'return gate question: "Go on?", type: "boolean", default: false, timeout: 0.01'
    outcome = run(script, {"gate": Fake(never)})
    assert outcome.result is False
    assert [(record.answer, record.error) for record in outcome.calls] == [(False, None)]
    warning = outcome.warnings[0]
    assert (warning.code, warning.message) == (
        "default-counts",
        "`gate` gave no answer within 0.01 s; the default counts: false",
    )
    assert warning.line
    assert warning.where.endswith(f":{warning.line}:{warning.column}")


def test_the_time_of_a_question_begins_when_it_is_put() -> None:
    class Person(Fake):
        def __init__(self) -> None:
            super().__init__(self.slowly, name="gate")
            self.busy = asyncio.Lock()

        def turn(self) -> asyncio.Lock:
            return self.busy

        async def slowly(self, call: Call) -> str:
            await asyncio.sleep(0.1)
            return "yes"

    script = 'return parallel for n in [1, 2, 3, 4]:\n  gate question: "Go on?", timeout: 0.25'
    assert result(script, {"gate": Person()}) == ["yes"] * 4


def test_a_gate_without_a_default_that_nobody_answers_in_time_fails() -> None:
    async def never(call: Call) -> None:
        await asyncio.sleep(60)

    assert error('return gate question: "Go on?", timeout: 0.01', {"gate": Fake(never)}).name == "timeout"
