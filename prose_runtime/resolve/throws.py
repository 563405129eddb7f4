"""What is thrown against what `### Errors` declares. In: a unit. Out: warnings about names that can be read here."""

from __future__ import annotations

from typing import Any

from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import Unit
from prose_runtime.syntax import walk
from prose_runtime.syntax.nodes import Expression, Object, Text, Throw


def check_thrown(unit: Unit, findings: Findings) -> None:
    """Errors with a written name that a definition throws and does not declare. One without `### Errors` may throw
    any."""
    script, errors = unit.definition.script, [item.name for item in unit.definition.errors]
    if script is None or not errors:
        return
    for node in walk(script):
        if isinstance(node, Throw) and node.value is not None:
            name = written_name(node.value)
            if name is not None and name not in errors:
                findings.add("undeclared-error", node.value.span, **undeclared(name, errors))


def undeclared(name: str, errors: list[str]) -> dict[str, Any]:
    """The facts about a name that is not declared."""
    help = did_you_mean(name, errors, f"declare `{name}` under `### Errors`")
    return {"name": name, "declared": listed(errors), "help": help}


def written_name(value: Expression) -> str | None:
    """The name that a thrown value has as it is written: that of an object, or a text of one word."""
    if isinstance(value, Object):
        entries = {entry.key: entry.value for entry in value.entries}
        for key in ("name", "error"):
            given = entries.get(key)
            if given is not None:
                return _plain(given)
        return None
    text = _plain(value)
    return text if text is not None and text.replace("-", "").replace("_", "").isalnum() else None


def _plain(value: Expression) -> str | None:
    """A text without anything put into it."""
    if isinstance(value, Text) and all(isinstance(part, str) for part in value.parts):
        return "".join(str(part) for part in value.parts)
    return None
