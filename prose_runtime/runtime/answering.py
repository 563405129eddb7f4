"""What a service that fulfils a contract has answered. In: its answer. Out: the value meant, or the error it reports.

A model answers in words: JSON in a text, also between fences, is read as what it says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from prose_runtime.runtime.asking import Asking
from prose_runtime.syntax.document import Type

_FENCE = re.compile(r"\s*(`{3,})[A-Za-z]*[ \t]*\r?\n(.*?)\r?\n[ \t]*\1\s*\Z", re.DOTALL)
_REPORT = frozenset(("error", "message"))


def read_answer(asking: Asking, value: Any) -> Any:
    """The value that is meant. A text stays one where a text may be the answer and it is not the object asked for."""
    if not isinstance(value, str) or not asking.outputs:
        return value
    fenced = _FENCE.match(value)
    text = (fenced[2] if fenced else value).strip()
    if not text or text[0] not in '{["-0123456789tfn':
        return value
    try:
        found = json.loads(text)
    except ValueError:
        return value
    if isinstance(found, dict) and (reported(found) or any(item.name in found for item in asking.outputs)):
        return found
    only = asking.outputs[0] if len(asking.outputs) == 1 else None
    return value if only is not None and (not only.declared_type or _may_be_text(only.type)) else found


def _may_be_text(kind: Type) -> bool:
    return kind.kind in ("any", "run", "string", "choice") or any(_may_be_text(item) for item in kind.members)


def reported(value: object) -> tuple[str, str] | None:
    """The name and the message of `{error: NAME, message: TEXT}`; None for anything else."""
    if not isinstance(value, Mapping) or not value.keys() <= _REPORT:
        return None
    name, message = value.get("error"), value.get("message", "")
    return (name, message) if isinstance(name, str) and isinstance(message, str) else None
