"""Packages that only some services need. In: the name of an extra. Out: whether it is there, or what to install.

An extra is looked for when something is bound that needs it, and imported with the first call.
"""

from __future__ import annotations

from importlib.util import find_spec

from prose_runtime.services.faults import BindingFault

# the extra -> the modules that it brings
EXTRAS = {"http": ("httpx2", "stamina"), "llm": ("pydantic_ai",), "mcp": ("mcp", "httpx2")}


def is_installed(extra: str) -> bool:
    """Whether every module of an extra can be imported; none of them is."""
    return all(find_spec(module) is not None for module in EXTRAS[extra])


def require_extra(extra: str, *, name: str, target: str) -> None:
    """Raise `BindingFault` (`extra-not-installed`) where the target of the service `name` needs an extra that is not
    there."""
    if not is_installed(extra):
        raise BindingFault("extra-not-installed", name=name, target=target, extra=extra)
