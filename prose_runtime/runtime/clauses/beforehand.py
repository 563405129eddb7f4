"""What a contract says before the first call. In: the definition that is run and what it is given. Out: diagnostics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.resolve.clauses.tree import unread
from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.clauses.facts import Facts
from prose_runtime.runtime.clauses.keeping import contract_of
from prose_runtime.runtime.clauses.reasons import ruling
from prose_runtime.runtime.values import Value


def check_contract(unit: Unit, given: Mapping[str, Value], *, judgeless: bool) -> Iterator[Diagnostic]:
    """What the definition asks for and is not so; `judgeless`: a judge is to decide what no rule can, and there is
    none. `given`: inputs and config by name, null for what was not given."""
    asked = False
    for clause in contract_of(unit):
        if clause.kind == "requires":
            held, because = ruling(clause.rule, Facts(given))
            if held is False:
                about = f"`{clause.about}`: " if clause.about else ""
                text = f"{about}{' '.join(clause.text.split())}"
                told = f" ({because})" if because else ""
                yield report("requirement-not-met", unit.source, clause.span, name=unit.name, text=text, because=told)
        if judgeless and not asked and unread(clause.rule):
            asked = True
            text = " ".join(clause.text.split())
            yield report("no-judge-for-contract", unit.source, clause.span, text=text)
