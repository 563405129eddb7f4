"""Which fence of a definition is its script.

In: the sections `### Delegation` and `### Execution`. Out: the fence to parse, or None; second scripts, fences without
a language and retired forms are reported.
"""

from __future__ import annotations

from prose_runtime.diagnostics import Edit, Fix, Label
from prose_runtime.source import Span
from prose_runtime.syntax.blocks import Fenced
from prose_runtime.syntax.reports import Reports
from prose_runtime.syntax.sections import SCRIPT_SECTIONS, RawDefinition, fences

RETIRED_SECTIONS = ("delegation loop", "execution loop")
_SCRIPT = ("prose", "prosescript")
RETIRED_LANGUAGES = ("javascript", "js", "typescript", "ts", "jsx")


def find_script(reports: Reports, raw: RawDefinition, *, needed: Span | None) -> Fenced | None:
    """The fence that holds the script. `needed` is the place to complain at where there has to be one."""
    found = [fence for section in raw.named(*SCRIPT_SECTIONS) for fence in fences(section.blocks)]
    scripts = [fence for fence in found if fence.language in _SCRIPT]
    if not scripts:
        bare = next((fence for fence in found if not fence.language), None)
        if bare is not None:
            scripts = [bare]
            end = bare.opening.span.end
            fix = Fix("write ```prose", (Edit(Span(end, end), "prose"),))
            reports.add("script-language", bare.opening.span, fixes=(fix,))
    for extra in scripts[1:]:
        also = (Label(reports.source, scripts[0].opening.span, "the script that runs"),)
        reports.add("second-script", extra.opening.span, also=also)
    retired = _retired(raw, found)
    if retired is not None:
        severity = "warning" if scripts or needed is None else "error"
        reports.add("retired-script", retired[0], found=retired[1], severity=severity)  # type: ignore[arg-type]
    if not scripts and retired is None and needed is not None:
        sections = raw.named(*SCRIPT_SECTIONS)
        other = f"only a `{found[0].language}` block" if found else "no script"
        where = "`### Delegation`" if not sections else f"`### {sections[0].heading.text}`"
        reports.add("no-script", sections[0].heading.span if sections else needed, where=where, found=other)
    return scripts[0] if scripts else None


def _retired(raw: RawDefinition, found: list[Fenced]) -> tuple[Span, str] | None:
    for section in raw.named(*RETIRED_SECTIONS):
        return section.heading.span, f"`### {section.heading.text}`"
    for fence in found:
        if fence.language in RETIRED_LANGUAGES:
            return fence.opening.span, f"a `{fence.language}` block"
    return None
