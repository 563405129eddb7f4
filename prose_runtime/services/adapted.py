"""A service that was written for something else, made to fit: inputs renamed, the answer named.

In: a service and the `inputs` and `answer` of its entry in `prose.toml`. Out: a service.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from prose_runtime.runtime.port import Answer, Call, Service, Signature, is_model, keys_of, turn_of
from prose_runtime.services.reaching import reach


class AdaptedService:
    """`inputs`: the service's own name for an input -> the name that the script passes. `answer`: the field that the
    answer is given in; an object that has this field already is left as it is."""

    def __init__(self, inner: Service, *, inputs: Mapping[str, str], answer: str | None) -> None:
        self._inner = inner
        self._inputs = dict(inputs)
        self._answer = answer
        self.name = inner.name
        self.target = inner.target
        self.signature = self._adapted(inner.signature)

    @property
    def is_model(self) -> bool:
        return is_model(self._inner)

    @property
    def keys(self) -> Mapping[str, str]:
        return keys_of(self._inner)

    def turn(self) -> AbstractAsyncContextManager[object]:
        """That of the service."""
        return turn_of(self._inner)

    async def call(self, call: Call) -> Answer:
        """Call the service with its own names."""
        own = {_plain(passed): name for name, passed in self._inputs.items()}
        inputs = {own.get(_plain(key), key): value for key, value in call.inputs.items()}
        answer = await self._inner.call(replace(call, inputs=inputs))
        if self._answer is None or (isinstance(answer.value, Mapping) and self._answer in answer.value):
            return answer
        return Answer({self._answer: answer.value}, answer.usage)

    async def reach(self) -> str:
        """Look for the service."""
        return await reach(self._inner)

    async def close(self) -> None:
        """Close the service."""
        await self._inner.close()

    def _adapted(self, signature: Signature | None) -> Signature | None:
        if signature is None:
            return None
        parameters = tuple(replace(item, name=self._inputs.get(item.name, item.name)) for item in signature.parameters)
        outputs = (self._answer,) if self._answer is not None else signature.outputs
        return replace(signature, parameters=parameters, outputs=outputs)


def _plain(name: str) -> str:
    return name.replace("-", "_")
