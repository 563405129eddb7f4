"""What a run may spend, and what it has spent. In: limits, attempts, usage. Out: whether another attempt is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prose_runtime.runtime.errors import Stopped
from prose_runtime.runtime.port import Usage


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run; None is no limit.

    - `max_calls`: attempts of calls, judgements included.
    - `max_tokens`, `max_cost` (US dollars): as far as services tell their usage.
    - `timeout`: seconds of the whole run.
    - `max_parallel`: attempts in flight at a time, whatever the nesting.
    - `max_iterations`: rounds of a loop that says no bound itself.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    timeout: float | None = None
    max_parallel: int = 16
    max_iterations: int = 1_000

    def __post_init__(self) -> None:
        least = {"max_calls": 0, "max_tokens": 0, "max_cost": 0, "timeout": 0, "max_parallel": 1, "max_iterations": 1}
        for name, minimum in least.items():
            limit = getattr(self, name)
            if limit is not None and not limit >= minimum:
                raise ValueError(f"{name} must be at least {minimum}, not {limit!r}")


NEARLY = 0.8
"""The part of a limit from which on a run is warned."""
FEW = 10
"""Of fewer calls a warning would say what everybody knows."""
_SLACK = 1e-9  # sums of cents are a little less than they should be


class Ledger:
    """What has been spent. `seconds` tells how long the run has been going on."""

    __slots__ = ("_told", "attempts", "budget", "calls", "cost", "input_tokens", "known", "output_tokens", "seconds")

    def __init__(self, budget: Budget, seconds: Callable[[], float]) -> None:
        self.budget = budget
        self.seconds = seconds
        self.calls = 0
        self.attempts = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.cost = 0.0
        self.known: set[str] = set()
        self._told: set[str] = set()

    @property
    def tokens(self) -> int:
        """Tokens in and out, as far as they are known."""
        return self.input_tokens + self.output_tokens

    def refusal(self) -> Stopped | None:
        """Why the next attempt is not allowed, or None."""
        limits = self.budget
        if limits.max_calls is not None and self.attempts >= limits.max_calls:
            return Stopped("calls", f"the budget of {_count(limits.max_calls, 'call')} is spent")
        if limits.max_tokens is not None and self.tokens >= limits.max_tokens:
            return Stopped("tokens", f"{self.tokens} of {_count(limits.max_tokens, 'token')} are spent")
        if limits.max_cost is not None and self.cost >= limits.max_cost and "cost" in self.known:
            return Stopped("cost", f"${self.cost:.4f} of ${limits.max_cost:g} are spent")
        if limits.timeout is not None and self.seconds() >= limits.timeout:
            return self.out_of_time()
        return None

    def nearly(self) -> Iterator[str]:
        """A sentence for each limit of which four fifths are spent, once; the last call of a few is no news."""
        limits = self.budget
        spent: tuple[tuple[str, float | None, float, str], ...] = (
            ("calls", limits.max_calls, self.attempts, f"{self.attempts} of {limits.max_calls} calls"),
            ("tokens", limits.max_tokens, self.tokens, f"{self.tokens} of {limits.max_tokens} tokens"),
            ("cost", limits.max_cost, self.cost, f"${self.cost:.4f} of ${limits.max_cost or 0:g}"),
            ("time", limits.timeout, self.seconds(), f"{self.seconds():.0f} of {limits.timeout or 0:g} s"),
        )
        for name, limit, amount, said in spent:
            if limit and name not in self._told and NEARLY * limit - _SLACK <= amount < limit:
                self._told.add(name)
                if name != "calls" or limit >= FEW:
                    yield f"{said} are spent"

    def out_of_time(self) -> Stopped:
        """The refusal when the time is over."""
        return Stopped("time", f"the time-out of {self.budget.timeout:g} s is over")

    def spend(self, usage: Usage | None) -> None:
        """Count what an attempt used."""
        if usage is None:
            return
        if usage.input_tokens is not None:
            self.input_tokens += usage.input_tokens
            self.known.add("input_tokens")
        if usage.output_tokens is not None:
            self.output_tokens += usage.output_tokens
            self.known.add("output_tokens")
        if usage.cost is not None:
            self.cost += usage.cost
            self.known.add("cost")

    def as_value(self) -> dict[str, int | float | bool | None]:
        """What a script reads as `budget`."""
        limits = self.budget
        seconds = self.seconds()
        return {
            "calls": self.attempts,
            "calls_left": _left(limits.max_calls, self.attempts),
            "tokens": self.tokens,
            "tokens_left": _left(limits.max_tokens, self.tokens),
            "cost": self.cost,
            "cost_left": _left(limits.max_cost, self.cost),
            "seconds": seconds,
            "seconds_left": _left(limits.timeout, seconds),
            "exhausted": self.refusal() is not None,
        }


def _left(limit: float | None, spent: float) -> float | None:
    return None if limit is None else max(limit - spent, 0)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
