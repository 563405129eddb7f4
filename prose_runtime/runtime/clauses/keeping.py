"""Whether definitions keep their contracts. In: a definition, what it was given and what it gave. Out: records.

A rule decides where a clause is one. Prose is for the judge, if the run asks him; what nobody decides is recorded as
not checked, never taken as kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.contract import ContractClause, Kind, clauses_of
from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.clauses.facts import Facts
from prose_runtime.runtime.clauses.reasons import ruling
from prose_runtime.runtime.clauses.record import ClauseRecord
from prose_runtime.runtime.contracts import Mismatch
from prose_runtime.runtime.outcome import CallRecord
from prose_runtime.runtime.values import Value


@dataclass(frozen=True, slots=True)
class Broken:
    """A clause that does not hold, and why."""

    clause: ContractClause
    because: str

    def __str__(self) -> str:
        text = " ".join(self.clause.text.split())
        return f"`{self.clause.about}`: {text}" if self.clause.about else text

    def mismatch(self) -> Mismatch:
        """The same as a value that is not as declared."""
        return Mismatch(self.clause.about or "it", " ".join(self.clause.text.split()), self.because)


class Contracts:
    """The contracts of a run's definitions, each read once, and what became of their clauses."""

    def __init__(self) -> None:
        self._read: dict[Unit, tuple[ContractClause, ...]] = {}
        self._records: dict[ContractClause, ClauseRecord] = {}

    @property
    def records(self) -> tuple[ClauseRecord, ...]:
        """What became of every clause, in the order in which they were first met."""
        return tuple(self._records.values())

    def of(self, unit: Unit, kind: Kind) -> Sequence[ContractClause]:
        """The clauses of a definition that are of a kind."""
        known = self._read.get(unit)
        if known is None:
            known = self._read[unit] = contract_of(unit)
        return [clause for clause in known if clause.kind == kind] if known else ()

    def rule(self, unit: Unit, kind: Kind, facts: Facts) -> list[Broken]:
        """Decide by their rules the clauses of a kind that can be; gives those that are broken, but for types: what is
        wrong with these is said by `output_mismatches`, at its path."""
        broken = []
        for clause in self.of(unit, kind):
            held, because = ruling(clause.rule, facts)
            record = self._record(unit, clause)
            record.times += 1
            record.holds, record.because = held, because
            record.how = "not checked" if held is None else "checked"
            if held is None:
                record.because = clause.wrong or "only reading can tell"
            elif not held and not isinstance(clause.rule, tree.Declared):
                broken.append(Broken(clause, because))
        return broken

    def open(self, unit: Unit, kind: Kind) -> list[ContractClause]:
        """The clauses that no rule decided."""
        return [
            item for item in self.of(unit, kind) if self._record(unit, item).how == "not checked" and not item.wrong
        ]

    def judged(self, unit: Unit, clause: ContractClause, held: bool | None, because: str) -> None:
        """What the judge said of a clause; None if he did not say."""
        record = self._record(unit, clause)
        record.holds, record.because = held, because
        record.how = "not checked" if held is None else "judged"

    def _record(self, unit: Unit, clause: ContractClause) -> ClauseRecord:
        record = self._records.get(clause)
        if record is None:
            line = unit.source.position(clause.span.start).line
            text = " ".join(clause.text.split())
            record = ClauseRecord(unit.name, clause.kind, clause.about, text, unit.source.name, line)
            self._records[clause] = record
        return record


def contract_of(unit: Unit) -> tuple[ContractClause, ...]:
    """The clauses of a definition that the resolver has linked."""
    return clauses_of(unit.definition, _services(unit))


def _services(unit: Unit) -> frozenset[str]:
    """Whom a clause may name: those of a list slot have names of their own."""
    slots = {slot.name for slot in unit.definition.slots}
    return frozenset((slots | {target.name for target in unit.calls.values()}) - unit.list_slots)


# ---- facts -----------------------------------------------------------------------------------------------


def given_values(
    unit: Unit, inputs: Mapping[str, Value], defaults: Mapping[str, Value], config: Mapping[str, Value]
) -> dict[str, Value]:
    """What a definition was given by name: config, and inputs with their defaults; null for what was not given."""
    values: dict[str, Value] = {item.name: defaults.get(item.name) for item in unit.inputs}
    values.update(config)
    values.update({name: value for name, value in inputs.items() if name in values and value is not None})
    return values


def facts_after(
    unit: Unit, given: Mapping[str, Value], result: Value, calls: Iterable[CallRecord], *, complete: bool = True
) -> Facts:
    """What promises speak of: what was given, over it the outputs by name, and the calls that were made."""
    outputs = [item.name for item in unit.definition.outputs]
    values = {name: value for name, value in given.items() if name not in outputs}
    if len(outputs) == 1 and not (isinstance(result, dict) and outputs[0] in result):
        values[outputs[0]] = result
    elif isinstance(result, dict):
        values |= {name: result[name] for name in outputs if name in result}
    for item in unit.definition.outputs:
        if item.optional or item.nullable:
            values.setdefault(item.name, None)
    made = [call for call in calls if call.kind != "judge" and call.attempts]
    return Facts(values, result, frozenset(outputs), _services(unit), made, complete=complete)
