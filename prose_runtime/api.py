"""The public functions (layer 7): short compositions of read, resolve, bind and execute.

In: a pattern (a path, `std/refine`, `FILE#definition`, or Markdown text) and services. Out: an `Outcome`. Whatever is
wrong before anything was called is raised as `CheckFailed`; how a run ended is in its outcome.

What only a run needs is imported when there is one, so that reading and checking stay quick.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from prose_runtime.diagnostics import Diagnostic, has_errors, in_order
from prose_runtime.diagnostics.exceptions import CheckFailed, SourceNotFound
from prose_runtime.diagnostics.silencing import silenced
from prose_runtime.resolve import NotFound, Program, resolve
from prose_runtime.resolve.sessions import asked_names
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.source.node import node
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Definition, Document

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

    from prose_runtime.resolve.program import Unit
    from prose_runtime.runtime import Budget, Outcome, Plan
    from prose_runtime.runtime.events import Subscriber
    from prose_runtime.runtime.origins import Origin
    from prose_runtime.runtime.port import MemoryStore, Service
    from prose_runtime.services import Masker, Project
    from prose_runtime.services.human import Asker

Source: TypeAlias = "str | os.PathLike[str]"
"""A path, `std/…`, `FILE#definition`, or Markdown text (a text with a line end in it)."""


Bound: TypeAlias = "Service | tuple[Service, ...]"


@node
class Loaded:
    """A pattern that was read and resolved, right or wrong.

    - `path`: its file, or None for a text. `document`, `program`: what reading and resolving made of it.
    - `diagnostics`: everything there is to say about it and the files that it names, in the order of their places.
    """

    path: Path | None
    document: Document
    program: Program
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether it can be run: no diagnostic is an error."""
        return not has_errors(self.diagnostics)

    @property
    def definition(self) -> Definition:
        """The definition that a run starts with: its slots, config, inputs, outputs."""
        return self.program.main.definition

    @property
    def name(self) -> str:
        """The name of that definition."""
        return self.definition.name

    @property
    def is_standard(self) -> bool:
        """Whether it is a file of the standard library."""
        return self.path is not None and self.path.is_relative_to(shipped("std").resolve())

    def raise_for_errors(self) -> None:
        """Raise `CheckFailed` if it cannot be run."""
        if not self.ok:
            raise CheckFailed(self.diagnostics)

    async def arun(
        self,
        *,
        bind: Mapping[str, object] | None = None,
        inputs: Mapping[str, object] | None = None,
        config: Mapping[str, object] | None = None,
        budget: Budget | None = None,
        judge: object = None,
        judge_contracts: bool = False,
        subscribers: Sequence[Subscriber] = (),
        record: str | os.PathLike[str] | None = None,
    ) -> Outcome:
        """Run it; parameters and errors are those of `arun`. It may be run any number of times."""
        prepared = prepare(
            self,
            bind=bind,
            inputs=inputs,
            config=config,
            budget=budget,
            judge=judge,
            judge_contracts=judge_contracts,
        )
        prepared.raise_for_errors()
        if record is None:
            return await prepared.execute(subscribers)
        from prose_runtime.reports.folder import RunFolder

        folder = RunFolder(Path(record), self.program, mask=prepared.mask)
        return folder.finish(await prepared.execute((*subscribers, folder)))

    def run(
        self,
        *,
        bind: Mapping[str, object] | None = None,
        inputs: Mapping[str, object] | None = None,
        config: Mapping[str, object] | None = None,
        budget: Budget | None = None,
        judge: object = None,
        judge_contracts: bool = False,
        subscribers: Sequence[Subscriber] = (),
        record: str | os.PathLike[str] | None = None,
    ) -> Outcome:
        """Run it and wait for its end, as `run` does."""
        return _wait(
            self.arun(
                bind=bind,
                inputs=inputs,
                config=config,
                budget=budget,
                judge=judge,
                judge_contracts=judge_contracts,
                subscribers=subscribers,
                record=record,
            )
        )


