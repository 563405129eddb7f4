"""Room `runtime` (layer 4): binding, walking a plan, the one door for effects, and what a run leaves behind.

`bind` and `execute` are the two phases. They are loaded on first use, so that reading and checking files does not
load what only a run needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prose_runtime.runtime.binding import bind
    from prose_runtime.runtime.budget import Budget
    from prose_runtime.runtime.clock import SystemClock
    from prose_runtime.runtime.errors import RunError, TraceFrame
    from prose_runtime.runtime.events import Event, RunWarning, Subscriber
    from prose_runtime.runtime.execution import execute
    from prose_runtime.runtime.outcome import CallRecord, DecisionRecord, Outcome, Totals
    from prose_runtime.runtime.plan import Plan
    from prose_runtime.runtime.traceback import traceback_lines

_PLACES = {
    "Budget": "budget",
    "CallRecord": "outcome",
    "DecisionRecord": "outcome",
    "Event": "events",
    "Outcome": "outcome",
    "Plan": "plan",
    "RunError": "errors",
    "RunWarning": "events",
    "Subscriber": "events",
    "SystemClock": "clock",
    "Totals": "outcome",
    "TraceFrame": "errors",
    "bind": "binding",
    "execute": "execution",
    "traceback_lines": "traceback",
}

__all__ = [
    "Budget",
    "CallRecord",
    "DecisionRecord",
    "Event",
    "Outcome",
    "Plan",
    "RunError",
    "RunWarning",
    "Subscriber",
    "SystemClock",
    "Totals",
    "TraceFrame",
    "bind",
    "execute",
    "traceback_lines",
]


def __getattr__(name: str) -> object:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{place}"), name)
    globals()[name] = value
    return value
