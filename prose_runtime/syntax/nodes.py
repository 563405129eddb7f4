"""The tree of a script. One line of concrete syntax stands above each node.

Nodes are frozen, compare by identity (so that later phases can keep side tables keyed by node) and know
their span in the whole file. `syntax.same_tree` compares two trees by what they say.
"""

from __future__ import annotations

from typing import Literal

from prose_runtime.source import Span
from prose_runtime.source.node import node


@node
class Node:
    """Anything with a place in a file."""

    span: Span


@node
class Expression(Node):
    """Something that has a value."""


@node
class Statement(Node):
    """Something that is done."""


# ---- expressions -----------------------------------------------------------------------------------------


# 3   1.5   true   null
@node
class Constant(Expression):
    value: int | float | bool | None


# "Summarize {topic}"   """several lines"""   -- parts are texts and the names/properties put between them
@node
class Text(Expression):
    parts: tuple[str | Name | Property, ...]
    triple: bool = False


# draft
@node
class Name(Expression):
    id: str


# review.score
@node
class Property(Expression):
    target: Expression
    name: str
    name_span: Span


# briefs[index]
@node
class Index(Expression):
    target: Expression
    index: Expression


# [a, "b", 3]
@node
class List(Expression):
    items: tuple[Expression, ...]


# topic: topic   (an entry of an object, a property of a call; shorthand `topic` has its name as value)
@node
class Entry(Node):
    key: str
    key_span: Span
    value: Expression
    shorthand: bool = False


# { topic, depth: "deep" }
@node
class Object(Expression):
    entries: tuple[Entry, ...]


# not a   -a
@node
class Unary(Expression):
    operator: Literal["not", "-"]
    operand: Expression


Operator = Literal["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"]


# a + b   a == b   a and b
@node
class Binary(Expression):
    operator: Operator
    left: Expression
    right: Expression


# if critique then "revise" else "write"
@node
class Conditional(Expression):
    condition: Condition
    then: Expression
    otherwise: Expression


# len(xs)   read_world_model("self")
@node
class Apply(Expression):
    function: str
    function_span: Span
    arguments: tuple[Expression, ...]


# call critic draft: draft   call f(a, b)   call critic + an indented block of properties
@node
class Call(Expression):
    target: str
    target_span: Span
    arguments: tuple[Expression, ...]
    properties: tuple[Entry, ...]


# session "prompt"   session: researcher   session label: researcher   session extract(subject)
@node
class Session(Expression):
    prompt: Expression | None
    label: str | None
    agent: str | None
    agent_span: Span | None
    arguments: tuple[Expression, ...]
    properties: tuple[Entry, ...]


# resume: researcher
@node
class Resume(Expression):
    agent: str
    agent_span: Span
    properties: tuple[Entry, ...]


# gate { question: "Publish?" }   gate + an indented block of properties
@node
class Gate(Expression):
    properties: tuple[Entry, ...]


# do review-and-fix(draft, 3)
@node
class Do(Expression):
    block: str
    block_span: Span
    arguments: tuple[Expression, ...]


# a loop, `parallel …` or `do:` in a value position
@node
class BlockValue(Expression):
    block: Repeat | For | Loop | Parallel | DoBlock


# | map: …   | reduce(acc, item): …
@node
class Stage(Node):
    operation: str  # map, pmap, filter, reduce; anything else is reported by the resolver
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]


# articles | filter: … | map: …
@node
class Pipeline(Expression):
    source: Expression
    stages: tuple[Stage, ...]


# a value that could not be read; already reported. Later phases say nothing more about it.
@node
class Unreadable(Expression):
    pass


# the text between `if`/`until`/`while`/… and its colon (`then` in an expression), as written, markers
# `**`/`***` taken off and continuation lines joined by one space. `offsets[i]` is the place in the file of
# `text[i]`, so that a part of a condition can be pointed at.
@node
class Condition(Node):
    text: str
    offsets: tuple[int, ...]
    marks: Literal["", "**", "***"] = ""

    def at(self, start: int, end: int) -> Span:
        """The span in the file of `text[start:end]`."""
        if not self.offsets:
            return self.span
        last = min(max(end - 1, start), len(self.offsets) - 1)
        return Span(self.offsets[min(start, last)], self.offsets[last] + 1)


