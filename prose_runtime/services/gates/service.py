"""A gate as a service: which text it looks at, and how its verdict is given.

The text is the input that the option `of` names; else the only input; else the first of `result`, `text`, `output`,
`draft`, `answer`, `content`, `code` that was passed; else the first input that is a text; else the prompt. A value
that is no text is looked at as its JSON.
"""

from __future__ import annotations

import json

from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature
from prose_runtime.services.gates.verdict import Check
from prose_runtime.services.threads import Threads
from prose_runtime.syntax.document import Json

_USUAL = ("result", "text", "output", "draft", "answer", "content", "code")
_LIMIT = 2_000_000


class GateService:
    """Answers `{passed, score, issues, suggestions}` on one text of the call."""

    def __init__(self, check: Check, *, name: str, target: str, of: str | None = None, threads: Threads | None = None):
        self.name = name
        self.target = target
        outputs = ("passed", "score", "issues", "suggestions")
        self.signature: Signature | None = Signature(open=True, outputs=outputs, where=target)
        self._check = check
        self._of = of
        self._threads = threads

    async def call(self, call: Call) -> Answer:
        """Check the text. Raises `ServiceError` when no text was passed or it is larger than 2 MB."""
        text = self._text(call)
        if len(text) > _LIMIT:
            raise ServiceError(f"the text for `{self.name}` has more than {_LIMIT:,} characters", transient=False)
        return Answer((await self._check(text)).as_json())

    async def close(self) -> None:
        """End its worker threads, if it has any."""
        if self._threads is not None:
            self._threads.close()

    def _text(self, call: Call) -> str:
        inputs = call.inputs
        if self._of is not None:
            if self._of not in inputs:
                raise ServiceError(f"`{self.name}` was given no `{self._of}`", name="contract", transient=False)
            return _as_text(inputs[self._of])
        if len(inputs) == 1:
            return _as_text(next(iter(inputs.values())))
        for name in _USUAL:
            if name in inputs:
                return _as_text(inputs[name])
        texts = [value for value in inputs.values() if isinstance(value, str)]
        if texts:
            return texts[0]
        if call.prompt is not None and not inputs:
            return _as_text(call.prompt)
        raise ServiceError(f"`{self.name}` was given no text to check", name="contract", transient=False)


def _as_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