@node
class Prepared:
    """A pattern with its services, inputs and config, ready to run once. `plan` is None where an error forbids it;
    `memory` is where its agents keep theirs, `masker` hides secrets in what is written down; `bound` are the services
    by the names that they were bound to."""

    plan: Plan | None
    services: tuple[Service, ...]
    diagnostics: tuple[Diagnostic, ...]
    memory: MemoryStore | None = None
    masker: Masker | None = None
    bound: Mapping[str, Bound] | None = None

    def raise_for_errors(self) -> None:
        """Raise `CheckFailed` if it cannot be run."""
        if self.plan is None or has_errors(self.diagnostics):
            raise CheckFailed(self.diagnostics)

    def mask(self, value: Any) -> Any:
        """A value of the run as it may be shown or written down: without secrets."""
        return value if self.masker is None else self.masker.mask(value)

    async def execute(self, subscribers: Sequence[Subscriber] = (), cancel: asyncio.Event | None = None) -> Outcome:
        """Run it. Services that were made for it are closed afterwards. `cancel`, once set, stops the run."""
        from prose_runtime.runtime import execute

        assert self.plan is not None
        try:
            return await execute(self.plan, subscribers=subscribers, cancel=cancel, memory=self.memory)
        finally:
            for service in self.services:
                await service.close()


def load(source: Source, *, definition: str | None = None, portable: bool = False) -> Loaded:
    """Read and resolve a pattern; nothing that it names is imported, started or contacted.

    `definition` names an inline `## name` (as `FILE#name` does). `portable` adds notes on what other hosts may read
    differently. Mistakes in the file are in `.diagnostics`; raises `SourceNotFound` if there is no such file.
    """
    return _load(source, DiskLoader(), definition, portable)


def load_all(sources: Iterable[Source], *, portable: bool = False) -> tuple[list[Loaded], list[SourceNotFound]]:
    """The same for many, reading what they share once: those that were read, and why the others were not."""
    loader = DiskLoader()
    loaded: list[Loaded] = []
    missing: list[SourceNotFound] = []
    for source in sources:
        try:
            loaded.append(_load(source, loader, None, portable))
        except SourceNotFound as error:
            missing.append(error)
    return loaded, missing


def _load(source: Source, loader: DiskLoader, definition: str | None, portable: bool) -> Loaded:
    text = os.fspath(source)
    if not isinstance(text, str):
        raise TypeError("a pattern is given as a path or as text, not as bytes")
    is_text = isinstance(source, str) and "\n" in text
    if is_text:
        document, found = read(SourceText("<text>", text))
        loader.adopt(document)
    else:
        place, _, name = text.partition("#")
        definition = definition or name or None
        document = _open(place, loader)
        found = list(loader.diagnostics(document))
    program, more = resolve(document, loader, definition=definition, portable=portable)
    path = None if is_text else loader.path(document)
    every = silenced(in_order([*found, *more]), document.source)
    return Loaded(path, document, program, tuple(in_order(every)))


def _open(place: str, loader: DiskLoader) -> Document:
    try:
        opened = loader.open(place)
        if not isinstance(opened, NotFound):
            return opened
        nearest = _nearest_files(Path(place)) if opened.reason == "absent" else ()
    except (OSError, ValueError) as error:  # a name that no file can have
        raise SourceNotFound(place, because=getattr(error, "strerror", None) or str(error)) from None
    because = "it is a folder" if Path(place).is_dir() else _about(place, opened)
    way_out = "" if nearest else opened.way_out
    exists = bool(way_out) and opened.reason not in ("absent", "not-installed", "other-version")
    raise SourceNotFound(place, opened.looked_in, nearest, because, way_out, opened.line, exists=exists)


def _about(place: str, missing: NotFound) -> str:
    """Folders in place of paths, and "it" for what the sentence has named already."""
    if missing.reason in ("absent", "not-installed") and place.startswith("std/"):
        others = [path for path in missing.looked_in if not path.startswith("std/") and "/std/" not in path]
        return ", ".join(("looked in the standard library", *others))
    if missing.reason == "absent" and missing.looked_in:
        folders = dict.fromkeys(Path(path).parent for path in missing.looked_in if not path.endswith("/index.prose.md"))
        there = [str(folder.absolute()) for folder in folders if folder.is_dir()]
        return f"looked in {', '.join(there)}" if there else f"there is no folder {next(iter(folders))}"
    because = missing.because
    return f"it{because.removeprefix(place)}" if because.startswith(f"{place} ") else because


