"""Proofs of known sentences. In: a definition. Out: a `Finding` for each of its invariants.

A proof may fail to find what is true (`open`). What it calls proved is so in every run; what it calls refuted is broken
by some run that the script can make.
"""

from __future__ import annotations

from collections.abc import Callable

from prose_runtime.resolve.invariants.answering import Answering
from prose_runtime.resolve.invariants.counting import Counting
from prose_runtime.resolve.invariants.findings import WATCHED, Finding, Said
from prose_runtime.resolve.invariants.handing import Handing
from prose_runtime.resolve.invariants.objections import Objections
from prose_runtime.resolve.invariants.questions import Questions
from prose_runtime.resolve.invariants.sameness import Sameness
from prose_runtime.resolve.invariants.sentences import known, near
from prose_runtime.resolve.invariants.standing import Standing
from prose_runtime.resolve.program import Unit
from prose_runtime.syntax.document import Clause


def invariants_of(unit: Unit) -> list[Finding]:
    """What becomes of each invariant of a definition. Without a script all of them are words for the model."""
    clauses = unit.definition.invariants
    if unit.definition.script is None or not clauses:
        return [Finding(clause, "words") for clause in clauses]
    proofs = _Proofs(unit)
    return [proofs.finding(clause) for clause in clauses]


class _Proofs:
    def __init__(self, unit: Unit) -> None:
        self.ask = Questions(unit)
        self.facts = self.ask.facts
        objections = Objections(self.ask)
        self.said: dict[tuple[str, tuple[str, ...]], Said] = {}
        self.proofs: dict[str, Callable[..., Said]] = {
            **Counting(objections).proofs,
            **Handing(objections).proofs,
            **Sameness(objections).proofs,
            **Answering(objections).proofs,
            **Standing(objections).proofs,
        }

    def finding(self, clause: Clause) -> Finding:
        """What becomes of one line."""
        found = known(clause.text)
        if found is None:
            return Finding(clause, "words", near=near(clause.text))
        sentence, names = found
        if (sentence.proof, names) not in self.said:
            self.said[sentence.proof, names] = self.proofs[sentence.proof](*names)
        status, because, at = self.said[sentence.proof, names]
        lent = next((name for name in names if name in self.facts.lent), None)
        if status == "proved" and lent is not None:
            status, because = "open", f"`{lent}` is handed to `{self.facts.lent[lent]}`, which asks it out of sight"
            at = None
        elif status == "open" and sentence.proof in WATCHED:
            status = "watched"
        return Finding(clause, status, because, at, proof=sentence.proof, names=names)
