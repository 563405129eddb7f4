"""The frontmatter: the lines between two `---` at the top of a file.

In: a `SourceText`. Out: its fields (all values texts, or lists and mappings of texts), the line at which the Markdown
begins, and what is wrong. A broken frontmatter still gives the lines of it that can be read.
"""

from __future__ import annotations

from prose_runtime.diagnostics import Diagnostic, Label, report
from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.document import Field
from prose_runtime.syntax.passage import Line, join
from prose_runtime.syntax.plain_yaml import YamlMap, read_yaml, texts

_SEARCHED = 400  # lines looked through for the closing mark
_KEY_LINE = pattern(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*)|$)")
# A value that YAML reads as exactly this text, so that the YAML parser need not be loaded.
_PLAIN = pattern(r"[A-Za-z0-9.](?:[A-Za-z0-9_./+ -]|:(?=[A-Za-z0-9_./+-]))*")


@node
class Frontmatter:
    """`span` is the whole block, empty where there is none; `body` the index from 0 of the line after it."""

    fields: tuple[Field, ...]
    span: Span
    body: int
    present: bool
    broken: bool = False

    def text(self, key: str) -> str | None:
        """The value of a key where it is a text that is not blank."""
        field = self.field(key)
        return field.value.strip() or None if field and isinstance(field.value, str) else None

    def field(self, key: str) -> Field | None:
        """The field of a key."""
        return next((field for field in self.fields if field.key == key), None)


def read_frontmatter(source: SourceText) -> tuple[Frontmatter, list[Diagnostic]]:
    """The frontmatter of a file."""
    total = len(source.line_starts)
    first = 1
    while first <= total and first < 50 and not source.line(first).strip():
        first += 1
    if source.line(first).rstrip() != "---":
        return Frontmatter((), Span(0, 0), 0, False), []
    opening = Span(source.line_starts[first - 1], source.line_starts[first - 1] + 3)
    last, closed = _end(source, first)
    lines = [_line(source, number) for number in range(first + 1, last)]
    found: list[Diagnostic] = []
    if not closed:
        found.append(report("unclosed-frontmatter", source, opening))
    fields, broken, faults = _fields(source, lines)
    end = source.line_starts[last - 1] + len(source.line(last)) if last <= total else len(source.text)
    body = last if closed else last - 1
    block = Span(opening.start, max(end if closed else opening.end, opening.end))
    return Frontmatter(fields, block, body, True, broken or not closed), [*found, *faults]


def _end(source: SourceText, first: int) -> tuple[int, bool]:
    """The number of the closing line; of an unclosed block the first line that cannot belong to it."""
    total = len(source.line_starts)
    for number in range(first + 1, min(total, first + _SEARCHED) + 1):
        line = source.line(number).rstrip()
        if line in ("---", "..."):
            return number, True
        if line.startswith(("# ", "## ", "### ")):
            return number, False
    for number in range(first + 1, total + 1):
        if not source.line(number).strip():
            return number, False
    return total + 1, False


def _line(source: SourceText, number: int) -> Line:
    return Line(source.line(number), source.line_starts[number - 1], 0)


def _fields(source: SourceText, lines: list[Line]) -> tuple[tuple[Field, ...], bool, list[Diagnostic]]:
    simple = _simple_fields(lines)
    if simple is not None:
        return (*_unique(source, simple),)
    passage = join(lines, "\n")
    if not passage.text.strip():
        return (), False, []
    node, found = read_yaml(source, passage)
    if isinstance(node, YamlMap):
        fields = (
            Field(Span(key.span.start, value.span.end), key.text, texts(value), value.span)
            for key, value in node.entries
        )
        return tuple(fields), any(item.code == "broken-yaml" for item in found), found
    if node is not None:
        problem = "`key: value` lines were expected"
        found = [*found, report("broken-yaml", source, node.span, problem=problem)]
    saved, _, more = _unique(source, [field for line in lines if (field := _field(line, plain=False))])
    return saved, True, [*found, *more]


def _simple_fields(lines: list[Line]) -> list[Field] | None:
    """The fields where every line is `key: plain text`, None where YAML has to be asked."""
    fields = []
    for line in lines:
        if not line.text.strip():
            continue
        field = _field(line, plain=True)
        if field is None:
            return None
        fields.append(field)
    return fields


def _field(line: Line, *, plain: bool) -> Field | None:
    match = _KEY_LINE.match(line.text)
    if match is None:
        return None
    value = (match.group(2) or "").strip()
    if plain and not _PLAIN.fullmatch(value):
        return None
    start = line.start + (match.start(2) if match.group(2) is not None else match.end())
    span = Span(start, start + len(value))
    return Field(Span(line.start, span.end), match.group(1), value, span)


def _unique(source: SourceText, fields: list[Field]) -> tuple[tuple[Field, ...], bool, list[Diagnostic]]:
    first: dict[str, Field] = {}
    found = []
    for field in fields:
        if field.key in first:
            before = first[field.key].span
            also = (Label(source, Span(before.start, before.start + len(field.key)), "written here first"),)
            at = Span(field.span.start, field.span.start + len(field.key))
            found.append(report("duplicate-key", source, at, key=field.key, also=also))
        else:
            first[field.key] = field
    return tuple(first.values()), False, found
