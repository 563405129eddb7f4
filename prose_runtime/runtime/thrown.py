"""Errors as values: what `throw` makes of a value, and what `catch as err` reads. In, out: both."""

from __future__ import annotations

from prose_runtime.resolve.throws import undeclared, written_name
from prose_runtime.runtime.errors import Failure
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.values import Value, render_text
from prose_runtime.syntax.nodes import Throw


def caught_value(failure: Failure) -> dict[str, Value]:
    """The error object that a script sees."""
    return failure.value


def thrown(node: Throw, value: Value, frame: Frame) -> Failure:
    """The failure of a `throw`. One that is caught right now is raised again with the way it has come."""
    active = frame.failing
    if active is not None and (node.value is None or value is active.value):
        return active
    if isinstance(value, dict):
        failure = _from_object(value)
        _declared(node, failure.name, frame)
        return failure
    if node.value is None:
        return Failure("error", "thrown without a reason")
    text = render_text(value)
    declared = {item.name for item in frame.unit.definition.errors}
    return Failure(text if text in declared else "error", text)


def _declared(node: Throw, name: str, frame: Frame) -> None:
    """A warning about a name that is known only now and that `### Errors` does not declare."""
    errors = [item.name for item in frame.unit.definition.errors]
    if errors and name not in errors and name != "error" and node.value and written_name(node.value) is None:
        frame.warn("undeclared-error", node.value.span, **undeclared(name, errors))


def _from_object(value: dict[str, Value]) -> Failure:
    name = next((value[key] for key in ("name", "error") if isinstance(value.get(key), str)), "error")
    message = next((value[key] for key in ("message", "reason") if isinstance(value.get(key), str)), None)
    return Failure(str(name), str(message) if message is not None else render_text(value), fields=value)
