"""Finding what definitions refer to: other definitions, files, pattern instances.

In: documents and a `Loader`. Out: a skeleton `Unit` for each definition that is reached (its declarations, `uses` and
`instances`), in the order of discovery; scripts are analysed afterwards by `resolver.py`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any

from prose_runtime.diagnostics import Diagnostic, Edit, Fix
from prose_runtime.diagnostics.suggestions import listed
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.instances import InstanceLinker
from prose_runtime.resolve.loader import Loader, NoLoader, NotFound
from prose_runtime.resolve.program import LinkedInstance, Unit
from prose_runtime.source import Span
from prose_runtime.syntax.document import Definition, Document, Input
from prose_runtime.syntax.nodes import Text, Use

_HOLDS_SUBJECT = ("document", "command")  # sections of a test that hold what is tested
_LOCAL = ("beside", "project", "src", "name")
LENIENT = ("responsibility", "gateway")


class Linker:
    """All documents and units of one program."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self.documents: dict[Document, None] = {}
        self.units: dict[Definition, Unit] = {}
        self.pending: deque[Unit] = deque()
        self.findings: dict[Unit, Findings] = {}
        self._loaded: dict[tuple[Document, str], Document | NotFound] = {}
        self._defined: dict[Document, dict[str, Definition]] = {}
        self._linked: set[Unit] = set()
        self._named: defaultdict[Unit, set[str]] = defaultdict(set)

    def unit(self, document: Document, definition: Definition) -> Unit:
        """The unit of a definition; made and queued when it is asked for first."""
        unit = self.units.get(definition)
        if unit is None:
            unit = Unit(document, definition, _inputs(definition), definition.config)
            unit.list_slots = frozenset(slot.name for slot in definition.slots if slot.many)
            self.units[definition] = unit
            self.findings[unit] = Findings(document.source, definition.kind in LENIENT)
            self.documents.setdefault(document)
            self.pending.append(unit)
        return unit

    def diagnostics(self, root: Document) -> list[Diagnostic]:
        """Everything found, and what was reported when the other documents were read."""
        found = [item for unit in self.units.values() for item in self.findings[unit].items]
        for document in self.documents:
            if document is not root:
                found += self.loader.diagnostics(document)
        return found

    # ---- what targets and instances ask ----

    def local(self, unit: Unit, name: str) -> Unit | None:
        """A definition of the same file."""
        document = unit.document
        named = self._defined.get(document)
        if named is None:
            named = self._defined[document] = {item.name: item for item in reversed(document.definitions)}
        return self.unit(document, named[name]) if name in named else None

    def elsewhere(self, unit: Unit, reference: str, span: Span) -> Unit | NotFound:
        """A definition of another file: `path`, `std/…`, or `path#name`. `span` is where the reference stands."""
        path, _, fragment = reference.partition("#")
        key = (unit.document, path)
        document = self._loaded.get(key)
        if document is None:
            document = self._loaded[key] = self.loader.load(path, unit.document)
        if isinstance(document, NotFound):
            return document
        definition = document.definition(fragment) if fragment else document.main
        if definition is None:
            names = listed([item.name for item in document.definitions])
            return NotFound((f"{document.source.name}#{fragment}",), install=f"write one of {names} after the `#`")
        found = self.unit(document, definition)
        how = self.loader.found(path, unit.document)
        unit.found[reference] = how.step
        if how.instead:
            self._retired(unit, path, how.instead, span)
        elif how.step in _LOCAL and "/" not in path:
            self.hidden(unit, path, found, span)
        return found

    def hidden(self, unit: Unit, name: str, found: Unit, span: Span) -> None:
        """Warn where a bare name means a definition that hides one of the standard library of the same kind."""
        is_pattern = found.definition.kind == "pattern"
        if name in self._named[unit]:
            return
        for standard in self.loader.standard(name):
            if standard.startswith("std/patterns/") == is_pattern:
                self._named[unit].add(name)
                inline = found.document is unit.document
                what = "a definition of this file" if inline else f"the file {found.document.source.name}"
                meant = f"write `{standard}` if that one is meant" + ("" if inline else f", `./{name}` if not")
                if not is_pattern:
                    meant = f'say which one is meant: `use "./{name}"`, or `use "{standard}"`'
                self.findings[unit].add("hides-standard", span, name=name, what=what, standard=standard, help=meant)

    def _retired(self, unit: Unit, path: str, now: str, span: Span) -> None:
        start = unit.source.text.find(path, span.start, span.end)
        if start >= 0:
            fix = Fix(f"write `{now}`", (Edit(Span(start, start + len(path)), now),))
            self.findings[unit].add("retired-path", span, path=path, now=now, fixes=(fix,))

    def instance(self, unit: Unit, name: str) -> LinkedInstance | None:
        """An instance of this definition, else of the file's main one."""
        found = unit.instances.get(name)
        if found is None and unit.definition.inline:
            found = self.instances_of(self.unit(unit.document, unit.document.main)).get(name)
        return found

    # ---- linking one unit ----

    def instances_of(self, unit: Unit) -> Mapping[str, LinkedInstance]:
        """The linked instances of a unit."""
        if unit.definition.instances and unit not in self._linked:
            self._linked.add(unit)
            InstanceLinker(unit, self.findings[unit], self).link()
        return unit.instances

    def link(self, unit: Unit) -> None:
        """Link what a unit declares: its instances, its `use` lines, its blocks and agents."""
        self.instances_of(unit)
        if unit.definition.kind == "test" and not isinstance(self.loader, NoLoader):
            self.subject(unit)
        script = unit.definition.script
        for statement in script.statements if script else ():
            if isinstance(statement, Use):
                self._use(unit, statement)

    def subject(self, unit: Unit) -> None:
        """What a test runs: a definition of its own file, or another file, which is checked with it."""
        field = next((item for item in unit.document.frontmatter if item.key == "subject"), None)
        own = any(unit.definition.section(key) for key in _HOLDS_SUBJECT)
        if field is None or not isinstance(field.value, str) or not field.value.strip() or own:
            return
        name = field.value.strip()
        if self.local(unit, name) not in (None, unit):
            return
        found = self.elsewhere(unit, name, field.value_span)
        if isinstance(found, NotFound):
            way_out = found.way_out or "write the path of a file, like `../src/name.prose.md`"
            facts: dict[str, Any] = {"name": name, "because": found.because, "help": way_out}
            self.findings[unit].add("unknown-subject", field.value_span, **facts)

    def _use(self, unit: Unit, use: Use) -> None:
        findings = self.findings[unit]
        path = "".join(part for part in use.path.parts if isinstance(part, str)).strip()
        alias = alias_of(use)
        place = use.alias.span if use.alias else use.path.span
        if not path or not _plain(use.path):
            because, way_out = "a `use` names a file in plain text", "write the path itself"
            findings.add("use-not-found", use.path.span, path=path, because=because, help=way_out)
            return
        found = self.elsewhere(unit, path, use.path.span)
        if isinstance(found, NotFound):
            way_out = found.way_out or "correct the path"
            findings.add("use-not-found", use.path.span, path=path, because=found.because, help=way_out)
        elif alias in unit.uses:
            findings.add("declared-twice", place, name=alias)
        else:
            unit.uses[alias] = found


def _inputs(definition: Definition) -> tuple[Input, ...]:
    """What the script can read. A responsibility also reads what it maintained before."""
    if definition.kind not in LENIENT:
        return definition.inputs
    known = {item.name for item in definition.inputs}
    kept = (
        Input(output.span, output.name, output.name_span, output.type, output.declared_type, required=False)
        for output in definition.outputs
        if output.name not in known
    )
    return (*definition.inputs, *kept)


def alias_of(use: Use) -> str:
    """The name that a `use` gives: its alias, else the last part of its path."""
    if use.alias:
        return use.alias.id
    return _stem("".join(part for part in use.path.parts if isinstance(part, str)).strip())


def _plain(path: Text) -> bool:
    return all(isinstance(part, str) for part in path.parts)


def _stem(path: str) -> str:
    name = path.rstrip("/").rsplit("/", 1)[-1]
    return name.removesuffix(".md").removesuffix(".prose")
