"""Pattern instances: the pattern found, slots bound, config checked.

In: a unit whose definition declares instances. Out: `Unit.instances`, and diagnostics at the YAML's own lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from prose_runtime.diagnostics import Label
from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.loader import NotFound
from prose_runtime.resolve.misplaced import is_setting, misplaced_settings
from prose_runtime.resolve.program import BoundTo, LinkedInstance, Unit
from prose_runtime.resolve.types import describe, fits, name_of
from prose_runtime.source import Span
from prose_runtime.syntax.document import Binding, BoundList, BoundName, Instance, Setting, Slot

_WAY_OUT = "correct the name or the path after `pattern:`"
_BINDABLE = ("function", "responsibility")


class Finder(Protocol):
    """Where units come from (`linker.Linker`)."""

    def local(self, unit: Unit, name: str) -> Unit | None: ...

    def elsewhere(self, unit: Unit, reference: str, span: Span) -> Unit | NotFound: ...

    def hidden(self, unit: Unit, name: str, found: Unit, span: Span) -> None: ...

    def instance(self, unit: Unit, name: str) -> LinkedInstance | None: ...


class InstanceLinker:
    """Links the instances of one unit, nested ones with them."""

    def __init__(self, unit: Unit, findings: Findings, finder: Finder) -> None:
        self.unit = unit
        self.findings = findings
        self.finder = finder
        self._bound: dict[LinkedInstance, dict[str, BoundTo | tuple[BoundTo, ...]]] = {}

    def link(self) -> None:
        """First every instance by name, then what their slots are bound to, so that they may name each other."""
        for node in self.unit.definition.instances:
            linked = self._make(node, node.name or "")
            if linked is None:
                continue
            if linked.name in self.unit.instances:
                self.findings.add("declared-twice", node.span, name=linked.name)
            else:
                self.unit.instances[linked.name] = linked
        for linked in list(self.unit.instances.values()):
            self._bind(linked)

    def _make(self, node: Instance, name: str) -> LinkedInstance | None:
        unit = self.finder.local(self.unit, node.pattern)
        if unit is None or (unit.definition.kind != "pattern" and unit is self.unit):
            found = self.finder.elsewhere(self.unit, node.pattern, node.pattern_span)
            if isinstance(found, NotFound):
                said: dict[str, Any] = {"because": found.because, "help": found.way_out or _WAY_OUT}
                self.findings.add("pattern-not-found", node.pattern_span, name=node.pattern, **said)
                return None
            unit = found
        elif unit.definition.kind == "pattern":
            self.finder.hidden(self.unit, node.pattern, unit, node.pattern_span)
        if unit.definition.kind != "pattern":
            self.findings.add("not-a-pattern", node.pattern_span, name=node.pattern, kind=unit.definition.kind)
            return None
        bound: dict[str, BoundTo | tuple[BoundTo, ...]] = {}
        config = self._config(node, unit)
        config.update(misplaced_settings(node, unit, self.findings))
        linked = LinkedInstance(node, name, unit, bound, config)
        self._bound[linked] = bound
        return linked

    def _config(self, node: Instance, unit: Unit) -> dict[str, object]:
        known = {item.name: item for item in unit.config}
        settings: dict[str, object] = {}
        for setting in node.settings:
            item = known.get(setting.name)
            if item is None:
                text = did_you_mean(setting.name, known, f"the pattern has {listed(known, 'no config')}")
                self._add("unknown-setting", setting.name_span, unit, name=setting.name, pattern=unit.name, help=text)
                continue
            if setting.value is not None and not fits(item.type, setting.value):
                found, wanted = name_of(setting.value), describe(item.type)
                self._add("mistyped-setting", _place(setting), unit, name=setting.name, found=found, wanted=wanted)
            settings[setting.name] = setting.value
        return settings

    def _bind(self, linked: LinkedInstance) -> None:
        unit = linked.unit
        slots = {slot.name: slot for slot in unit.definition.slots}
        bound = self._bound[linked]
        for binding in linked.node.bindings:
            slot = slots.get(binding.slot)
            if slot is None and is_setting(binding, unit):
                continue
            if slot is None:
                text = did_you_mean(binding.slot, slots, f"the pattern has {listed(slots, 'no slots')}")
                self._add("unknown-slot", binding.slot_span, unit, name=binding.slot, pattern=unit.name, help=text)
                continue
            bound[binding.slot] = self._value(linked, binding, slot)
        left = [slot.name for slot in unit.definition.slots if slot.name not in bound and not slot.optional]
        if left:
            self._add("unbound-slot", linked.node.pattern_span, unit, names=listed(left), first=left[0])

    def _value(self, linked: LinkedInstance, binding: Binding, slot: Slot) -> BoundTo | tuple[BoundTo, ...]:
        value = binding.value
        if not isinstance(value, BoundList):
            return self._one(linked, value, slot.name)
        return tuple(self._one(linked, item, f"{slot.name}.{number}") for number, item in enumerate(value.values, 1))

    def _one(self, linked: LinkedInstance, value: BoundName | Instance, slot: str) -> BoundTo:
        if isinstance(value, BoundName):
            return self._named(value)
        nested = self._make(value, value.name or f"{linked.name}.{slot}")
        if nested is None:
            return value.pattern
        self._bind(nested)
        return nested

    def _named(self, value: BoundName) -> BoundTo:
        name = value.name
        instance = self.finder.instance(self.unit, name)
        if instance is not None:
            return instance
        if any(slot.name == name for slot in self.unit.definition.slots):
            return name
        unit = self.finder.local(self.unit, name)
        looks_like_path = "/" in name or name.endswith(".md")
        if unit is None:
            found = self.finder.elsewhere(self.unit, name, value.span)
            if isinstance(found, NotFound):
                if looks_like_path:
                    way_out = found.way_out or "correct the path"
                    self.findings.add("use-not-found", value.span, path=name, because=found.because, help=way_out)
                return name
            unit = found
        if unit.definition.kind in _BINDABLE:
            return unit
        if unit.document is self.unit.document or looks_like_path:
            kind = unit.definition.kind
            code = "pattern-called" if kind == "pattern" else "not-callable"
            facts: dict[str, Any] = {"name": name} if kind == "pattern" else {"name": name, "what": f"a {kind}"}
            self.findings.add(code, value.span, **facts)
        return name

    def _add(self, code: str, span: Span, unit: Unit, **facts: Any) -> None:
        also = [Label(unit.source, unit.definition.name_span, f"the pattern `{unit.name}`")]
        self.findings.add(code, span, also=also, **facts)


def _place(setting: Setting) -> Span:
    return setting.span if setting.span.end > setting.span.start else setting.name_span


def pass_on_lists(units: Iterable[Unit]) -> None:
    """A slot that is bound to a list slot of an instance takes several services itself."""
    every = list(units)
    changed = True
    while changed:
        changed = False
        for unit in every:
            own = {slot.name for slot in unit.definition.slots}
            for linked in _all_instances(unit):
                for slot in linked.unit.list_slots & linked.bindings.keys():
                    name = linked.bindings[slot]
                    if isinstance(name, str) and name in own and name not in unit.list_slots:
                        unit.list_slots |= {name}
                        changed = True


def _all_instances(unit: Unit) -> Iterator[LinkedInstance]:
    """The instances of a unit, and those nested in their slots."""
    pending = list(unit.instances.values())
    while pending:
        linked = pending.pop()
        yield linked
        for bound in linked.bindings.values():
            each = bound if isinstance(bound, tuple) else (bound,)
            pending += [item for item in each if isinstance(item, LinkedInstance) and item.node.name is None]


def check_lists(unit: Unit, findings: Findings) -> None:
    """A list for a slot that takes one service. Known only when the pattern's script was read."""
    for linked in _all_instances(unit):
        for binding in linked.node.bindings:
            several = isinstance(linked.bindings.get(binding.slot), tuple)
            if several and binding.slot not in linked.unit.list_slots and linked.unit.definition.script is not None:
                findings.add("slot-takes-one", binding.slot_span, name=binding.slot, pattern=linked.unit.name)
