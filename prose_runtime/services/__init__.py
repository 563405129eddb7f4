"""Room `services` (layer 5): what a slot can be bound to, and what a project grants.

In: callables, objects and target texts (`py:`, `cmd:`, `script:`, `gate:`, `ask`), and a `prose.toml`.
Out: `Service`s that a run can call, and `BindingFault`s that say in one sentence why something cannot be one.

The names below are imported on first use, so that reading files does not load what only a run needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prose_runtime.services.approvals import is_trusted, needs_trust, require_trust, trust, trust_state
    from prose_runtime.services.bindings import listed_service, project_services, service_from
    from prose_runtime.services.environment import set_environment
    from prose_runtime.services.faults import BindingFault
    from prose_runtime.services.project import Project, find_project, load_project
    from prose_runtime.services.python import service
    from prose_runtime.services.registry import Registry
    from prose_runtime.services.scripted import ScriptedService
    from prose_runtime.services.secrets import Masker, mask_service, project_masker
    from prose_runtime.services.targets import is_target_text, refuse_target_text, split_targets

_HOMES = {
    "BindingFault": "faults",
    "Masker": "secrets",
    "Project": "project",
    "Registry": "registry",
    "ScriptedService": "scripted",
    "find_project": "project",
    "is_target_text": "targets",
    "is_trusted": "approvals",
    "listed_service": "bindings",
    "load_project": "project",
    "mask_service": "secrets",
    "needs_trust": "approvals",
    "project_masker": "secrets",
    "project_services": "bindings",
    "refuse_target_text": "targets",
    "require_trust": "approvals",
    "service": "python",
    "service_from": "bindings",
    "set_environment": "environment",
    "split_targets": "targets",
    "trust": "approvals",
    "trust_state": "approvals",
}

__all__ = [
    "BindingFault",
    "Masker",
    "Project",
    "Registry",
    "ScriptedService",
    "find_project",
    "is_target_text",
    "is_trusted",
    "listed_service",
    "load_project",
    "mask_service",
    "needs_trust",
    "project_masker",
    "project_services",
    "refuse_target_text",
    "require_trust",
    "service",
    "service_from",
    "set_environment",
    "split_targets",
    "trust",
    "trust_state",
]


def __getattr__(name: str) -> object:
    """Import a public name from the module that defines it (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
