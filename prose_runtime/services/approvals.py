"""Trust: what a project may start and reach was seen by the user once.

In: a `Project`. Out: what a run of it would use, and whether that was approved. Approvals are kept by a hash of the
effective table and of the local files that it names, in `$XDG_CONFIG_HOME/prose/trust.json` (`~/.config/prose/`).

Only what `prose.toml` binds needs it: a target that the user writes on the command line or in code is granted by that.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from prose_runtime.services.faults import BindingFault
from prose_runtime.services.project import Entry, Project
from prose_runtime.services.targets import read_target


def needs_trust(project: Project, names: Iterable[str] | None = None) -> list[str]:
    """What a run would start, import or send to because `prose.toml` says so, one line each, in the order of the file.

    `names`: the services that the run uses (by default all). Nothing of it is looked for or opened here.
    """
    wanted = None if names is None else set(names)
    found: list[str] = []
    for name, entries in project.services.items():
        if wanted is None or name in wanted:
            found += [line for entry in entries for line in _reach(project, name, entry)]
    return list(dict.fromkeys(found))


def _reach(project: Project, name: str, entry: Entry) -> Iterator[str]:
    try:
        target = read_target(entry.target, name=name)
    except BindingFault:
        return  # it cannot be bound, so nothing is reached
    from prose_runtime.services.gates.table import command_of

    if target.scheme == "py":
        yield f"import {target.rest.rpartition(':')[0]} (for `{name}`)"
    command = target.rest if target.scheme == "cmd" else None
    if target.scheme == "gate":
        with contextlib.suppress(BindingFault):
            command = command_of(target.rest)
    if command:
        granted = sorted({*project.environment, *entry.environment})
        given = f", given {', '.join(granted)}" if granted else ""
        yield f"start {command} (for `{name}`{given})"


def digest(project: Project) -> str:
    """A hash of everything that an approval speaks of: the table, and each local file that a target names."""
    state = hashlib.sha256()
    state.update(json.dumps(project.table, sort_keys=True, default=str).encode())
    for path in sorted(set(_local_files(project))):
        state.update(f"\0{path}\0".encode())
        with contextlib.suppress(OSError), path.open("rb") as file:
            state.update(hashlib.file_digest(file, "sha256").digest())
    return state.hexdigest()


def _local_files(project: Project) -> Iterator[Path]:
    """The files in the project that any word of a target names."""
    for entries in project.services.values():
        for entry in entries:
            for word in _words(entry.target):
                with contextlib.suppress(OSError, ValueError):
                    path = (project.root / word).resolve()
                    if path.is_file() and project.root in path.parents:
                        yield path


def _words(target: str) -> Iterator[str]:
    scheme, _, rest = target.partition(":")
    if scheme == "py":
        place = rest.rpartition(":")[0]
        yield place
        yield place.replace(".", "/") + ".py"
        yield place.replace(".", "/") + "/__init__.py"
        return
    yield rest
    for part in rest.replace("?", "&").split("&"):
        with contextlib.suppress(ValueError):
            yield from shlex.split(part.partition("=")[2] or part)


def is_trusted(project: Project, names: Iterable[str] | None = None) -> bool:
    """Whether nothing needs trust, or this very state of the project was approved."""
    return not needs_trust(project, names) or _read().get(str(project.root)) == digest(project)


def trust(project: Project) -> None:
    """Keep the approval of the project as it is now. Raises `OSError` where it cannot be written."""
    approvals = _read()
    approvals[str(project.root)] = digest(project)
    path = _store()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".trust-")  # 0600 from the start
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "projects": approvals}, file, indent=1, sort_keys=True)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def require_trust(project: Project, names: Iterable[str] | None = None) -> None:
    """Raise `BindingFault` (`untrusted-project`) unless `is_trusted`; for where nobody can be asked."""
    names = None if names is None else list(names)
    if not is_trusted(project, names):
        reach = "; ".join(needs_trust(project, names))
        raise BindingFault("untrusted-project", file=str(project.file), reach=reach, target=str(project.file))


def _store() -> Path:
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(configured) if configured.startswith("/") else Path.home() / ".config"
    return folder / "prose" / "trust.json"


def _read() -> dict[str, str]:
    """The approvals. A file that cannot be read or is not ours approves nothing."""
    try:
        found: Any = json.loads(_store().read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    projects = found.get("projects") if isinstance(found, dict) and found.get("version") == 1 else None
    return {key: item for key, item in projects.items() if isinstance(item, str)} if isinstance(projects, dict) else {}
