"""What calls pass, against what their targets declare. Runs when every unit is linked, so that the optional inputs
that a pattern takes are known.

In: a unit with its targets. Out: `Unit.positional` and diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from prose_runtime.diagnostics import Label
from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import LinkedInstance, Target, Unit
from prose_runtime.resolve.types import describe, fits, name_of
from prose_runtime.source import Span
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.document import Definition, Input, Json, Slot
from prose_runtime.syntax.nodes import (
    Call,
    Constant,
    Destructure,
    Entry,
    Expression,
    Gate,
    Let,
    List,
    Name,
    Node,
    Object,
    Resume,
    Session,
    Text,
    Unary,
)

MODIFIERS = ("prompt", "model", "context", "retry", "backoff", "timeout")
BACKOFFS = ("none", "linear", "exponential")
_NAMES = pattern(r"(?:optional\s+)?`[\w-]+`(?:\s*,\s*(?:and\s+)?(?:optional\s+)?`[\w-]+`)*\.?")
_ONE = pattern(r"(optional\s+)?`([\w-]+)`")


@dataclass(frozen=True, slots=True)
class Declared:
    """What a target takes. `open`: it takes any further inputs; `also`: names that are known but not inputs."""

    title: str
    inputs: tuple[Input, ...]
    open: bool
    also: frozenset[str] = frozenset()
    place: Label | None = None

    def input(self, name: str) -> Input | None:
        """The input of that name."""
        return next((item for item in self.inputs if item.name == name), None)


def declared_by(target: Target) -> Declared | None:
    """What a unit or an instance declares; None for slots, which are checked when they are bound."""
    if target.unit is not None:
        unit = target.unit
        definition = unit.definition
        place = Label(unit.source, definition.name_span, f"`{unit.name}` declares what it takes here")
        return Declared(target.name, unit.inputs, not definition.declares_inputs, place=place)
    if target.instance is not None:
        return _of_instance(target.instance)
    return None


def _of_instance(instance: LinkedInstance) -> Declared:
    unit = instance.unit
    names = {item.name for item in unit.config} | {slot.name for slot in unit.definition.slots}
    names |= {item.name for item in unit.passed_on}
    place = Label(unit.source, unit.definition.name_span, f"the pattern `{unit.name}` declares what it takes here")
    return Declared(instance.name, unit.inputs, False, frozenset(names), place)


def slot_names(slot: Slot) -> list[tuple[str, bool]]:
    """The names in a slot's `requires` and whether each is required; empty unless it is a plain list of names."""
    found: list[tuple[str, bool]] = []
    for clause in slot.requires:
        if not _NAMES.fullmatch(clause.text.strip()):
            return []
        found += [(name, not optional) for optional, name in _ONE.findall(clause.text)]
    return found


