"""Models by Pydantic AI: what they are told, and what comes back. With the library's own models for tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

import prose_runtime as prose
from prose_runtime.services import BindingFault, service_from
from prose_runtime.services.models.providers import ProviderModel

pytest.importorskip("pydantic_ai")
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

BRIEF = {"task_brief": "<the brief>"}


class Told:
    """A model that answers in order, and keeps what it was told."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.told = list(answers), list[tuple[str, str, AgentInfo]]()

    def __call__(self, messages: list[Any], info: AgentInfo) -> ModelResponse:
        given = str(messages[-1].parts[-1].content)
        self.told.append((str(info.instructions), given, info))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if info.output_tools:
            return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])
        return ModelResponse(parts=[TextPart(answer)])


def model(*answers: Any) -> tuple[ProviderModel, Told]:
    told = Told(*answers)
    return ProviderModel(FunctionModel(told), name="m", target="model:test/m"), told


def refine(*answers: Any) -> tuple[prose.Outcome, Told]:
    service, told = model(*answers)
    return prose.run("std/refine", bind={"model": service}, inputs=BRIEF), told


def test_refine_with_structured_output() -> None:
    outcome, told = refine("a draft", {"score": 0.9, "suggestions": []})
    assert outcome.result == {"result": "a draft", "score": 0.9, "rounds_used": 1}
    assert outcome.usage.output_tokens is not None
    system, given, info = told.told[1]
    assert "scores one draft against the task" in system
    assert "a draft" in given
    assert info.output_tools[0].parameters_json_schema["properties"]["score"] == {"type": "number"}


def test_an_answer_that_breaks_its_contract_is_asked_for_once_more() -> None:
    outcome, told = refine("a draft", {"score": "good"}, {"score": 1})
    assert (outcome.result["score"], len(told.told)) == (1, 3)
    assert "$.score must be a number" in told.told[2][1]


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (ModelHTTPError(500, "m", "oh"), "service-failed"),
        (UnexpectedModelBehavior("nothing came"), "service-failed"),
        (RuntimeError("boom"), "service-failed"),
    ],
)
def test_each_failure_is_one_clear_error(error: Exception, name: str) -> None:
    outcome, _ = refine(error)
    assert outcome.error is not None
    assert outcome.error.name == name
    assert outcome.error.message.startswith("`m` (model:test/m): ")


@dataclass
class Review:
    score: float


def test_an_agent_is_a_service() -> None:
    agent = Agent(TestModel(custom_output_text="from an agent"), instructions="be kind")
    outcome = prose.run(
        "std/refine", bind={"refiner": agent, "evaluator": lambda task_brief, result: {"score": 1}}, inputs=BRIEF
    )
    assert outcome.result["result"] == "from an agent"


def test_what_an_agent_gives_is_json() -> None:
    agent = Agent(TestModel(custom_output_args={"score": 0.9}), output_type=Review)
    outcome = prose.run("std/refine", bind={"refiner": lambda task_brief: "x", "evaluator": agent}, inputs=BRIEF)
    assert outcome.result["score"] == 0.9
    assert json.dumps(outcome.to_json())


def test_a_provider_whose_package_is_missing_or_whose_key_is_not_set_is_said_before_any_call() -> None:
    with pytest.raises(BindingFault) as caught:
        service_from("model:anthropic/claude", name="critic")
    assert caught.value.code == "malformed-target"
    assert "nthropic" in caught.value.diagnostic("here").message