def _nearest_files(place: Path) -> tuple[str, ...]:
    """Files beside `place` and of the standard library whose names are spelt like its name."""
    stem = place.name.removesuffix(".prose.md")
    beside = {path.name.removesuffix(".prose.md"): str(path) for path in sorted(place.parent.glob("*.prose.md"))[:500]}
    here = difflib.get_close_matches(stem, beside, n=2, cutoff=0.6)
    library = difflib.get_close_matches(stem, standard_library(), n=3, cutoff=0.6)
    return (*(beside[name] for name in here), *(f"std/{name}" for name in library))


def standard_library() -> dict[str, Path]:
    """The files of the standard library by their short names (`refine`), sorted; of two that have one name the later
    has its folder before it (`roles/router`)."""
    root = shipped("std")
    found: dict[str, Path] = {}
    for path in sorted(root.rglob("*.prose.md")):
        name = path.name.removesuffix(".prose.md")
        found[name if name not in found else path.relative_to(root).as_posix().removesuffix(".prose.md")] = path
    return found


def check(
    source: Source | Iterable[Source], *, definition: str | None = None, portable: bool = False
) -> list[Diagnostic]:
    """What there is to say about one pattern or several, in the order of their places; [] is nothing at all.

    Raises `SourceNotFound` for one that is not there; among several it is a diagnostic.
    """
    if isinstance(source, str | os.PathLike):
        return list(load(source, definition=definition, portable=portable).diagnostics)
    loaded, missing = load_all(source, portable=portable)
    found = (item for each in loaded for item in each.diagnostics)
    return in_order([*found, *(error.diagnostic() for error in missing)])


async def arun(
    source: Source | Loaded,
    *,
    bind: Mapping[str, object] | None = None,
    inputs: Mapping[str, object] | None = None,
    config: Mapping[str, object] | None = None,
    budget: Budget | None = None,
    judge: object = None,
    judge_contracts: bool = False,
    definition: str | None = None,
    subscribers: Sequence[Subscriber] = (),
    record: str | os.PathLike[str] | None = None,
) -> Outcome:
    """Run a pattern and give its outcome, whatever that is.

    - `bind`: slot -> a callable (sync or async), a `Service`, a target text (`cmd:…`); for a list slot a list of
      these, or a mapping of the names that a trace shows to these.
    - `inputs`, `config`: JSON values by name. `budget`: limits; none by default.
    - `judge`: who decides conditions that only reading can decide; given like a slot. `judge_contracts`: he also
      decides the sentences of the pattern's contract that no rule can; otherwise these are *not checked*.
    - `subscribers`: called with every event of the run.
    - `record`: a new or empty folder in which the run is written down, in the layout of OpenProse's own tools.

    Raises `SourceNotFound`, and `CheckFailed` for whatever is wrong before the first call: the file, a binding, an
    input; `FileExistsError` for a `record` that holds something. A run that fails, breaks a contract or is stopped
    raises nothing; see `Outcome.raise_for_status`.
    Cancelling the task stops the run: its `finally` blocks run, then the cancellation goes on.
    """
    loaded = source if isinstance(source, Loaded) else load(source, definition=definition)
    return await loaded.arun(
        bind=bind,
        inputs=inputs,
        config=config,
        budget=budget,
        judge=judge,
        judge_contracts=judge_contracts,
        subscribers=subscribers,
        record=record,
    )


def run(
    source: Source | Loaded,
    *,
    bind: Mapping[str, object] | None = None,
    inputs: Mapping[str, object] | None = None,
    config: Mapping[str, object] | None = None,
    budget: Budget | None = None,
    judge: object = None,
    judge_contracts: bool = False,
    definition: str | None = None,
    subscribers: Sequence[Subscriber] = (),
    record: str | os.PathLike[str] | None = None,
) -> Outcome:
    """`arun`, waiting for its end. Inside a running event loop (a notebook) it runs in a thread of its own and blocks
    that loop meanwhile; services that belong to that loop need `await arun(…)`."""
    loaded = source if isinstance(source, Loaded) else load(source, definition=definition)
    return loaded.run(
        bind=bind,
        inputs=inputs,
        config=config,
        budget=budget,
        judge=judge,
        judge_contracts=judge_contracts,
        subscribers=subscribers,
        record=record,
    )


