"""Pattern and function files as services: `./path.prose.md`, `std/…`, each with an optional `#definition`.

In: the path in a target. Out: a `UnitService`, whose script the run itself interprets. The file is read and checked;
nothing that it names is imported or started.
"""

from __future__ import annotations

from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.resolve import resolve
from prose_runtime.resolve.loader import NotFound
from prose_runtime.runtime.port import UnitService
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.loading import DiskLoader
from prose_runtime.services.places import Places
from prose_runtime.services.targets import Target


def definition_service(target: Target, *, name: str, places: Places) -> UnitService:
    """The definition that a path names.

    Raises `BindingFault` (`malformed-target`, `outside-project`) where there is none, where it has errors, and for what
    cannot be called: a pattern whose slots are open, a responsibility, a test.
    """

    def fault(reason: str, suggestion: str) -> BindingFault:
        return BindingFault("malformed-target", name=name, target=target.text, reason=reason, suggestion=suggestion)

    path, _, wanted = target.rest.partition("#")
    loader = DiskLoader(places.root, cwd=places.base)
    document = loader.open(path)
    if isinstance(document, NotFound):
        raise fault(
            f"there is no such file: {document.because}" if document.reason == "absent" else document.because,
            document.way_out or f"give the path of a file, relative to {places.base}",
        )
    places.check_document(loader.path(document))
    if wanted and document.definition(wanted) is None:
        names = [item.name for item in document.definitions]
        raise fault(
            f"it holds no `{wanted}`", did_you_mean(wanted, names, f"write one of {listed(names)} after the `#`")
        )
    program, diagnostics = resolve(document, loader, definition=wanted or None)
    broken = next((item for item in diagnostics if item.severity == "error"), None)
    if broken is not None:
        raise fault(f"{broken.source.name}:{broken.line}: {broken.message}", f"run `prose check {broken.source.name}`")
    unit = program.main
    kind = unit.definition.kind
    if kind not in ("pattern", "function"):
        raise fault(f"it is a {kind}", "bind a function file, or a pattern without slots")
    slots = [item.name for item in unit.definition.slots if not item.optional]
    if slots:
        raise fault(
            f"it is a pattern whose slots {', '.join(f'`{item}`' for item in slots)} are open",
            "name an instance of it under `### Patterns` of a file, and bind that",
        )
    return UnitService(name, target.text, unit)
