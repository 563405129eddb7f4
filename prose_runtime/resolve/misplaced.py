"""Config that stands under `with:`, where an older edition wrote it.

In: an instance and its pattern. Out: the settings that it means, and a warning whose fix moves their lines.
"""

from __future__ import annotations

from typing import Any

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.diagnostics.suggestions import listed
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.types import describe, fits, name_of
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Binding, BoundName, Instance, Json
from prose_runtime.syntax.plain_yaml import YamlText, typed


def is_setting(binding: Binding, unit: Unit) -> bool:
    """Whether a binding names config of the pattern, which has no slot of that name."""
    named = any(item.name == binding.slot for item in unit.config)
    slot = any(item.name == binding.slot for item in unit.definition.slots)
    return named and not slot and isinstance(binding.value, BoundName)


def misplaced_settings(node: Instance, unit: Unit, findings: Findings) -> dict[str, Json]:
    """The config of an instance that stands under `with:`; what stands under `config:` as well is left to that."""
    types = {item.name: item.type for item in unit.config}
    written = {setting.name for setting in node.settings}
    found: dict[str, Json] = {}
    moved = [binding for binding in node.bindings if is_setting(binding, unit)]
    for binding in moved:
        value, wanted = _value(findings.source, binding), types[binding.slot]
        if value is not None and not fits(wanted, value):
            seen = name_of(value)
            findings.add("mistyped-setting", binding.span, name=binding.slot, found=seen, wanted=describe(wanted))
        if binding.slot not in written:
            found[binding.slot] = value
    if moved:
        twice = written & {item.slot for item in moved}
        fix = None if twice else _moving(findings.source, node, moved)
        said: dict[str, Any] = {"are": "is", "slots": "a slot", "they": "it is"}
        if len(moved) > 1:
            said = {"are": "are", "slots": "slots", "they": "they are"}
        said |= {"names": listed([binding.slot for binding in moved]), "pattern": unit.name}
        findings.add("setting-in-with", moved[0].slot_span, fixes=(fix,) if fix else (), **said)
    return found


def _value(source: SourceText, binding: Binding) -> Json:
    assert isinstance(binding.value, BoundName)
    span = binding.value.span
    plain = not source.slice(span).startswith(('"', "'"))
    return typed(YamlText(span, binding.value.name, plain))


def _moving(source: SourceText, node: Instance, moved: list[Binding]) -> Fix | None:
    """The lines taken from `with:` and put under `config:`; None where they are not lines of their own."""
    lines = [line for binding in moved if (line := _line_of(source, binding.span)) is not None]
    last = _line_of(source, node.settings[-1].span if node.settings else node.bindings[-1].span)
    taken = [source.slice(line) for line in lines]
    if len(lines) < len(moved) or last is None or not all(text.endswith("\n") for text in taken):
        return None
    if node.settings:
        indent, head = _indent(source, node.settings[-1].span.start), ""
    else:
        opened = _with_line(source, node)
        if opened is None:
            return None
        indent = _indent(source, node.bindings[0].span.start)
        head = f"{opened}config:" + ("\r\n" if taken[0].endswith("\r\n") else "\n")
    body = "".join(f"{indent}{text.lstrip(' ')}" for text in taken)
    edits = (*(Edit(line, "") for line in lines), Edit(Span(last.end, last.end), head + body))
    return Fix("move them to `config:`", edits)


def _line_of(source: SourceText, span: Span) -> Span | None:
    """The whole line that holds a span and nothing but it, with its line end."""
    number = source.position(span.start).line
    start = source.line_starts[number - 1]
    end = source.line_starts[number] if number < len(source.line_starts) else len(source.text)
    after = source.text[span.end : end].strip()
    alone = not source.text[start : span.start].strip() and span.end <= end and (not after or after.startswith("#"))
    return Span(start, end) if alone else None


def _indent(source: SourceText, offset: int) -> str:
    return " " * (source.position(offset).column - 1)


def _with_line(source: SourceText, node: Instance) -> str | None:
    """The blanks before `with:`, which stands on a line of its own above the first binding."""
    number = source.position(node.bindings[0].span.start).line - 1
    while number > 0 and not source.line(number).strip():
        number -= 1
    line = source.line(number)
    return line[: len(line) - len(line.lstrip(" "))] if line.strip() == "with:" else None
