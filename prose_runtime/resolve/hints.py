"""`### Runtime`: hints for how a definition is performed.

In: a definition. Out: `Hints`, and what is wrong with how they are written. A key that nothing knows is documentation.
"""

from __future__ import annotations

import re

from prose_runtime.diagnostics.suggestions import did_you_mean, nearest
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.passing import BACKOFFS
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Definition, Item

_KNOWN = ("model", "timeout", "retry", "backoff", "persist")
_SCOPES = ("true", "false", "project", "user")
_SECONDS = {"s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}


@node
class Hints:
    """What a definition says of how it is performed; None and "" where it says nothing. `timeout` is in seconds."""

    model: str | None = None
    timeout: float | None = None
    retry: int | None = None
    backoff: str | None = None
    persist: str = ""


NO_HINTS = Hints()


def hints_of(definition: Definition) -> Hints:
    """The hints that can be read; the others count as not given."""
    section = definition.section("runtime")
    if section is None:
        return NO_HINTS
    given = {item.name: value for item in section.items if item.name in _KNOWN and (value := _value(item))}
    retry, backoff, persist = given.get("retry", ""), given.get("backoff"), given.get("persist", "")
    return Hints(
        given.get("model"),
        _seconds(given.get("timeout", "")),
        int(retry) if retry.isdecimal() else None,
        backoff if backoff in BACKOFFS else None,
        persist if persist in _SCOPES else "",
    )


def check_hints(definition: Definition, findings: Findings) -> None:
    """Values that cannot be read, keys that are one slip away from a known one, and memory for what keeps none."""
    section = definition.section("runtime")
    for item in section.items if section is not None else ():
        name, span = item.name or "", item.name_span or item.span
        if name not in _KNOWN:
            near = nearest(name, _KNOWN) if name else None
            if near is not None:
                findings.add("runtime-hint", span, name=name, what="is not a known hint", help=f"write `{near}`")
            continue
        wrong = _wrong(name, _value(item), definition)
        if wrong is not None:
            findings.add("runtime-hint", span, name=name, what=wrong[0], help=wrong[1])


def _wrong(name: str, value: str, definition: Definition) -> tuple[str, str] | None:
    """What is wrong with a hint, and what to do."""
    if name == "timeout" and _seconds(value) is None:
        return f"is `{value}`, which is no time", "write seconds: `30`, `30 s` or `2 min`"
    if name == "retry" and not value.isdecimal():
        return f"is `{value}`, which is no number of further attempts", "write a whole number"
    if name == "backoff" and value not in BACKOFFS:
        return f"is `{value}`", did_you_mean(value, BACKOFFS, "write none, linear or exponential")
    if name == "model" and not value:
        return "names no model", "write its alias after the colon"
    if name == "persist":
        if value not in _SCOPES:
            return f"is `{value}`", did_you_mean(value, _SCOPES, "write true, project or user")
        if definition.kind == "function" and value != "false":
            return "asks for memory, and a function keeps none", "take it out, or let a script keep it with an `agent`"
    return None


def _value(item: Item) -> str:
    """`30 s` of `` `30 s` — why ``; without backticks the text up to a dash, a comma or the end of its sentence."""
    text = item.text.strip()
    ticked = re.match(r"`([^`]+)`", text)
    if ticked:
        return ticked[1].strip()
    return re.split(r"\s+(?:--|—|–|-)\s|[,;(]|\.(?:\s|$)", text, maxsplit=1)[0].strip()


def _seconds(text: str) -> float | None:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*?)s?", text.lower())
    if match is None:
        return None
    factor = _SECONDS.get(match[2] or "s")
    seconds = float(match[1]) * factor if factor is not None else 0.0
    return seconds or None
