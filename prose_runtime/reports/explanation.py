"""What can be known of a definition before anything runs, on one page: who gets and gives what, how each condition is
decided, how many calls there are, which promises are proved, and what must be bound.

In: a resolved definition. Out: an `Explanation`, as text for a terminal and as plain data.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from prose_runtime.diagnostics.terminal import Paint, plain
from prose_runtime.diagnostics.visible import visible_line
from prose_runtime.reports.bound import Bound, data_of, rows_of
from prose_runtime.reports.card import summary_of
from prose_runtime.reports.costs import Costs
from prose_runtime.resolve.bounds import JUDGE, PERSON, Bounds, bounds_of
from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.counting import ZERO, Count
from prose_runtime.resolve.expected import Expected, expected_of
from prose_runtime.resolve.invariants import Finding, invariants_of
from prose_runtime.resolve.needs import needs_of
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sources import asked_name, sources_of
from prose_runtime.runtime.clauses.keeping import contract_of
from prose_runtime.runtime.expecting import schema_of
from prose_runtime.source import SourceText
from prose_runtime.source.node import node
from prose_runtime.syntax.nodes import Gate, Resume, Session

_SHOWN = {"proved": "proved", "refuted": "REFUTED", "watched": "watched", "open": "not shown", "words": "in words"}
_WAYS = {"formal": "by rule", "structure": "by structure", "criteria": "by criteria", "judge": "by a judge"}


@node
class Service:
    """Who is asked. `gets`: the properties that are passed; `gives`: what is read of the answers; `schema`: the same
    as a JSON schema; `fewest`, `most`: how often."""

    name: str
    gets: tuple[str, ...]
    gives: tuple[Expected, ...]
    schema: dict[str, Any] | None
    fewest: Count
    most: Count


@node
class Decision:
    """A condition: how it is decided, and whether a judge is `never`, `maybe` or `always` asked."""

    line: int
    text: str
    how: str
    judge: str


@node
class Sentence:
    """A clause of the contract. `how`: decided by a "rule", by a "judge", or by a rule in "part" only."""

    line: int
    kind: str
    about: str
    text: str
    how: str


@node
class Explanation:
    """A definition. `bounds`: how many calls it makes; `source`: its text; `bound`: the services that are bound to
    it and `costs` what a run can cost, if that was asked for."""

    name: str
    kind: str
    summary: str
    services: tuple[Service, ...]
    decisions: tuple[Decision, ...]
    promises: tuple[tuple[Finding, int | None], ...]
    contract: tuple[Sentence, ...]
    bounds: Bounds
    source: SourceText
    needs: tuple[str, ...]
    bound: Bound | None = None
    costs: Costs | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "summary": self.summary,
            "calls": {
                "fewest": self._count(self.bounds.fewest_calls),
                "most": self._count(self.bounds.most_calls),
                "again": self._count(self.bounds.most_again),
                "judge": self._count(self.bounds.most.get(JUDGE, ZERO)),
                "person": self._count(self.bounds.most.get(PERSON, ZERO)),
            },
            "services": [
                {
                    "name": item.name,
                    "gets": list(item.gets),
                    "schema": item.schema,
                    "gives": [{"part": one.part, "kind": one.kind, "required": one.required} for one in item.gives],
                    "calls": {"fewest": self._count(item.fewest), "most": self._count(item.most)},
                }
                for item in self.services
            ],
            "conditions": [
                {"line": item.line, "text": item.text, "how": item.how, "judge": item.judge} for item in self.decisions
            ],
            "invariants": [
                {"text": found.clause.text, "status": found.status, "because": found.because, "line": line}
                for found, line in self.promises
            ],
            "contract": [
                {"kind": item.kind, "about": item.about, "text": item.text, "how": item.how, "line": item.line}
                for item in self.contract
            ],
            "needs": list(self.needs),
            **({"bound": data_of(self.bound)} if self.bound is not None else {}),
            **({"costs": self.costs.to_json()} if self.costs is not None else {}),
        }

    def _count(self, count: Count) -> dict[str, Any]:
        counted = {"formula": str(count), "number": self.bounds.number(count)}
        return {**counted, "because": self.bounds.written(count, self.source)} if count.endless else counted


def explanation_of(
    unit: Unit, bound: Bound | None = None, costs: Callable[[Bounds], Costs] | None = None
) -> Explanation:
    """Everything about one definition, about what is bound to it, and what it costs by that."""
    sources, bounds = sources_of(unit), bounds_of(unit)
    expected = expected_of(unit, sources)
    gets: dict[str, dict[str, None]] = {}
    for asked, passed in sources.passed.items():
        gets.setdefault(asked_name(asked, unit), {}).update(dict.fromkeys(passed))
    services = []
    for name, keys in gets.items():
        counted = name if name in bounds.most or name != "gate" else PERSON
        counted = _counted_name(counted, unit, bounds)
        few, many = bounds.least.get(counted, ZERO), bounds.most.get(counted, ZERO)
        items = tuple(expected.get(name, ()))
        slot = next((slot for slot in unit.definition.slots if slot.name == name), None)
        services.append(Service(name, tuple(keys), items, schema_of(items, slot), few, many))
    line = unit.source.position
    decisions = [
        Decision(line(condition.span.start).line, plan.text, plan.how, plan.judge)
        for condition, plan in sorted(unit.conditions.items(), key=lambda item: item[0].span.start)
    ]
    promises = [
        (found, line(found.at.start).line if found.at else None) for found in unit.invariants or invariants_of(unit)
    ]
    return Explanation(
        unit.name,
        unit.definition.kind,
        summary_of(unit.document) if unit.definition is unit.document.main else "",
        tuple(services),
        tuple(decisions),
        tuple(promises),
        tuple(_contract(unit)),
        bounds,
        unit.source,
        tuple(_needs(unit, any(item.judge == "always" for item in decisions), JUDGE in bounds.most)),
        bound,
        costs(bounds) if costs is not None else None,
    )


def _contract(unit: Unit) -> Iterator[Sentence]:
    for clause in contract_of(unit):
        how = "judge" if isinstance(clause.rule, tree.Unread) else "part" if tree.unread(clause.rule) else "rule"
        line = unit.source.position(clause.span.start).line
        yield Sentence(line, clause.kind, clause.about, " ".join(clause.text.split()), how)


def _counted_name(name: str, unit: Unit, bounds: Bounds) -> str:
    """Under what calls are counted: a definition has its own name, by whatever way it is called."""
    targets = (target for call, target in unit.calls.items() if call.target == name and target.unit is not None)
    target = next(targets, None) if name not in bounds.most else None
    return target.unit.name if target is not None and target.unit is not None else name


def _needs(unit: Unit, judge: bool, perhaps: bool) -> Iterator[str]:
    for slot in unit.definition.slots:
        yield (
            f"`{slot.name}`"
            + (", several" if slot.name in unit.list_slots else "")
            + (", optional" if slot.optional else "")
        )
    sessions = (node for node in unit.waiting if isinstance(node, Session | Resume))
    if unit.definition.script is None or any(node not in unit.session_targets for node in sessions):
        yield "`model`"
    if any(isinstance(node, Gate) for node in unit.waiting):
        yield "`gate`, or a person at the terminal"
    if judge or perhaps:
        yield "`judge`" if judge else "`judge`, where an answer cannot be read"
    for need in needs_of(unit.definition):
        yield f"{need.kind} {need.name}" + ("" if need.required else ", optional")


# ---- as text ---------------------------------------------------------------------------------------------


def explained(of: Explanation, *, paint: Paint = plain, width: int = 80) -> str:
    """The page in lines of at most `width` columns."""
    lines = [f"{paint('place', visible_line(of.name))}  {of.kind}", *textwrap.wrap(of.summary, width)]
    sections: list[tuple[str, list[tuple[str, str]]]] = [
        ("Calls", list(calls_of(of.bounds, of.source))),
        ("Costs", list(of.costs.rows()) if of.costs is not None else []),
        ("Asked", [row for item in of.services for row in _service(item, of)]),
        ("Decided", [(f"line {item.line}", _decision(item)) for item in of.decisions]),
        ("Promised", [_promise(found, line) for found, line in of.promises]),
        ("Contract", [_sentence(item) for item in of.contract]),
        ("To be bound", [("", need) for need in of.needs if need.split("`")[1:2] not in _names(of.bound)]),
        ("Bound", list(rows_of(of.bound)) if of.bound is not None else []),
    ]
    for title, rows in sections:
        if rows:
            lines += ["", paint("place", title), *_rows(rows, width)]
    return "\n".join(lines)


def _names(bound: Bound | None) -> list[list[str]]:
    return [[name] for name in bound or ()]


def _rows(rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    longest = max(len(name) for name, _ in rows)
    for name, text in rows:
        head = f"  {name:<{longest}}  " if longest else "  "
        yield from textwrap.wrap(
            visible_line(text), max(width, len(head) + 30), initial_indent=head, subsequent_indent=" " * len(head)
        ) or [head.rstrip()]


def _service(item: Service, of: Explanation) -> Iterator[tuple[str, str]]:
    yield item.name, f"gets {', '.join(item.gets) if item.gets else 'nothing'}"
    must = [_part(one) for one in item.gives if one.required]
    may = [_part(one) for one in item.gives if not one.required]
    said = [f"must give {', '.join(must)}"] if must else []
    said += [f"may give {', '.join(may)}"] if may else []
    yield "", "; ".join(said) or "may give anything"
    fewest, most = of.bounds.filled(item.fewest), of.bounds.filled(item.most)
    if item.most.endless:
        times = f"{fewest} times or more"
    else:
        times = "once" if fewest == most == "1" else f"{most} times" if fewest == most else f"{fewest} to {most} times"
    yield "", f"is called {times}"


def _part(one: Expected) -> str:
    if not one.part:
        return f"a {one.kind}" if one.kind else "an answer"
    return f"`{one.part}`" + (f" ({one.kind})" if one.kind else "")


def _decision(item: Decision) -> str:
    judge = {"never": "", "maybe": ", else by the judge", "always": ""}[item.judge]
    return f"{item.text}: {_WAYS[item.how]}{judge if item.how != 'judge' else ''}"


def _promise(found: Finding, line: int | None) -> tuple[str, str]:
    because = f" ({found.because}{f', line {line}' if line else ''})" if found.because else ""
    return _SHOWN[found.status], f"{found.clause.text}{because}"


def _sentence(item: Sentence) -> tuple[str, str]:
    verb = "asks for" if item.kind == "requires" else "gives"
    way = {"rule": "by rule", "part": "in part", "judge": "in words"}[item.how]
    return way, f"{verb} `{item.about}`: {item.text}" if item.about else item.text


def calls_of(bounds: Bounds, source: SourceText) -> Iterator[tuple[str, str]]:
    """How many calls there are, in rows."""
    yield "at least", bounds.written(bounds.fewest_calls, source)
    yield "at most", bounds.written(bounds.most_calls, source)
    judged, asked = bounds.most.get(JUDGE, ZERO), bounds.most.get(PERSON, ZERO)
    for who, count in (("judge", judged), ("a person", asked)):
        if not count.is_zero:
            yield who, f"{'' if count.endless else 'up to '}{bounds.written(count, source)}"
