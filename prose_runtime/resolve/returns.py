"""`return` against the declared outputs, where an object is written out there. Reports only what is certain.

In: a unit and its script. Out: diagnostics about outputs that are left out, of another type, or not declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prose_runtime.diagnostics.suggestions import did_you_mean, listed, nearest
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.passing import literal_value
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.types import describe, fits, name_of
from prose_runtime.source import SourceText
from prose_runtime.syntax import children
from prose_runtime.syntax.document import Output, Type
from prose_runtime.syntax.nodes import (
    Block,
    DoBlock,
    Entry,
    Expression,
    For,
    List,
    Node,
    Object,
    Parallel,
    Repeat,
    Return,
    Statement,
    Text,
)

_APART = (Expression, Block, DoBlock, Parallel)  # a `return` in there leaves only them


def check_returns(unit: Unit, statements: Iterable[Statement], findings: Findings) -> None:
    """Each object that a `return` of the definition gives, against what the definition declares."""
    outputs = unit.definition.outputs
    if not outputs or unit.definition.kind not in ("pattern", "function"):
        return
    check = _Returns(outputs, findings)
    for node in _leaving(statements):
        if isinstance(node.value, Object) and _closed(node.value, unit.source):
            check.object(node, node.value)


def _leaving(nodes: Iterable[Node]) -> Iterator[Return]:
    """The `return`s that end the definition: not those of blocks, branches and loops that collect."""
    for node in nodes:
        if isinstance(node, Return):
            yield node
        elif not isinstance(node, _APART) and not (isinstance(node, (For, Repeat)) and node.concurrent):
            yield from _leaving(children(node))


def _closed(given: Object, source: SourceText) -> bool:
    """Whether its bracket is there; where it is missing, that was reported, and more entries may have been meant."""
    inner = given.entries[-1].span.end if given.entries else given.span.start + 1
    return inner < given.span.end and source.text.startswith("}", given.span.end - 1)


class _Returns:
    """The outputs of one definition."""

    def __init__(self, outputs: tuple[Output, ...], findings: Findings) -> None:
        self.outputs = {output.name: output for output in outputs}
        self.findings = findings

    def object(self, node: Return, given: Object) -> None:
        entries = {entry.key: entry for entry in given.entries}
        if len(self.outputs) == 1 and not self.outputs.keys() & entries.keys():
            (only,) = self.outputs.values()
            self._typed(only, given, given)
            return
        for name, entry in entries.items():
            output = self.outputs.get(name)
            if output is not None:
                self._typed(output, entry.value, entry)
        missing = [item for item in self.outputs.values() if item.name not in entries and not item.optional]
        unknown = [entry for entry in given.entries if entry.key not in self.outputs]
        for entry in unknown:
            self._undeclared(entry, [item.name for item in self.outputs.values() if item.name not in entries])
        meant = {nearest(entry.key, [item.name for item in missing]) for entry in unknown}
        left = [item for item in missing if item.name not in meant]
        if left:
            also = [self.findings.label(item.name_span, "declared here") for item in left[:3]]
            names = listed(item.name for item in left)
            self.findings.add("missing-output", node.span, also=also, names=names, first=left[0].name)

    def _undeclared(self, entry: Entry, free: list[str]) -> None:
        """A key that is no output. Spelt nearly like one that is missing, it is that one: an error."""
        near = nearest(entry.key, free)
        output = self.outputs[near] if near else None
        declares = listed(self.outputs)
        text = did_you_mean(entry.key, free, f"declare `{entry.key}` as an output, or leave it out")
        if output is None or output.optional:
            self.findings.add("undeclared-output", entry.key_span, name=entry.key, declares=declares, help=text)
            return
        also = [self.findings.label(output.name_span, "declared here")]
        self.findings.add("missing-output", entry.key_span, also=also, names=f"`{output.name}`", first=output.name)

    def _typed(self, output: Output, value: Expression, place: Node) -> None:
        if not output.declared_type:
            return
        known, literal = literal_value(value)
        if known and literal is None and (output.nullable or output.optional):
            return
        found = _found(value)
        wrong = not fits(output.type, literal) if known else found is not None and not _may_be(output.type, value)
        if wrong:
            also = [self.findings.label(output.name_span, "declared here")]
            wanted = describe(output.type)
            said = name_of(literal) if known else found
            self.findings.add("mistyped-output", value.span, also=also, name=output.name, wanted=wanted, found=said)


def _found(value: Expression) -> str | None:
    """What an expression gives for certain, though its value is not known."""
    for kind, said in ((Text, "a text"), (Object, "an object"), (List, "a list")):
        if isinstance(value, kind):
            return said
    return None


def _may_be(kind: Type, value: Expression) -> bool:
    """Whether a text, an object or a list whose value is not known can be of a type."""
    match kind.kind:
        case "any" | "run":
            return True
        case "union":
            return any(_may_be(member, value) for member in kind.members)
        case "string" | "choice":
            return isinstance(value, Text)
        case "object" | "shape":
            return isinstance(value, Object)
        case "list":
            return isinstance(value, List)
    return False
