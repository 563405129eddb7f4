"""Whether an upgraded file says what it said: everything is compared but the words that were to change.

In: both trees and both programs. Out: the first thing that differs, in words, or "".
"""

from __future__ import annotations

from itertools import zip_longest

from prose_runtime.resolve.dump import dump_unit
from prose_runtime.resolve.program import Program
from prose_runtime.source.node import fields_of
from prose_runtime.syntax.document import Definition, Document, Section
from prose_runtime.syntax.walk import same_tree

# What a loop that became an instance brings with it.
_OF_A_LOOP = ("script", "instances")


def difference(before: Document, old: Program, after: Document, new: Program, *, looped: bool) -> str:
    """What is read otherwise than before. `looped`: a loop became an instance, so scripts and instances are new."""
    if before.title != after.title:
        return "the title"
    for one, other in zip_longest(before.frontmatter, after.frontmatter):
        if one is None or other is None or one.key != other.key or (one.key != "kind" and one.value != other.value):
            return "the frontmatter"
    for first, second in zip_longest(before.definitions, after.definitions):
        if first is None or second is None:
            return "the number of definitions"
        differs = _definitions(first, second, looped=looped)
        if differs:
            return f"{differs} of `{first.name}`"
    if not looped and _instances(old, before) != _instances(new, after):
        return "the instances"
    return ""


def _definitions(one: Definition, other: Definition, *, looped: bool) -> str:
    skipped = {"span", "name_span", "sections", "instances", *(_OF_A_LOOP if looped else ())}
    for name in fields_of(Definition):
        if name not in skipped and not same_tree(getattr(one, name), getattr(other, name)):
            return f"the {name.replace('_', ' ')}"
    kept = [section for section in other.sections if not (looped and section.key == "patterns")]
    for first, second in zip_longest(one.sections, kept):
        if first is None or second is None or not _sections(first, second, looped=looped):
            return f"a section ({(first or second).title})"
    return ""


def _sections(one: Section, other: Section, *, looped: bool) -> bool:
    same = same_tree(one.items, other.items) and one.text == other.text and same_tree(one.parts, other.parts)
    if len(one.fences) != len(other.fences):
        return False
    changed = ("patterns", "services", *(("delegation", "delegation loop") if looped else ()))
    return same and (one.key in changed or same_tree(one.fences, other.fences))


def _instances(program: Program, document: Document) -> list[object]:
    units = [unit for unit in program.units if unit.document is document]
    return [[{**item, "found": ""} for item in dump_unit(unit).get("instances", [])] for unit in units]
