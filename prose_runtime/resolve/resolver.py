"""The resolver: from a `Document` to a `Program`.

First every unit is linked and its script gone through once (`linker`, `flow`); new units join the queue as calls and
instances name them. Then, with all declarations known, the checks by topic run over each unit.
"""

from __future__ import annotations

from prose_runtime.diagnostics import Diagnostic, in_order
from prose_runtime.diagnostics.suggestions import did_you_mean, listed, nearest
from prose_runtime.resolve.answers import check_answers
from prose_runtime.resolve.bound import BoundNames
from prose_runtime.resolve.checks import Checks, check_throws
from prose_runtime.resolve.compared import check_compared
from prose_runtime.resolve.conditions import certain_names
from prose_runtime.resolve.cycles import check_cycles
from prose_runtime.resolve.exits import Exits
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.flow import Flow
from prose_runtime.resolve.hints import check_hints
from prose_runtime.resolve.instances import check_lists, pass_on_lists
from prose_runtime.resolve.linker import Linker, alias_of
from prose_runtime.resolve.loader import Loader, NoLoader
from prose_runtime.resolve.lone import misspelt_statements, report_statement
from prose_runtime.resolve.needs import check_needs
from prose_runtime.resolve.passing import Passing
from prose_runtime.resolve.portable import check_portable
from prose_runtime.resolve.program import Program, Unit
from prose_runtime.resolve.promises import check_invariants
from prose_runtime.resolve.reading import WORDS
from prose_runtime.resolve.returns import check_returns
from prose_runtime.resolve.scopes import BUILTINS, COMPARED, Scopes, words
from prose_runtime.resolve.segments import Segments
from prose_runtime.resolve.shape import check_shape
from prose_runtime.resolve.targets import Targets
from prose_runtime.resolve.throws import check_thrown
from prose_runtime.resolve.unasked import check_unasked
from prose_runtime.resolve.unused import Unused
from prose_runtime.resolve.waiting import find_waiting
from prose_runtime.syntax import walk
from prose_runtime.syntax.document import Document, Input, Type
from prose_runtime.syntax.nodes import (
    Agent,
    Assign,
    Block,
    Condition,
    Entry,
    For,
    Let,
    List,
    Loop,
    Modifiers,
    Name,
    Node,
    Pipeline,
    Repeat,
    Script,
    Text,
    Try,
    Unreadable,
    Use,
)


def resolve(
    document: Document, loader: Loader | None = None, *, definition: str | None = None, portable: bool = False
) -> tuple[Program, list[Diagnostic]]:
    """Link a document, resolve its names and check it.

    `definition` names an inline definition to run instead of the file-level one. Every definition of `document` is
    checked, and of other documents those that are reached. Never raises for what a file says.
    """
    linker = Linker(loader or NoLoader())
    main = linker.unit(document, document.main)
    for item in document.definitions[1:]:
        linker.unit(document, item)
    if definition is not None:
        main = _named(linker, document, definition, main)
    resolver = _Resolver(linker, portable)
    resolver.run()
    program = Program(document, main, tuple(linker.units.values()), tuple(linker.documents))
    return program, in_order(linker.diagnostics(document))


def _named(linker: Linker, document: Document, name: str, main: Unit) -> Unit:
    found = document.definition(name)
    if found is not None:
        return linker.unit(document, found)
    names = [item.name for item in document.definitions]
    text = did_you_mean(name, names, f"write {listed(names)} after the `#`")
    linker.findings[main].add("unknown-definition", document.main.name_span, name=name, help=text)
    return main


class _Resolver:
    """The two rounds over all units."""

    def __init__(self, linker: Linker, portable: bool) -> None:
        self.linker = linker
        self.portable = portable
        self.analyses: list[_Analysis] = []

    def run(self) -> None:
        while self.linker.pending:
            unit = self.linker.pending.popleft()
            _declare(unit, self.linker.findings[unit])
            self.linker.link(unit)
            script = unit.definition.script
            if script is not None and not script.english:
                analysis = _Analysis(unit, script, self.linker)
                analysis.flow_through()
                self.analyses.append(analysis)
        pass_on_lists(self.linker.units.values())
        for analysis in self.analyses:
            analysis.check(self.portable)
        for unit in self.linker.units.values():
            check_lists(unit, self.linker.findings[unit])
            check_hints(unit.definition, self.linker.findings[unit])
            check_needs(unit.definition, self.linker.findings[unit])
            check_thrown(unit, self.linker.findings[unit])
            check_answers(unit, self.linker.findings[unit])
            check_invariants(unit, self.linker.findings[unit])
        check_cycles(self.linker.units.values(), self.linker.findings)


