"""What is sent to a model: the messages of a call. In: a `Call`. Out: messages with roles, the same for the same call.

The first message says what is asked of it: the contract that it fulfils or what the pattern says of its slot, never the
pattern itself or other services. What is given stands in the last one, between fences. In between stands what an agent
remembers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from prose_runtime.runtime.asking import Asking, message_of
from prose_runtime.runtime.port import Call
from prose_runtime.syntax.document import Json

ALONE = "Answer with the result alone, without a word around it.\n"
"""What a model is told that nothing says more about."""


def messages_of(call: Call, *, schema: Mapping[str, Any] | None = None) -> list[dict[str, str]]:
    """The messages of a call, oldest first. `schema`: written out for a model that cannot be given one otherwise."""
    asked = [call.instructions.strip() or ALONE.strip()]
    if call.skills:
        asked.append(f"You are good at: {', '.join(call.skills)}.")
    if schema is not None:
        written = json.dumps(schema, ensure_ascii=False)
        asked.append(f"Answer with JSON that fits this schema, and no word around it:\n\n{written}")
    messages = [{"role": "system", "content": "\n\n".join(asked)}]
    for turn in call.memory:
        messages.append({"role": "user", "content": _said(turn.asked, turn.context)})
        messages.append({"role": "assistant", "content": _text(turn.answered)})
    given = call.message or message_of(
        Asking(""), call.inputs, prompt=call.prompt, context=call.context, correction=call.correction
    )
    messages.append({"role": "user", "content": given.strip() or "Begin."})
    return messages


def _said(asked: Json, context: Json) -> str:
    return message_of(Asking(""), {}, prompt=asked, context=context).strip() or "…"


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