# ---- statements ------------------------------------------------------------------------------------------


# { findings, sources }   (on the left of `let`)
@node
class Destructure(Node):
    names: tuple[Name, ...]


# let draft = …   const limit = 3   let { a, b } = …   let a.b = …   let best   (value null)
@node
class Let(Statement):
    target: Name | Destructure | Property | Index
    value: Expression
    constant: bool = False


# draft = …   a.b = …   xs[i] = …
@node
class Assign(Statement):
    target: Name | Property | Index
    value: Expression


# call critic …   do fix(draft)   (an expression for its effect; also the value of a collecting body)
@node
class Evaluate(Statement):
    value: Expression


# return …   return
@node
class Return(Statement):
    value: Expression | None


# record X in Y   append X to Y   append Y X   add X to Y
@node
class Record(Statement):
    value: Expression
    into: Name | Property | Index
    spelling: Literal["record", "append", "append-list-first", "add"]


# break
@node
class Break(Statement):
    pass


# continue
@node
class Continue(Statement):
    pass


# if C:   elif C:   -- one arm each
@node
class Arm(Node):
    condition: Condition
    body: tuple[Statement, ...]


# if C: …  elif C: …  else: …
@node
class If(Statement):
    arms: tuple[Arm, ...]
    otherwise: tuple[Statement, ...] | None


# ("any", count: 2, on-fail: "continue")
@node
class Modifiers(Node):
    join: Expression | None
    count: Expression | None
    on_fail: Expression | None
    unknown: tuple[Entry, ...] = ()


# repeat 3 as attempt:   parallel repeat n:   -- `concurrent` is set for the parallel form
@node
class Repeat(Statement):
    count: Expression
    counter: Name | None
    body: tuple[Statement, ...]
    concurrent: bool = False
    modifiers: Modifiers | None = None


# for x in xs:   for x, i in xs:   for each x in xs:   loop for each x in xs (max: 9):   parallel for x in xs:
@node
class For(Statement):
    item: Name
    index: Name | None
    iterable: Expression
    body: tuple[Statement, ...]
    concurrent: bool = False
    modifiers: Modifiers | None = None
    maximum: Expression | None = None
    counter: Name | None = None
    spelling: Literal["for", "for each", "loop for each"] = "for"


# loop until C (max: 5) as i:   loop while C:   loop (max: e):   loop up to e:   loop:
@node
class Loop(Statement):
    test: Literal["until", "while"] | None
    condition: Condition | None
    maximum: Expression | None
    counter: Name | None
    body: tuple[Statement, ...]
    spelling: Literal["max", "up to"] = "max"


# parallel:   parallel ("any", count: 2):
@node
class Parallel(Statement):
    branches: tuple[Statement, ...]
    modifiers: Modifiers | None


# do:
@node
class DoBlock(Statement):
    body: tuple[Statement, ...]


# try: …  catch as err: …  finally: …
@node
class Try(Statement):
    body: tuple[Statement, ...]
    catch: tuple[Statement, ...] | None
    error: Name | None
    cleanup: tuple[Statement, ...] | None


# throw   throw "reason"   throw { error: "name" }
@node
class Throw(Statement):
    value: Expression | None


# option "retry": …
@node
class Option(Node):
    label: Text
    body: tuple[Statement, ...]


# choice best recovery path: …
@node
class Choice(Statement):
    criterion: Condition
    options: tuple[Option, ...]


# block review-and-fix(artifact, rounds): …
@node
class Block(Statement):
    name: Name
    parameters: tuple[Name, ...]
    body: tuple[Statement, ...]


# agent researcher: …   -- `shape` holds self, delegates, prohibited
@node
class Agent(Statement):
    name: Name
    properties: tuple[Entry, ...]
    shape: tuple[Entry, ...]


# use "std/memory/project-memory" as memory
@node
class Use(Statement):
    path: Text
    alias: Name | None


# one fenced `prose` block. `english` is set when the block holds sentences instead of a script (reported once
# by the reader as `english-script`; `statements` is then empty).
@node
class Script(Node):
    language: str
    statements: tuple[Statement, ...]
    english: bool = False