def prepare(
    loaded: Loaded,
    *,
    bind: Mapping[str, object] | None = None,
    inputs: Mapping[str, object] | None = None,
    config: Mapping[str, object] | None = None,
    budget: Budget | None = None,
    judge: object = None,
    judge_contracts: bool = False,
    project: Project | None = None,
    ask: Asker | None = None,
    origin: Origin | None = None,
) -> Prepared:
    """Everything before the first call, for hosts that show diagnostics themselves (the command line).

    `project`: a `prose.toml` that the user trusts; it binds what `bind` does not. `ask` puts a question to a person.
    `origin` says where a binding, an input or a config value was written.
    """
    for word, given_names in (("bind", bind), ("inputs", inputs), ("config", config)):
        _check_names(word, given_names)
    loaded.raise_for_errors()
    from prose_runtime.runtime.origins import given_in_code
    from prose_runtime.services.misspelt import with_near_names
    from prose_runtime.services.refusals import refused_names

    origin = origin or given_in_code
    maker = _Maker(project, ask, origin)
    given = {**(bind or {}), **({"judge": judge} if judge is not None else {})}
    services, available = maker.masked(
        loaded.program.units, maker.from_bindings(given), maker.from_project(loaded.program, given)
    )
    if "gate" not in services:
        maker.add_person(loaded.program, available)
    found: list[Diagnostic] = [
        *loaded.diagnostics,
        *maker.diagnostics,
        *refused_names(loaded.program, [*services, *available]),
    ]
    plan: Plan | None = None
    if not has_errors(found):
        from prose_runtime.runtime import bind as bind_program

        plan, more = bind_program(
            loaded.program,
            services,
            inputs=inputs,
            config=config,
            budget=budget,
            available=available,
            origin=origin,
            judge_contracts=judge_contracts,
        )
        found += more
        if plan is not None:
            found += maker.missing(plan)
        found = with_near_names(found, project, names_to_bind(loaded.program))
    memory = maker.memory(loaded)
    return Prepared(
        None if has_errors(found) else plan, tuple(maker.made), tuple(in_order(found)), memory, maker.masker, services
    )


