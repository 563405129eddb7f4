"""Proofs of known sentences. In: a definition. Out: a `Finding` for each of its invariants.

A proof may fail to find what is true (`open`); what it calls proved or refuted is so in every run that comes there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from prose_runtime.resolve.counting import Count, covers, named, number
from prose_runtime.resolve.invariants.facts import LOOPS, Asked, Bound
from prose_runtime.resolve.invariants.findings import WATCHED, Finding, Said
from prose_runtime.resolve.invariants.handing import Handing
from prose_runtime.resolve.invariants.questions import Questions, is_parallel, within, written
from prose_runtime.resolve.invariants.sentences import known, near
from prose_runtime.resolve.invariants.standing import Standing
from prose_runtime.resolve.passing import MODIFIERS
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Source
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk
from prose_runtime.syntax.document import Clause

_PARTING = (n.Arm, n.If, n.Option, n.Conditional, n.Block)


def invariants_of(unit: Unit) -> list[Finding]:
    """What becomes of each invariant of a definition. Without a script all of them are words for the model."""
    clauses = unit.definition.invariants
    if unit.definition.script is None or not clauses:
        return [Finding(clause, "words") for clause in clauses]
    proofs = _Proofs(unit)
    return [proofs.finding(clause) for clause in clauses]


class _Proofs(Questions):
    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.proofs: dict[str, Callable[..., Said]] = {
            "rounds": self.rounds,
            "later-rounds": lambda name: self.rounds(name, further=1),
            "calls": self.calls,
            "once": self.once,
            "once-at-most": self.once_at_most,
            "once-each": self.once_each,
            "never-name": self.never_name,
            "never-answer": self.never_answer,
            "branches": self.branches,
            "same-inputs": self.same_inputs,
            "order": self.order,
            "order-each-round": lambda first, then: self.order(first, then, each_round=True),
            "approved": self.approved,
            "grows": self.grows,
            "stops": self.stops,
            **Handing(self).proofs,
            **Standing(self).proofs,
        }

    def finding(self, clause: Clause) -> Finding:
        found = known(clause.text)
        if found is None:
            return Finding(clause, "words", near=near(clause.text))
        sentence, names = found
        status, because, at = self.proofs[sentence.proof](*names)
        lent = next((name for name in names if name in self.facts.lent), None)
        if status == "proved" and lent is not None:
            status, because = "open", f"`{lent}` is handed to `{self.facts.lent[lent]}`, which asks it out of sight"
            at = None
        elif status == "open" and sentence.proof in WATCHED:
            status = "watched"
        return Finding(clause, status, because, at, proof=sentence.proof, names=names)

    # ---- how often ----

    def rounds(self, name: str, further: int = 0) -> Said:
        """Every loop that is no walk through a list goes round at most so often, each counted by itself."""
        wanted = _amount(name).plus(number(further))
        loops = [loop for loop, _ in self.facts.loops if not isinstance(loop, n.For)]
        if not loops:
            return "open", "there is no such loop", None
        if self.changed(name):
            return "open", f"the script changes `{name}`", None
        for loop in loops:
            limit = loop.count if isinstance(loop, n.Repeat) else loop.maximum
            if limit is None:
                return "refuted", "no number bounds this loop", loop.span
            if not covers(wanted, self.amount(limit)):
                return "refuted", f"this loop goes round up to {self.amount(limit)} times", limit.span
        return "proved", f"every loop that asks anybody goes round at most {wanted} times", None

    def calls(self, name: str, most: str) -> Said:
        bound = self.bounds.most.get(name, number(0))
        if bound.endless:
            return "refuted", bound.endless, self.first(name)
        if covers(_amount(most), bound):
            return "proved", f"at most {bound} calls", None
        return "open", f"up to {bound} calls, as far as the script alone tells", None

    def once(self, name: str) -> Said:
        asked = self.facts.of(name)
        least, most = self.bounds.least.get(name, number(0)), self.bounds.most.get(name, number(0))
        if str(least) == str(most) == "1":
            return "proved", "there is one call, and every run that ends well comes to it", None
        if not asked:
            return "refuted", f"`{name}` is never called", None
        if len(asked) > 1 and str(least) not in ("0", "1"):
            return "refuted", "this is another call of it", asked[1].node.span
        looped = [one for one in asked if any(isinstance(part, LOOPS) for part in one.inside)]
        if looped and str(most) != "1":
            return "refuted", "this call stands in a loop", looped[0].node.span
        return "open", f"{least} to {most} calls, as far as the script alone tells", None

    def once_at_most(self, name: str) -> Said:
        asked = self.facts.of(name)
        bound = self.bounds.most.get(name, number(0))
        if str(bound) in ("0", "1") or (len(asked) == 1 and self.walks_through(asked[0], name)):
            return "proved", "the one call of it takes each once", None
        if bound.endless or len(asked) > 1:
            return "refuted", bound.endless or "this is another call of it", asked[-1].node.span if asked else None
        return "open", f"up to {bound} calls", None

    def once_each(self, name: str, items: str) -> Said:
        wanted = named(f"the number of `{items}`")
        least, most = self.bounds.least.get(name, number(0)), self.bounds.most.get(name, number(0))
        if str(least) == str(most) == str(wanted):
            return "proved", f"{most} calls in every run that ends well", None
        if str(most) != str(wanted):
            return "refuted", f"up to {most} calls", self.first(name)
        return "open", f"{least} to {most} calls, as far as the script alone tells", None

    # ---- what is received ----

    def never_name(self, name: str, kept: str) -> Said:
        """Neither under that name nor what that name holds under another one."""
        held = self.holding(kept)
        for one in self.facts.of(name):
            for entry in one.node.properties:
                if entry.key == kept:
                    return "refuted", f"it is passed as `{entry.key}`", entry.span
            for key, flow in self.facts.sources.passed.get(one.node, {}).items():
                shared = next((source for source in sorted(flow, key=str) if within(source, held)), None)
                if shared is not None:
                    return "refuted", f"`{key}` holds {_shown(shared)}, and so does `{kept}`", self.entry(one, key)
        return "proved", f"no property of its calls holds anything that `{kept}` holds", None

    def never_answer(self, name: str, other: str) -> Said:
        for one in self.facts.of(name):
            for key, flow in self.facts.sources.passed.get(one.node, {}).items():
                if any(source.kind == "answer" and source.name == other for source in flow):
                    return "refuted", f"an answer of `{other}` reaches `{key}`", self.entry(one, key)
                if any(source.kind == "failure" and source.name == other for source in flow):
                    why = f"a failure of `{other}`, which may quote its answer, reaches `{key}`"
                    return "open", why, self.entry(one, key)
        return "proved", f"nothing that `{other}` answered reaches a property of its calls", None

    def branches(self, name: str) -> Said:
        """What runs side by side sees nothing of each other; what comes round by an outer loop would."""
        for one in self.facts.of(name):
            beside = [place for place, part in enumerate(one.inside) if is_parallel(part)]
            around = one.inside[: beside[0]] if beside else one.inside
            loops = [part for part in around if isinstance(part, LOOPS)]
            own = [key for key, flow in self.facts.sources.passed.get(one.node, {}).items()
                   if any(source.kind == "answer" and source.name == name for source in flow)]  # fmt: skip
            if own and not beside:
                return "refuted", f"an earlier answer reaches `{own[0]}`", self.entry(one, own[0])
            if own and loops:
                return "open", f"an answer of an earlier round may reach `{own[0]}`", self.entry(one, own[0])
        return "proved", "they run side by side, or nothing that they answer reaches them", None

    def same_inputs(self, name: str) -> Said:
        """Every property is the same expression over what does not change."""
        first: dict[str, n.Expression] | None = None
        for one in self.facts.of(name):
            given = {entry.key: entry.value for entry in one.node.properties if entry.key not in MODIFIERS}
            for key, value in given.items():
                moving = next((part for part in walk(value) if isinstance(part, n.Name) and self.moves(part.id)), None)
                if moving is not None or any(isinstance(part, n.Call) for part in walk(value)):
                    why = f"`{moving.id}` changes" if moving is not None else "it is asked for anew"
                    return "refuted", f"`{key}` is not the same each time: {why}", value.span
            if first is None:
                first = given
            different = next(
                (key for key in {**first, **given} if written(first.get(key)) != written(given.get(key))), None
            )
            if different is not None:
                return "refuted", f"`{different}` is not the same in this call", one.node.span
        return "proved", "its inputs are made of what does not change", None

    # ---- when ----

    def order(self, first: str, then: str, each_round: bool = False) -> Said:
        before, after = self.facts.of(first), self.facts.of(then)
        if not before or not after:
            return "open", f"`{then if before else first}` is never called", None
        for one in after:
            earlier = bisect_left(before, one.node.span.start, key=lambda other: other.node.span.start)
            if not earlier:
                return "refuted", f"no call of `{first}` stands before this one", one.node.span
            nearest_first = (before[place] for place in reversed(range(earlier)))
            if not any(_comes_first(other, one, each_round) for other in nearest_first):
                return "open", f"`{first}` stands before it in some branch only", one.node.span
        return "proved", f"every call of `{then}` stands behind one of `{first}` that is not passed by", None

    def approved(self, then: str, first: str) -> Said:
        """The call stands where a condition about an answer of the other one held."""
        for one in self.facts.of(then):
            if not self.is_approved(one.node, one.inside, first):
                return "refuted", f"nothing lets this call wait for `{first}` to approve", one.node.span
        return "proved", f"it is called only where an answer of `{first}` was read as an approval", None

    # ---- names ----

    def grows(self, name: str) -> Said:
        binds = self.facts.bound.get(name, [])
        if not any(bound.grows for bound in binds):
            return "open", f"nothing is added to `{name}`", None
        for bound in binds:
            if not bound.grows and not _begins(bound, name):
                return "refuted", f"here `{name}` gets another value", bound.node.span
        return "proved", "it is only ever added to", None

    def stops(self) -> Said:
        """Every loop that asks anybody can be left, or takes the first that comes."""
        if not self.facts.loops:
            return "open", "there is no loop", None
        for loop, _ in self.facts.loops:
            first = (
                isinstance(loop, n.Repeat | n.For) and loop.modifiers is not None and loop.modifiers.join is not None
            )
            inner = [part for part in walk(loop) if isinstance(part, n.Return | n.Break)]
            outermost = not any(isinstance(part, LOOPS) for part in self.place(loop))
            if outermost and not first and not inner:
                return "refuted", "nothing ends this loop early", loop.span
        return "proved", "every loop ends with the first success", None


def _amount(text: str) -> Count:
    return number(int(text)) if text.isdecimal() else named(f"`{text}`")


def _handles(attempt: n.Try, way: tuple[n.Node, ...]) -> bool:
    """Whether the way leads through what is done after a failure."""
    inner = way[way.index(attempt) + 1]
    return inner in (attempt.catch or ()) or inner in (attempt.cleanup or ())


def _comes_first(first: Asked, then: Asked, each_round: bool) -> bool:
    """Whether whoever comes to `then` has come by `first`; with `each_round` in the same round."""
    shared = [part for part, other in zip(first.inside, then.inside, strict=False) if part is other]
    if each_round and not any(isinstance(part, LOOPS) for part in shared):
        return False
    own = first.inside[len(shared) :]
    if shared and isinstance(shared[-1], n.Parallel):
        return False
    if any(isinstance(part, n.Try) and _handles(part, (*then.inside, then.node)) for part in shared):
        return False  # what failed may have stood before it
    way = (*own, first.node)
    if any(isinstance(part, n.Try) and way[way.index(part) + 1] is not part.body[0] for part in own):
        return False  # what stands before it in the body may fail
    return not any(isinstance(part, _PARTING) for part in own)


def _shown(source: Source) -> str:
    what = f"`{source.name}.{source.part}`" if source.part else f"`{source.name}`"
    return f"{'an answer' if source.kind == 'answer' else 'a failure'} of {what}" if _is_whole(source) else what


def _is_whole(source: Source) -> bool:
    return source.kind == "failure" or (source.kind == "answer" and not source.part)


def _begins(bound: Bound, name: str) -> bool:
    """A list at its beginning, or itself with more: `[]`, `given or []`, `x + [item]`."""
    value = bound.value
    own = isinstance(value, n.Binary) and isinstance(value.left, n.Name) and value.left.id == name
    if own and isinstance(value, n.Binary) and value.operator in ("+", "or"):
        return True
    looped = any(isinstance(part, LOOPS) for part in bound.inside)
    same = isinstance(value, n.Name) and value.id == name
    return same or (not looped and isinstance(bound.node, n.Let))
