"""A fenced block of a document, as the Markdown side hands it to the script side."""

from __future__ import annotations

from prose_runtime.source import Span
from prose_runtime.source.node import node


# ```prose … ```
@node
class Fence:
    """`span` is the whole fence, `content` the text between its two fence lines (offsets in the whole file).

    `indent` is the number of columns by which the fence is indented: that many leading blanks of each line
    do not belong to the script.
    """

    span: Span
    language: str
    content: Span
    indent: int = 0