def _check_names(word: str, value: object) -> None:
    """A mistake of the calling code, not of the pattern: said at once, before anything is looked at."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise TypeError(f"`{word}` must be a mapping of names to values, not {type(value).__name__}")
    odd = next((key for key in value if not isinstance(key, str)), None)
    if odd is not None:
        raise TypeError(f"the names in `{word}` must be texts, not {odd!r}")


def names_to_bind(program: Program) -> list[str]:
    """The names that services may be bound to in a run of this program: slots, functions, models that sessions name,
    `gate` where there is one, `judge` and `model`."""
    names: dict[str, None] = {}
    for unit in program.units:
        names.update((slot.name, None) for slot in unit.definition.slots)
        names.update((target.name, None) for target in unit.calls.values())
        names.update((name, None) for name in asked_names(unit))
        for instance in unit.instances.values():
            for value in instance.bindings.values():
                each = value if isinstance(value, tuple) else (value,)
                names.update((item, None) for item in each if isinstance(item, str))
    return [*names, "judge", "model"]


class _Maker:
    """Makes services of what was bound, and remembers which it made and what went wrong."""

    def __init__(self, project: Project | None, ask: Asker | None, origin: Origin) -> None:
        self.project = project
        self.origin = origin
        self.ask = ask
        self.made: list[Service] = []
        self.masker: Masker | None = None
        self.diagnostics: list[Diagnostic] = []

    def from_project(self, program: Program, given: Mapping[str, object]) -> dict[str, Bound]:
        """What the project binds of the names that the program uses and nobody else bound."""
        if self.project is None:
            return {}
        from prose_runtime.services import project_services

        names = [name for name in names_to_bind(program) if name not in given]
        found: dict[str, Bound] = {}
        for name, value in project_services(self.project, names, ask=self.ask).items():
            self.made += value if isinstance(value, tuple) else (value,)
            found[name] = value
        return found

    def masked(self, units: Iterable[Unit], *bound: dict[str, Bound]) -> list[dict[str, Bound]]:
        """What was bound, behind the masker of the project's secrets and of the variables that definitions declare."""
        from prose_runtime.runtime.port import keys_of
        from prose_runtime.services import BindingFault, mask_service
        from prose_runtime.services.readiness import masker_for, units_of

        every = [item for each in bound for value in each.values() for item in _each(value)]
        try:
            masker = masker_for([*units, *units_of(every)], self.project)
            masker = self.masker = masker.with_keys([keys_of(item) for item in every])
        except BindingFault as fault:
            self.diagnostics.append(fault.diagnostic("prose.toml", ""))
            return list(bound)
        return [
            {
                name: tuple(mask_service(item, masker) for item in value)
                if isinstance(value, tuple)
                else mask_service(value, masker)
                for name, value in each.items()
            }
            for each in bound
        ]

    def add_person(self, program: Program, available: dict[str, Bound]) -> None:
        """Gates ask the person at the terminal, if there is one and nothing else is bound to `gate`."""
        gates = any("gate" in asked_names(unit) for unit in program.units)
        if gates and self.ask is not None and "gate" not in available:
            from prose_runtime.services import service_from

            person = service_from("ask", name="gate", ask=self.ask)
            available["gate"] = person
            self.made += person if isinstance(person, tuple) else (person,)

    def memory(self, loaded: Loaded) -> MemoryStore | None:
        """Where agents keep their memory between runs: in the project of the file, else in the current folder."""
        if not any(unit.agents for unit in loaded.program.units) or self.masker is None:
            return None
        from prose_runtime.services.loading import find_project
        from prose_runtime.services.memory import DiskMemory

        start = loaded.path if loaded.path is not None and not loaded.is_standard else Path.cwd()
        return DiskMemory(find_project(start.resolve()), masker=self.masker)

    def missing(self, plan: Plan) -> list[Diagnostic]:
        """What the definitions of a run need of this machine and do not find."""
        from prose_runtime.services.readiness import missing_needs

        return missing_needs(plan.units, self.project)

    def from_bindings(self, given: Mapping[str, object]) -> dict[str, Bound]:
        found: dict[str, Bound] = {}
        for name, value in given.items():
            if isinstance(value, Mapping):
                made = [self._service(name, each, str(own)) for own, each in value.items()]
            elif isinstance(value, list | tuple):
                made = [self._service(name, each, "") for each in value]
            else:
                made = [self._service(name, value, None)]
            services = tuple(item for item in made if item is not None)
            if len(services) == len(made):
                found[name] = services if isinstance(value, list | tuple | Mapping) else services[0]
        return found

    def _service(self, slot: str, value: object, own: str | None) -> Service | None:
        """`own`: the name of a service of a list, "" for that of its function, program or file; None: the slot's."""
        from prose_runtime.services import BindingFault, listed_service, service_from

        project, ask = self.project, self.ask
        try:
            if own is None:
                service = service_from(value, name=slot, project=project, ask=ask)
            else:
                service = listed_service(value, slot=slot, name=own, project=project, ask=ask)
        except BindingFault as fault:
            source, _ = self.origin("bind", slot, value)
            self.diagnostics.append(fault.diagnostic(source.name, ""))
            return None
        if service is not value:
            self.made.append(service)
        return service


def _each(bound: Bound) -> tuple[Service, ...]:
    return bound if isinstance(bound, tuple) else (bound,)


def _wait(work: Coroutine[None, None, Outcome]) -> Outcome:
    """Run to the end: here, or, inside a running loop, in a thread with a loop and the context of the caller."""
    import asyncio
    import contextvars
    import threading

    try:
        inside = asyncio.get_running_loop() is not None
    except RuntimeError:
        inside = False
    if not inside:  # out of the `except`, so that no fault of the run is told as one of this question
        return asyncio.run(work)
    ended: list[Outcome | BaseException] = []
    runner = asyncio.Runner()

    def perform() -> None:
        try:
            ended.append(runner.run(work))
        except BaseException as error:  # handed to the caller below, whatever it is
            ended.append(error)
        finally:
            runner.close()

    thread = threading.Thread(target=contextvars.copy_context().run, args=(perform,), name="prose-run")
    thread.start()
    thread.join()
    if isinstance(ended[0], BaseException):
        raise ended[0]
    return ended[0]
