"""What became of an invariant. In: nothing. Out: `Finding`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Clause

Status = Literal["proved", "refuted", "watched", "open", "words"]
Said: TypeAlias = "tuple[Status, str, Span | None]"
"""What a proof says: the status, why, and where."""


@node
class Finding:
    """`proved`: it holds in every run. `refuted`: it does not, for what stands `at`. `watched`: the script alone
    neither proves nor refutes it, and a run that breaks it is ended there. `open`: the same of what cannot be watched.
    `words`: it is no known sentence; `near` is the form that it nearly has. `proof`, `names`: which known sentence it
    is, and what it names.
    """

    clause: Clause
    status: Status
    because: str = ""
    at: Span | None = None
    near: str = ""
    proof: str = ""
    names: tuple[str, ...] = ()


WATCHED = frozenset(("calls", "once", "once-at-most", "exclusive", "order", "same-inputs", "same-part", "grows"))
"""The sentences that `runtime.watching` can watch."""