def _declare(unit: Unit, findings: Findings) -> None:
    """The blocks and agents of a script, wherever they stand."""
    script = unit.definition.script
    for statement in script.statements if script else ():
        if isinstance(statement, (Block, Agent)):
            taken = unit.blocks.get(statement.name.id) or unit.agents.get(statement.name.id)
            if taken is not None:
                also = [findings.label(taken.name.span, "declared here first")]
                findings.add("declared-twice", statement.name.span, also=also, name=statement.name.id)
            elif isinstance(statement, Block):
                unit.blocks[statement.name.id] = statement
            else:
                unit.agents[statement.name.id] = statement


class _Analysis:
    """One unit's script."""

    def __init__(self, unit: Unit, script: Script, linker: Linker) -> None:
        self.unit = unit
        self.script = script
        self.findings = linker.findings[unit]
        self.nodes: list[Node] = list(walk(script))
        self.bound = BoundNames()
        self.meant: set[str] = set()
        self.lone = self._lone()
        free = self._free() if unit.definition.kind == "pattern" and not unit.definition.declares_inputs else {}
        self.scopes = Scopes(unit, self.findings, free, self._silenced() | self.lone)
        self.targets = Targets(unit, self.findings, linker, self.nodes)
        self.flow = Flow(self.scopes, self.bound, self.targets)
        self.free = free

    def flow_through(self) -> None:
        """Names, targets and conditions."""
        self.flow.script(self.script.statements)
        self.scopes.used |= self.meant
        if self.free:
            self.unit.inputs = tuple(_optional(name) for name in self.free.values())
        self._unknown()

    def check(self, portable: bool) -> None:
        """The checks that need the other units, and those by topic."""
        unit, findings, script = self.unit, self.findings, self.script
        Passing(unit, findings, self.nodes).check()
        Exits(unit, findings).script(script.statements)
        Checks(unit, findings).run(self.nodes)
        check_throws(script.statements, findings)
        check_returns(unit, script.statements, findings)
        check_compared(unit, findings, self.nodes)
        check_unasked(unit, script.statements, findings)
        Segments(unit).script(script)
        find_waiting(unit, script)
        check_shape(unit, findings)
        if portable:
            check_portable(self.nodes, findings)
        if script.statements and not self._silent():
            texts = [node for node in self.nodes if isinstance(node, Text)]
            unused = Unused(unit, self.flow, findings, script, texts)
            bound = {name: place for name, place in self._all_bound().items() if not self._retired(place)}
            unused.check(bound, self.targets.read_by_name)

    # ---- names that nothing declares ----

    def _silent(self) -> bool:
        """Whether what is never read may be read where nothing could be read: in a bad line, or after a cut."""
        rest = self.unit.source.text[self.script.span.end :].lstrip(" \t\r\n>")
        return not rest.startswith(("```", "~~~")) or any(isinstance(node, Unreadable) for node in self.nodes)

    def _lone(self) -> frozenset[str]:
        """Names that are misspelt keywords, each reported here."""
        unit = self.unit
        bound = {name for node in self.nodes for name in _binds(node)}
        declared = {item.name for items in (unit.definition.slots, unit.config, unit.inputs) for item in items}
        found = list(misspelt_statements(self.nodes, bound | declared | BUILTINS))
        for name, meant in found:
            report_statement(name, meant, self.findings)
        return frozenset(name.id for name, _ in found)

    def _retired(self, place: Name) -> bool:
        """Whether the name stands in an `input` or `output` line, which was reported when it was read."""
        source = self.unit.source
        line = source.line(source.position(place.span.start).line)
        return line.lstrip().startswith(("input ", "output "))

    def _silenced(self) -> frozenset[str]:
        """Names on lines that could not be read: they may be bound there."""
        source = self.unit.source
        found: set[str] = set()
        for node in self.nodes:
            if isinstance(node, Unreadable):
                first, last = source.position(node.span.start).line, source.position(node.span.end).line
                for number in range(first, min(last, first + 50) + 1):
                    found |= words(source.line(number))
        return frozenset(found)

    def _all_bound(self) -> dict[str, Name]:
        found: dict[str, Name] = {}
        for node in self.nodes:
            if isinstance(node, (Let, Assign)):
                for name, place in self.bound.statement(node).items():
                    found.setdefault(name, place)
        return found

    def _free(self) -> dict[str, Name]:
        """The names that a script reads and nothing binds or declares."""
        definition = self.unit.definition
        taken = {slot.name for slot in definition.slots} | {item.name for item in definition.config} | set(BUILTINS)
        taken |= self.lone
        words_: set[Node] = set()
        for node in self.nodes:
            taken.update(_binds(node))
            words_.update(_bare(node))
        found: dict[str, Name] = {}
        misspelt: set[str] = set()
        compared = 0
        for node in self.nodes:
            if isinstance(node, Condition):
                for read in certain_names(node):
                    if read.id in taken or read.id in found or read.id in misspelt:
                        continue
                    compared += len(taken)
                    if compared < COMPARED and nearest(read.id, taken):
                        misspelt.add(read.id)
                    else:
                        found[read.id] = read
            parts = node.parts if isinstance(node, Text) else (node,)
            for part in parts:
                for name in walk(part) if isinstance(part, Node) and part is not node else (part,):
                    if isinstance(name, Name) and name.id not in taken and name not in words_:
                        found.setdefault(name.id, name)
        return self._without_misspelt(found)

    def _without_misspelt(self, free: dict[str, Name]) -> dict[str, Name]:
        """A free name spelt like one that is bound and never read is that one, misspelt: not an input."""
        if not free:
            return free
        bound = self._all_bound()
        places = set(bound.values())
        read = {node.id for node in self.nodes if isinstance(node, Name) and node not in places}
        read |= {
            part.id for node in self.nodes if isinstance(node, Text) for part in node.parts if isinstance(part, Name)
        }
        unread = [name for name in bound if name not in read]
        if len(free) * len(unread) > COMPARED:
            return free
        misspelt = {name: near for name in free if (near := nearest(name, unread)) is not None}
        self.meant = set(misspelt.values())
        return {name: place for name, place in free.items() if name not in misspelt}

    def _unknown(self) -> None:
        """Each unknown name once: an optional input if it is only passed on, else an error."""
        bound = self._all_bound() if self.scopes.unknown else {}
        pattern = self.unit.definition.kind == "pattern"
        passed: list[Input] = []
        for places in self.scopes.unknown.values():
            name = places[0][0]
            if pattern and name.id not in bound and all(only_passed for _, only_passed in places):
                passed.append(_optional(name))
                text = self.scopes.meant(
                    name.id, self.scopes.visible, "list it where the pattern says what it receives"
                )
                self.findings.add("passed-on-name", name.span, name=name.id, help=text)
                for place, _ in places:
                    self.unit.names[place] = "input"
            else:
                self.scopes.report_unknown(name, bound.get(name.id))
        self.unit.passed_on = tuple(passed)


