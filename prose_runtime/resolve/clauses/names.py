"""The names that a sentence may be about. In: what the run has, or will have. Out: `Known`."""

from __future__ import annotations

from collections.abc import Set

from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern

_STEP = pattern(r"\.?([^\W\d][\w-]*)|\[(\d+|\*)\]")
WHOLE = "result"


@node
class Known:
    """`values`: outputs, inputs and config by name; `services`: every name that can be called."""

    values: Set[str]
    services: Set[str] = frozenset()

    def knows(self, path: str) -> bool:
        """Whether a sentence may be about it."""
        root = taken_apart(path)[0]
        return root in self.values or root == WHOLE


def taken_apart(name: str) -> tuple[str, list[str]]:
    """`report.items[0]` as its root and its steps; what reads as no path is a name."""
    parts, position = [], 0
    while match := _STEP.match(name, position):
        parts.append(match[1] or match[2])
        position = match.end()
    return (parts[0], parts[1:]) if parts and position == len(name) else (name, [])
