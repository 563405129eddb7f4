"""Sections and words of older editions that have no meaning any more, or another name today.

In: the sections of one definition as blocks. Out: reports, with a fix where only a word has to be replaced.
"""

from __future__ import annotations

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.syntax.blocks import Bullet
from prose_runtime.syntax.document import Kind
from prose_runtime.syntax.reports import Reports
from prose_runtime.syntax.sections import RawDefinition, RawSection, fences

_YAML = ("yaml", "yml")
_STANDING = ("responsibility", "gateway")

# kind -> section -> what took its place under another name
_RENAMED: dict[str, dict[str, str]] = {
    "function": {"ensures": "Returns", "requires": "Parameters"},
    "responsibility": {"ensures": "Maintains"},
    "gateway": {"ensures": "Maintains"},
    "test": {"ensures": "Returns"},
}
# section -> why it says nothing any more, what to do
_DROPPED: dict[str, tuple[str, str]] = {
    "wiring": (
        "what calls what is said by the script",
        "write the calls under `### Execution`, then take this section away",
    ),
    "services": (
        "what a script calls is found by its name",
        "take this list away once a script calls what it names",
    ),
    "memory": (
        "a function keeps nothing, a responsibility keeps what it maintains",
        "list what is kept under `### Maintains`, then take this section away",
    ),
    "effects": ("an answer is all that a definition gives", "take this section away"),
}
_DROPPED_IN_RESPONSIBILITIES: dict[str, tuple[str, str]] = {
    "criteria": (
        "what must be true is said where it is kept",
        "write them as sentences under `### Maintains`, then take this section away",
    ),
    "fulfillment": (
        "what is done is a script",
        "write it under `### Execution` or as a function, then take this section away",
    ),
    "constraints": (
        "bounds are said in other places",
        "write them under `### Invariants` or `### Shape`, then take this section away",
    ),
}
WIRED = ("wiring", "services")
"""Sections by which an older edition composed services without a script."""


def report_retired(reports: Reports, raw: RawDefinition, kind: Kind) -> None:
    """Say which sections of a definition are retired; a pattern may write its outputs as `### Ensures`."""
    for key, now in _RENAMED.get(kind, {}).items():
        for section in raw.named(key):
            _renamed(reports, section, now, taken=raw.has(now.lower()) or len(raw.named(key)) > 1)
    if kind == "test":
        return
    dropped = {**_DROPPED, **(_DROPPED_IN_RESPONSIBILITIES if kind in _STANDING else {})}
    for section in raw.sections:
        only = _only_instances(reports, section) if section.key == "services" else None
        if only is not None:
            _renamed(reports, section, "Patterns", taken=raw.has("patterns") or not only)
        elif section.key in dropped:
            why, way_out = dropped[section.key]
            what = f"`### {section.heading.text}`"
            reports.add("dropped-section", section.heading.span, what=what, why=why, help=way_out)


def _renamed(reports: Reports, section: RawSection, now: str, *, taken: bool) -> None:
    heading = section.heading
    fix = Fix(f"write `### {now}`", (Edit(heading.text_span, now),))
    way_out = f"move its lines to `### {now}`" if taken else fix.title
    fixes = () if taken else (fix,)
    reports.add("retired-section", heading.span, fixes=fixes, found=heading.text, now=now, help=way_out)


def _only_instances(reports: Reports, section: RawSection) -> bool | None:
    """Whether a `### Services` lists instances and nothing else; None where it lists none."""
    source = reports.source
    texts = [source.slice(fence.content) for fence in fences(section.blocks) if fence.language in _YAML]
    if not any("pattern:" in text or "compose:" in text for text in texts):
        return None
    lines = [line.strip() for text in texts for line in text.splitlines()]
    bare = any(line.startswith("- ") and ":" not in line for line in lines)
    return not bare and not any(isinstance(block, Bullet) for block in section.blocks)
