"""`text is nice`: a value compared with a word that nothing says it can be.

In: a unit with its conditions. Out: notes. A word that a declaration names or a script writes as a text is a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prose_runtime.resolve.conditions.classify import leaves
from prose_runtime.resolve.conditions.tree import Is, SlotAnswer
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import Unit
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax import walk
from prose_runtime.syntax.nodes import Condition, Expression, Name, Node, Property, Text

_WORD = pattern(r"[^\W\d][\w-]*")


def check_compared(unit: Unit, findings: Findings, nodes: Iterable[Node]) -> None:
    """Each word once."""
    compared = [
        leaf
        for condition in nodes
        if isinstance(condition, Condition) and condition in unit.conditions
        for leaf in leaves(unit.conditions[condition].tree)
        if isinstance(leaf, Is) and not leaf.error and not leaf.explicit and _WORD.fullmatch(leaf.word)
    ]
    if not compared:
        return
    known = _known(unit)
    for leaf in compared:
        subject = _written(leaf.subject)
        if subject is not None and leaf.word.lower() not in known:
            known.add(leaf.word.lower())
            findings.add("compared-with-a-word", leaf.span, subject=subject, word=leaf.word)


def _written(subject: Expression) -> str | None:
    match subject:
        case Name():
            return subject.id
        case SlotAnswer():
            return subject.slot
        case Property():
            target = _written(subject.target)
            return None if target is None else f"{target}.{subject.name}"
    return None


def _known(unit: Unit) -> set[str]:
    """The words of what is declared, here and by what is called, and of the texts in the scripts."""
    called = {target.unit for target in unit.calls.values() if target.unit is not None}
    found: set[str] = set()
    for other in (unit, *called):
        for text in _texts(other):
            found.update(word.lower() for word in _WORD.findall(text))
    return found


def _texts(unit: Unit) -> Iterator[str]:
    text = unit.source.text
    for definition in unit.document.definitions:
        declared = (definition.slots, definition.config, definition.inputs, definition.outputs, definition.ensures)
        for item in (item for items in declared for item in items):
            yield text[item.span.start : item.span.end]
        if definition.script is not None:
            yield from _literals(definition.script)


def _literals(script: Node) -> Iterator[str]:
    for node in walk(script):
        if isinstance(node, Text):
            yield from (part for part in node.parts if isinstance(part, str))
