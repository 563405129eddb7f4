"""What is said after a run, on stderr: how it ended, why, what it kept and what it spent.

In: an `Outcome`. Out: text.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

from prose_runtime.cli.failure import render_error
from prose_runtime.cli.output import warning_line
from prose_runtime.cli.progress import duration
from prose_runtime.cli.tree import short
from prose_runtime.diagnostics.terminal import Paint, plain
from prose_runtime.diagnostics.visible import visible, visible_line
from prose_runtime.runtime import Outcome

_WARNINGS = 5
_VALUE = 200

_ENDS = {
    "done": "Done",
    "failed": "Failed",
    "broken": "A contract was broken",
    "stopped": "Stopped",
    "waiting": "Waiting",
}


def ending(outcome: Outcome, *, paint: Paint = plain, debug: bool = False) -> str:
    """Why a run is not done, and what its names held; "" for one that is."""
    return "\n".join(_ending(outcome, paint, debug))


def _ending(outcome: Outcome, paint: Paint, debug: bool) -> Iterator[str]:
    if outcome.status == "done":
        return
    if outcome.error is not None:
        yield render_error(outcome.error, paint=paint, debug=debug)
    elif outcome.reason:
        yield f"{paint('error', 'stopped:')} {visible(outcome.reason)}"
    if outcome.status == "stopped" and outcome.names:
        yield "what its names held:"
        for name, value in outcome.names.items():
            yield f"  {visible_line(name)}: {short(value, _VALUE)}"


def warnings(outcome: Outcome, *, paint: Paint = plain) -> str:
    """The warnings of a run, the first few one by one."""
    lines = [warning_line(item.where, item.code, item.message, paint=paint) for item in outcome.warnings[:_WARNINGS]]
    left = len(outcome.warnings) - _WARNINGS
    return "\n".join([*lines, *([f"… and {left} more (`--json` gives all)"] if left > 0 else [])])


def paragraph(outcome: Outcome, *, width: int = 80) -> str:
    """One paragraph: `Done in 3.2 s: 6 calls (refiner 3, evaluator 3), 3 decisions (all formal).`"""
    made = [record for record in outcome.calls if record.kind != "gate"]
    gates = len(outcome.calls) - len(made)
    calls = Counter(record.service for record in made)
    parts = [_counted(len(made), "call") + _listed(calls.items())]
    if gates:
        parts.append(f"{_counted(gates, 'question')} to a person")
    repeated = outcome.usage.attempts - len(made)
    if repeated > 0:
        parts.append(f"{_counted(repeated, 'further attempt')}")
    ways: Counter[str] = Counter(record.how for record in outcome.decisions)
    if outcome.decisions:
        parts.append(_counted(len(outcome.decisions), "decision") + _ways(ways))
    failed = sum(record.error is not None for record in made)
    if failed:
        parts.append(f"{_counted(failed, 'call')} failed")
    if outcome.clauses:
        parts.append(_contract(outcome))
    if outcome.warnings:
        parts.append(_counted(len(outcome.warnings), "warning"))
    if outcome.usage.cost is not None:
        parts.append(f"${outcome.usage.cost:.4f}")
    text = f"{_ENDS[outcome.status]} after {duration(outcome.usage.seconds)}: {', '.join(parts)}."
    return "\n".join(textwrap.wrap(visible_line(text), max(width, 40)))


def _contract(outcome: Outcome) -> str:
    """`contract 5 checked, 2 judged, 3 not checked`: each sentence of each contract once."""
    ways = Counter(record.how for record in outcome.clauses)
    said = [f"{ways[how]} {how}" for how in ("checked", "judged", "not checked") if ways[how]]
    return f"contract {', '.join(said)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _listed(items: Iterable[tuple[str, int]]) -> str:
    shown = [f"{name} {number}" for name, number in items]
    if not shown:
        return ""
    return f" ({', '.join(shown[:8])}{', …' if len(shown) > 8 else ''})"


def _ways(ways: Counter[str]) -> str:
    if len(ways) == 1:
        return f" ({'all ' if ways.total() > 1 else ''}{next(iter(ways))})"
    return _listed(sorted(ways.items()))
