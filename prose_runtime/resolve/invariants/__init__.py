"""Invariants held against the script: which of them are proved, which are refuted, and which are left as words.

In: a resolved definition. Out: a `Finding` for each line of `### Invariants`.
"""

from prose_runtime.resolve.invariants.findings import Finding, Status
from prose_runtime.resolve.invariants.proving import invariants_of
from prose_runtime.resolve.invariants.sentences import SENTENCES

__all__ = ["SENTENCES", "Finding", "Status", "invariants_of"]
