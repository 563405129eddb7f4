"""What a service declares that it gives, against what the script does with its answers. Reports only what is certain.

In: a type, or a unit with its calls. Out: what does not fit, with both places. What is compared with a number must be
one; a part that is compared must be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from prose_runtime.diagnostics import Label
from prose_runtime.resolve.expected import Expected, expected_of_calls
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import Target, Unit
from prose_runtime.resolve.sources import sources_of
from prose_runtime.source import Span
from prose_runtime.syntax import nodes as n
from prose_runtime.syntax.document import Output, Slot, Type
from prose_runtime.syntax.types import find_shape, print_type

_UNKNOWN = ("any", "object", "run")
_NUMBERS = ("number", "integer")


def misfit(gives: Type, expected: Expected) -> str:
    """What a declared type gives that cannot be what is expected, in words; "" where it may fit."""
    if not expected.exact or expected.kind != "number" or gives.kind in _UNKNOWN:
        return ""
    if gives.kind == "union":
        return "" if any(not misfit(member, expected) for member in gives.members) else _gives(gives)
    if not expected.part:
        return "" if gives.kind in _NUMBERS else _gives(gives)
    if gives.kind != "shape":
        return _gives(gives)
    part = next((member for name, member, _ in gives.fields if name == expected.part), None)
    if part is None:
        return f"an answer without `{expected.part}`"
    inner = misfit(part, Expected("", expected.kind, True, expected.at, True))
    return f"`{expected.part}` as {inner}" if inner else ""


def _gives(gives: Type) -> str:
    return "null" if gives.kind == "null" else f"`{print_type(gives)}`"


def given_by(outputs: Sequence[Output], expected: Expected) -> Type | None:
    """The type of what declared outputs give, as the script sees it: a single one is the value itself."""
    if not outputs:
        return None
    if len(outputs) > 1:
        return Type("shape", fields=tuple((item.name, item.type, not item.optional) for item in outputs))
    only = outputs[0]
    if not only.declared_type:
        return None
    return Type("shape", fields=((only.name, only.type, True),)) if expected.part == only.name else only.type


def told(expected: Expected) -> str:
    """What of an answer is compared."""
    return f"`{expected.part}` of its answer" if expected.part else "its answer"


# ---- what the file itself says ---------------------------------------------------------------------------


def check_answers(unit: Unit, findings: Findings) -> None:
    """Contradictions between the script and what its slots and functions declare that they give."""
    shapes = {slot.name: found for slot in unit.definition.slots if (found := shape_of(slot)) is not None}
    if not (shapes or any(_outputs_of(target) for target in unit.calls.values())):
        return
    if any(item.severity == "error" for item in findings.items):
        return
    for asking, items in expected_of_calls(unit, sources_of(unit)).items():
        target = unit.calls.get(asking) if isinstance(asking, n.Call) else None
        for expected in items if target is not None else ():
            assert target is not None
            for label, gives in _declared(unit, target, shapes, expected):
                wrong = misfit(gives, expected)
                if wrong and expected.at is not None:
                    facts = {"service": target.name, "declared": wrong, "compared": told(expected)}
                    findings.add("answer-does-not-fit", expected.at, also=[label], fixes=(), severity=None, **facts)


def shape_of(slot: Slot) -> tuple[Type, Span] | None:
    """The shape that a slot's `ensures` writes out: `{ verdict: "accept" | "reject", score: number }`."""
    for clause in slot.ensures:
        shape = find_shape(clause.text)
        if shape is not None:
            return shape, clause.span
    return None


def _outputs_of(target: Target) -> tuple[Output, ...]:
    called = target.unit or (target.instance.unit if target.instance is not None else None)
    return called.definition.outputs if called is not None else ()


def _declared(
    unit: Unit, target: Target, shapes: Mapping[str, tuple[Type, Span]], expected: Expected
) -> Iterator[tuple[Label, Type]]:
    if target.kind in ("slot", "slot-item") and target.name in shapes:
        shape, span = shapes[target.name]
        yield Label(unit.source, span, f"`{target.name}` is declared here"), shape
    outputs = _outputs_of(target)
    gives = given_by(outputs, expected)
    called = target.unit or (target.instance.unit if target.instance is not None else None)
    if gives is not None and called is not None:
        at = next((item for item in outputs if item.name == expected.part), outputs[0])
        yield Label(called.source, at.span, f"`{target.name}` is declared here"), gives
