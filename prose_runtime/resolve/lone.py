"""A keyword that is misspelt and stands alone on its line: `contine`. It reads as a name that nothing declares.

In: the nodes of a script and the names that are bound or declared. Out: an `unknown-statement` for each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.resolve.findings import Findings
from prose_runtime.syntax.nodes import Evaluate, Name, Node

ALONE = ("break", "continue", "return", "throw")


def misspelt_statements(nodes: Iterable[Node], known: Collection[str]) -> Iterator[tuple[Name, str]]:
    """Each line that is a name nobody knows and nearly one of the words that may stand alone, with that word."""
    for node in nodes:
        if isinstance(node, Evaluate) and isinstance(node.value, Name) and node.value.id not in known:
            near = nearest(node.value.id, ALONE) if len(node.value.id) > 3 else None
            if near is not None:
                yield node.value, near


def report_statement(name: Name, meant: str, findings: Findings) -> None:
    """The message about one."""
    fix = Fix(f"Write {meant}", (Edit(name.span, meant),))
    findings.add("unknown-statement", name.span, fixes=(fix,), found=name.id, instead=f"write `{meant}`")