class Passing:
    """Checks the calls of one unit."""

    def __init__(self, unit: Unit, findings: Findings, nodes: Sequence[Node]) -> None:
        self.unit = unit
        self.findings = findings
        self.nodes = nodes

    def check(self) -> None:
        """Every call, session and resume, and what destructuring takes from them."""
        for node in self.nodes:
            if isinstance(node, Call):
                self._call(node, self.unit.calls.get(node))
            elif isinstance(node, Session):
                self._call(node, self.unit.session_targets.get(node))
            elif isinstance(node, (Resume, Gate)):
                self._modifiers(node.properties, ())
            elif isinstance(node, Let) and isinstance(node.target, Destructure) and isinstance(node.value, Call):
                self._outputs(node.target, node.value)

    def _call(self, call: Call | Session, target: Target | None) -> None:
        declared = declared_by(target) if target else None
        own = [item.name for item in declared.inputs] if declared else []
        self._modifiers(call.properties, own)
        if target is None:
            return
        if target.kind == "slot":
            self._slot(call, target)
        elif declared is not None:
            given = self._positional(call, declared)
            self._inputs(call, declared, given)

    # ---- units and instances ----

    def _positional(self, call: Call | Session, declared: Declared) -> tuple[str, ...]:
        names = tuple(item.name for item in declared.inputs)
        count = len(call.arguments)
        if count > len(names):
            extra = call.arguments[len(names)].span.to(call.arguments[-1].span)
            takes = listed(names, "no inputs by position")
            self._add("too-many-arguments", extra, declared, name=declared.title, takes=takes, given=count)
        given = names[:count]
        if given:
            self.unit.positional[call] = given
        for name, argument in zip(given, call.arguments, strict=False):
            self._literal(declared, name, argument)
        return given

    def _inputs(self, call: Call | Session, declared: Declared, given: tuple[str, ...]) -> None:
        keys = {entry.key for entry in call.properties}
        for entry in call.properties:
            if entry.key in given:
                self._add("given-twice", entry.key_span, declared, name=entry.key, target=declared.title)
            elif declared.input(entry.key) is not None:
                self._literal(declared, entry.key, entry.value)
            elif not (declared.open or entry.key in MODIFIERS or entry.key in declared.also):
                self._unknown(entry, declared, keys)
        missing = [item.name for item in declared.inputs if item.required and item.name not in keys | set(given)]
        if missing and len(call.arguments) <= len(declared.inputs):
            span = call.target_span if isinstance(call, Call) else call.agent_span or call.span
            first = missing[0]
            self._add("missing-input", span, declared, target=declared.title, names=listed(missing), first=first)

    def _unknown(self, entry: Entry, declared: Declared, keys: Iterable[str]) -> None:
        names = [item.name for item in declared.inputs]
        free = set(names).difference(keys)
        takes = listed(names, "no inputs")
        text = did_you_mean(entry.key, free, f"take `{entry.key}` out, or declare it there")
        self._add(
            "unknown-input", entry.key_span, declared, name=entry.key, target=declared.title, takes=takes, help=text
        )

    def _literal(self, declared: Declared, name: str, value: Expression) -> None:
        item = declared.input(name)
        if item is None or not item.declared_type:
            return
        known, literal = literal_value(value)
        if known and literal is not None and not fits(item.type, literal):
            found, wanted = name_of(literal), describe(item.type)
            self._add("mistyped-input", value.span, declared, name=name, found=found, wanted=wanted)

    def _add(self, code: str, span: Span, declared: Declared, **facts: Any) -> None:
        self.findings.add(code, span, also=[declared.place] if declared.place else [], **facts)

    def _outputs(self, target: Destructure, call: Call) -> None:
        found = self.unit.calls.get(call)
        if found is None or found.unit is None or not found.unit.definition.outputs:
            return
        definition: Definition = found.unit.definition
        names = [item.name for item in definition.outputs]
        for name in target.names:
            if name.id not in names:
                text = did_you_mean(name.id, names, f"take one of {listed(names)}")
                also = [Label(found.unit.source, definition.outputs[0].name_span, "its outputs are declared here")]
                self.findings.add(
                    "unknown-output",
                    name.span,
                    also=also,
                    name=name.id,
                    target=found.name,
                    gives=listed(names),
                    help=text,
                )

    # ---- slots ----

    def _slot(self, call: Call | Session, target: Target) -> None:
        span = call.target_span if isinstance(call, Call) else call.span
        if target.name in self.unit.list_slots:
            self.findings.add("list-slot-called", span, name=target.name)
            return
        slot = next(item for item in self.unit.definition.slots if item.name == target.name)
        names = slot_names(slot)
        if call.arguments:
            if len(call.arguments) > len(names):
                self.findings.add("positional-to-slot", call.arguments[0].span, name=target.name)
                return
            self.unit.positional[call] = tuple(name for name, _ in names[: len(call.arguments)])
        given = {entry.key for entry in call.properties} | set(self.unit.positional.get(call, ()))
        missing = [name for name, required in names if required and name not in given]
        if missing:
            also = [self.findings.label(slot.requires[0].span, "the slot says here what it requires")]
            self.findings.add("slot-requires", span, also=also, name=target.name, missing=listed(missing))

    # ---- modifiers ----

    def _modifiers(self, properties: Sequence[Entry], own: Sequence[str]) -> None:
        first: dict[str, Entry] = {}
        for entry in properties:
            if entry.key in first:
                also = [self.findings.label(first[entry.key].key_span, "given here first")]
                self.findings.add("duplicate-property", entry.key_span, also=also, name=entry.key)
            first.setdefault(entry.key, entry)
        asked = {key: entry for key, entry in first.items() if key in MODIFIERS and key not in own}
        for key, what in (("retry", "a whole number of further attempts"), ("timeout", "a number of seconds above 0")):
            if key in asked:
                self._number(asked[key], what, whole=key == "retry")
        if "backoff" in asked:
            self._backoff(asked["backoff"], "retry" in asked)

    def _number(self, entry: Entry, what: str, whole: bool) -> None:
        known, value = literal_value(entry.value)
        if not known or value is None:
            return
        right = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
        if not right or (not isinstance(value, int) if whole else value == 0):
            self.findings.add("bad-modifier", entry.value.span, name=entry.key, found=name_of(value), wanted=what)

    def _backoff(self, entry: Entry, retried: bool) -> None:
        value = entry.value
        word: object = None
        if isinstance(value, Name) and self.unit.names.get(value, "word") == "word":
            word = value.id
        elif isinstance(value, Text) and all(isinstance(part, str) for part in value.parts):
            word = "".join(part for part in value.parts if isinstance(part, str))
        if word is not None and word not in BACKOFFS:
            wanted = "`none`, `linear` or `exponential`"
            self.findings.add("bad-modifier", value.span, name="backoff", found=f"`{word}`", wanted=wanted)
        elif not retried:
            self.findings.add("backoff-alone", entry.key_span)


def literal_value(value: Expression) -> tuple[bool, Json]:
    """Whether an expression is written out in full, and its value then."""
    match value:
        case Constant():
            return True, value.value
        case Text() if all(isinstance(part, str) for part in value.parts):
            return True, "".join(str(part) for part in value.parts)
        case Unary(operator="-", operand=Constant(value=int() | float() as number)):
            return True, -number
        case List():
            items = [literal_value(item) for item in value.items]
            return all(known for known, _ in items), [item for _, item in items]
        case Object():
            fields = {entry.key: literal_value(entry.value) for entry in value.entries}
            return all(known for known, _ in fields.values()), {key: item for key, (_, item) in fields.items()}
    return False, None
