"""`prose`: an interpreter for OpenProse pattern files (`*.prose.md`).

    import prose_runtime as prose

    outcome = prose.run("std/refine", bind={"refiner": refine, "evaluator": score}, inputs={"task_brief": "…"})
    outcome.raise_for_status()
    print(outcome.result)

Everything here is imported on first use, so that `import prose_runtime` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prose_runtime.version import __version__

if TYPE_CHECKING:
    from prose_runtime.api import (
        Answer,
        Budget,
        Call,
        CallRecord,
        CheckFailed,
        DecisionRecord,
        Diagnostic,
        Loaded,
        Outcome,
        ProseError,
        Registry,
        RunError,
        RunFailed,
        RunWarning,
        ScriptedService,
        Service,
        ServiceError,
        SourceNotFound,
        Usage,
        arun,
        check,
        load,
        run,
        service,
    )

__all__ = [
    "Answer",
    "Budget",
    "Call",
    "CallRecord",
    "CheckFailed",
    "DecisionRecord",
    "Diagnostic",
    "Loaded",
    "Outcome",
    "ProseError",
    "Registry",
    "RunError",
    "RunFailed",
    "RunWarning",
    "ScriptedService",
    "Service",
    "ServiceError",
    "SourceNotFound",
    "Usage",
    "__version__",
    "arun",
    "check",
    "load",
    "run",
    "service",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from prose_runtime import api

    value: object = getattr(api, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
