"""Agents, sessions and gates that are wrong by themselves. In: their nodes. Out: diagnostics about their properties.

Whether the names that they use are there is said in `targets.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.passing import MODIFIERS, literal_value
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.types import name_of
from prose_runtime.syntax.nodes import Agent, Entry, Gate, List, Name, Property, Resume, Session

QUESTIONS = ("question", "prompt", "message")
GATE_PROPERTIES = (*QUESTIONS, "options", "choices", "default", "type", "schema", "context", "timeout")


class SessionChecks:
    """Looks at each agent, session, resume and gate of a unit."""

    def __init__(self, unit: Unit, findings: Findings) -> None:
        self.unit = unit
        self.findings = findings

    def agent(self, node: Agent) -> None:
        """`persist` is true, false, a scope or a plain name; `skills` is a list."""
        given = {entry.key: entry for entry in node.properties}
        persist = given.get("persist")
        if persist is not None:
            known, value = literal_value(persist.value)
            if known and not (
                value is None or isinstance(value, bool) or (isinstance(value, str) and plain_name(value))
            ):
                self._bad(persist, "`true`, `project`, `user` or a name such as `team/notes`")
        skills = given.get("skills")
        if skills is not None and literal_value(skills.value)[0] and not isinstance(skills.value, List):
            self._bad(skills, 'a list of names, such as `["web-search"]`')

    def session(self, node: Session | Resume) -> None:
        """A session asks something; what it is given beside that is spelt like nothing that it has."""
        if isinstance(node, Session) and (node in self.unit.session_targets or node in self.unit.session_parts):
            return
        self._near(node.properties, MODIFIERS, "a session")
        asked = next((entry for entry in node.properties if entry.key == "prompt"), None)
        if isinstance(node, Session):
            if node.prompt is not None and asked is not None:
                also = [self.findings.label(node.prompt.span, "given here first")]
                self.findings.add("duplicate-property", asked.key_span, also=also, name="prompt")
            if node.prompt is not None or node.arguments:
                return
        agent = self.unit.agents.get(node.agent) if node.agent is not None else None
        known = node.agent is None or agent is not None
        others = [entry for entry in node.properties if entry.key not in MODIFIERS]
        prompted = agent is not None and any(entry.key == "prompt" for entry in agent.properties)
        if known and asked is None and not others and not prompted:
            self.findings.add("nothing-asked", node.span)

    def gate(self, node: Gate) -> None:
        """A gate has a question, and a default that is one of its options."""
        self._near(node.properties, GATE_PROPERTIES, "a gate")
        given = {entry.key: entry for entry in node.properties}
        if not any(name in given for name in QUESTIONS):
            self.findings.add("gate-without-question", node.span)
        options, default = given.get("options") or given.get("choices"), given.get("default")
        if options is None or default is None:
            return
        listed, values = literal_value(options.value)
        known, value = literal_value(default.value)
        if listed and known and isinstance(values, (list, dict)) and value is not None and value not in list(values):
            self._bad(default, "one of the options")

    def _near(self, entries: Iterable[Entry], names: Sequence[str], what: str) -> None:
        """A property that is nearly one that is known; every other one is given along."""
        for entry in entries:
            near = nearest(entry.key, names) if entry.key not in names else None
            if near is not None:
                self.findings.add("unknown-property", entry.key_span, name=entry.key, what=what, help=f"write `{near}`")

    def _bad(self, entry: Entry, wanted: str) -> None:
        found = name_of(literal_value(entry.value)[1])
        self.findings.add("bad-modifier", entry.value.span, name=entry.key, found=found, wanted=wanted)


def plain_name(text: str) -> str | None:
    """A name for a memory in a text, such as `team/notes`; None for one that leads elsewhere."""
    parts = text.removeprefix("./").removesuffix("/").removesuffix(".md").split("/")
    plain = all(part.replace("-", "").replace("_", "").isalnum() and part.isascii() for part in parts)
    return "/".join(parts) if plain and len(text) <= 200 else None


# ---- which names a run looks for -------------------------------------------------------------------------


def model_entry(holder: Agent | Session | Resume | None) -> Entry | None:
    """The `model:` of an agent, a session or a resume."""
    if holder is None:
        return None
    return next((entry for entry in holder.properties if entry.key == "model"), None)


def model_entries(unit: Unit) -> list[Entry]:
    """Every `model:` of a unit's agents and sessions, in the order of the text."""
    sessions = (node for node in unit.waiting if isinstance(node, (Session, Resume)))
    found = [entry for holder in (*unit.agents.values(), *sessions) if (entry := model_entry(holder)) is not None]
    return sorted(found, key=lambda entry: entry.span.start)


def model_alias(entry: Entry, unit: Unit, config: Mapping[str, object]) -> tuple[bool, str]:
    """Whether the name that a `model:` gives is known before the run, and that name. It may be one of the config."""
    value = entry.value
    kind = unit.names.get(value) if isinstance(value, Name) else None
    if isinstance(value, Name) and kind == "word":
        return True, value.id
    name = value.id if isinstance(value, Name) and kind == "config" else ""
    if isinstance(value, Property) and isinstance(value.target, Name) and value.target.id == "config":
        name = value.name
    known, found = (True, config[name]) if name in config else literal_value(value)
    return known, found if isinstance(found, str) else ""


def asked_names(unit: Unit) -> list[str]:
    """The names of services that its sessions and gates ask, beside `model`."""
    defaults = {item.name: item.default for item in unit.config if item.has_default}
    names = [model_alias(entry, unit, defaults)[1] for entry in model_entries(unit)]
    gates = ["gate"] if any(isinstance(node, Gate) for node in unit.waiting) else []
    return [*dict.fromkeys(name for name in names if name), *gates]
