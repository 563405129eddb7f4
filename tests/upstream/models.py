"""Models for published contracts: one gives what the words of a contract ask for, the others less."""

from __future__ import annotations

import re
from typing import Any

from prose_runtime.runtime.port import Call

VERDICTS: dict[str, Any] = {"verdict": "accept", "decision": "accept", "accepted": True, "approved": True}


def ask(call: Call) -> dict[str, Any]:
    """Each output holds the phrases that its text names in backticks and every input; a choice is its first value, what
    is from one number to another the last."""
    assert call.definition is not None
    given = " ".join(str(value) for value in call.inputs.values())
    answer: dict[str, Any] = {}
    for output in call.definition.outputs:
        phrases = re.findall(r"`([^`]+)`", output.text)
        choices = output.type.choices if output.type.kind == "choice" else ()
        said = choices[0] if choices else VERDICTS.get(output.name) or " ".join([*phrases, given])
        numbers = re.search(r"from \d+ to (\d+)", output.text)
        answer[output.name] = int(numbers[1]) if numbers else said
    return answer


def ask_wrong(call: Call) -> dict[str, Any]:
    """Outputs that are there, and hold nothing of what was asked for."""
    assert call.definition is not None
    return {output.name: "something else" for output in call.definition.outputs}


def ask_blank(call: Call) -> dict[str, Any]:
    """Outputs that are there, and empty."""
    assert call.definition is not None
    return {output.name: VERDICTS.get(output.name, "") for output in call.definition.outputs}


def ask_nothing(call: Call) -> dict[str, Any]:
    """No output at all."""
    return {}
