"""Formal tests on values that are more than an operator: counting, searching, emptiness.

In: values. Out: a number or a truth value. None from `counted` means that there is nothing to count, `Uncountable`
that the value is not of a kind that has such parts.
"""

from __future__ import annotations

from prose_runtime.runtime.values import ListValue, ServiceRef, Value, equal, render_text
from prose_runtime.runtime.verdicts import document_in, plain_words


class Uncountable(TypeError):
    """A value has no such parts."""


def counted(value: Value, unit: str, own: str = "") -> int | float | None:
    """How many items, words, lines or characters a value has, or how long its list field called `unit` is.

    `own` is the name of the value: `findings has 3 findings` counts the list itself. Raises `Uncountable`.
    """
    if value is None:
        return None
    if unit in ("words", "lines", "characters") and not isinstance(value, dict):
        if not isinstance(value, str):
            raise Uncountable
        return len(value.split() if unit == "words" else value.splitlines() if unit == "lines" else value)
    found = document_in(value) if isinstance(value, str) else value
    names = _spellings(unit)
    if isinstance(found, ListValue) and (unit == "items" or plain_words(own) in names):
        return len(found)
    if isinstance(found, dict):
        return _length_of_field(found, names)
    raise Uncountable


def _spellings(unit: str) -> tuple[str, ...]:
    """What the field may be called: the word as it stands, and its plural (`at least one issue` counts `issues`)."""
    if unit == "items":
        return unit, "entries", "elements"
    plural = f"{unit[:-1]}ies" if unit.endswith("y") else f"{unit}es" if unit.endswith(("s", "x", "ch")) else f"{unit}s"
    return unit, plural


def _length_of_field(value: dict[str, Value], names: tuple[str, ...]) -> int | float | None:
    for key, item in value.items():
        if plain_words(key) in names:
            if isinstance(item, ListValue):
                return len(item)
            if item is None or (isinstance(item, (int, float)) and not isinstance(item, bool)):
                return item
    raise Uncountable


def is_empty(value: Value) -> bool:
    """Null, blank text, an empty list or object."""
    if value is None:
        return True
    if isinstance(value, str):
        return not value or value.isspace()
    return isinstance(value, (ListValue, dict)) and len(value) == 0


def contains(value: Value, needle: Value, where: str) -> bool:
    """Whether a text holds, starts or ends with a text or number, without regard to case.

    A list holds an item that equals it; an object holds it if one of its values does.
    """
    if value is None or needle is None:
        return False
    if isinstance(value, ListValue):
        if where == "inside":
            return any(_same_item(item, needle) for item in value)
        return len(value) > 0 and _same_item(value[0 if where == "start" else len(value) - 1], needle)
    if isinstance(value, dict):
        return where == "inside" and any(contains(item, needle, where) for item in value.values())
    text, part = render_text(value).casefold(), render_text(needle).casefold()
    if where == "start":
        return text.startswith(part)
    return text.endswith(part) if where == "end" else part in text


def _same_item(item: Value, needle: Value) -> bool:
    if isinstance(item, ServiceRef):
        item = item.name
    if isinstance(item, dict):
        return contains(item, needle, "inside")
    if isinstance(item, str) and isinstance(needle, str):
        return item.casefold() == needle.casefold()
    return equal(item, needle)
