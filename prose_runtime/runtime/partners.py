"""Who answers the sessions and gates of a definition.

In: a bound unit and the services. Out: its `models` and `gate`, or diagnostics why there is nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.resolve.sessions import model_alias, model_entry
from prose_runtime.runtime.plan import BoundUnit, Callee, ServiceTarget
from prose_runtime.runtime.port import Service
from prose_runtime.source import Span
from prose_runtime.syntax.nodes import Gate, Resume, Session

MODEL = "model"
GATE = "gate"


class Partners:
    """Binds the sessions and gates of one unit. `target` makes something to call of the service of a name, or gives
    None where there is none; `aliases` are the names of models that were looked for."""

    def __init__(
        self, bound: BoundUnit, target: Callable[[str], Callee | None], gate: Service | None, others: Iterable[str]
    ) -> None:
        self.bound = bound
        self.target = target
        self.gate = gate
        self.others = tuple(others)
        self.aliases: set[str] = set()

    def bind(self) -> list[Diagnostic]:
        """Fill in who answers; a session or gate that nobody can answer is an error, once for each name."""
        unit = self.bound.unit
        nodes = sorted(
            (node for node in unit.waiting if isinstance(node, (Session, Resume, Gate))),
            key=lambda node: (node.span.start, node.span.end),
        )
        return [*self._sessions(nodes), *self._gates(nodes)]

    def _sessions(self, nodes: Iterable[Session | Resume | Gate]) -> Iterator[Diagnostic]:
        said: set[str] = set()
        for node in nodes:
            if isinstance(node, Gate) or node in self.bound.unit.session_targets:
                continue
            known, alias = self._alias(node)
            for name in (alias, MODEL) if known else (*self.others, MODEL):
                self._look_for(name)
            if MODEL in self.bound.models or (not known and self.bound.models) or alias in self.bound.models:
                continue
            if alias not in said:
                said.add(alias)
                yield self._missing(node.span, alias)

    def _look_for(self, name: str) -> None:
        if not name or name in self.bound.models:
            return
        if name != MODEL:
            self.aliases.add(name)
        callee = self.target(name)
        if callee is not None:
            self.bound.models[name] = callee

    def _missing(self, span: Span, alias: str) -> Diagnostic:
        also_named = f", and none named `{alias}`" if alias else ""
        ways = "`--bind model=TARGET`" + (f", or `--bind {alias}=TARGET` for this one" if alias else "")
        return self._say("model-not-bound", span, named=also_named, help=f"add {ways}")

    def _gates(self, nodes: Iterable[Session | Resume | Gate]) -> Iterator[Diagnostic]:
        first = next((node for node in nodes if isinstance(node, Gate)), None)
        if first is None:
            return
        if self.gate is None:
            yield self._say("gate-not-bound", first.span)
            return
        self.bound.gate = ServiceTarget(GATE, self.gate, self.gate.signature)

    # ---- which model is meant ----

    def _alias(self, node: Session | Resume) -> tuple[bool, str]:
        """Whether the name of the model is known before the run, and the name ("" for none)."""
        agent = self.bound.unit.agents.get(node.agent) if node.agent is not None else None
        for holder in (node, agent):
            entry = model_entry(holder)
            if entry is not None:
                return model_alias(entry, self.bound.unit, self.bound.config)
        return True, ""

    def _say(self, code: str, span: Span, help: str | None = None, **facts: object) -> Diagnostic:
        facts = {**facts, "help": help} if help else facts
        return report(code, self.bound.unit.source, span, also=(), fixes=(), severity=None, **facts)
