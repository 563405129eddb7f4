"""What coding agents write when they run without a terminal. In: their stdout. Out: a `Reply`, or None without one.

claude (`--output-format json`) writes one object of the type `result`; codex (`--json`) an event a line, of which
the last message of the agent, the end of each turn, and failures count. What is not known is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from prose_runtime.diagnostics.visible import visible
from prose_runtime.runtime.port import Usage

_SHOWN = 400
NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """`text`: its words; `value`: the object that a schema demanded, if it gave one; `failed`: why there is no answer,
    or ""; `transient`: another attempt may help."""

    text: str = ""
    value: Any = None
    failed: str = ""
    transient: bool = True
    usage: Usage = NOTHING


def read_claude(output: str) -> Reply | None:
    """The `result` object, also as the last of a list or of lines."""
    found = _result(output)
    if found is None:
        return None
    usage = _mapping(found.get("usage"))
    inputs = [_whole(usage.get(key)) for key in _CLAUDE_INPUT]
    known = [number for number in inputs if number is not None]
    spent = Usage(
        sum(known) if known else None, _whole(usage.get("output_tokens")), _money(found.get("total_cost_usd"))
    )
    text = found.get("result")
    said = text if isinstance(text, str) else ""
    kind = str(found.get("subtype", "success"))
    if found.get("is_error") or kind != "success":
        why = _CLAUDE_ENDS.get(kind, "") or said or kind
        return Reply(failed=_shown(why), transient=kind not in _CLAUDE_ENDS, usage=spent)
    return Reply(said, found.get("structured_output"), usage=spent)


_CLAUDE_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_CLAUDE_ENDS = {
    "error_max_turns": "it was not done within its turns",
    "error_max_budget_usd": "it was not done within its budget",
    "error_max_structured_output_retries": "it gave no answer that fits the schema",
}


def _result(output: str) -> Mapping[str, Any] | None:
    try:
        whole = json.loads(output)
        events = whole if isinstance(whole, list) else [whole]
    except (ValueError, RecursionError):
        events = list(_lines(output))
    results = [item for item in events if isinstance(item, dict) and item.get("type") == "result"]
    return results[-1] if results else None


def read_codex(output: str) -> Reply | None:
    """The last message of the agent and what all turns spent; the failure, if the last turn is one."""
    text: str | None = None
    failed, error = "", ""
    inputs: list[int] = []
    outputs: list[int] = []
    for event in _lines(output):
        match event.get("type"):
            case "item.completed":
                item = _mapping(event.get("item"))
                if item.get("type") == "agent_message" and isinstance(item.get("text"), str):
                    text = item["text"]
            case "turn.completed":
                usage, failed = _mapping(event.get("usage")), ""
                inputs += [n for n in [_whole(usage.get("input_tokens"))] if n is not None]
                outputs += [n for n in [_whole(usage.get("output_tokens"))] if n is not None]
            case "turn.failed":
                failed = str(_mapping(event.get("error")).get("message") or "its turn failed")
            case "error":
                error = str(event.get("message") or "it failed")
    spent = Usage(sum(inputs) if inputs else None, sum(outputs) if outputs else None)
    if failed or (text is None and error):
        return Reply(failed=_shown(failed or error), usage=spent)
    return None if text is None else Reply(text, usage=spent)


def _lines(output: str) -> Iterator[dict[str, Any]]:
    for line in output.splitlines():
        if line.lstrip().startswith("{"):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _money(value: object) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
    return float(value) if good else None  # type: ignore[arg-type]


def _shown(text: str) -> str:
    return visible(" ".join(text.split()))[:_SHOWN]
