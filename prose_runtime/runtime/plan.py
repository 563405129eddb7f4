"""A program with everything it calls bound. In (from `binding.py`): units and services. Out: what `execute` walks.

A `ServiceTarget` is called through the door; a `UnitTarget` is a definition whose script the interpreter runs itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.resolve.hints import NO_HINTS, Hints
from prose_runtime.resolve.program import LinkedInstance, Program, Unit
from prose_runtime.runtime.asking import Asking
from prose_runtime.runtime.budget import Budget
from prose_runtime.runtime.port import Service, Signature
from prose_runtime.runtime.values import Value, to_json
from prose_runtime.syntax.document import Definition

MODIFIERS = frozenset({"prompt", "model", "context", "retry", "backoff", "timeout"})


def plain(name: str) -> str:
    """A name as Python callables write it: `-` becomes `_`."""
    return name.replace("-", "_")


@dataclass(frozen=True, slots=True, eq=False)
class ServiceTarget:
    """A bound service. `unit` is the definition whose contract it is asked to fulfil, for a function without a script,
    `asking` what it is asked with."""

    name: str
    service: Service
    signature: Signature | None
    unit: Unit | None = None
    takes: Mapping[str, str] = field(default_factory=dict)  # plain name -> the parameter's own name
    asking: Asking | None = None

    @property
    def definition(self) -> Definition | None:
        """The contract that it fulfils."""
        return self.unit.definition if self.unit else None

    @property
    def outputs(self) -> tuple[str, ...] | None:
        """The declared names of what it gives."""
        return self.signature.outputs if self.signature else None

    @property
    def hints(self) -> Hints:
        """How it is called where the call says nothing."""
        return self.asking.hints if self.asking else NO_HINTS


@dataclass(frozen=True, slots=True, eq=False)
class UnitTarget:
    """A definition that is run by the interpreter, with its own slots and config."""

    name: str
    bound: BoundUnit
    signature: Signature
    takes: Mapping[str, str] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        """The definition."""
        return self.bound.unit

    @property
    def outputs(self) -> tuple[str, ...] | None:
        """The declared names of what it gives."""
        return self.signature.outputs

    @property
    def hints(self) -> Hints:
        """How it is called where the call says nothing."""
        return self.bound.hints


Callee: TypeAlias = "ServiceTarget | UnitTarget"


@dataclass(slots=True, eq=False)
class BoundUnit:
    """A definition and what its names stand for. Filled by binding, read-only afterwards.

    `slots` holds a reference, a list of references or null; `defaults` are those of the inputs; `functions` and
    `instances` are the targets of its calls; `models` who answers its sessions, by the name that they are asked by;
    `gate` who answers its gates.
    """

    unit: Unit
    slots: dict[str, Value] = field(default_factory=dict)
    config: dict[str, Value] = field(default_factory=dict)
    defaults: dict[str, Value] = field(default_factory=dict)
    functions: dict[Unit, Callee] = field(default_factory=dict)
    instances: dict[LinkedInstance, Callee] = field(default_factory=dict)
    hints: Hints = NO_HINTS
    models: dict[str, Callee] = field(default_factory=dict)
    gate: ServiceTarget | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Ready to run. `inputs` are those that were given; `warnings` what was found while binding; `units` the
    definitions that this run performs itself or has a model fulfil, not those that a bound service replaces;
    `judge_contracts`: the judge decides the clauses of the main contract that no rule can."""

    program: Program
    main: Callee
    inputs: Mapping[str, Value]
    budget: Budget
    judge: ServiceTarget | None = None
    warnings: tuple[Diagnostic, ...] = ()
    units: tuple[Unit, ...] = ()
    judge_contracts: bool = False

    def describe(self) -> dict[str, object]:
        """The plan as plain data, for `prose check --dump plan`."""
        return {
            "definition": self.program.main.name,
            "inputs": sorted(self.inputs),
            "slots": _slots(self.main),
            "judge": self.judge.service.target if self.judge else None,
            "budget": {name: getattr(self.budget, name) for name in self.budget.__slots__},
        }


def _slots(callee: Callee) -> dict[str, object]:
    return (
        {name: to_json(value) for name, value in callee.bound.slots.items()} if isinstance(callee, UnitTarget) else {}
    )
