"""Which project a run belongs to, and whether its `prose.toml` may be used.

In: what was loaded, what the command line binds. Out: the project, trusted, or None. A person is asked once; where
nobody can be asked, an untrusted project ends the command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from prose_runtime.api import Loaded, names_to_bind
from prose_runtime.cli.asking import can_ask, consent
from prose_runtime.cli.faults import WRONG_USE, Ended, Fault
from prose_runtime.cli.output import say, show_diagnostics
from prose_runtime.diagnostics.visible import visible
from prose_runtime.services import (
    BindingFault,
    Project,
    is_trusted,
    load_project,
    needs_trust,
    require_trust,
    trust,
    trust_state,
)


def trusted_project(loaded: Loaded, bindings: Mapping[str, object], *, trusted: bool) -> Project | None:
    """The project that holds the file (for `std/…`: the working directory), if it may be used.

    Raises `Ended` when the person says no, `BindingFault` when nobody can be asked.
    """
    project = load_project(_place(loaded))
    if project is None:
        return None
    names = list(_used(loaded, bindings, project))
    if not trusted and not is_trusted(project, names):
        if not can_ask():
            require_trust(project, names)
        ask_and_keep(project, names)
    return project


def project_of(loaded: Loaded, bindings: Mapping[str, object], *, trusted: bool) -> Project | None:
    """The same where nobody can be asked, whoever looks on. Raises `BindingFault`."""
    project = load_project(_place(loaded))
    if project is not None and not trusted:
        require_trust(project, list(_used(loaded, bindings, project)))
    return project


def _place(loaded: Loaded) -> Path:
    return loaded.path if loaded.path is not None and not loaded.is_standard else Path.cwd()


def _used(loaded: Loaded, bindings: Mapping[str, object], project: Project) -> Iterator[str]:
    """The names of `[services]` that this run would use."""
    for value in bindings.values():
        texts = value if isinstance(value, list) else [value]
        known = (text for text in texts if isinstance(text, str))
        yield from (text for text in known if text in project.services or text.strip().startswith("mcp:"))
    yield from (name for name in names_to_bind(loaded.program) if name not in bindings and name in project.services)


def project_at(folder: Path) -> Project | None:
    """The project that holds a folder. Raises `Ended` after showing what is wrong with its `prose.toml`."""
    try:
        return load_project(folder)
    except BindingFault as fault:
        show_diagnostics([fault.diagnostic("prose.toml")])
        raise Ended(WRONG_USE) from None


def show_reach(project: Project, names: list[str] | None) -> None:
    """What runs would start and import, on stderr."""
    say(f"{visible(str(project.file))} {visible(trust_state(project))}. A run would:")
    for line in needs_trust(project, names):
        say(f"  {visible(line)}")


def ask_and_keep(project: Project, names: list[str] | None) -> None:
    """Ask the person. Raises `Ended` for a no."""
    show_reach(project, names)
    if not consent("Use it, now and from now on?"):
        say("It is not used, and nothing was started.")
        raise Ended(WRONG_USE)
    keep(project)


def keep(project: Project) -> None:
    """Keep the consent. Raises `Fault` where it cannot be written."""
    try:
        trust(project)
    except OSError as error:
        raise Fault(f"the consent cannot be kept: {error.strerror}", "give `--trust` to use it this once") from None
