"""Config that stands under `with:`, where an older edition wrote it.

In: an instance and its pattern. Out: the settings that it means, and a warning whose fix moves their lines.
"""

from __future__ import annotations

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.diagnostics.suggestions import listed
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.types import describe, fits, name_of
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Binding, BoundName, Instance
from prose_runtime.syntax.plain_yaml import YamlText, typed


def is_setting(binding: Binding, unit: Unit) -> bool:
    """Whether a binding names config of the pattern, which has no slot of that name."""
    named = any(item.name == binding.slot for item in unit.config)
    slot = any(item.name == binding.slot for item in unit.definition.slots)
    return named and not slot and isinstance(binding.value, BoundName)


def misplaced_settings(node: Instance, unit: Unit, findings: Findings) -> dict[str, object]:
    """The config of an instance that stands under `with:`; what stands under `config:` as well is left to that."""
    types = {item.name: item.type for item in unit.config}
    written = {setting.name for setting in node.settings}
    found: dict[str, object] = {}
    moved = [binding for binding in node.bindings if is_setting(binding, unit)]
    for binding in moved:
        value = _value(findings.source, binding)
        if value is not None and not fits(types[binding.slot], value):
            facts = {"found": name_of(value), "wanted": describe(types[binding.slot])}
            findings.add("mistyped-setting", binding.span, name=binding.slot, **facts)
        if binding.slot not in written:
            found[binding.slot] = value
    if moved:
        fix = _moving(findings.source, node, moved) if not written & {item.slot for item in moved} else None
        names = listed([binding.slot for binding in moved])
        one = len(moved) == 1
        facts = {"are": "is" if one else "are", "slots": "a slot" if one else "slots"}
        they = "it is" if one else "they are"
        span, fixes = moved[0].slot_span, (fix,) if fix else ()
        findings.add("setting-in-with", span, names=names, pattern=unit.name, they=they, fixes=fixes, **facts)
    return found


def _value(source: SourceText, binding: Binding) -> object:
    assert isinstance(binding.value, BoundName)
    span = binding.value.span
    plain = not source.slice(span).startswith(('"', "'"))
    return typed(YamlText(span, binding.value.name, plain))


def _moving(source: SourceText, node: Instance, moved: list[Binding]) -> Fix | None:
    """The lines taken from `with:` and put under `config:`; None where they are not lines of their own."""
    whole = [_line_of(source, binding.span) for binding in moved]
    if any(line is None for line in whole):
        return None
    lines = [line for line in whole if line is not None]
    taken = [source.slice(line) for line in lines]
    if not all(text.endswith("\n") for text in taken):
        return None
    if node.settings:
        last = _line_of(source, node.settings[-1].span)
        at = last.end if last is not None else None
        indent = _indent(source, node.settings[-1].span.start)
        head = ""
    else:
        opened = _with_line(source, node)
        last = _line_of(source, node.bindings[-1].span)
        at = last.end if last is not None else None
        indent = _indent(source, node.bindings[0].span.start)
        ending = "\r\n" if taken[0].endswith("\r\n") else "\n"
        head = f"{opened}config:{ending}" if opened is not None else None
    if at is None or head is None:
        return None
    body = "".join(f"{indent}{text.lstrip(' ')}" for text in taken)
    edits = (*(Edit(line, "") for line in lines), Edit(Span(at, at), head + body))
    return Fix("move them to `config:`", tuple(edits))


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
