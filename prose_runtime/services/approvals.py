"""Trust: what a project may start and reach was seen by the user once.

In: a `Project`. Out: what a run of it would use, and whether that was approved. Approvals are kept by hashes of the
entries of its table and of the local files that it names, in `$XDG_CONFIG_HOME/prose/trust.json` (`~/.config/prose/`),
so that a change can be named.

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
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from prose_runtime.services.addresses import variables_of, without_user
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.project import Entry, Project, ServerEntry
from prose_runtime.services.targets import read_target, server_of

_VERSION = 2


def needs_trust(project: Project, names: Iterable[str] | None = None) -> list[str]:
    """What a run would start, import or send to because `prose.toml` says so, one line each, in the order of the file.

    `names`: the services that the run uses (by default all). Nothing of it is looked for or opened here.
    """
    wanted = None if names is None else set(names)
    found: list[str] = []
    for name, entries in project.services.items():
        if wanted is None or name in wanted:
            found += [line for entry in entries for line in _reach(project, name, entry)]
    for word in sorted(wanted or ()):  # typed by the user, but started as prose.toml says
        if word.startswith("mcp:"):
            found += _server_reach(project, server_of(word.removeprefix("mcp:")), "")
    return list(dict.fromkeys(found))


def _reach(project: Project, name: str, entry: Entry) -> Iterator[str]:
    try:
        target = read_target(entry.target, name=name)
    except BindingFault:
        return  # it cannot be bound, so nothing is reached
    from prose_runtime.services.gates.table import command_of

    if target.scheme == "py":
        yield f"import {target.rest.rpartition(':')[0]} (for `{name}`)"
    if target.scheme == "mcp":
        yield from _server_reach(project, server_of(target.rest), target.rest.partition("#")[0])
    if target.scheme == "http":
        yield f"send to {without_user(target.rest)} (for `{name}`{_carrying(target.rest, entry)})"
    if target.scheme == "model":
        with contextlib.suppress(BindingFault):
            yield _asking(name, entry, target.rest)
    command = target.rest if target.scheme == "cmd" else None
    if target.scheme == "gate":
        with contextlib.suppress(BindingFault):
            command = command_of(target.rest)
    own: tuple[str, ...] = ()
    if target.scheme == "agent":
        from prose_runtime.services.agents import KINDS

        kind = KINDS.get(target.rest.partition("?")[0])
        if kind is not None:
            command, own = f"{kind.program} ({target.text})", tuple(name for name in kind.own if name in os.environ)
    if command:
        granted = sorted({*project.environment, *entry.environment, *own})
        given = f", given {', '.join(granted)}" if granted else ""
        yield f"start {command} (for `{name}`{given})"


def _server_reach(project: Project, name: str, address: str) -> Iterator[str]:
    """What a tool of an MCP server starts or sends to."""
    server = project.servers.get(name)
    if server is None:
        if "://" in address:
            yield f"send to {without_user(address)}"
        return
    if server.url:
        yield f"send to {without_user(server.url)} (MCP server `{name}`{_carrying(server.url, server)})"
        return
    granted = sorted({*project.environment, *server.environment})
    given = f", given {', '.join(granted)}" if granted else ""
    yield f"start {shlex.join(server.command)} (MCP server `{name}`{given})"


def _carrying(url: str, entry: Entry | ServerEntry) -> str:
    """The keys that go to an address, and the proxy between."""
    keys = variables_of(entry.headers)
    proxy = proxy_for(url)
    return (f", with {', '.join(keys)}" if keys else "") + (
        f", through the proxy {without_user(proxy)}" if proxy else ""
    )


def _asking(name: str, entry: Entry, rest: str) -> str:
    """The model that a service asks, where it is, and the key that goes there."""
    from prose_runtime.services.models.addresses import is_elsewhere, read_model

    if is_elsewhere(rest):
        return f"ask {rest.partition('/')[2]} of {rest.partition('/')[0]} (for `{name}`)"
    address = read_model(rest, name=name, target=entry.target, environment=os.environ)
    keys = [*([address.key] if address.key else []), *variables_of(entry.headers)]
    proxy = proxy_for(address.url)
    way = (f", with {', '.join(keys)}" if keys else "") + (
        f", through the proxy {without_user(proxy)}" if proxy else ""
    )
    return f"ask {address.model} at {without_user(address.url)} (for `{name}`{way})"


def proxy_for(url: str) -> str | None:
    """The proxy that the environment sets for an address."""
    parts = urlsplit(url)
    found = getproxies()
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    return found.get(parts.scheme) or found.get("all")


def state_of(project: Project) -> dict[str, str]:
    """A hash of each thing that an approval speaks of, by the name that a person knows it by: the entries of the table,
    and each local file that a target names."""
    state: dict[str, str] = {}
    for title, table in project.table.items():
        for key, value in table.items() if isinstance(table, dict) else [("", table)]:
            written = json.dumps(value, sort_keys=True, default=str).encode()
            state[f"`{key}` under [{title}] in prose.toml"] = hashlib.sha256(written).hexdigest()
    for path in sorted(set(_local_files(project))):
        with contextlib.suppress(OSError), path.open("rb") as file:
            state[path.relative_to(project.root).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return state


def changes(project: Project) -> list[str]:
    """What is not as it was when the project was approved, by name; [] if it never was, or nothing is."""
    before, now = _read().get(str(project.root)), state_of(project)
    if before is None:
        return []
    return [name for name in dict.fromkeys((*now, *before)) if before.get(name) != now.get(name)]


def _local_files(project: Project) -> Iterator[Path]:
    """The files in the project that any word of a target names."""
    words = [word for entry in project.entries for word in _words(entry.target)]
    for word in (*words, *(word for server in project.servers.values() for word in server.command)):
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
    return not needs_trust(project, names) or _read().get(str(project.root)) == state_of(project)


def trust(project: Project) -> None:
    """Keep the approval of the project as it is now. Raises `OSError` where it cannot be written."""
    approvals = _read()
    approvals[str(project.root)] = state_of(project)
    path = _store()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".trust-")  # 0600 from the start
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"version": _VERSION, "projects": approvals}, file, indent=1, sort_keys=True)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def require_trust(project: Project, names: Iterable[str] | None = None) -> None:
    """Raise `BindingFault` (`untrusted-project`) unless `is_trusted`; for where nobody can be asked."""
    names = None if names is None else list(names)
    if not is_trusted(project, names):
        reach = "; ".join(needs_trust(project, names))
        raise BindingFault("untrusted-project", file=str(project.file), state=trust_state(project), reach=reach)


def trust_state(project: Project) -> str:
    """`has not been trusted yet`, or what has changed since it was, for a sentence about the project."""
    found = changes(project)
    return f"has changed since you trusted it ({', '.join(found)})" if found else "has not been trusted yet"


def _store() -> Path:
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(configured) if configured.startswith("/") else Path.home() / ".config"
    return folder / "prose" / "trust.json"


def _read() -> dict[str, dict[str, str]]:
    """The approvals. A file that cannot be read or is not ours approves nothing."""
    try:
        found: Any = json.loads(_store().read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    projects = found.get("projects") if isinstance(found, dict) and found.get("version") == _VERSION else None
    return {key: item for key, item in projects.items() if isinstance(item, dict)} if isinstance(projects, dict) else {}
