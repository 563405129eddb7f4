"""The limits of a run: those of the command line, else those of the project. In: both. Out: a `Budget`."""

from __future__ import annotations

from prose_runtime.runtime import Budget
from prose_runtime.services import Project


def budget_of(
    project: Project | None,
    *,
    max_calls: int | None = None,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    timeout: float | None = None,
    max_parallel: int | None = None,
) -> Budget:
    """What was given, each for itself, before what prose.toml says."""
    limits = project.limits if project else None

    def either(given: float | None, name: str) -> float | None:
        return given if given is not None else getattr(limits, name, None)

    def whole(given: int | None, name: str) -> int | None:
        found = either(given, name)
        return None if found is None else int(found)

    parallel = whole(max_parallel, "max_parallel")
    return Budget(
        max_calls=whole(max_calls, "max_calls"),
        max_tokens=whole(max_tokens, "max_tokens"),
        max_cost=either(max_cost, "max_cost"),
        timeout=either(timeout, "timeout"),
        **({} if parallel is None else {"max_parallel": parallel}),
    )
