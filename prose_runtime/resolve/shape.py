"""`### Shape` against the script: who may be called. Reports only what is certain.

In: a unit with its targets. Out: warnings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from prose_runtime.diagnostics.suggestions import listed
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import LinkedInstance, Unit
from prose_runtime.source.pattern import pattern

_IDENTIFIER = pattern(r"[A-Za-z_][\w-]*")
_CALLS = pattern(r"(?:calling\s+|call\s+)?`([\w-]+)`\.?", re.IGNORECASE)


def check_shape(unit: Unit, findings: Findings) -> None:
    """Calls that `delegates` does not name, and calls that `prohibited` forbids by name."""
    shape = unit.definition.shape
    if shape is None:
        return
    forbidden = {found[1]: clause for clause in shape.prohibited if (found := _CALLS.fullmatch(clause.text.strip()))}
    names = [item.name for item in shape.delegates]
    certain = bool(names) and all(_IDENTIFIER.fullmatch(name) for name in names)
    seen: set[str] = set()
    for call, target in unit.calls.items():
        if call.target in seen:
            continue
        seen.add(call.target)
        if call.target in forbidden:
            also = [findings.label(forbidden[call.target].span, "forbidden here")]
            findings.add("prohibited-call", call.target_span, also=also, name=call.target)
        elif certain and target.kind != "slot-item" and not (call.target in names or _only_of(target.instance, names)):
            also = [findings.label(shape.delegates[0].span, "the delegates are listed here")]
            findings.add("not-a-delegate", call.target_span, also=also, name=call.target, names=listed(names))


def _only_of(instance: LinkedInstance | None, names: Sequence[str]) -> bool:
    """Whether an instance calls nothing but what has one of these names."""
    if instance is None:
        return False
    for bound in instance.bindings.values():
        for item in bound if isinstance(bound, tuple) else (bound,):
            if isinstance(item, LinkedInstance):
                if item.name not in names and not _only_of(item, names):
                    return False
            elif (item if isinstance(item, str) else item.name) not in names:
                return False
    return True
