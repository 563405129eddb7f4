"""What became of an invariant. In: nothing. Out: `Finding`."""

from __future__ import annotations

from typing import Literal

from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Clause

Status = Literal["proved", "refuted", "open", "words"]


@node
class Finding:
    """`proved`: it holds in every run. `refuted`: it does not, for what stands `at`. `open`: it is a known sentence
    that the script neither proves nor refutes. `words`: it is no known sentence; `near` is the form that it nearly has.
    """

    clause: Clause
    status: Status
    because: str = ""
    at: Span | None = None
    near: str = ""
