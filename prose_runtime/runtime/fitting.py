"""Whether what calls pass fits what is bound. In: a bound unit. Out: diagnostics, before anything is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prose_runtime.diagnostics import Diagnostic, Label, report
from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.resolve.answers import given_by, misfit, told
from prose_runtime.resolve.bound import BoundNames
from prose_runtime.resolve.conditions.classify import judge_needed
from prose_runtime.resolve.expected import Expected, expected_of_calls
from prose_runtime.resolve.passing import literal_value
from prose_runtime.resolve.program import Target
from prose_runtime.resolve.sources import sources_of
from prose_runtime.runtime.contracts import mismatch
from prose_runtime.runtime.plan import MODIFIERS, BoundUnit, Callee, ServiceTarget, UnitTarget, plain
from prose_runtime.runtime.port import Signature
from prose_runtime.runtime.values import ListValue, ServiceRef, Value, from_python
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Type
from prose_runtime.syntax.nodes import Call, Expression, Name


def check_calls(bound: BoundUnit, given: Mapping[str, Value] | None) -> list[Diagnostic]:
    """Each call against what its service declares. `given`: the inputs of the run, for the unit that it begins with."""
    unit = bound.unit
    found: list[Diagnostic] = []
    for call, target in unit.calls.items():
        for callee in _callees(target, bound):
            if target.kind in ("slot", "slot-item") or isinstance(callee, ServiceTarget):
                found += _Fit(bound, call, callee, given).check()
    return found


def check_answers(bound: BoundUnit) -> Iterator[Diagnostic]:
    """What each call's script does with the answer, against what its service declares that it gives."""
    unit = bound.unit
    bound_here = {call: tuple(_callees(target, bound)) for call, target in unit.calls.items()}
    if not any(_declares_answer(callee) for callees in bound_here.values() for callee in callees):
        return
    expectations = expected_of_calls(unit, sources_of(unit))
    for call, callees in bound_here.items():
        for expected in expectations.get(call, ()):
            for callee in callees:
                gives = _given_by(callee, expected)
                wrong = misfit(gives, expected) if gives is not None else ""
                if wrong and expected.at is not None:
                    where = callee.signature.where if callee.signature else ""
                    also = [_declaration(where, f"`{callee.name}` is declared here")] if where else []
                    facts = {"service": callee.name, "declared": wrong, "compared": told(expected)}
                    code = "answer-does-not-fit"
                    yield report(code, unit.source, expected.at, also=also, fixes=(), severity=None, **facts)


def _declares_answer(callee: Callee) -> bool:
    if isinstance(callee, UnitTarget):
        return bool(callee.unit.definition.outputs)
    return callee.signature is not None and callee.signature.gives is not None


def _given_by(callee: Callee, expected: Expected) -> Type | None:
    if isinstance(callee, UnitTarget):
        return given_by(callee.unit.definition.outputs, expected)
    return callee.signature.gives if callee.signature is not None else None


def _callees(target: Target, bound: BoundUnit) -> Iterator[Callee]:
    if target.unit is not None:
        callee = bound.functions.get(target.unit)
        if callee is not None:
            yield callee
        return
    if target.instance is not None:
        return
    held = bound.slots.get(target.name)
    for item in held if isinstance(held, ListValue) else (held,):
        if isinstance(item, ServiceRef) and isinstance(item.service, (ServiceTarget, UnitTarget)):
            yield item.service


