"""Clauses that only reading can decide. In: a definition, the facts, and the frame of the run. Out: what is broken.

Each clause is one question to the judge, asked through the one door like any call. A judge who does not say leaves his
clause not checked; that is no reason to lose what was paid for.
"""

from __future__ import annotations

from prose_runtime.resolve.clauses.contract import ContractClause, Kind
from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.calls import given_to
from prose_runtime.runtime.clauses.facts import Absent, Facts
from prose_runtime.runtime.clauses.keeping import Broken
from prose_runtime.runtime.errors import Failure
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.judging import JudgeQuestion
from prose_runtime.runtime.step import Request, perform
from prose_runtime.runtime.values import Value
from prose_runtime.source.pattern import pattern

_WORD = pattern(r"[^\W\d][\w-]*")


async def judged(unit: Unit, kind: Kind, facts: Facts, frame: Frame) -> list[Broken]:
    """Ask the judge about every clause of a kind that no rule decided."""
    broken = []
    contracts = frame.run.contracts
    for number, clause in enumerate(contracts.open(unit, kind), 1):
        held, because = await _asked(clause, number, facts, frame)
        contracts.judged(unit, clause, held, because)
        if held is False:
            broken.append(Broken(clause, because))
    return broken


async def _asked(clause: ContractClause, number: int, facts: Facts, frame: Frame) -> tuple[bool | None, str]:
    target = frame.run.plan.judge
    assert target is not None
    words = " ".join(clause.text.split())
    text = f"`{clause.about}`: {words}" if clause.about else words
    question = JudgeQuestion(text, _values_for(clause, facts), clause.span)
    segment = f"contract:{clause.kind}/judge{f'~{number}' if number > 1 else ''}"
    try:
        answer = await perform(Request(target, given_to(target, question.inputs()), segment, kind="judge"), frame)
    except Failure as failure:
        return None, f"the judge failed: {failure.message}"
    read = question.read(answer)
    return (None, "the judge does not say") if read is None else (read.holds, read.reason)


def _values_for(clause: ContractClause, facts: Facts) -> dict[str, Value]:
    """What the judge sees: the value that the clause is about, and those that it names; else all there are."""
    named = [clause.about, *_WORD.findall(clause.text)] if clause.about else _WORD.findall(clause.text)
    found: dict[str, Value] = {}
    for name in named:
        values = facts.about(name) if name in facts.values else None
        if values is not None and not isinstance(values, Absent):
            found[name] = values[0]
    return found or dict(facts.values)
