"""The tree of a document: what one `.prose.md` file declares. Nothing here knows what it will be used for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node
from prose_runtime.syntax.nodes import Node, Script

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

Kind = Literal["pattern", "function", "test", "responsibility", "gateway"]


# string   integer   string[]   "accept" | "reject"   { proceed: boolean, reason: string }
@dataclass(frozen=True, slots=True)
class Type:
    """A declared type. `kind` "list" has `item`, "choice" has `choices`, "shape" has `fields`."""

    kind: Literal[
        "string",
        "number",
        "integer",
        "boolean",
        "object",
        "any",
        "run",
        "null",
        "list",
        "choice",
        "shape",
        "union",
    ]
    item: Type | None = None
    choices: tuple[str, ...] = ()
    fields: tuple[tuple[str, Type, bool], ...] = ()  # name, type, required
    members: tuple[Type, ...] = ()  # of a union: `string or null`


# name: refine   (one line of the frontmatter; values are strings, except lists and mappings)
@node
class Field(Node):
    key: str
    value: Json
    value_span: Span


# - `name` (annotation): text   with nested items below it
@node
class Item(Node):
    """A bullet. `name` is its backticked (or bare) name if it has one; `text` is what follows the colon or dash,
    `whole` the full text of the bullet in one line; `annotation` is what stands in the parentheses after the name."""

    name: str | None
    name_span: Span | None
    annotation: str
    text: str
    whole: str
    items: tuple[Item, ...] = ()


# ```yaml …    any fence of a section; `text` is what stands between its lines, moved left by its indentation
@node
class FencedText(Node):
    language: str
    content: Span
    text: str


# #### funding    a named part, under Maintains and Requires; `text` is the running text below it
@node
class Part(Node):
    name: str
    name_span: Span
    text: str


# ### Slots
@node
class Section(Node):
    """A `###` section: `key` is its name in lower case, `title` as written, `body` the span under the heading.

    Of `### Continuity: self-driven` the key is "continuity". `text` is the running text outside of lists.
    """

    title: str
    key: str
    heading: Span
    body: Span
    items: tuple[Item, ...]
    text: str = ""
    fences: tuple[FencedText, ...] = ()
    parts: tuple[Part, ...] = ()


# a sentence of a contract: a line of Invariants, a slot's `ensures`, a bullet of Returns
@node
class Clause(Node):
    text: str


# - `critic` (primary): what it does     with nested requires / ensures / maintains / returns
@node
class Slot(Node):
    name: str
    name_span: Span
    text: str = ""
    many: bool = False  # its typed input says `string[]`; a slot that a script iterates is found by the resolver
    optional: bool = False
    primary: bool = False
    requires: tuple[Clause, ...] = ()
    ensures: tuple[Clause, ...] = ()  # also maintains and returns


# - `max_rounds` (integer, default: 3): text
@node
class Config(Node):
    name: str
    name_span: Span
    type: Type
    default: Json
    has_default: bool
    text: str = ""


# task_brief: string -- the task          - `topic` (string, optional): a phrase
@node
class Input(Node):
    """What a definition is given. `declared_type` is False where no type was written (`type` is then any)."""

    name: str
    name_span: Span
    type: Type
    declared_type: bool
    required: bool
    default: Json = None
    has_default: bool = False
    text: str = ""


# - `result`: the final output, or `null`
@node
class Output(Node):
    """What a definition gives. `nullable`: the text says "or `null`". `optional`: given on some paths only."""

    name: str
    name_span: Span
    type: Type
    declared_type: bool
    nullable: bool = False
    optional: bool = False
    text: str = ""


# ### Errors: - `name`: when
@node
class DeclaredError(Node):
    name: str
    name_span: Span
    text: str = ""


# - `refiner`: produce or improve a result    (a line of `delegates`)
@node
class Delegate(Node):
    name: str
    name_span: Span
    text: str = ""


# ### Shape
@node
class Shape(Node):
    self_text: str
    delegates: tuple[Delegate, ...]
    prohibited: tuple[Clause, ...]


@node
class BoundName(Node):
    name: str


@node
class BoundList(Node):
    values: tuple[BoundName | Instance, ...]


@node
class Binding(Node):
    slot: str
    slot_span: Span
    value: BoundName | BoundList | Instance


@node
class Setting(Node):
    name: str
    name_span: Span
    value: Json


# - name: reviewed-draft  pattern: std/patterns/worker-critic  with: …  config: …
@node
class Instance(Node):
    name: str | None  # None only for a nested instance
    pattern: str
    pattern_span: Span
    bindings: tuple[Binding, ...]
    settings: tuple[Setting, ...]


@node
class Definition(Node):
    """The file-level contract (`inline` False), or one `## name` section."""

    name: str
    name_span: Span
    kind: Kind
    inline: bool
    description: str
    sections: tuple[Section, ...]
    slots: tuple[Slot, ...] = ()
    config: tuple[Config, ...] = ()
    inputs: tuple[Input, ...] = ()
    declares_inputs: bool = False  # False: a pattern takes the free names of its script as optional inputs
    requires: tuple[Clause, ...] = ()  # sentences among the inputs that name no single input
    outputs: tuple[Output, ...] = ()
    ensures: tuple[Clause, ...] = ()  # sentences among the outputs that name no single output
    invariants: tuple[Clause, ...] = ()
    errors: tuple[DeclaredError, ...] = ()
    shape: Shape | None = None
    instances: tuple[Instance, ...] = ()
    script: Script | None = None

    def section(self, key: str) -> Section | None:
        """The first section of that lower-case name."""
        return next((section for section in self.sections if section.key == key), None)


@node
class Document:
    """A file as read. `definitions[0]` is the file-level one."""

    source: SourceText
    frontmatter: tuple[Field, ...]
    title: str | None
    definitions: tuple[Definition, ...]

    @property
    def main(self) -> Definition:
        """The file-level definition."""
        return self.definitions[0]

    def definition(self, name: str) -> Definition | None:
        """The definition of that name."""
        return next((item for item in self.definitions if item.name == name), None)

    def field(self, key: str) -> Json:
        """A frontmatter value, or None."""
        return next((field.value for field in self.frontmatter if field.key == key), None)