class _Fit:
    """One call and one thing that it may reach."""

    def __init__(self, bound: BoundUnit, call: Call, callee: Callee, given: Mapping[str, Value] | None) -> None:
        self.bound = bound
        self.source: SourceText = bound.unit.source
        self.call = call
        self.callee = callee
        self.given = given

    def check(self) -> list[Diagnostic]:
        signature = self.callee.signature
        if signature is None:
            if self.call.arguments and not self.bound.unit.positional.get(self.call):
                span = self.call.arguments[0].span.to(self.call.arguments[-1].span)
                return [self._say("no-declared-order", span, name=self.call.target)]
            return []
        passed = self._passed(signature)
        return [*self._unknown(signature, passed), *self._missing(signature, passed), *self._mistyped(passed)]

    def _passed(self, signature: Signature) -> dict[str, Expression]:
        names = self.bound.unit.positional.get(self.call) or tuple(item.name for item in signature.parameters)
        passed = dict(zip(names, self.call.arguments, strict=False))
        passed.update((entry.key, entry.value) for entry in self.call.properties)
        return passed

    def _unknown(self, signature: Signature, passed: Mapping[str, Expression]) -> Iterator[Diagnostic]:
        if signature.open:
            return
        takes = self.callee.takes
        for entry in self.call.properties:
            known = entry.key in takes or plain(entry.key) in takes
            if known or entry.key in MODIFIERS:
                continue
            names = [item.name for item in signature.parameters]
            free = [name for name in names if name not in passed]
            text = did_you_mean(entry.key, free, f"let `{self.callee.name}` take it, or leave it as it is")
            facts = {"name": entry.key, "target": self.callee.name, "takes": listed(names, "no inputs")}
            yield self._say("input-withheld", entry.key_span, help=text, **facts)

    def _missing(self, signature: Signature, passed: Mapping[str, Expression]) -> Iterator[Diagnostic]:
        takes = self.callee.takes
        by_plain = {plain(takes.get(plain(name), name)): value for name, value in passed.items()}
        for parameter in signature.parameters:
            if not parameter.required:
                continue
            value = by_plain.get(plain(parameter.name))
            facts = {"name": parameter.name, "target": self.callee.name}
            if value is None:
                yield self._say("service-needs-input", self.call.target_span, **facts)
            elif self._never_given(value):
                yield self._say("service-needs-optional", value.span, given=getattr(value, "id", ""), **facts)

    def _mistyped(self, passed: Mapping[str, Expression]) -> Iterator[Diagnostic]:
        """Values that are known before the run and are not of the type that the service declares."""
        signature = self.callee.signature
        types = {item.name: item.type for item in signature.parameters} if signature else {}
        for name, expression in passed.items():
            takes = self.callee.takes
            kind = types.get(takes.get(name) or takes.get(plain(name)) or "")
            value = self._known(expression)
            if kind is None or value is None:
                continue
            wrong = mismatch(value, kind, name)
            if wrong is not None:
                yield self._say("mistyped-input", expression.span, name=name, found=wrong.found, wanted=wrong.expected)

    def _known(self, expression: Expression) -> Value:
        """What is written out in full, or an input or config of the run that nothing binds again; else null."""
        known, literal = literal_value(expression)
        if known:
            return from_python(literal)
        if self.given is None or not isinstance(expression, Name):
            return None
        name, kind = expression.id, self.bound.unit.names.get(expression)
        return self.given.get(name) if kind == "input" else self.bound.config.get(name) if kind == "config" else None

    def _never_given(self, value: Expression) -> bool:
        """Whether the value can only be an optional input that this run does not have."""
        if self.given is None or not isinstance(value, Name) or value.id in self.given:
            return False
        unit = self.bound.unit
        item = next((item for item in (*unit.inputs, *unit.passed_on) if item.name == value.id), None)
        return item is not None and not item.has_default and not item.required and not _is_rebound(value.id, self.bound)

    def _say(self, code: str, span: Span, **facts: object) -> Diagnostic:
        signature = self.callee.signature
        where = signature.where if signature else ""
        also = [_declaration(where, f"`{self.callee.name}` is declared here")] if where else []
        return report(code, self.source, span, also=also, fixes=(), severity=None, **facts)


def _is_rebound(name: str, bound: BoundUnit) -> bool:
    script = bound.unit.definition.script
    return script is not None and name in BoundNames().of(script.statements)


def _said(code: str, source: SourceText, span: Span, **facts: object) -> Diagnostic:
    return report(code, source, span, also=(), fixes=(), severity=None, **facts)


def check_conditions(bound: BoundUnit, has_judge: bool, given: Mapping[str, Value] | None) -> list[Diagnostic]:
    """Conditions that only a judge can decide, while none is bound."""
    if has_judge:
        return []
    unit = bound.unit
    values: dict[str, Value] = dict(bound.config)
    if given is not None:
        values.update({item.name: bound.defaults.get(item.name) for item in (*unit.inputs, *unit.passed_on)})
        values.update(given)
    return [
        _said("judge-needed", unit.source, need.span, text=need.text)
        for plan in unit.conditions.values()
        for need in judge_needed(plan, values)
    ]


def _declaration(where: str, text: str) -> Label:
    """A place outside of the documents, such as `FILE:LINE`, whose text nobody has read."""
    return Label(SourceText(where, "", is_file=False), Span(0, 0), text)
