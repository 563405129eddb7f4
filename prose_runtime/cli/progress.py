"""What is shown while a run goes on. In: the run's events. Out: lines on stderr, or a `RunTree` for the live view.

Every text that came from a service is cut and made safe before it is shown.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from prose_runtime.cli.output import say
from prose_runtime.cli.tree import MARKS, RunTree, short
from prose_runtime.diagnostics.visible import cut, visible_line
from prose_runtime.runtime.budget import Budget
from prose_runtime.runtime.events import (
    AttemptStarted,
    BudgetSpent,
    CallFailed,
    CallFinished,
    CallStarted,
    DecisionMade,
    Event,
    Retrying,
    RunWarning,
)

_LINE = 160


class Progress(Protocol):
    """Shows a run. Entered before it, left after it, called with each event between."""

    def __enter__(self) -> object: ...

    def __exit__(self, *about: object) -> None: ...

    def __call__(self, event: Event) -> None: ...

    def paused(self) -> AbstractContextManager[None]:
        """The screen is somebody else's for a while: a question is put to a person."""
        ...


def decision_note(event: DecisionMade) -> str:
    """`no: current_score 0.4 >= threshold 0.8 (formal)`, `` yes: `the draft is calm` (judge: nobody is blamed) ``.

    A formal reason repeats the condition with its values, so the condition itself is left out.
    """
    answer = "yes" if event.holds else "no"
    told = f"`{event.text}` is {'true' if event.holds else 'false'}"
    if event.how == "formal" and event.because.startswith(told):
        return visible_line(f"{answer}: `{event.text}`{event.because.removeprefix(told)} (formal)")
    if event.how == "formal" and event.because:
        return visible_line(f"{answer}: {event.because} (formal)")
    because = f": {event.because}" if event.because else ""
    return visible_line(f"{answer}: `{cut(event.text, 60)}` ({event.how}{because})")


def sentence(event: Event) -> str | None:
    """The one line that an event is worth in `--progress plain`, or None."""
    match event:
        case CallFinished():
            attempts = f", {event.attempts} attempts" if event.attempts > 1 else ""
            return f"{MARKS['done']} {_called(event)}  {event.seconds:.1f} s{attempts}  {short(event.answer, 70)}"
        case CallFailed():
            attempts = f" after {event.attempts} attempts" if event.attempts > 1 else ""
            return f"{MARKS['failed']} {_called(event)}  {event.error}{attempts}: {first_line(event.message)}"
        case Retrying():
            return f"· {event.key}  attempt {event.attempt} failed ({event.error}), again in {event.wait:.1f} s"
        case DecisionMade():
            round_, _, own = event.key.rpartition("/")
            where = f"{round_}  line {event.line}" if event.line else f"{round_}/{own}"
            return f"{MARKS['decided']} {where}: {decision_note(event)}"
        case RunWarning():
            return " ".join(part for part in ("!", event.where, event.message, f"[{event.code}]") if part)
    return None


def _called(event: CallFinished | CallFailed) -> str:
    """The key of a call, with the service's name where the script calls it by another, as in a loop over several."""
    return event.key + other_name(event.key, event.service)


def other_name(key: str, service: str) -> str:
    """` (strict)` for a service that the last part of the key does not name; "" for one that it does."""
    kind, _, rest = key.rpartition("/")[2].partition(":")
    called = rest.partition("~")[0]
    if kind in ("session", "resume") and service == "model":
        return ""
    return f" ({service})" if called and service != called else ""


def first_line(message: str) -> str:
    """A message without what a program wrote before its last line."""
    return message.partition("\n")[0]


class PlainProgress:
    """One line an event, for logs and for people who want no moving picture."""

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(self, *about: object) -> None:
        pass

    def __call__(self, event: Event) -> None:
        line = sentence(event)
        if line:
            say(cut(visible_line(line), _LINE))

    def paused(self) -> AbstractContextManager[None]:
        return _Nothing()


class NoProgress(PlainProgress):
    """Nothing at all."""

    def __call__(self, event: Event) -> None:
        pass


class _Nothing(AbstractContextManager[None]):
    def __exit__(self, *about: object) -> None:
        pass


class Picture:
    """The tree and the figures that the live view draws."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.tree = RunTree()
        self.attempts = 0
        self.warnings = 0
        self._gates: set[str] = set()  # the keys of questions to a person, which are no calls

    def take(self, event: Event) -> None:
        """Note what an event says."""
        match event:
            case CallStarted():
                if event.kind == "gate":
                    self._gates.add(event.key)
                self.tree.begin(event.key, event.time, other_name(event.key, event.service))
            case AttemptStarted():
                self.attempts += event.key not in self._gates
                if event.attempt > 1:
                    self.tree.note(event.key, f"attempt {event.attempt}")
            case Retrying():
                self.tree.note(event.key, f"{event.error}; again in {event.wait:.1f} s")
            case CallFinished():
                self.tree.end(event.key, short(event.answer), event.seconds)
            case CallFailed():
                note = visible_line(f"{event.error}: {first_line(event.message)}")
                self.tree.end(event.key, note, event.seconds, failed=True)
            case DecisionMade():
                self.tree.decide(event.key, decision_note(event))
            case BudgetSpent():
                self.attempts = max(self.attempts, event.attempts)
            case RunWarning():
                self.warnings += 1

    def headline(self, seconds: float) -> str:
        """`4 of 6 calls  12 s  1 warning`."""
        limit = f" of {self.budget.max_calls}" if self.budget.max_calls is not None else ""
        calls = f"{self.attempts}{limit} call{'' if self.attempts == 1 and not limit else 's'}"
        warned = f"  {self.warnings} warning{'' if self.warnings == 1 else 's'}" if self.warnings else ""
        return f"{calls}  {duration(seconds)}{warned}"


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 05 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"