def _optional(name: Name) -> Input:
    return Input(name.span, name.id, name.span, Type("any"), declared_type=False, required=False)


def _binds(node: Node) -> list[str]:
    """The names that a node binds, of any kind."""
    match node:
        case Let() | Assign():
            target = node.target
            names = target.names if hasattr(target, "names") else (target,)
            return [name.id for name in names if isinstance(name, Name)]
        case Repeat() | Loop():
            return [node.counter.id] if node.counter else []
        case For():
            return [place.id for place in (node.item, node.index, node.counter) if place]
        case Try():
            return [node.error.id] if node.error else []
        case Block():
            return [node.name.id, *(item.id for item in node.parameters)]
        case Agent():
            return [node.name.id]
        case Use():
            return [alias_of(node)]
        case Pipeline():
            return [name for stage in node.stages for name in stage.parameters or ("item",)]
    return []


def _bare(node: Node) -> list[Node]:
    """Bare words that are texts: `backoff: linear`, `parallel (first)`, `skills: [web-search]`."""
    if isinstance(node, Entry) and node.key in WORDS and isinstance(node.value, Name):
        return [node.value]
    if isinstance(node, Entry) and node.key == "skills" and isinstance(node.value, List):
        return [item for item in node.value.items if isinstance(item, Name)]
    if isinstance(node, Modifiers):
        return [part for part in (node.join, node.count, node.on_fail) if isinstance(part, Name)]
    return []
