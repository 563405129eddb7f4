"""The phase `bind`. In: a Program, services, inputs, config. Out: a `Plan`, or diagnostics why there is none.

Whatever can be known before the first call is said here: what is not bound, what is not declared, what does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from prose_runtime.diagnostics import Diagnostic, has_errors, in_order, report
from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.resolve.hints import hints_of
from prose_runtime.resolve.program import BoundTo, LinkedInstance, Program, Unit
from prose_runtime.runtime.asking import asking_of, asking_of_judge, asking_of_slot
from prose_runtime.runtime.budget import Budget
from prose_runtime.runtime.clauses.beforehand import check_contract
from prose_runtime.runtime.clauses.keeping import given_values
from prose_runtime.runtime.fitting import check_answers, check_calls, check_conditions
from prose_runtime.runtime.given import Given
from prose_runtime.runtime.origins import Origin, given_in_code
from prose_runtime.runtime.partners import MODEL, Partners
from prose_runtime.runtime.plan import BoundUnit, Callee, Plan, ServiceTarget, UnitTarget, plain
from prose_runtime.runtime.port import Service, Signature, UnitService, is_model, signature_of
from prose_runtime.runtime.values import ListValue, ServiceRef, Value, from_python
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Config, Input, Slot

Services: TypeAlias = "Mapping[str, Service | Sequence[Service]]"
_SPECIAL = ("judge", "model", "gate")


def bind(
    program: Program,
    services: Services,
    *,
    inputs: Mapping[str, object] | None = None,
    config: Mapping[str, object] | None = None,
    budget: Budget | None = None,
    judge: Service | None = None,
    model: Service | None = None,
    gate: Service | None = None,
    available: Services | None = None,
    origin: Origin = given_in_code,
    judge_contracts: bool = False,
) -> tuple[Plan | None, list[Diagnostic]]:
    """Bind a program.

    - `services` are bound to slots, functions and names in instances; a name that nothing has is an error.
    - `available` are bound where their names occur, and may hold more than this program needs (`prose.toml`).
    - `judge` decides prose conditions (also `services["judge"]`); `model` stands in for what is not bound and
      answers sessions; `gate` answers gates.
    - `origin` says where a binding, an input or a config value was written.
    - `judge_contracts`: the judge decides the clauses of the contract that no rule can.

    Gives no plan when a diagnostic is an error. Nothing is called.
    """
    every: dict[str, Service | Sequence[Service]] = {**(available or {}), **services}
    asked = (judge or _one(every.get("judge")), model or _one(every.get("model")), gate or _one(every.get("gate")))
    binder = Binder(program, every, *asked)
    if not binder.is_runnable():
        return None, binder.found
    main = binder.main()
    from_outside = Given(program.main, origin, binder.found)
    given = from_outside.inputs(inputs or {})
    settings = from_outside.config(config or {})
    if isinstance(main, UnitTarget):
        main.bound.config.update(settings)
    binder.bind_partners()
    binder.check_names(services, origin)
    for bound in binder.bound:
        first = bound is (main.bound if isinstance(main, UnitTarget) else None)
        binder.found += check_calls(bound, given if first else None)
        binder.found += check_answers(bound)
        binder.found += check_conditions(bound, binder.judge is not None, given if first else None)
    if budget is not None and budget.max_calls is not None and not has_errors(binder.found):
        from prose_runtime.runtime.affording import check_budget  # few runs have such a budget

        binder.found += check_budget(program.main, binder.bound, budget.max_calls, given, settings)
    if main is not None and not has_errors(binder.found):
        defaults, settled = (main.bound.defaults, main.bound.config) if isinstance(main, UnitTarget) else ({}, settings)
        values = given_values(program.main, given, defaults, settled)
        judgeless = judge_contracts and binder.judge is None
        binder.found += check_contract(program.main, values, judgeless=judgeless)
    found = in_order(binder.found)
    if main is None or has_errors(found):
        return None, found
    judging = _judge_target(binder.judge)
    return Plan(program, main, given, budget or Budget(), judging, tuple(found), binder.units, judge_contracts), found


def _judge_target(judge: Service | None) -> ServiceTarget | None:
    if judge is None:
        return None
    asking = asking_of_judge() if is_model(judge) else None
    return ServiceTarget("judge", judge, judge.signature, takes=_takes(judge.signature), asking=asking)


def _one(service: Service | Sequence[Service] | None) -> Service | None:
    if isinstance(service, (list, tuple)):
        return service[0] if len(service) == 1 else None
    return service  # type: ignore[return-value]


@dataclass(slots=True)
class Binder:
    """Links every unit that the main one can reach to what it calls. `bound` are those units, each once."""

    program: Program
    services: Mapping[str, Service | Sequence[Service]]
    judge: Service | None
    model: Service | None
    gate: Service | None = None
    found: list[Diagnostic] = field(default_factory=list)
    bound: list[BoundUnit] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    asked: list[Unit] = field(default_factory=list)
    _units: dict[Unit, Callee] = field(default_factory=dict)
    _instances: dict[tuple[LinkedInstance, BoundUnit], Callee] = field(default_factory=dict)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The definitions that are run, and those whose contract goes to a service."""
        return tuple(dict.fromkeys([*(bound.unit for bound in self.bound), *self.asked]))

    def is_runnable(self) -> bool:
        """Whether the definition is one that can be run at all; reports it if not."""
        unit = self.program.main
        kind: str = unit.definition.kind
        if kind == "pattern" and not _has_script(unit):
            kind = "pattern without a script"
        if kind in ("pattern", "function"):
            return True
        self._add("not-runnable", unit, unit.definition.name_span, name=unit.name, kind=kind)
        return False

    def main(self) -> Callee | None:
        """The definition that is run."""
        unit = self.program.main
        if _has_script(unit):
            return self._run_unit(unit, unit.name, self._slots_of_main(unit), self._defaults(unit), self._units)
        return self.function(unit)

    # ---- slots ----

    def _slots_of_main(self, unit: Unit) -> dict[str, Value]:
        return {slot.name: self._slot(unit, slot) for slot in unit.definition.slots}

    def _slot(self, unit: Unit, slot: Slot) -> Value:
        several = slot.many or slot.name in unit.list_slots
        given = self.services.get(slot.name)
        self.used.add(slot.name)
        if given is None and self.model is not None and not (several or slot.optional):
            given = self.model
        if given is None:
            if several:
                if not slot.optional:
                    self._add("list-slot-not-bound", unit, slot.name_span, name=slot.name)
                return ListValue()
            if not slot.optional:
                self._add("slot-not-bound", unit, slot.name_span, name=slot.name)
            return None
        bound = _several(given)
        listed = several and isinstance(given, (list, tuple))
        refs = [self._reference(slot, service, listed) for service in bound]
        if several:
            return ListValue(_told_apart(refs))
        if len(refs) != 1:
            self._add("slot-bound-twice", unit, slot.name_span, name=slot.name, given=len(refs))
        return refs[0] if refs else None

    def _reference(self, slot: Slot, service: Service, of_many: bool) -> ServiceRef:
        """What a slot holds. One of several is shown by the service's own name."""
        name = (service.name or slot.name) if of_many else slot.name
        if (service is self.model or is_model(service)) and not isinstance(service, UnitService):
            signature, asking = service.signature, asking_of_slot(slot, again=is_model(service))
            return ServiceRef(name, ServiceTarget(name, service, signature, None, _takes(signature), asking))
        return ServiceRef(name, self.target(name, service))

    # ---- targets ----

    def target(self, name: str, service: Service) -> Callee:
        """A service as something to call; a definition bound like a service is run by the interpreter."""
        if isinstance(service, UnitService):
            return self._unit_service(name, service)
        signature = service.signature
        return ServiceTarget(name, service, signature, takes=_takes(signature))

    def _unit_service(self, name: str, service: UnitService) -> Callee:
        """A definition of another file, under the name that it is bound to. Inside of it its own names count: what it
        is bound to here does not take the place of a function of that name there."""
        around = {key: value for key, value in self.services.items() if value is not service}
        model = None if self.model is service else self.model
        inner = Binder(self.program, {**around, **service.services}, self.judge, model, self.gate)
        callee = inner._fulfilled(service.unit, name)
        inner.bind_partners()
        self.found += inner.found
        self.bound += inner.bound
        self.asked += inner.asked
        self.used |= inner.used
        if callee is None:
            return ServiceTarget(name, service, service.signature, takes=_takes(service.signature))
        renamed = {key: own for own, passed in service.inputs.items() for key in (passed, plain(passed))}
        return replace(callee, takes={**callee.takes, **renamed}) if renamed else callee

    def function(self, unit: Unit) -> Callee | None:
        """A function: bound by its name, else run by its script, else given to the model."""
        known = self._units.get(unit)
        if known is not None:
            return known
        given = _one(self.services.get(unit.name))
        callee: Callee | None
        if given is not None and (unit is not self.program.main or not _has_script(unit)):
            self.used.add(unit.name)
            if isinstance(given, UnitService):
                callee = self._unit_service(unit.name, given)
            else:
                callee = self._declared(unit, unit.name, given)
        else:
            callee = self._fulfilled(unit, unit.name)
        if callee is not None:
            self._units[unit] = callee
        return callee

    def _fulfilled(self, unit: Unit, name: str) -> Callee | None:
        """A definition by its script, else by the model."""
        if _has_script(unit):
            return self._run_unit(unit, name, self._slots_of_main(unit), self._defaults(unit), self._units)
        if self.model is None:
            self._add("function-not-bound", unit, unit.definition.name_span, name=unit.name)
            return None
        if isinstance(self.model, UnitService):
            return self._unit_service(name, self.model)
        return self._declared(unit, name, self.model)

    def _declared(self, unit: Unit, name: str, service: Service) -> ServiceTarget:
        """A service in the place of a definition: it is given what the definition declares, as far as it takes that.
        The model takes whatever a contract gives it."""
        declared, model = signature_of(unit), service is self.model or is_model(service)
        own = None if model else service.signature
        if own is None or model:
            self.asked.append(unit)
        signature = declared if own is None else _outputs_of(own, declared)
        asking = asking_of(unit.definition, unit.source, again=model)
        return ServiceTarget(name, service, signature, unit, _takes(signature), asking)

    def _run_unit(
        self, unit: Unit, name: str, slots: dict[str, Value], config: dict[str, Value], known: dict[Unit, Callee]
    ) -> Callee:
        bound = BoundUnit(unit, slots, config, self._input_defaults(unit), hints=hints_of(unit.definition))
        signature = signature_of(unit)
        callee = UnitTarget(name, bound, signature, {**_takes(signature), **{key: key for key in config}})
        if unit.definition.kind != "pattern":
            known[unit] = callee
        self._link(bound)
        return callee

    def _link(self, bound: BoundUnit) -> None:
        """Everything that the unit's script calls."""
        unit = bound.unit
        self.bound.append(bound)
        for target in unit.calls.values():
            if target.unit is not None and target.unit not in bound.functions:
                callee = self.function(target.unit)
                if callee is not None:
                    bound.functions[target.unit] = callee
            elif target.instance is not None and target.instance not in bound.instances:
                bound.instances[target.instance] = self.instance(target.instance, bound)
        for linked in unit.instances.values():
            if linked.name in {name.id for name in unit.names} and linked not in bound.instances:
                bound.instances[linked] = self.instance(linked, bound)

    def instance(self, linked: LinkedInstance, around: BoundUnit) -> Callee:
        """A pattern instance: its pattern with the slots and config of the instance. The pattern around it may itself
        be instantiated several times, with other slots each time."""
        known = self._instances.get((linked, around))
        if known is not None:
            return known
        unit = linked.unit
        config = {**self._defaults(unit), **{key: from_python(value) for key, value in linked.config.items()}}
        bound = BoundUnit(unit, {}, config, self._input_defaults(unit), hints=hints_of(unit.definition))
        signature = signature_of(unit)
        callee = UnitTarget(linked.name, bound, signature, {**_takes(signature), **{key: key for key in config}})
        self._instances[linked, around] = callee
        for slot in unit.definition.slots:
            bound.slots[slot.name] = self._slot_of_instance(linked, slot, around)
        self._link(bound)
        return callee

    def _slot_of_instance(self, linked: LinkedInstance, slot: Slot, around: BoundUnit) -> Value:
        value = linked.bindings.get(slot.name)
        several = slot.many or slot.name in linked.unit.list_slots
        if value is None:
            return self._slot(linked.unit, slot)
        bound = value if isinstance(value, tuple) else (value,)
        refs: list[ServiceRef] = []
        for item in bound:
            held = self._bound_to(item, linked, around)
            each = held if isinstance(held, ListValue) else [held]
            refs += [_asked_as(slot, ref) for ref in each if isinstance(ref, ServiceRef)]
        return ListValue(_told_apart(refs)) if several else (refs[0] if refs else None)

    def _bound_to(self, item: BoundTo, linked: LinkedInstance, around: BoundUnit) -> Value:
        if isinstance(item, LinkedInstance):
            return ServiceRef(item.name, self.instance(item, around))
        if isinstance(item, Unit):
            callee = self.function(item)
            return ServiceRef(item.name, callee) if callee is not None else None
        if item in around.slots:
            return around.slots[item]
        service = _one(self.services.get(item)) or self.model
        self.used.add(item)
        if service is None:
            place = linked.node
            known = [name for name in self.services if name not in _SPECIAL]
            text = did_you_mean(item, known, f"add `--bind {item}=TARGET`")
            self._report("service-not-bound", around.unit.source, place.span, name=item, help=text)
            return None
        return ServiceRef(item, self.target(item, service))

    # ---- sessions and gates ----

    def bind_partners(self) -> None:
        """Who answers the sessions and gates of every unit that is run."""
        others = [name for name in self.services if name not in _SPECIAL]
        for bound in self.bound:
            if not (bound.models or bound.gate):
                partners = Partners(bound, self._model, self.gate, others)
                self.found += partners.bind()
                self.used |= partners.aliases

    def _model(self, name: str) -> Callee | None:
        service = self.model if name == MODEL else _one(self.services.get(name))
        return None if service is None else self.target(name, service)

    # ---- names and values ----

    def check_names(self, services: Services, origin: Origin) -> None:
        """A service for something that the program does not have."""
        unit = self.program.main
        slots = [slot.name for slot in unit.definition.slots]
        for name in services:
            if name in self.used or name in _SPECIAL:
                continue
            text = did_you_mean(name, {*slots, *self.used}, f"bind one of {listed(sorted({*slots, *self.used}))}")
            source, span = origin("bind", name, services[name])
            has = listed(slots, "no slots")
            self._report("nothing-to-bind", source, span, name=name, pattern=unit.name, has=has, help=text)

    def _defaults(self, unit: Unit) -> dict[str, Value]:
        return {item.name: self._json(item, unit) for item in unit.config}

    def _input_defaults(self, unit: Unit) -> dict[str, Value]:
        return {item.name: self._json(item, unit) for item in unit.inputs if item.has_default}

    def _json(self, item: Config | Input, unit: Unit) -> Value:
        return from_python(item.default) if item.has_default else None

    def _add(self, code: str, unit: Unit, span: Span, **facts: object) -> None:
        self._report(code, unit.source, span, **facts)

    def _report(self, code: str, source: SourceText, span: Span, **facts: object) -> None:
        self.found.append(report(code, source, span, also=(), fixes=(), severity=None, **facts))


