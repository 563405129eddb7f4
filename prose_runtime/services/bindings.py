"""Turning what a slot is bound to into a service.

In: a callable, an object, a service or a target text; the project and the folder that paths are relative to.
Out: a `Service`. This is where code is imported; it is only done for a run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from prose_runtime.runtime.port import Service, UnitService
from prose_runtime.services.adapted import AdaptedService
from prose_runtime.services.command import CommandLine, CommandService, read_command
from prose_runtime.services.environment import program_environment, project_environment
from prose_runtime.services.extras import require_extra
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.human import Asker, AskService
from prose_runtime.services.names import own_name
from prose_runtime.services.places import Places
from prose_runtime.services.project import Entry, Project
from prose_runtime.services.targets import Target, is_target_text, read_target


def service_from(
    value: object,
    *,
    name: str,
    project: Project | None = None,
    base: Path | None = None,
    ask: Asker | None = None,
) -> Service:
    """The service that `value` means for the slot or function `name`.

    A target text given here was written by the user, in a command line or in code: it needs no trust. Paths in it are
    relative to `base` (by default the current folder), then to the project's root. A plain name is that of a service of
    `prose.toml`. `ask` shows a question to a person and gives the answer; without it `ask` cannot be bound.

    Raises `BindingFault`, which says in one sentence what is wrong and one thing to do.
    """
    if isinstance(value, str):
        text = value.strip()
        if project is not None and text in project.services and not is_target_text(text) and text != "ask":
            entries = project.services[text]
            if len(entries) == 1:
                return _from_entry(entries[0], name=name, project=project, ask=ask)
        places = Places(name, text, (base or Path.cwd()).resolve(), project.root if project else None)
        return _Order(read_target(text, name=name), name, places, project, ask).service()
    if not isinstance(value, type) and isinstance(value, Service):
        return value
    from prose_runtime.services.models.providers import ProviderModel, is_agent
    from prose_runtime.services.python import from_callable

    if is_agent(value):
        return ProviderModel(None, name=name, target="a Pydantic AI agent", agent=value)  # type: ignore[arg-type]
    return from_callable(value, name=name)


def listed_service(
    value: object,
    *,
    slot: str,
    name: str | None = None,
    project: Project | None = None,
    base: Path | None = None,
    ask: Asker | None = None,
) -> Service:
    """One service of a list: `service_from`, under `name` or the name that it has of its own."""
    try:
        return service_from(value, name=name or own_name(value) or slot, project=project, base=base, ask=ask)
    except BindingFault as fault:
        raise fault.about(slot) from fault.__cause__


def project_services(
    project: Project,
    names: Iterable[str] | None = None,
    *,
    ask: Asker | None = None,
    environment: Mapping[str, str] | None = None,
    only: int | None = None,
) -> dict[str, Service | tuple[Service, ...]]:
    """The services of a `prose.toml`, all or those of `names` (a name that it does not bind is passed over); a list
    gives a tuple, of its place `only` alone if that is given. The caller has seen to trust (`require_trust`). Raises
    `BindingFault` with its place in the file."""
    wanted = list(project.services) if names is None else [item for item in names if item in project.services]
    found: dict[str, Service | tuple[Service, ...]] = {}
    for name in wanted:
        listed = name in project.lists
        made = tuple(
            _from_entry(entry, name=name, listed=listed, project=project, ask=ask, environment=environment)
            for place, entry in enumerate(project.services[name])
            if only in (None, place)
        )
        found[name] = made if listed else made[0]
    return found


def _from_entry(
    entry: Entry,
    *,
    name: str,
    project: Project,
    ask: Asker | None,
    environment: Mapping[str, str] | None = None,
    listed: bool = False,
) -> Service:
    places = Places(name, entry.target, project.root, project.root, inside=project.root)
    try:
        target = read_target(entry.target, name=name)
        called = (entry.name or own_name(entry.target) or name) if listed else name
        service = _Order(target, called, places, project, ask, entry, environment).service()
    except BindingFault as fault:
        placed = fault if fault.source else fault.at(project.source, entry.span)
        raise placed.about(name) from fault.__cause__
    if isinstance(service, UnitService):
        return _adapted_unit(service, entry, name, project)
    return (
        AdaptedService(service, inputs=entry.inputs, answer=entry.answer) if entry.inputs or entry.answer else service
    )


def _adapted_unit(service: UnitService, entry: Entry, name: str, project: Project) -> UnitService:
    """A definition with renamed inputs. What it gives has names of its own already."""
    if entry.answer is not None:
        raise BindingFault(
            "malformed-target",
            source=project.source,
            span=entry.span,
            name=name,
            target=entry.target,
            reason="`answer` gives a name to the answer of a service, and this file names its outputs itself",
            suggestion="take out `answer`",
        )
    return replace(service, inputs=entry.inputs) if entry.inputs else service


@dataclass(frozen=True, slots=True)
class _Order:
    """A target that was read, and all that is needed to make a service of it. `entry`: where it stands in `prose.toml`;
    `environment`: where values of variables come from, None for the process and `.env`."""

    target: Target
    name: str
    places: Places
    project: Project | None
    ask: Asker | None
    entry: Entry | None = None
    environment: Mapping[str, str] | None = None

    def service(self) -> Service:
        match self.target.scheme:
            case "py":
                return self._python()
            case "cmd":
                return CommandService(self._command(self.target.rest), name=self.name, target=self.target.text)
            case "script":
                return self._script()
            case "gate":
                return self._gate()
            case "http":
                return self._http()
            case "agent":
                return self._agent()
            case "model":
                return self._model()
            case "mcp":
                return self._mcp()
            case "ask":
                if self.ask is None:
                    raise BindingFault("no-terminal", name=self.name, target=self.target.text)
                return AskService(self.ask, name=self.name)
            case _:
                from prose_runtime.services.definitions import definition_service

                return definition_service(self.target, name=self.name, places=self.places)

    def _command(self, text: str, granted: tuple[str, ...] = ()) -> CommandLine:
        return read_command(
            text,
            name=self.name,
            target=self.target.text,
            folder=self.places.base,
            project_root=self.places.root,
            environment=program_environment((*self._granted(), *granted), self._outer()),
            check=self.places.check_written,
        )

    def _http(self) -> Service:
        from prose_runtime.services.addresses import filled, read_address
        from prose_runtime.services.http import PATIENCE, HttpService

        url = read_address(self.target.rest, name=self.name, target=self.target.text)
        entry = self.entry
        headers = filled(entry.headers, self._outer(), name=self.name, target=url) if entry else ()
        require_extra("http", name=self.name, target=url)
        timeout = entry.timeout if entry and entry.timeout is not None else PATIENCE
        return HttpService(
            url, name=self.name, headers=headers, whole=bool(entry and entry.send == "call"), timeout=timeout
        )

    def _agent(self) -> Service:
        from prose_runtime.services.agent_targets import read_agent

        return read_agent(
            self.target, name=self.name, places=self.places, granted=self._granted(), environment=self._outer()
        )

    def _mcp(self) -> Service:
        from prose_runtime.services.mcp_targets import read_mcp

        return read_mcp(
            self.target, name=self.name, project=self.project, environment=self._outer(), find=self._server_line
        )

    def _server_line(self, text: str, granted: tuple[str, ...]) -> CommandLine:
        """The program of an MCP server: as prose.toml names it, so in the project."""
        assert self.project is not None
        root = self.project.root
        places = replace(self.places, base=root, root=root, inside=root)
        return replace(self, places=places)._command(text, granted)

    def _granted(self) -> tuple[str, ...]:
        """The variables that the project grants to a program."""
        project, entry = self.project, self.entry
        return (*(project.environment if project else ()), *(entry.environment if entry else ()))

    def _model(self) -> Service:
        from prose_runtime.services.addresses import filled
        from prose_runtime.services.http import PATIENCE
        from prose_runtime.services.models.addresses import is_elsewhere, read_model
        from prose_runtime.services.models.chat import ChatModel

        text, entry, outer = self.target.text, self.entry, self._outer()
        if is_elsewhere(self.target.rest):
            require_extra("llm", name=self.name, target=text)
            from prose_runtime.services.models.providers import ProviderModel, model_of

            return ProviderModel(model_of(self.target.rest, name=self.name, target=text), name=self.name, target=text)
        address = read_model(self.target.rest, name=self.name, target=text, environment=os.environ)
        headers = filled(entry.headers, outer, name=self.name, target=text) if entry else ()
        key = outer.get(address.key, "") if address.key else ""
        if address.key and not key and not headers:
            raise BindingFault("variable-not-set", name=self.name, target=text, variable=address.key)
        require_extra("http", name=self.name, target=text)
        timeout = entry.timeout if entry and entry.timeout is not None else PATIENCE
        return ChatModel(address, name=self.name, target=text, key=key, headers=headers, timeout=timeout)

    def _outer(self) -> Mapping[str, str]:
        return self.environment if self.environment is not None else project_environment(self.project)

    def _python(self) -> Service:
        from prose_runtime.services.imports import import_target, is_file, split_python
        from prose_runtime.services.python import from_callable

        place, _ = split_python(self.target.rest)
        file = self.places.find(place, "python-not-found") if is_file(place) else None
        roots = [item for item in dict.fromkeys((self.places.root, self.places.base)) if item is not None]
        found = import_target(self.target.rest, name=self.name, target=self.target.text, roots=roots, file=file)
        if not isinstance(found, type) and isinstance(found, Service):
            return found
        return from_callable(found, name=self.name, target=self.target.text)

    def _script(self) -> Service:
        from prose_runtime.services.replies import BadReplies, read_replies
        from prose_runtime.services.scripted import ScriptedService

        path = self.places.find(self.target.rest, "bad-replies")
        try:
            return ScriptedService(read_replies(path), name=self.name, target=self.target.text)
        except (BadReplies, ValueError) as error:
            reason = str(error)
        except OSError as error:
            reason = f"it cannot be read: {error.strerror}"
        advice = "write a YAML list with one reply a call"
        raise BindingFault("bad-replies", name=self.name, target=self.target.text, reason=reason, suggestion=advice)

    def _gate(self) -> Service:
        from prose_runtime.services.gates.table import Surroundings, read_gate

        around = Surroundings(find=lambda text: self.places.find(text, "gate-option"), command=self._command)
        return read_gate(self.target.rest, name=self.name, target=self.target.text, around=around)
