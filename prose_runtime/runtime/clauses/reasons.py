"""Why a clause holds or does not, in a line with the values that were seen. In: the clause and the facts. Out: text."""

from __future__ import annotations

from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.tree import Clause, Undecidable
from prose_runtime.runtime.clauses.deciding import condition_of, decide
from prose_runtime.runtime.clauses.facts import Absent, Facts
from prose_runtime.runtime.values import show

_CALLS = 8


def reason_of(clause: Clause, facts: Facts) -> str:
    """The values that decided; "" where nothing was decided."""
    match clause:
        case tree.Not(part=part):
            return reason_of(part, facts)
        case tree.When(condition=condition, then=then):
            if decide(condition, facts):
                return reason_of(then, facts)
            return f"its condition does not hold: {reason_of(condition, facts)}"
        case tree.Every(parts=parts):
            return _of_parts(parts, facts)
        case tree.Holds(plan=plan, source=source):
            decision = condition_of(plan, source, facts.values)
            return "" if decision is None else decision.because
        case tree.Declared(output=output):
            return reason_of(tree.About(output.name, tree.Given()), facts)
        case tree.About(name=name):
            found = facts.about(name)
            if isinstance(found, Absent):
                return f"there is no `{name}`"
            shown = ", ".join(show(value) for value in found[:_CALLS])
            return f"{name} is {shown}{', …' if len(found) > _CALLS else ''}"
        case tree.Unread():
            return ""
        case _:
            names = [call.service for call in facts.calls]
            return f"calls: {', '.join(names[:_CALLS]) or 'none'}{', …' if len(names) > _CALLS else ''}"


def _of_parts(parts: tuple[Clause, ...], facts: Facts) -> str:
    """Of the first part that does not hold, else of all that were decided."""
    said = []
    for part in parts:
        held = decide(part, facts)
        if held is False:
            return reason_of(part, facts)
        if held:
            said.append(reason_of(part, facts))
    return "; ".join(dict.fromkeys(said))


def ruling(clause: Clause, facts: Facts) -> tuple[bool | None, str]:
    """Whether a clause of a contract holds, and why. One that cannot be asked of these values is not kept."""
    try:
        return decide(clause, facts), reason_of(clause, facts)
    except Undecidable as error:
        return False, str(error)
