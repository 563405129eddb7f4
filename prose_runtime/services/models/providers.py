"""Models of every other provider, and agents of Pydantic AI, by that library. The extra `llm`.

In: a model of the library, or one of its agents. Out: a service. What it is told is what every model is told.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from prose_runtime.diagnostics.visible import visible
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature, Usage
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.lenient import json_in
from prose_runtime.services.models.messages import messages_of

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model

PATIENCE = 300.0
"""Seconds for one attempt."""
# The library's failures by the names of their classes, and whether another attempt may help.
_NAMES = {
    "ModelAuthenticationError": ("refused", False),
    "ModelNotFoundError": ("no-such-model", False),
    "ContentFilterError": ("refused", False),
    "OutputTokenLimitExceeded": ("truncated", False),
    "ModelContextWindowExceededError": ("truncated", False),
    "IncompleteToolCall": ("truncated", False),
    "ModelQuotaExceededError": ("refused", False),
    "ModelRequestRejectedError": ("service-failed", False),
    "UserError": ("service-failed", False),
}


def is_agent(value: object) -> bool:
    """Whether an object is an agent of the library; it is not imported for that."""
    return any(
        kind.__module__.partition(".")[0] == "pydantic_ai" and kind.__name__ == "AbstractAgent"
        for kind in type(value).__mro__
    )


def model_of(rest: str, *, name: str, target: str) -> Model:
    """The library's model for `PROVIDER/NAME`. Raises `BindingFault` (`malformed-target`)."""
    from pydantic_ai.models import infer_model

    provider, _, model = rest.partition("/")
    try:
        return infer_model(f"{provider}:{model}")
    except Exception as error:  # a missing package, a missing key, a name that is none: the library says which
        said = " ".join(visible(str(error)).split())
        raise BindingFault(
            "malformed-target",
            name=name,
            target=target,
            reason=said.rstrip("."),
            suggestion="do what it says, or take another model",
        ) from error


class ProviderModel:
    """One model, or one agent with instructions and tools of its own, which is told the call's message alone."""

    is_model = True

    def __init__(self, model: Model | None, *, name: str, target: str, agent: Agent[Any, Any] | None = None) -> None:
        self.name = name
        self.target = target
        self.signature: Signature | None = None
        self._model = model
        self._agent = agent

    async def call(self, call: Call) -> Answer:
        """Ask once."""
        try:
            async with asyncio.timeout(PATIENCE):
                result = await (self._asked_agent(call) if self._agent is not None else self._asked(call))
        except TimeoutError as error:
            late = f"`{self.name}` ({self.target}) gave no answer within {PATIENCE:g} s"
            raise ServiceError(late, name="timeout") from error
        except Exception as error:
            raise _failure(error, f"`{self.name}` ({self.target})") from error
        return Answer(_plain(result.output, call.schema), _usage(result))

    async def close(self) -> None:
        """Nothing is held."""

    async def _asked(self, call: Call) -> Any:
        from pydantic_ai import Agent, StructuredDict
        from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

        system, *before, last = messages_of(call)
        history = [
            ModelRequest(parts=[UserPromptPart(content=message["content"])])
            if message["role"] == "user"
            else ModelResponse(parts=[TextPart(content=message["content"])])
            for message in before
        ]
        output: Any = str if call.schema is None else StructuredDict(dict(_object(call.schema)), name="answer")
        agent: Any = Agent(self._model, instructions=system["content"], output_type=output, retries=0)
        return await agent.run(last["content"], message_history=history or None, infer_name=False)

    async def _asked_agent(self, call: Call) -> Any:
        assert self._agent is not None
        return await self._agent.run(messages_of(call)[-1]["content"], infer_name=False)


def _object(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Providers take schemas of objects only; any other one is that of a field `answer`."""
    if schema.get("type") == "object":
        return schema
    return {"type": "object", "properties": {"answer": schema}, "required": ["answer"]}


def _plain(output: Any, schema: Mapping[str, Any] | None) -> Any:
    """What an agent gave as JSON: a data class or a model of pydantic by its fields."""
    if hasattr(output, "model_dump"):
        return output.model_dump(mode="json")
    if dataclasses.is_dataclass(output) and not isinstance(output, type):
        return dataclasses.asdict(output)
    if schema is not None and schema.get("type") != "object" and isinstance(output, dict):
        return output["answer"] if output.keys() == {"answer"} else output
    if schema is not None and isinstance(output, str):
        found = json_in(output)
        return output if found is None else found
    return output


def _usage(result: Any) -> Usage:
    told = result.usage
    if not (told.input_tokens or told.output_tokens):
        return Usage()
    return Usage(told.input_tokens, told.output_tokens, _cost(result))


def _cost(result: Any) -> float | None:
    """What the answers cost by the library's own table; None where it does not know the model."""
    total = 0.0
    for message in result.new_messages():
        if message.kind == "response":
            try:
                total += float(message.cost().total_price)
            except (LookupError, AssertionError, TypeError, ValueError):
                return None
    return total


def _failure(error: Exception, who: str) -> ServiceError:
    kinds = [kind.__name__ for kind in type(error).__mro__]
    name, transient = next((_NAMES[kind] for kind in kinds if kind in _NAMES), ("service-failed", True))
    said = " ".join(visible(str(error)).split())[:300] or type(error).__name__
    return ServiceError(f"{who}: {said}", name=name, transient=transient)
