"""`prose services --check`: every binding of a project made and looked for, one after the other, without a call.

In: a project that is trusted. Out: for each binding what was found, or what is wrong and one thing to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prose_runtime.runtime.port import Service, ServiceError, keys_of
from prose_runtime.services import BindingFault, Masker, Project, project_masker, project_services
from prose_runtime.services.reaching import reach


@dataclass(frozen=True, slots=True)
class Found:
    """A binding, looked for. `said`: what was found, or what is wrong; `advice`: one thing to do, or ""."""

    ok: bool
    said: str
    advice: str = ""


async def look(project: Project) -> dict[tuple[str, int], Found]:
    """What was found for each name of `[services]` and each place in its list."""
    found: dict[tuple[str, int], Found] = {}
    for name, entries in project.services.items():
        for number in range(len(entries)):
            found[name, number] = await _one(project, name, number)
    return found


async def _one(project: Project, name: str, number: int) -> Found:
    try:
        made = project_services(project, [name], ask=_nobody, only=number)[name]
        masker = project_masker(project)
    except BindingFault as fault:
        return Found(False, fault.message, fault.help)
    services = made if isinstance(made, tuple) else (made,)
    try:
        return await _reached(services[0], masker)
    finally:
        for service in services:
            await service.close()


async def _reached(service: Service, masker: Masker) -> Found:
    masker = masker.with_keys([keys_of(service)])
    try:
        return Found(True, masker.text(await reach(service)))
    except ServiceError as error:
        return Found(False, masker.text(error.message))
    except Exception as error:
        return Found(False, masker.text(f"{type(error).__name__}: {error}"))


def _nobody(question: str) -> str:
    """`ask` can be bound; nobody is asked."""
    raise EOFError


def as_data(found: Found | None) -> Mapping[str, Any]:
    """Plain data; nothing where nothing was looked for."""
    return {} if found is None else {"ok": found.ok, "found": found.said, "help": found.advice}
