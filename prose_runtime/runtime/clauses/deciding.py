"""Whether a clause holds. In: the clause and the facts of a run. Out: True, False, or None where only reading can tell.

A part that does not hold decides, also where another part is unread; of what was not given nothing holds but that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.tree import Clause, Predicate, Undecidable
from prose_runtime.resolve.conditions import ConditionPlan
from prose_runtime.runtime.clauses.facts import Absent, Facts, ValueFrame
from prose_runtime.runtime.clauses.values import in_order, number_of, tested
from prose_runtime.runtime.conditions import Decision, begin
from prose_runtime.runtime.contracts import output_mismatch
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.outcome import CallRecord
from prose_runtime.runtime.values import ListValue, Value
from prose_runtime.source import SourceText

Names: TypeAlias = Mapping[str, Value]


def decide(clause: Clause, facts: Facts) -> bool | None:
    """Whether a clause holds. Raises `Undecidable` for one that cannot be asked of these facts."""
    match clause:
        case tree.Unread():
            return None
        case tree.Not(part=part):
            held = decide(part, facts)
            return None if held is None else not held
        case tree.Every(parts=parts):
            return every(decide(part, facts) for part in parts)
        case tree.When(condition=condition, then=then):
            asked = decide(condition, facts)
            return decide(then, facts) if asked else True if asked is False else None
        case tree.Holds(plan=plan, source=source):
            decision = condition_of(plan, source, facts.values)
            return decision.holds if decision is not None else None
        case tree.Declared(output=output):
            given = facts.about(output.name)
            if isinstance(given, Absent):
                return output.optional
            return output_mismatch(output, given[0], output.name) is None
        case tree.About(name=name, predicate=predicate):
            found = facts.about(name)
            if isinstance(found, Absent):
                return _of_absent(predicate)
            return every(holds_of(predicate, value, facts.values) for value in found)
        case _:
            return _of_the_run(clause, facts)


def every(held: Iterable[bool | None]) -> bool | None:
    """True if all are, False if one is."""
    found = list(held)
    return False if False in found else None if None in found else True


# ---- of one value ----------------------------------------------------------------------------------------


def holds_of(predicate: Predicate, value: Value, names: Names) -> bool | None:
    """Whether it holds of a value."""
    match predicate:
        case tree.FirstOf(parts=parts):
            return next((held for part in parts if (held := holds_of(part, value, names)) is not None), None)
        case tree.All(parts=parts):
            return every(holds_of(part, value, names) for part in parts)
        case tree.Reversed(part=part):
            held = holds_of(part, value, names)
            return None if held is None else not held
        case tree.OrNull(part=part):
            return True if value is None else holds_of(part, value, names)
        case tree.Each(part=part):
            if not isinstance(value, ListValue):  # words may speak of its parts in another way
                return None
            return every(holds_of(part, item, names) for item in value)
        case tree.Conditional():
            return _conditional(predicate, value, names)
        case _:
            return tested(predicate, value, names)


def _of_absent(predicate: Predicate) -> bool:
    match predicate:
        case tree.FirstOf(parts=(first, *_)):
            return _of_absent(first)
        case tree.Reversed(part=tree.Given() | tree.Missing() as part):
            return not _of_absent(part)
        case _:
            return isinstance(predicate, tree.Missing | tree.OrNull)


def _conditional(predicate: tree.Conditional, value: Value, names: Names) -> bool | None:
    decision = condition_of(predicate.plan, predicate.source, {**names, predicate.subject: value})
    if decision is None:
        return None
    # of a text that does not say a word, only reading can tell whether it "is friendly"
    told = decision.holds and not predicate.negative
    return decision.holds if decision.how == "formal" or told or isinstance(value, dict) else None


def condition_of(plan: ConditionPlan, source: SourceText, values: Names) -> Decision | None:
    """What a condition of a script says over these values, None where only a judge can tell."""
    try:
        decision = begin(plan, ValueFrame(source, values))
    except Fault as fault:
        raise Undecidable(fault.message) from None
    return decision if isinstance(decision, Decision) else None


# ---- of the calls and the end ----------------------------------------------------------------------------


def _of_the_run(clause: Clause, facts: Facts) -> bool | None:
    if not facts.complete and isinstance(clause, tree.CallCount | tree.CallOrder | tree.CallPlace | tree.Receives):
        return None
    match clause:
        case tree.CallCount(service=service, order=order, number=number):
            return in_order(len(calls_of(facts, service)), order, number_of(number, facts.values))
        case tree.CallOrder(first=first, second=second):
            names = [call.service for call in facts.calls]
            return first in names and second in names and names.index(first) < names.index(second)
        case tree.CallPlace(service=service, last=last):
            return bool(facts.calls) and facts.calls[-1 if last else 0].service == service
        case tree.Receives(service=service, key=key, always=always):
            found = [key in call.inputs for call in calls_of(facts, service)]
            return bool(found) and (all(found) if always else any(found))
        case tree.Fails(error=error):
            return facts.error is not None and error in (None, facts.error)
        case tree.Succeeds():
            return facts.status == "done"
        case _:
            raise TypeError(f"{type(clause).__name__} is not a clause")


def calls_of(facts: Facts, service: str | None) -> list[CallRecord]:
    """The calls of a service, or all calls."""
    return [call for call in facts.calls if service in (None, call.service)]
