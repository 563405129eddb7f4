"""Room `resolve` (layer 3): linking, names and scopes, the checks by topic, how conditions are decided."""

from prose_runtime.resolve.loader import Loader, NoLoader, NotFound
from prose_runtime.resolve.program import LinkedInstance, Program, Target, Unit
from prose_runtime.resolve.resolver import resolve

__all__ = ["LinkedInstance", "Loader", "NoLoader", "NotFound", "Program", "Target", "Unit", "resolve"]
