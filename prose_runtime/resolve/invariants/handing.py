"""Proofs about what calls are handed: which inputs, whether the same, whose answers. In: `Questions`. Out: findings.

Refuted is only what every run does that comes to the place; what depends on more is left open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from prose_runtime.resolve.invariants.facts import LOOPS, Asked
from prose_runtime.resolve.invariants.findings import Said
from prose_runtime.resolve.invariants.questions import Questions, is_parallel, within, written
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

_NAMED = re.compile(r"`([^`]+)`")
_AGAIN = (*LOOPS, n.Parallel, n.Block, n.BlockValue)
_ABOUT_THE_CALL = ("model", "retry", "backoff", "timeout")


class Handing:
    """The proofs, by the names of their sentences."""

    def __init__(self, questions: Questions) -> None:
        self.ask = questions
        self.facts = questions.facts
        self.proofs: dict[str, Callable[..., Said]] = {
            "only": self.only,
            "receives": self.receives,
            "unchanged": self.unchanged,
            "same-part": self.same_part,
            "same-in-round": self.same_in_round,
            "same-names": self.same_names,
            "never-both": self.never_both,
            "apart": self.apart,
            "in-order": self.in_order,
            "own-item": self.own_item,
            "all-answers": self.all_answers,
            "holds-answers": self.holds_answers,
            "from-before": self.from_before,
        }

    def keys(self, one: Asked) -> list[str]:
        """What a call hands over, by name."""
        return [key for key in self.facts.sources.passed.get(one.node, {}) if key not in _ABOUT_THE_CALL]

    def value(self, one: Asked, key: str) -> n.Expression | None:
        """What a call hands over under a name."""
        return next((value for name, value in self.values(one) if name == key), None)

    def values(self, one: Asked) -> Iterable[tuple[str, n.Expression]]:
        """All that a call hands over."""
        if isinstance(one.node, n.Call | n.Session):
            yield from zip(self.ask.unit.positional.get(one.node, ()), one.node.arguments, strict=False)
        yield from ((entry.key, entry.value) for entry in one.node.properties)

    # ---- which inputs ----

    def only(self, name: str, names: str) -> Said:
        wanted = set(_NAMED.findall(names))
        for one in self.facts.of(name):
            other = next((key for key in self.keys(one) if key not in wanted), None)
            if other is not None:
                return "refuted", f"`{other}` is passed here", self.ask.entry(one, other)
        return "proved", "its calls pass nothing else", None

    def receives(self, name: str, key: str) -> Said:
        for one in self.facts.of(name):
            if key not in self.keys(one):
                return "refuted", f"`{key}` is not passed here", one.node.span
        return "proved", f"every call of it passes `{key}`", None

    def unchanged(self, name: str, key: str) -> Said:
        for one in self.facts.of(name):
            value = self.value(one, key)
            if value is None:
                return "refuted", f"`{key}` is not passed here", one.node.span
            if not (isinstance(value, n.Name) and value.id == key):
                return "refuted", f"`{key}` is `{written(value)}` here", value.span
        bound = self.facts.bound.get(key, [])
        if bound or key in self.facts.changing:
            return "open", f"the script binds `{key}`", bound[0].node.span if bound else None
        return "proved", f"`{key}` is passed as it came, and nothing binds it", None

    def same_names(self, name: str) -> Said:
        first: set[str] | None = None
        for one in self.facts.of(name):
            keys = set(self.keys(one))
            if first is not None and keys != first:
                other = sorted(keys ^ first)[0]
                return "refuted", f"`{other}` is not passed by every call", one.node.span
            first = keys
        return "proved", "each of its calls passes inputs of the same names", None

    # ---- the same ----

    def same_part(self, name: str, key: str) -> Said:
        first: str | None = None
        for one in self.facts.of(name):
            value = self.value(one, key)
            if value is None:
                return "refuted", f"`{key}` is not passed here", one.node.span
            moving = _moving(value, self.ask.moves)
            if moving:
                return "open" if moving == "a call" else "refuted", f"{moving} is not the same each time", value.span
            if first is not None and written(value) != first:
                return "refuted", f"`{key}` is not the same in this call", value.span
            first = written(value)
        return "proved", f"`{key}` is made of what does not change", None

    def same_in_round(self, name: str, key: str) -> Said:
        """Side by side they get what was there before the branches began."""
        for one in self.facts.of(name):
            value, beside = self.value(one, key), next((part for part in one.inside if is_parallel(part)), None)
            if value is None:
                return "refuted", f"`{key}` is not passed here", one.node.span
            if beside is None:
                return "open", "this call has none beside it", one.node.span
            own = self._bound_in(beside)
            moving = _moving(value, own.__contains__)
            if moving:
                return "refuted", f"{moving} is another one in each branch", value.span
        return "proved", f"`{key}` was there before the branches began", None

    def _bound_in(self, around: n.Node) -> set[str]:
        """The names that are bound within a node, those of loops included."""
        found = {name for name, binds in self.facts.bound.items() if any(around in bound.inside for bound in binds)}
        for part in walk(around):
            if isinstance(part, n.For):
                found |= {item.id for item in (part.item, part.index, part.counter) if item is not None}
            elif isinstance(part, n.Repeat | n.Loop) and part.counter is not None:
                found.add(part.counter.id)
        return found

    # ---- what of what ----

    def never_both(self, name: str, first: str, second: str) -> Said:
        held = self.ask.holding(first), self.ask.holding(second)
        for one in self.facts.of(name):
            flow = [source for sources in self.facts.sources.passed.get(one.node, {}).values() for source in sources]
            if all(any(within(source, each) for source in flow) for each in held):
                return "refuted", f"both `{first}` and `{second}` are in what is passed here", one.node.span
        return "proved", "no call of it passes anything of both", None

    def apart(self, first: str, second: str) -> Said:
        held, other = self.ask.holding(first), self.ask.holding(second)
        shared = next((source for source in sorted(held, key=str) if within(source, other)), None)
        if shared is not None:
            bound = self.facts.bound.get(first, [])
            return "refuted", f"both hold `{shared.name}`", bound[0].node.span if bound else None
        return "proved", "nothing that one of them holds is in the other", None

    # ---- in order ----

    def in_order(self, name: str, items: str) -> Said:
        """One at a time, as they stand in the list: a plain `for` over it is the innermost loop around the call."""
        for one in self.facts.of(name):
            loop = next((part for part in reversed(one.inside) if isinstance(part, (*LOOPS, n.Parallel))), None)
            walks = isinstance(loop, n.For) and isinstance(loop.iterable, n.Name) and loop.iterable.id == items
            if not walks or not isinstance(loop, n.For):
                return "open", f"this call stands in no walk through `{items}`", one.node.span
            if loop.concurrent:
                return "refuted", "here all of them are taken at once", loop.span
            target = one.node.target if isinstance(one.node, n.Call) else ""
            passed = [value for _, value in self.values(one)]
            if target != loop.item.id and not any(isinstance(v, n.Name) and v.id == loop.item.id for v in passed):
                return "open", f"`{loop.item.id}` is not passed here", one.node.span
        return "proved", f"a plain loop takes one item of `{items}` after the other", None

    def own_item(self, name: str, items: str) -> Said:
        """What a call passes is made of the item of its own branch, and of what does not change."""
        for one in self.facts.of(name):
            loop = next((part for part in reversed(one.inside) if is_parallel(part)), None)
            walks = isinstance(loop, n.For) and isinstance(loop.iterable, n.Name) and loop.iterable.id == items
            if not walks or not isinstance(loop, n.For):
                return "open", f"this call stands in no branch of `{items}`", one.node.span
            own, inner = loop.item.id, one.inside[one.inside.index(loop) + 1 :]
            if any(isinstance(part, n.For) and own in {part.item.id, getattr(part.index, "id", "")} for part in inner):
                return "open", f"a loop in the branch has a `{own}` of its own", one.node.span
            for key, value in self.values(one):
                moving = _moving(value, lambda name, own=own: name == items or (name != own and self.ask.moves(name)))  # type: ignore[misc]
                if moving:
                    return "refuted", f"`{key}` is made of {moving}", value.span
        return "proved", f"its calls pass their own item of `{items}` and what does not change", None

    # ---- answers ----

    def all_answers(self, name: str, other: str) -> Said:
        for one in self.facts.of(name):
            passed = [value for _, value in self.values(one)]
            if not any(isinstance(value, n.Name) and self.collects(value.id, other) for value in passed):
                flow = self.facts.sources.passed.get(one.node, {}).values()
                if not any(source.name == other for sources in flow for source in sources):
                    return "refuted", f"no answer of `{other}` is passed here", one.node.span
                return "open", f"what is passed here may lack answers of `{other}`", one.node.span
        return "proved", f"it is passed the list of all that `{other}` answered", None

    def holds_answers(self, kept: str, other: str) -> Said:
        names = [kept, *self._returned_as(kept)]
        if any(self.collects(name, other) for name in names):
            return "proved", f"it is the list of all that `{other}` answered", None
        if not any(source.name == other for name in names for source in self.ask.holding(name)):
            return "refuted", f"no answer of `{other}` is in `{kept}`", None
        return "open", f"`{kept}` may lack answers of `{other}`, or hold more", None

    def _returned_as(self, output: str) -> Iterable[str]:
        for node in self.facts.sources.returned:
            entries = node.value.entries if isinstance(node.value, n.Object) else ()
            yield from (entry.value.id for entry in entries if entry.key == output and isinstance(entry.value, n.Name))

    def collects(self, name: str, other: str) -> bool:
        """Whether a name is bound once, to a loop that gives an answer in each round: those of all calls there are."""
        binds = self.facts.bound.get(name, [])
        once = len(binds) == 1 and not binds[0].grows and not any(isinstance(p, _AGAIN) for p in binds[0].inside)
        value = binds[0].value if once else None
        loop = value.block if isinstance(value, n.BlockValue) else None
        if not isinstance(loop, n.Repeat | n.For) or (loop.modifiers is not None and _drops(loop.modifiers)):
            return False
        inner = self.facts.of(other)
        leaving = [part for part in walk(loop) if isinstance(part, n.Return | n.Break | n.Continue)]
        last = loop.body[-1] if loop.body else None
        given = last.value if isinstance(last, n.Return | n.Evaluate) else None
        if (
            len(inner) != 1
            or loop not in inner[0].inside
            or any(part is not last for part in leaving)
            or self._in_part(inner[0], loop)
        ):
            return False
        return given is inner[0].node or (isinstance(given, n.Name) and self._is_answer(given.id, inner[0], loop))

    def _in_part(self, one: Asked, loop: n.Node) -> bool:
        own = one.inside[one.inside.index(loop) + 1 :]
        return any(isinstance(part, (n.If, n.Try, n.Choice, n.Conditional, *LOOPS)) for part in own)

    def _is_answer(self, name: str, one: Asked, loop: n.Node) -> bool:
        binds = [bound for bound in self.facts.bound.get(name, []) if loop in bound.inside]
        return len(binds) == 1 and binds[0].value is one.node

    def from_before(self, name: str) -> Said:
        """A plain walk through the services: the name that each is passed holds the answer of the last one."""
        for one in self.facts.of(name):
            loop = next((part for part in reversed(one.inside) if isinstance(part, (*LOOPS, n.Parallel))), None)
            walks = isinstance(loop, n.For) and isinstance(loop.iterable, n.Name) and loop.iterable.id == name
            if not walks or not isinstance(loop, n.For):
                return "open", f"this call stands in no walk through `{name}`", one.node.span
            if loop.concurrent:
                return "refuted", "here all of them are asked at once", loop.span
            if self._in_part(one, loop):
                return "open", "this call may be passed by", one.node.span
            names = [value.id for _, value in self.values(one) if isinstance(value, n.Name)]
            inside = {own: [b for b in self.facts.bound.get(own, []) if loop in b.inside] for own in names}
            if not any(len(binds) == 1 and binds[0].value is one.node for binds in inside.values()):
                return "open", "no input of this call is bound to its answer, and to nothing else", one.node.span
        return "proved", "what each is passed is what the one before it answered", None


def _moving(value: n.Expression, moves: Callable[[str], bool]) -> str:
    """What in an expression is not always the same: a name in backticks, or "a call"; else ""."""
    for part in walk(value):
        if isinstance(part, n.Name) and moves(part.id):
            return f"`{part.id}`"
        if isinstance(part, n.Call | n.Session | n.Resume | n.Gate | n.Do):
            return "a call"
    return ""


def _drops(modifiers: n.Modifiers) -> bool:
    """Whether branches may be left out, or hold a failure."""
    return modifiers.join is not None or modifiers.on_fail is not None
