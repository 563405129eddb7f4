"""From the YAML of `### Expects` to `Expectations`. A key that is not known is refused, with the known ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prose_runtime.casebook.blocks import Unreadable
from prose_runtime.casebook.case import (
    Exactly,
    Expectations,
    ExpectedCall,
    ExpectedDecision,
    ExpectedDiagnostic,
    Sentence,
)
from prose_runtime.syntax.plain_yaml import YamlMap

_KEYS = (
    "status",
    "result",
    "result has",
    "error",
    "calls",
    "calls in any order",
    "number of calls",
    "decisions",
    "warnings",
    "diagnostics",
)
_CALL_KEYS = ("service", "received", "exactly", "without", "attempts", "error")


def expectations(
    value: Any,
    *,
    sentences: tuple[Sentence, ...],
    diagnostics: tuple[ExpectedDiagnostic, ...],
    block: YamlMap | None = None,
) -> Expectations:
    """`value` is that of the YAML `block`; sentences and marked diagnostics stand beside it. Raises `Unreadable`."""
    if not isinstance(value, dict):
        raise Unreadable("### Expects takes a mapping")
    _known(value, _KEYS, "### Expects")
    any_order = "calls in any order" in value
    calls = value.get("calls in any order" if any_order else "calls")
    error, message = _error(value.get("error"))
    listed = tuple(_diagnostic(item) for item in _list(value.get("diagnostics", []), "diagnostics"))
    return Expectations(
        status=_text(value, "status"),
        result=Exactly(value["result"]) if "result" in value else None,
        result_has=Exactly(value["result has"]) if "result has" in value else None,
        error=error,
        message=message,
        calls=None if calls is None else tuple(_call(item) for item in _list(calls, "calls")),
        any_order=any_order,
        number_of_calls=_number(value, "number of calls"),
        decisions=_decisions(value.get("decisions")),
        warnings=None if "warnings" not in value else tuple(str(code) for code in _list(value["warnings"], "warnings")),
        diagnostics=diagnostics + listed,
        sentences=sentences,
        block=block,
    )


def _known(value: dict[str, Any], keys: Sequence[str], where: str) -> None:
    for key in value:
        if key not in keys:
            raise Unreadable(f"{where} knows no {key!r}; it knows {', '.join(keys)}")


def _text(value: dict[str, Any], key: str) -> str | None:
    found = value.get(key)
    if found is not None and not isinstance(found, str):
        raise Unreadable(f"{key!r} takes a text")
    return found


def _error(value: Any) -> tuple[str | None, str | None]:
    """`timeout`, or `{name: timeout, message: "…too slow…"}`."""
    if not isinstance(value, dict):
        return _text({"error": value}, "error"), None
    _known(value, ("name", "message"), "an error")
    return _text(value, "name"), _text(value, "message")


def _number(value: dict[str, Any], key: str) -> int | None:
    found = value.get(key)
    if found is not None and (isinstance(found, bool) or not isinstance(found, int)):
        raise Unreadable(f"{key!r} takes a whole number")
    return found


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise Unreadable(f"{key!r} takes a list")
    return value


def _call(item: Any) -> ExpectedCall:
    """`critic`, or `critic: {…received…}`, or the long form with `service`."""
    if isinstance(item, str):
        return ExpectedCall(item, written=item)
    if not isinstance(item, dict) or not item:
        raise Unreadable("a call is a service's name, or a mapping")
    if "service" not in item:
        ((service, received), *more) = item.items()
        if more:
            raise Unreadable(f"a call of {len(item)} keys needs `service`; it knows {', '.join(_CALL_KEYS)}")
        return ExpectedCall(service, received=received or {}, written=item, received_key=service)
    _known(item, _CALL_KEYS, "a call")
    return ExpectedCall(
        service=str(item["service"]),
        received=item.get("received"),
        exactly=item.get("exactly"),
        without=tuple(_list(item.get("without", []), "without")),
        attempts=_number(item, "attempts"),
        error=_text(item, "error"),
        written=item,
    )


def _decisions(value: Any) -> tuple[ExpectedDecision, ...] | None:
    if value is None:
        return None
    found: list[ExpectedDecision] = []
    for item in _list(value, "decisions"):
        if isinstance(item, str):
            found.append(ExpectedDecision(item, is_text=True))
            continue
        if not isinstance(item, dict) or "text" not in item:
            raise Unreadable("a decision is a text, or a mapping with `text`, `how` and `holds`")
        _known(item, ("text", "how", "holds"), "a decision")
        found.append(ExpectedDecision(str(item["text"]), _text(item, "how"), item.get("holds")))
    return tuple(found)


def _diagnostic(item: Any) -> ExpectedDiagnostic:
    """`unknown-name`, or `{line: 12, code: unknown-name}`."""
    if isinstance(item, str):
        return ExpectedDiagnostic(item, written=item)
    if not isinstance(item, dict) or "code" not in item:
        raise Unreadable("a diagnostic is a code, or a mapping with `line` and `code`")
    _known(item, ("line", "code"), "a diagnostic")
    return ExpectedDiagnostic(str(item["code"]), _number(item, "line") or 0, item)
