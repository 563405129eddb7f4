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
    from prose_runtime.api import Loaded, arun, check, load, run
    from prose_runtime.diagnostics import Diagnostic
    from prose_runtime.diagnostics.exceptions import CheckFailed, ProseError, SourceNotFound
    from prose_runtime.runtime import Budget, CallRecord, DecisionRecord, Outcome, RunError, RunWarning
    from prose_runtime.runtime.clauses.record import ClauseRecord
    from prose_runtime.runtime.outcome import RunFailed
    from prose_runtime.runtime.port import Answer, Call, Service, ServiceError, Usage
    from prose_runtime.services import Registry, ScriptedService, service

__all__ = [
    "Answer",
    "Budget",
    "Call",
    "CallRecord",
    "CheckFailed",
    "ClauseRecord",
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

_HOMES = {
    "api": ("Loaded", "arun", "check", "load", "run"),
    "diagnostics": ("Diagnostic",),
    "diagnostics.exceptions": ("CheckFailed", "ProseError", "SourceNotFound"),
    "runtime": ("Budget", "CallRecord", "DecisionRecord", "Outcome", "RunError", "RunWarning"),
    "runtime.clauses.record": ("ClauseRecord",),
    "runtime.outcome": ("RunFailed",),
    "runtime.port": ("Answer", "Call", "Service", "ServiceError", "Usage"),
    "services": ("Registry", "ScriptedService", "service"),
}


if not TYPE_CHECKING:  # so that a type checker refuses names that are not there

    def __getattr__(name: str) -> object:
        """Import a public name from the module that defines it (PEP 562)."""
        home = next((module for module, names in _HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