def _several(given: Service | Sequence[Service]) -> list[Service]:
    if isinstance(given, (list, tuple)):
        return list(given)
    return [given]  # type: ignore[list-item]


def _has_script(unit: Unit) -> bool:
    script = unit.definition.script
    return script is not None and not script.english


def _takes(signature: Signature | None) -> dict[str, str]:
    if signature is None:
        return {}
    takes = {key: item.name for item in signature.parameters for name in item.also for key in (plain(name), name)}
    return {**takes, **{key: item.name for item in signature.parameters for key in (plain(item.name), item.name)}}


def _outputs_of(signature: Signature, declared: Signature) -> Signature:
    """The service's own inputs with the outputs that the definition declares."""
    where = signature.where or declared.where
    return replace(signature, outputs=declared.outputs or signature.outputs, where=where)


def _asked_as(slot: Slot, ref: ServiceRef) -> ServiceRef:
    """What fills a slot of an instance: who reads words is told those of the slot."""
    held = ref.service
    if isinstance(held, ServiceTarget) and held.asking is None and is_model(held.service):
        return ServiceRef(ref.name, replace(held, asking=asking_of_slot(slot, again=True)))
    return ref


def _told_apart(refs: Iterable[ServiceRef]) -> list[ServiceRef]:
    """Services of one list with names that differ: the second `model` is `model-2`."""
    used: dict[str, int] = {}
    result: list[ServiceRef] = []
    for ref in refs:
        used[ref.name] = used.get(ref.name, 0) + 1
        number = used[ref.name]
        result.append(ref if number == 1 else _renamed(ref, f"{ref.name}-{number}"))
    return result


def _renamed(ref: ServiceRef, name: str) -> ServiceRef:
    held = ref.service
    if isinstance(held, ServiceTarget):
        held = replace(held, name=name)
    return ServiceRef(name, held)
