"""Invariants that the script breaks. In: a definition that was resolved without errors. Out: diagnostics."""

from __future__ import annotations

from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import Unit


def check_invariants(unit: Unit, findings: Findings) -> None:
    """An error for each invariant that is refuted, a note for each that is nearly a sentence which can be proved."""
    if unit.definition.script is None or not unit.definition.invariants:
        return
    if any(item.severity == "error" for item in findings.items):
        return  # what cannot be read or found proves nothing
    from prose_runtime.resolve.invariants import invariants_of  # many files promise nothing

    unit.invariants = tuple(invariants_of(unit))
    for found in unit.invariants:
        if found.status == "refuted":
            also = [findings.label(found.at, found.because)] if found.at is not None else []
            why = "" if also else f": {found.because}"
            findings.add("invariant-refuted", found.clause.span, also=also, text=found.clause.text, why=why)
        elif found.near:
            findings.add("invariant-near", found.clause.span, form=found.near)
