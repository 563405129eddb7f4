"""Proofs about where calls stand: what decides, what excludes what, what waits. In: `Questions`. Out: findings."""

from __future__ import annotations

import re
from collections.abc import Callable

from prose_runtime.resolve.invariants.facts import LOOPS, Asked
from prose_runtime.resolve.invariants.findings import Said
from prose_runtime.resolve.invariants.questions import Questions
from prose_runtime.syntax import nodes as n

_NAMED = re.compile(r"`([^`]+)`")


_KEPT = (*LOOPS, n.Parallel, n.Block, n.BlockValue, n.DoBlock, n.Try)
"""In these, what leaves an arm may not leave the script, or a failure may go on behind it."""


class Standing:
    """The proofs, by the names of their sentences."""

    def __init__(self, questions: Questions) -> None:
        self.ask = questions
        self.facts = questions.facts
        self.proofs: dict[str, Callable[..., Said]] = {
            "undecided": self.undecided,
            "only-asked": self.only_asked,
            "exclusive": self.exclusive,
            "earlier-counts": self.earlier_counts,
            "grows-approved": self.grows_approved,
            "begins-empty": self.begins_empty,
        }

    def undecided(self) -> Said:
        first = min(self.ask.unit.conditions, key=lambda condition: condition.span.start, default=None)
        if first is not None:
            return "refuted", "here something is decided", first.span
        return "proved", "the script has no condition and no choice", None

    def only_asked(self, names: str) -> Said:
        wanted = set(_NAMED.findall(names))
        other = next((one for one in self.facts.asked if one.name not in wanted), None)
        if other is not None:
            return "refuted", f"`{other.name}` is asked, too", other.node.span
        return "proved", "the script asks nobody else", None

    def exclusive(self, first: str, second: str) -> Said:
        """Neither is called after the other: they stand in different arms, or an arm with one of them always leaves."""
        for one in self.facts.of(first):
            for other in self.facts.of(second):
                before, after = sorted((one, other), key=lambda found: found.node.span.start)
                if _unconditional(before) and _unconditional(after):
                    return "refuted", "a run that ends well comes by this call, too", after.node.span
                if not (_in_other_arms(before, after) or _left_before(before, after)):
                    return "open", f"a run may come by this call and the one of `{before.name}`", after.node.span
        return "proved", "no run comes by both", None

    def earlier_counts(self, name: str) -> Said:
        """Of branches that run for the first answers, the language takes the earlier one."""
        for one in self.facts.of(name):
            loop = next((part for part in reversed(one.inside) if isinstance(part, (*LOOPS, n.Parallel))), None)
            if not isinstance(loop, n.For | n.Repeat) or not loop.concurrent:
                return "open", "this call has none beside it", one.node.span
            if loop.modifiers is None or loop.modifiers.join is None:
                return "refuted", "here all answers are waited for", loop.span
        return "proved", "of branches that end at the same moment the earlier one is taken", None

    def grows_approved(self, name: str, first: str) -> Said:
        grown = [bound for bound in self.facts.bound.get(name, []) if bound.grows]
        if not grown:
            return "open", f"nothing is added to `{name}`", None
        for bound in grown:
            if not self.ask.is_approved(bound.node, bound.inside, first):
                return "refuted", f"nothing lets this wait for `{first}` to approve", bound.node.span
        return "proved", f"it is added to only where an answer of `{first}` was read as an approval", None

    def begins_empty(self, name: str) -> Said:
        first = min(self.facts.bound.get(name, []), key=lambda bound: bound.node.span.start, default=None)
        if first is None or first.inside:
            return "open", f"nothing binds `{name}` at the beginning", None
        if isinstance(first.value, n.List) and not first.value.items:
            return "proved", f"`{name}` is an empty list at first", None
        return "refuted", f"here `{name}` gets its first value", first.node.span


def _unconditional(one: Asked) -> bool:
    """Whether every run that ends well comes by it."""
    return not any(isinstance(part, (n.If, n.Choice, n.Try, n.Block, n.Conditional, *LOOPS)) for part in one.inside)


def _in_other_arms(one: Asked, other: Asked) -> bool:
    """Whether they stand in different arms of one `if`, outside of a loop that both stand in."""
    for part, own, others in zip(one.inside, one.inside[1:], other.inside[1:], strict=False):
        if part not in other.inside or isinstance(part, (*LOOPS, n.Block)):
            return False  # one round may come by one of them, the next by the other
        if isinstance(part, n.If) and own is not others:
            return isinstance(own, n.Arm) or isinstance(others, n.Arm)  # else both stand in the `else:`
    return False


def _left_before(one: Asked, other: Asked) -> bool:
    """Whether the arm with the first call ends in a `return` or `throw` of the script, before the other can be met."""
    arm = next((part for part in reversed(one.inside) if isinstance(part, n.Arm)), None)
    if arm is None or arm in other.inside or any(isinstance(part, _KEPT) for part in one.inside):
        return False
    return bool(arm.body) and isinstance(arm.body[-1], n.Return | n.Throw)
