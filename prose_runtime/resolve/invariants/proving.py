"""Proofs of known sentences. In: a definition. Out: a `Finding` for each of its invariants.

A proof may fail to find what is true (`open`); what it calls proved or refuted is so in every run that comes there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prose_runtime.resolve.bounds import bounds_of
from prose_runtime.resolve.counting import Count, covers, named, number
from prose_runtime.resolve.invariants.facts import LOOPS, Asked, Bound, Facts
from prose_runtime.resolve.invariants.findings import Finding, Status
from prose_runtime.resolve.invariants.sentences import known, near
from prose_runtime.resolve.passing import MODIFIERS
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import Flow, Source
from prose_runtime.source import Span
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk
from prose_runtime.syntax.document import Clause

_Said = tuple[Status, str, "Span | None"]
_PARTING = (n.Arm, n.If, n.Option, n.Conditional)


def invariants_of(unit: Unit) -> list[Finding]:
    """What becomes of each invariant of a definition. Without a script all of them are words for the model."""
    clauses = unit.definition.invariants
    if unit.definition.script is None or not clauses:
        return [Finding(clause, "words") for clause in clauses]
    proofs = _Proofs(unit)
    return [proofs.finding(clause) for clause in clauses]


class _Proofs:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.facts = Facts(unit)
        self.bounds = bounds_of(unit)
        self.proofs: dict[str, Callable[..., _Said]] = {
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
        return Finding(clause, status, because, at)

    # ---- how often ----

    def rounds(self, name: str, further: int = 0) -> _Said:
        """Every loop that is no walk through a list goes round at most so often, each counted by itself."""
        wanted = _amount(name).plus(number(further))
        loops = [(loop, inside) for loop, inside in self.facts.loops if not isinstance(loop, n.For)]
        outer = [loop for loop, inside in loops if not any(isinstance(one, LOOPS[0::2]) for one in inside)]
        if not outer:
            return "open", "there is no such loop", None
        if self.changed(name):
            return "open", f"the script changes `{name}`", None
        for loop in outer:
            limit = loop.count if isinstance(loop, n.Repeat) else loop.maximum
            if limit is None:
                return "refuted", "no number bounds this loop", loop.span
            if not covers(wanted, self.amount(limit)):
                return "refuted", f"this loop goes round up to {self.amount(limit)} times", limit.span
        return "proved", f"every loop that asks anybody goes round at most {wanted} times", None

    def calls(self, name: str, most: str) -> _Said:
        bound = self.bounds.most.get(name, number(0))
        if bound.endless:
            return "refuted", bound.endless, self.first(name)
        if covers(_amount(most), bound):
            return "proved", f"at most {bound} calls", None
        return "open", f"up to {bound} calls, as far as the script alone tells", None

    def once(self, name: str) -> _Said:
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

    def once_at_most(self, name: str) -> _Said:
        asked = self.facts.of(name)
        bound = self.bounds.most.get(name, number(0))
        if str(bound) in ("0", "1") or (len(asked) == 1 and self.walks_through(asked[0], name)):
            return "proved", "the one call of it takes each once", None
        if bound.endless or len(asked) > 1:
            return "refuted", bound.endless or "this is another call of it", asked[-1].node.span if asked else None
        return "open", f"up to {bound} calls", None

    def once_each(self, name: str, items: str) -> _Said:
        wanted = named(f"the number of `{items}`")
        least, most = self.bounds.least.get(name, number(0)), self.bounds.most.get(name, number(0))
        if str(least) == str(most) == str(wanted):
            return "proved", f"{most} calls in every run that ends well", None
        if str(most) != str(wanted):
            return "refuted", f"up to {most} calls", self.first(name)
        return "open", f"{least} to {most} calls, as far as the script alone tells", None

    # ---- what is received ----

    def never_name(self, name: str, kept: str) -> _Said:
        """Neither under that name nor what that name holds under another one."""
        held = self.holding(kept)
        for one in self.facts.of(name):
            for entry in one.node.properties:
                if entry.key == kept:
                    return "refuted", f"it is passed as `{entry.key}`", entry.span
            for key, flow in self.facts.sources.passed.get(one.node, {}).items():
                shared = next((source for source in sorted(flow, key=str) if _within(source, held)), None)
                if shared is not None:
                    return "refuted", f"`{key}` holds {_shown(shared)}, and so does `{kept}`", self.entry(one, key)
        return "proved", f"no property of its calls holds anything that `{kept}` holds", None

    def never_answer(self, name: str, other: str) -> _Said:
        for one in self.facts.of(name):
            for key, flow in self.facts.sources.passed.get(one.node, {}).items():
                if any(source.kind == "answer" and source.name == other for source in flow):
                    return "refuted", f"an answer of `{other}` reaches `{key}`", self.entry(one, key)
                if any(source.kind == "failure" and source.name == other for source in flow):
                    why = f"a failure of `{other}`, which may quote its answer, reaches `{key}`"
                    return "open", why, self.entry(one, key)
        return "proved", f"nothing that `{other}` answered reaches a property of its calls", None

    def branches(self, name: str) -> _Said:
        """What runs side by side sees nothing of each other; what comes round by an outer loop would."""
        for one in self.facts.of(name):
            beside = [place for place, part in enumerate(one.inside) if _is_parallel(part)]
            around = one.inside[: beside[0]] if beside else one.inside
            loops = [part for part in around if isinstance(part, LOOPS)]
            own = [key for key, flow in self.facts.sources.passed.get(one.node, {}).items()
                   if any(source.kind == "answer" and source.name == name for source in flow)]  # fmt: skip
            if own and not beside:
                return "refuted", f"an earlier answer reaches `{own[0]}`", self.entry(one, own[0])
            if own and loops:
                return "open", f"an answer of an earlier round may reach `{own[0]}`", self.entry(one, own[0])
        return "proved", "they run side by side, or nothing that they answer reaches them", None

    def same_inputs(self, name: str) -> _Said:
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
                (key for key in {**first, **given} if _text(first.get(key)) != _text(given.get(key))), None
            )
            if different is not None:
                return "refuted", f"`{different}` is not the same in this call", one.node.span
        return "proved", "its inputs are made of what does not change", None

    # ---- when ----

    def order(self, first: str, then: str, each_round: bool = False) -> _Said:
        before, after = self.facts.of(first), self.facts.of(then)
        if not before or not after:
            return "open", f"`{then if before else first}` is never called", None
        for one in after:
            earlier = [other for other in before if other.node.span.start < one.node.span.start]
            if not earlier:
                return "refuted", f"no call of `{first}` stands before this one", one.node.span
            if not any(_comes_first(other, one, each_round) for other in earlier):
                return "open", f"`{first}` stands before it in some branch only", one.node.span
        return "proved", f"every call of `{then}` stands behind one of `{first}` that is not passed by", None

    def approved(self, then: str, first: str) -> _Said:
        """The call stands where a condition about an answer of the other one held."""
        for one in self.facts.of(then):
            if not any(self.is_approval(condition, first, wanted) for condition, wanted in self.conditions(one)):
                return "refuted", f"nothing lets this call wait for `{first}` to approve", one.node.span
        return "proved", f"it is called only where an answer of `{first}` was read as an approval", None

    def conditions(self, one: Asked) -> Iterable[tuple[n.Condition, bool]]:
        """What held when a node is reached: conditions of the arms around it, and the opposite of those that left."""
        for outer, inner in zip(one.inside, (*one.inside[1:], one.node), strict=True):
            if isinstance(outer, n.Arm):
                yield outer.condition, True
            for statement in self.siblings(outer, inner):
                if isinstance(statement, n.If) and statement.otherwise is None and len(statement.arms) == 1:
                    arm = statement.arms[0]
                    if arm.body and isinstance(arm.body[-1], n.Return | n.Throw):
                        yield arm.condition, False
        top = one.inside[0] if one.inside else one.node
        for statement in self.facts.statements:
            if statement is top:
                break
            if isinstance(statement, n.If) and statement.otherwise is None and len(statement.arms) == 1:
                arm = statement.arms[0]
                if arm.body and isinstance(arm.body[-1], n.Return | n.Throw):
                    yield arm.condition, False

    @staticmethod
    def siblings(outer: n.Node, inner: n.Node) -> Iterable[n.Statement]:
        body = getattr(outer, "body", ())
        for statement in body if isinstance(body, tuple) else ():
            if statement is inner:
                return
            if isinstance(statement, n.Statement):
                yield statement

    def is_approval(self, condition: n.Condition, first: str, wanted: bool) -> bool:
        plan = self.unit.conditions.get(condition)
        words = condition.text.split()
        if plan is None or plan.how not in ("structure", "formal") or not words:
            return False
        held = self.facts.sources.held.get(words[0].split(".")[0], frozenset())
        about = words[0] == first or any(source.kind == "answer" and source.name == first for source in held)
        negative = any(word in ("not", "never", "no") or word.endswith("n't") for word in words)
        return about and negative != wanted

    # ---- names ----

    def grows(self, name: str) -> _Said:
        binds = self.facts.bound.get(name, [])
        if not any(bound.grows for bound in binds):
            return "open", f"nothing is added to `{name}`", None
        for bound in binds:
            if not bound.grows and not _begins(bound, name):
                return "refuted", f"here `{name}` gets another value", bound.node.span
        return "proved", "it is only ever added to", None

    def stops(self) -> _Said:
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

    # ---- small questions ----

    def amount(self, value: n.Expression) -> Count:
        match value:
            case n.Binary(operator="+", left=left, right=right):
                return self.amount(left).plus(self.amount(right))
            case n.Constant(value=int() as found) if not isinstance(found, bool):
                return number(max(found, 0))
            case n.Property(target=n.Name(id="config"), name=name) | n.Name(id=name):
                return named(f"`{name}`")
            case _:
                return named(f"`{_text(value)}`")

    def changed(self, name: str) -> bool:
        return any(not bound.grows for bound in self.facts.bound.get(name, []))

    def moves(self, name: str) -> bool:
        """Whether a name may hold another value at another time."""
        return name in self.facts.changing or name in self.facts.bound

    def holding(self, name: str) -> Flow:
        if name in self.facts.sources.held:
            return self.facts.sources.held[name]  # with what it held at the beginning
        return frozenset({Source("input", name), Source("config", name)})

    def first(self, name: str) -> Span | None:
        return next((one.node.span for one in self.facts.of(name)), None)

    def entry(self, one: Asked, key: str) -> Span:
        return next((entry.span for entry in one.node.properties if entry.key == key), one.node.span)

    def place(self, loop: n.Node) -> tuple[n.Node, ...]:
        return next((inside for one, inside in self.facts.loops if one is loop), ())

    def walks_through(self, one: Asked, name: str) -> bool:
        """Whether the call stands in a walk through that list and in no other loop."""
        loops = [part for part in one.inside if isinstance(part, LOOPS)]
        only = loops[0] if len(loops) == 1 else None
        return isinstance(only, n.For) and isinstance(only.iterable, n.Name) and only.iterable.id == name


def _amount(text: str) -> Count:
    return number(int(text)) if text.isdecimal() else named(f"`{text}`")


def _is_parallel(part: n.Node) -> bool:
    return isinstance(part, n.Parallel) or (isinstance(part, n.Repeat | n.For) and part.concurrent)


def _comes_first(first: Asked, then: Asked, each_round: bool) -> bool:
    """Whether whoever comes to `then` has come by `first`; with `each_round` in the same round."""
    shared = [part for part, other in zip(first.inside, then.inside, strict=False) if part is other]
    if each_round and not any(isinstance(part, LOOPS) for part in shared):
        return False
    own = first.inside[len(shared) :]
    if shared and isinstance(shared[-1], n.Parallel):
        return False
    return not any(isinstance(part, _PARTING) for part in own)


def _within(source: Source, held: Flow) -> bool:
    """Whether a value holds something of what a name holds: the same part of an answer, or the whole of it."""
    for other in held:
        if (source.kind, source.name, source.call) != (other.kind, other.name, other.call):
            continue
        composed = len(other.under)
        if composed and source.under[len(source.under) - composed :] != other.under:
            continue  # the name holds an object around it; what was put into that is not the object
        if source.part == other.part or (source.kind == "answer" and not source.part):
            return True
    return False


def _shown(source: Source) -> str:
    what = f"`{source.name}.{source.part}`" if source.part else f"`{source.name}`"
    return f"{'an answer' if source.kind == 'answer' else 'a failure'} of {what}" if _is_whole(source) else what


def _is_whole(source: Source) -> bool:
    return source.kind == "failure" or (source.kind == "answer" and not source.part)


def _text(value: n.Expression | None) -> str:
    from prose_runtime.syntax import print_expression
    from prose_runtime.syntax.printer import Unprintable

    try:
        return print_expression(value) if value is not None else ""
    except Unprintable:
        return f"at {value.span.start if value is not None else 0}"


def _begins(bound: Bound, name: str) -> bool:
    """A list at its beginning, or itself with more: `[]`, `given or []`, `x + [item]`."""
    value = bound.value
    own = isinstance(value, n.Binary) and isinstance(value.left, n.Name) and value.left.id == name
    if own and isinstance(value, n.Binary) and value.operator in ("+", "or"):
        return True
    looped = any(isinstance(part, LOOPS) for part in bound.inside)
    same = isinstance(value, n.Name) and value.id == name
    return same or (not looped and isinstance(bound.node, n.Let))
