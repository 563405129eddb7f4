"""What is declared or bound and never read. Cautious: a name that occurs anywhere else in the script counts as read.

In: a unit after its flow. Out: warnings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.flow import Flow
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.scopes import words
from prose_runtime.syntax.document import BoundList, BoundName, Instance
from prose_runtime.syntax.nodes import Name, Script, Text


class Unused:
    """Names of one unit that nothing reads."""

    def __init__(self, unit: Unit, flow: Flow, findings: Findings, script: Script, texts: Iterable[Text]) -> None:
        self.unit = unit
        self.flow = flow
        self.findings = findings
        self.used = set(flow.scopes.used)
        for text in texts:
            for part in text.parts:
                if isinstance(part, str):
                    self.used |= words(part)
        self.used |= {name for instance in unit.definition.instances for name in _bound(instance)}

    def check(self, bound: Mapping[str, Name], called: set[str]) -> None:
        """Variables, inputs, config, slots, blocks and agents."""
        for name, place in bound.items():
            if name not in self.used and name not in self.flow.values and not name.startswith("_"):
                self.findings.add("unused-name", place.span, name=name)
        self._declared()
        for name, block in self.unit.blocks.items():
            if name not in called:
                self.findings.add("unused-declaration", block.name.span, what="block", name=name, use=f"do {name}")
        for name, agent in self.unit.agents.items():
            if name not in called:
                use = f"session: {name}"
                self.findings.add("unused-declaration", agent.name.span, what="agent", name=name, use=use)

    def _declared(self) -> None:
        definition = self.unit.definition
        for item in definition.config:
            if item.name not in self.used:
                self.findings.add("unused-config", item.name_span, name=item.name)
        for given in definition.inputs:
            if given.name not in self.used:
                self.findings.add("unused-input", given.name_span, name=given.name)
        for slot in definition.slots:
            if slot.name not in self.used:
                self.findings.add("unused-slot", slot.name_span, name=slot.name)


def _bound(instance: Instance) -> Iterable[str]:
    for binding in instance.bindings:
        values = binding.value.values if isinstance(binding.value, BoundList) else (binding.value,)
        for value in values:
            if isinstance(value, BoundName):
                yield value.name
            else:
                yield from _bound(value)
