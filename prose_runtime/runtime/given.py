"""What a run was given by name: its inputs and its config. In: JSON values. Out: values of the types that are declared.

What nothing declares, what is no JSON value and what has another type is said at the place where it was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.contracts import described, mismatch
from prose_runtime.runtime.origins import Kind, Origin
from prose_runtime.runtime.values import NotJson, Value, from_python
from prose_runtime.syntax.document import Config, Input

_ONE: dict[Kind, str] = {"inputs": "input", "config": "config"}
_OTHER: dict[Kind, Kind] = {"inputs": "config", "config": "inputs"}


@dataclass(frozen=True, slots=True)
class Given:
    """Reads what is given to `unit`; what is wrong goes to `found`, with its place by `origin`."""

    unit: Unit
    origin: Origin
    found: list[Diagnostic]

    def inputs(self, values: Mapping[str, object]) -> dict[str, Value]:
        """The inputs that were given. One that is required and was not is reported."""
        given: dict[str, Value] = dict.fromkeys(self._declared("inputs").keys() & values.keys())
        for item, value in self._taken("inputs", values):
            given[item.name] = value
            if isinstance(item, Input) and item.declared_type and (item.required or value is not None):
                self._check_type("inputs", item, value, values[item.name])
        for item in self.unit.inputs:
            if item.required and not item.has_default and item.name not in values:
                self.found.append(report("input-not-given", self.unit.source, item.name_span, name=item.name))
        return given

    def config(self, values: Mapping[str, object]) -> dict[str, Value]:
        """The config values that were given, to be used in place of the defaults."""
        settings: dict[str, Value] = dict.fromkeys(self._declared("config").keys() & values.keys())
        for item, value in self._taken("config", values):
            settings[item.name] = value
            if value is not None:
                self._check_type("config", item, value, values[item.name])
        return settings

    def _taken(self, kind: Kind, values: Mapping[str, object]) -> Iterator[tuple[Input | Config, Value]]:
        """Each declared name with its value, unless it cannot be read."""
        declared = self._declared(kind)
        for name, raw in values.items():
            if name not in declared:
                self._say(f"unknown-given-{_ONE[kind]}", kind, name, raw, help=self._instead(kind, name))
                continue
            try:
                value = from_python(raw)
            except NotJson as error:
                self._say(f"bad-{_ONE[kind]}", kind, name, raw, wanted="a JSON value", found=error.at(name))
            else:
                yield declared[name], value

    def _declared(self, kind: Kind) -> Mapping[str, Input | Config]:
        if kind == "config":
            return {item.name: item for item in self.unit.config}
        return {item.name: item for item in (*self.unit.passed_on, *self.unit.inputs)}

    def _instead(self, kind: Kind, name: str) -> str:
        """What to do about a name that nothing declares."""
        other = _OTHER[kind]
        if name in self._declared(other):
            return f"give it as {_ONE[other]}: `--{_ONE[other]} {name}=…`"
        known = sorted(self._declared(kind))
        return did_you_mean(name, known, f"give one of {listed(known)}" if known else f"leave it out; it has no {kind}")

    def _check_type(self, kind: Kind, item: Input | Config, value: Value, raw: object) -> None:
        wrong = mismatch(value, item.type, item.name)
        if wrong is not None:
            found = wrong.found if wrong.path == item.name else f"{wrong.found} at {wrong.path}"
            self._say(f"bad-{_ONE[kind]}", kind, item.name, raw, wanted=described(item.type), found=found)

    def _say(self, code: str, kind: Kind, name: str, raw: object, **facts: object) -> None:
        source, span = self.origin(kind, name, raw)
        told: dict[str, object] = {"name": name, "pattern": self.unit.name, **facts}
        self.found.append(report(code, source, span, also=(), fixes=(), severity=None, **told))
