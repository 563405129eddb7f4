"""The blocks of a Markdown text: headings, paragraphs, fences and bullets, each with its exact place.

They are what `markdown` makes of a file's lines and what the readers of sections take apart; nothing inside a line is
interpreted here.
"""

from __future__ import annotations

from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.syntax.heads import Head
from prose_runtime.syntax.passage import Line


@node
class Heading:
    """`### Slots`: `text` without the marks; `span` the whole line, `text_span` the text."""

    level: int
    text: str
    span: Span
    text_span: Span


@node
class Paragraph:
    """Lines of running text."""

    span: Span
    lines: tuple[Line, ...]


@node
class Fenced:
    """A fence: `content` is the text between its lines, `indent` the columns that its lines are moved in by."""

    span: Span
    opening: Line
    language: str
    content: Span
    indent: int
    closed: bool


@node
class Bullet:
    """An item of a list: its own lines, the items and the fences below it.

    `column` is where its text begins; `head` are its own lines as one text, taken apart.
    """

    span: Span
    lines: tuple[Line, ...]
    bullets: tuple[Bullet, ...]
    fences: tuple[Fenced, ...]
    column: int
    head: Head


Block = Heading | Paragraph | Fenced | Bullet
