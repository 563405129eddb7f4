"""The Program: documents linked together, and what the resolver learned about them in side tables keyed by node.

In: `Document`s. Out: a `Unit` for each definition that can be reached, which the runtime only reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from prose_runtime.resolve.conditions.tree import ConditionPlan
from prose_runtime.resolve.loader import Step
from prose_runtime.source import SourceText
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Config, Definition, Document, Input, Instance, Part
from prose_runtime.syntax.nodes import (
    Agent,
    Block,
    Call,
    Condition,
    Do,
    Expression,
    Name,
    Node,
    Parallel,
    Session,
    Statement,
)

if TYPE_CHECKING:  # to import it is to import all proofs
    from prose_runtime.resolve.invariants.findings import Finding

NameKind = Literal["variable", "input", "config", "slot", "builtin", "word"]
TargetKind = Literal["slot", "slot-item", "unit", "instance"]


@node
class Target:
    """What a `call` names. `slot`: a slot of the pattern; `slot-item`: a name (a loop variable, a rebound name)
    that holds a service of the list slot `name`; `unit`: a function or responsibility definition; `instance`."""

    kind: TargetKind
    name: str
    unit: Unit | None = None
    instance: LinkedInstance | None = None


@node
class LinkedInstance:
    """A pattern instance with its pattern found. A slot is bound to a unit, an instance, the name of a service
    that only the run knows, or a list of these."""

    node: Instance
    name: str
    unit: Unit
    bindings: Mapping[str, BoundTo | tuple[BoundTo, ...]]
    config: Mapping[str, object]


BoundTo: TypeAlias = "Unit | LinkedInstance | str"


@dataclass(slots=True, eq=False)
class Unit:
    """One definition and what is known about it. Built by the resolver, read-only afterwards.

    - `inputs`: the declared ones, or for a pattern that declares none, the free names of its script.
    - `passed_on`: names that nothing declares and that are only passed on in calls: optional inputs.
    - `list_slots`: slots that take several services.
    - `found`: by which step of the search each reference to another file was found.
    - `segments`: the part of a step's key that a node stands for, unique among its siblings in the body.
    - `waiting`: expressions whose evaluation may have an effect (a call, a judgement); all others are pure.
    - `flattened`: loops whose elements are taken one by one into the list of the collecting loop around them.
    - `branch_names`: for each `parallel:`, the names that each of its branches binds and the join publishes.
    - `branch_segments`: for each `parallel:`, the key part of each branch (the name it binds, else its number from 1).
    - `session_targets`: sessions that name a definition instead of an agent (`session grade(contracts)`).
    - `session_parts`: sessions that name a `####` part of their definition, whose text is the prompt.
    - `positional`: the input names that the positional arguments of a call or session stand for.
    - `names`: what each name in an expression is: a variable, input, config, slot, the built-in `config`/`budget`,
      or a "word": a bare word that is a text (`backoff: linear`, `model: sonnet`).
    - `invariants`: what became of each, if the definition has no errors.
    """

    document: Document
    definition: Definition
    inputs: tuple[Input, ...] = ()
    config: tuple[Config, ...] = ()
    passed_on: tuple[Input, ...] = ()
    list_slots: frozenset[str] = frozenset()
    blocks: dict[str, Block] = field(default_factory=dict)
    agents: dict[str, Agent] = field(default_factory=dict)
    uses: dict[str, Unit] = field(default_factory=dict)
    found: dict[str, Step] = field(default_factory=dict)
    instances: dict[str, LinkedInstance] = field(default_factory=dict)
    calls: dict[Call, Target] = field(default_factory=dict)
    sessions: dict[Session, str] = field(default_factory=dict)
    does: dict[Do, Block] = field(default_factory=dict)
    conditions: dict[Condition, ConditionPlan] = field(default_factory=dict)
    segments: dict[Node, str] = field(default_factory=dict)
    waiting: set[Expression] = field(default_factory=set)
    flattened: set[Statement] = field(default_factory=set)
    branch_names: dict[Parallel, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    branch_segments: dict[Parallel, tuple[str, ...]] = field(default_factory=dict)
    session_targets: dict[Session, Target] = field(default_factory=dict)
    session_parts: dict[Session, Part] = field(default_factory=dict)
    positional: dict[Call | Session, tuple[str, ...]] = field(default_factory=dict)
    names: dict[Name, NameKind] = field(default_factory=dict)
    invariants: tuple[Finding, ...] = ()

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def source(self) -> SourceText:
        return self.document.source


@node
class Program:
    """Everything that can be reached from one definition of one document. `main` is what a run starts with."""

    document: Document
    main: Unit
    units: tuple[Unit, ...]
    documents: tuple[Document, ...]
