"""Invariants that the script alone does not prove, held against what happens. In: a bound definition. Out: a `Watch`.

A watch belongs to one run of a definition's script. It is told of every call before it is made and of every name that
is bound, and raises the failure `invariant` at the first that breaks a promise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NoReturn

from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.plan import BoundUnit
from prose_runtime.runtime.values import ListValue, Value, equal
from prose_runtime.source import Span

if TYPE_CHECKING:  # to import it is to import all proofs
    from prose_runtime.resolve.invariants.findings import Finding


class Watch:
    """What has happened so far. `counts`: calls by slot or function, and by the service that was called; `first`: the
    inputs of the first call of each."""

    def __init__(self, findings: tuple[Finding, ...], bound: BoundUnit) -> None:
        self.bound = bound
        self.findings = findings
        self.counts: dict[str, int] = {}
        self.items: dict[tuple[str, str], int] = {}
        self.first: dict[str, Mapping[str, Value]] = {}
        self.growing = {finding.names[0]: finding for finding in findings if finding.proof == "grows"}

    def called(self, name: str, item: str, inputs: Mapping[str, Value], at: Span) -> None:
        """A call is about to be made: of `item`, which stands in the slot `name`. Raises `Failure`."""
        self.counts[name] = self.counts.get(name, 0) + 1
        self.items[name, item] = self.items.get((name, item), 0) + 1
        first = self.first.setdefault(name, inputs)
        for finding in self.findings:
            check = _CHECKS.get(finding.proof)
            because = check(self, finding.names, name, item, (first, inputs)) if check is not None else ""
            if because:
                _break(finding, because, at)

    def changes(self, name: str, old: Value, new: Value, at: Span) -> None:
        """A name is about to get another value. Raises `Failure`."""
        finding = self.growing.get(name)
        if finding is None or not isinstance(old, ListValue):
            return
        kept = isinstance(new, ListValue) and len(new) >= len(old)
        if not kept or not all(equal(one, other) for one, other in zip(old, new, strict=False)):  # type: ignore[arg-type]
            _break(finding, f"`{name}` loses what was in it", at)

    def limit(self, written: str) -> int | float | None:
        """What a bound stands for: a number, or the config value or input of that name."""
        value = int(written) if written.isdecimal() else self.bound.config.get(written)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _break(finding: Finding, because: str, at: Span) -> NoReturn:
    raise complaint("invariant", at, text=" ".join(finding.clause.text.split()), because=because)


Names = tuple[str, ...]
Both = tuple[Mapping[str, Value], Mapping[str, Value]]


def _calls(watch: Watch, names: Names, name: str, item: str, both: Both) -> str:
    most = watch.limit(names[1])
    if name != names[0] or most is None or watch.counts[name] <= most:
        return ""
    return f"this is call {watch.counts[name]} of `{name}`, and {names[1]} is {most:g}"


def _once(watch: Watch, names: Names, name: str, item: str, both: Both) -> str:
    return f"this is another call of `{name}`" if name == names[0] and watch.counts[name] > 1 else ""


def _once_at_most(watch: Watch, names: Names, name: str, item: str, both: Both) -> str:
    return f"this is another call of `{item}`" if name == names[0] and watch.items[name, item] > 1 else ""


def _exclusive(watch: Watch, names: Names, name: str, item: str, both: Both) -> str:
    other = next((one for one in names if one != name), "")
    return f"`{other}` was called before" if name in names and watch.counts.get(other) else ""


def _order(watch: Watch, names: Names, name: str, item: str, both: Both) -> str:
    return f"`{names[0]}` was not called yet" if name == names[1] and not watch.counts.get(names[0]) else ""


def _same_inputs(watch: Watch, names: Names, name: str, item: str, both: Both) -> str:
    if name != names[0]:
        return ""
    first, now = both
    keys = [key for key in {**first, **now} if not equal(first.get(key), now.get(key))]
    return f"`{keys[0]}` is not what it was in the first call" if keys else ""


def _same_part(watch: Watch, names: Names, name: str, item: str, both: Both) -> str:
    first, now = both
    same = name != names[0] or equal(first.get(names[1]), now.get(names[1]))
    return "" if same else f"`{names[1]}` is not what it was in the first call"


_CHECKS: dict[str, Callable[[Watch, Names, str, str, Both], str]] = {
    "calls": _calls,
    "once": _once,
    "once-at-most": _once_at_most,
    "exclusive": _exclusive,
    "order": _order,
    "same-inputs": _same_inputs,
    "same-part": _same_part,
}


def watch_of(bound: BoundUnit) -> Watch | None:
    """What is to be watched while a definition runs, or None."""
    watched = tuple(finding for finding in bound.unit.invariants if finding.status == "watched")
    return Watch(watched, bound) if watched else None
