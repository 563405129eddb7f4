"""A delegation loop in JavaScript becomes an instance of the library's pattern of the same name.

In: the document and the definition that holds the loop. Out: edits that write the instance above the loop's section and
one call in place of the loop. The slots, config and inputs of the file stay what they are, and are passed on.
"""

from __future__ import annotations

from collections.abc import Iterable

from prose_runtime.diagnostics import Edit
from prose_runtime.diagnostics.suggestions import listed
from prose_runtime.resolve import NotFound
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import Span
from prose_runtime.syntax.delegation import RETIRED_LANGUAGES, RETIRED_SECTIONS
from prose_runtime.syntax.document import Definition, Document, FencedText, Section


class LoopRefused(Exception):
    """Why a loop cannot become an instance."""


def replace_loop(document: Document, definition: Definition, loader: DiskLoader) -> list[Edit]:
    """The edits, in the order of the text. Raises `LoopRefused`."""
    section, fence = _loop(definition)
    standard = loader.load(f"std/patterns/{definition.name}", document)
    if isinstance(standard, NotFound):
        raise LoopRefused(
            f"its loop is in an older language, and the standard library has no pattern `{definition.name}` to take "
            "its place: write the loop as a ```prose block under `### Delegation`"
        )
    pattern = standard.main
    _check_slots(definition, pattern)
    passed = _passed(definition, pattern)
    source = document.source
    end = "\r\n" if "\r\n" in source.slice(section.heading.to(section.body)) else "\n"
    name = f"standard-{definition.name}"
    instance = [
        "### Patterns",
        "",
        "```yaml",
        f"- name: {name}",
        f"  pattern: std/patterns/{definition.name}",
        "  with:",
        *(f"    {slot.name}: {slot.name}" for slot in definition.slots),
        "```",
        "",
        "",
    ]
    script = ["```prose", f"return call {name}", *(f"  {word}: {word}" for word in passed), "```"]
    at = section.heading.start
    edits = [Edit(Span(at, at), end.join(instance))]
    if section.key in RETIRED_SECTIONS:
        title = at + source.slice(section.heading).index(section.title)
        edits.append(Edit(Span(title, title + len(section.title)), "Delegation"))
    return [*edits, Edit(fence.span, end.join(script))]


def _loop(definition: Definition) -> tuple[Section, FencedText]:
    keys = ("delegation", *RETIRED_SECTIONS)
    found = [
        (section, fence)
        for section in definition.sections
        if section.key in keys
        for fence in section.fences
        if fence.language in RETIRED_LANGUAGES
    ]
    if len(found) != 1 or definition.instances:
        raise LoopRefused("it does not hold exactly one loop: write it as a ```prose block under `### Delegation`")
    return found[0]


def _check_slots(old: Definition, pattern: Definition) -> None:
    known = {slot.name for slot in pattern.slots}
    needed = {slot.name for slot in pattern.slots if not slot.optional}
    own = {slot.name for slot in old.slots}
    if not own <= known or not needed <= own:
        raise LoopRefused(
            f"its slots ({_names(own)}) are not those of `std/patterns/{old.name}` ({_names(known)}): "
            "write an instance of that pattern by hand"
        )


def _passed(old: Definition, pattern: Definition) -> list[str]:
    """The inputs and config that the loop's file passes on, in the order of the library's pattern."""
    own = {item.name for items in (old.inputs, old.config) for item in items}
    inputs = [item.name for item in pattern.inputs]
    known = [*inputs, *(item.name for item in pattern.config)]
    unknown = own - set(known)
    missing = [item.name for item in pattern.inputs if item.required and item.name not in own]
    if unknown or missing:
        lacks = f"takes {_names(unknown)}, which it does not know" if unknown else f"does not give {_names(missing)}"
        raise LoopRefused(
            f"`std/patterns/{old.name}` would take its loop's place, but the file {lacks}: "
            "write an instance of that pattern by hand"
        )
    return [name for name in known if name in own]


def _names(names: Iterable[str]) -> str:
    return listed(sorted(names), "none")
