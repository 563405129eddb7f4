"""What a definition needs of the machine that runs it: `### Environment` and `### Tools`.

In: a definition. Out: its `Need`s, and what is wrong with how they are written. Whether they are there is looked at
for a run only (`services/readiness.py`).
"""

from __future__ import annotations

import re
from typing import Literal

from prose_runtime.resolve.findings import Findings
from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Definition, Item

# `(optional)`, and what is needed on some paths only: `(required for smtp)`, `when …`.
_SOMETIMES = r"\boptional\b|\b(?:required|needed)\s+(?:only\s+)?(?:for|when|if|by|with)\b|\bonly\s+(?:for|when|if)\b"


@node
class Need:
    """One thing that must be there before a run. `kind`: `environment` (a variable), `cli` (a program on PATH) or
    `mcp` (a server that prose.toml names). What is optional is needed on some paths only."""

    kind: Literal["environment", "cli", "mcp"]
    name: str
    span: Span
    required: bool = True


def needs_of(definition: Definition) -> tuple[Need, ...]:
    """What a definition needs, in the order in which it says so, each once."""
    found = [*_variables(definition), *(need for item in _items(definition, "tools") if (need := _tool(item)))]
    return tuple({(need.kind, need.name): need for need in reversed(found)}.values())[::-1]


def check_needs(definition: Definition, findings: Findings) -> None:
    """Tools that are not written as `cli:NAME` or `mcp:NAME`."""
    for item in _items(definition, "tools"):
        if _tool(item) is None:
            findings.add("bad-tool", item.name_span or item.span, found=_word(item))


def _variables(definition: Definition) -> list[Need]:
    return [
        Need("environment", item.name, item.name_span or item.span, not _is_optional(item))
        for item in _items(definition, "environment")
        if item.name is not None and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", item.name)
    ]


def _items(definition: Definition, key: str) -> list[Item]:
    """The items of a section that name something: `none` does not."""
    sections = [section for section in definition.sections if section.key == key]
    return [
        item for section in sections for item in section.items if not re.match(r"\W*none\b", item.whole, re.IGNORECASE)
    ]


def _tool(item: Item) -> Need | None:
    kind, colon, name = _word(item).partition(":")
    if not colon or kind not in ("cli", "mcp") or not name or re.search(r"[\s/\\]", name):
        return None
    required = not _is_optional(item)
    return Need("cli" if kind == "cli" else "mcp", name, item.name_span or item.span, required)


def _word(item: Item) -> str:
    """The declaration itself: the name in backticks, else the first word."""
    if item.name is not None and (":" in item.name or "`" in item.whole):
        return item.name
    return item.whole.split()[0].rstrip(":") if item.whole.split() else ""


def _is_optional(item: Item) -> bool:
    return re.search(_SOMETIMES, f"{item.annotation} {item.text}", re.IGNORECASE) is not None
