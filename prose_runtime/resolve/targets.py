"""What each call, session, resume and `do` of one script names.

In: the calls in the order of the text (from `flow.py`). Out: `Unit.calls`, `sessions`, `session_targets`, `does`, and
diagnostics about names of targets. What is passed to them is checked in `passing.py`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from prose_runtime.diagnostics.suggestions import did_you_mean, listed, nearest
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.holders import holders
from prose_runtime.resolve.loader import NotFound
from prose_runtime.resolve.program import LinkedInstance, Target, Unit
from prose_runtime.resolve.scopes import Scopes
from prose_runtime.source import Span
from prose_runtime.syntax.document import Definition, Part
from prose_runtime.syntax.nodes import Agent, Call, Constant, Do, Node, Resume, Session

CALLABLE = ("function", "responsibility")
_KINDS = {"config": "config", "input": "an input", "builtin": "built in"}


class Finder(Protocol):
    """Where units and instances come from (`linker.Linker`)."""

    def instance(self, unit: Unit, name: str) -> LinkedInstance | None: ...

    def local(self, unit: Unit, name: str) -> Unit | None: ...

    def elsewhere(self, unit: Unit, reference: str, span: Span) -> Unit | NotFound: ...


class Targets:
    """The targets of one unit's script."""

    def __init__(self, unit: Unit, findings: Findings, finder: Finder, nodes: list[Node]) -> None:
        self.unit = unit
        self.findings = findings
        self.finder = finder
        self.nodes = nodes
        self.read_by_name: set[str] = set()
        self._complained: set[str] = set()
        self._found: dict[str, Unit | NotFound] = {}

    @cached_property
    def _holders(self) -> dict[str, str]:
        slots = [slot.name for slot in self.unit.definition.slots]
        return holders(self.nodes, slots, self.unit.blocks)

    def call(self, call: Call, scopes: Scopes) -> None:
        """A call: a slot, an item of one, an instance, a used or local definition, a file."""
        target = self.find(call.target, call.target_span, scopes)
        if target is not None:
            self.unit.calls[call] = target

    def find(self, name: str, span: Span, scopes: Scopes) -> Target | None:
        """The target of that name, or None after saying what is wrong with it."""
        if name in scopes.fixed and name in self._holders:
            return Target("slot-item", self._holders[name])
        if scopes.declared(name) == "slot":
            return Target("slot", name)
        if name in self.unit.uses:
            return self._callable(self.unit.uses[name], name, span)
        instance = self.finder.instance(self.unit, name)
        if instance is not None:
            return Target("instance", name, instance=instance)
        if scopes.kind(name) == "variable" and name in self._holders:
            return Target("slot-item", self._holders[name])
        return self._definition(name, span, scopes)

    def _definition(self, name: str, span: Span, scopes: Scopes) -> Target | None:
        unit = self.finder.local(self.unit, name)
        if unit is not None:
            return self._callable(unit, name, span)
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self.finder.elsewhere(self.unit, name, span)
        if isinstance(found, Unit):
            return self._callable(found, name, span)
        if name not in self._complained:
            self._complained.add(name)
            self._unknown(name, span, scopes, found)
        return None

    def _callable(self, unit: Unit, name: str, span: Span) -> Target | None:
        kind = unit.definition.kind
        if kind == "pattern":
            self.findings.add("pattern-called", span, name=name)
        elif kind not in CALLABLE:
            self.findings.add("not-callable", span, name=name, what=f"a {kind}")
        else:
            return Target("unit", name, unit=unit)
        return None

    def _unknown(self, name: str, span: Span, scopes: Scopes, found: NotFound) -> None:
        if scopes.kind(name) is not None:
            what = _KINDS.get(scopes.kind(name) or "", "a value")
            self.findings.add("not-callable", span, name=name, what=what)
        elif name in self.unit.blocks:
            self.findings.add("unknown-call", span, name=name, found="it is a block", help=f"write `do {name}(…)`")
        else:
            known = self._known()
            text = f"there {'is' if len(known) == 1 else 'are'} {listed(sorted(known))}" if known else found.because
            otherwise = f"declare it: a slot, a `## {name}` section, or a file `{name}.prose.md`"
            if found.reason != "absent":
                text = found.because
            self.findings.add("unknown-call", span, name=name, found=text, help=did_you_mean(name, known, otherwise))
            scopes.used.add(nearest(name, known) or name)  # the slot that was meant is not unused, too

    def _known(self) -> set[str]:
        names = {slot.name for slot in self.unit.definition.slots} | set(self.unit.uses)
        names |= {item.name for item in self.unit.document.definitions if item.inline and item.kind in CALLABLE}
        names |= {name for item in (self.unit.definition, self.unit.document.main) for name in _instances(item)}
        return names - {self.unit.name}

    def session(self, session: Session, scopes: Scopes) -> None:
        """A session: an agent, or a definition that is used like one."""
        if session.agent is None or session.agent_span is None:
            return
        if session.agent in self.unit.agents:
            self.unit.sessions[session] = session.agent
            self.read_by_name.add(session.agent)
        elif self.finder.local(self.unit, session.agent) or session.agent in self.unit.uses:
            target = self.find(session.agent, session.agent_span, scopes)
            if target is not None:
                self.unit.session_targets[session] = target
        elif (part := self._part(session.agent)) is not None:
            self.unit.session_parts[session] = part
        else:
            self._unknown_agent(session.agent, session.agent_span)

    def _part(self, name: str) -> Part | None:
        """A `####` part of the definition: its text is what the session is asked."""
        sections = self.unit.definition.sections
        return next((part for section in sections for part in section.parts if part.name == name), None)

    def resume(self, resume: Resume) -> None:
        """A resumed agent must have a memory."""
        agent = self.unit.agents.get(resume.agent)
        if agent is None:
            self._unknown_agent(resume.agent, resume.agent_span)
            return
        self.read_by_name.add(resume.agent)
        if not _persistent(agent):
            also = [self.findings.label(agent.name.span, "the agent is defined here")]
            self.findings.add("agent-not-persistent", resume.agent_span, also=also, name=resume.agent)

    def _unknown_agent(self, name: str, span: Span) -> None:
        text = did_you_mean(name, self.unit.agents, f"define it first: `agent {name}:`")
        self.read_by_name.add(nearest(name, self.unit.agents) or name)  # the agent that was meant is not unused, too
        self.findings.add("unknown-agent", span, name=name, help=text)

    def do(self, do: Do) -> None:
        """A block, with as many arguments as it has parameters."""
        block = self.unit.blocks.get(do.block)
        if block is None:
            call = self.finder.local(self.unit, do.block) is not None and nearest(do.block, self.unit.blocks) is None
            otherwise = f"write `call {do.block}`" if call else f"define it: `block {do.block}(…):`"
            text = did_you_mean(do.block, self.unit.blocks, otherwise)
            self.findings.add("unknown-block", do.block_span, name=do.block, help=text)
            return
        self.unit.does[do] = block
        self.read_by_name.add(do.block)
        wanted, given = len(block.parameters), len(do.arguments)
        if wanted != given:
            also = [self.findings.label(block.name.span, f"it takes {_count(wanted)}")]
            self.findings.add("block-arguments", do.span, also=also, name=do.block, wanted=_count(wanted), given=given)


def _count(number: int) -> str:
    return "no argument" if number == 0 else "1 argument" if number == 1 else f"{number} arguments"


def _persistent(agent: Agent) -> bool:
    kept = next((entry.value for entry in agent.properties if entry.key == "persist"), None)
    return kept is not None and not (isinstance(kept, Constant) and not kept.value)


def _instances(definition: Definition) -> list[str]:
    return [item.name for item in definition.instances if item.name]
