"""Sentences about what goes in and comes out, as trees of rules.

A `Predicate` is what is said of one value, a `Clause` what is said of a run. Neither knows any value: they are read
before a run, and decided when there are values. `Unread` stands for what reads as no rule, which only a judge decides.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from prose_runtime.resolve.conditions import ConditionPlan
from prose_runtime.resolve.conditions.tree import Order
from prose_runtime.source import SourceText
from prose_runtime.source.node import node
from prose_runtime.syntax.document import Output, Type

Edge = Literal["start", "end"]


class Undecidable(ValueError):
    """A sentence is about something that is not there, or cannot be what it says: a mistake of its author."""


# `rain`   "rain"
@node
class Operand:
    """A quoted text. In backticks (`ticked`) a name that is known stands for its value."""

    text: str
    ticked: bool = False


# 3   three   `max_rounds`
@node
class Number:
    """A number as written, or the name of one."""

    value: int | float | None
    name: str = ""


# ---- of one value ----------------------------------------------------------------------------------------


@node
class Predicate:
    """What is said of one value."""


# contains `rain` and `snow`
@node
class Searched(Predicate):
    what: tuple[Operand, ...]
    one_is_enough: bool
    exact: bool


# starts with `Dear`
@node
class Edged(Predicate):
    edge: Edge
    what: tuple[Operand, ...]
    exact: bool


# matches `^[A-Z]+$`
@node
class Matched(Predicate):
    regex: str


# equals `done`   is one of `go`, `wait`
@node
class Equal(Predicate):
    what: tuple[Operand, ...]


# is a list of numbers   matches the type `{ ok: boolean }`
@node
class Typed(Predicate):
    type: Type


# is valid JSON
@node
class ValidJson(Predicate):
    pass


# exists
@node
class Given(Predicate):
    pass


# is missing
@node
class Missing(Predicate):
    pass


# has status `pass`
@node
class HasField(Predicate):
    key: str
    what: Operand | None = None


# (each article has:) a relevance score
@node
class Described(Predicate):
    """An object has a part that these words describe: `relevance_score`, `relevance score` or `score`."""

    words: tuple[str, ...]


# has at least 2 items
@node
class Measured(Predicate):
    unit: str
    order: Order
    number: Number


# is at least 3   `!=` is not a form
@node
class Ordered(Predicate):
    order: Order
    number: Number


# length == 3
@node
class Sized(Predicate):
    order: Order
    number: Number


# is below `threshold`    whatever a condition of a script could say of it
@node
class Conditional(Predicate):
    """`subject` is the name under which the condition reads the value; `negative`: its words hold a negation."""

    subject: str
    plan: ConditionPlan
    source: SourceText
    negative: bool


@node
class Reversed(Predicate):
    """Not so."""

    part: Predicate


@node
class Each(Predicate):
    """Of each of its items."""

    part: Predicate


@node
class All(Predicate):
    parts: tuple[Predicate, ...]


# …, or `null`
@node
class OrNull(Predicate):
    part: Predicate


@node
class FirstOf(Predicate):
    """The first of the readings that tells decides."""

    parts: tuple[Predicate, ...]


# ---- of a run --------------------------------------------------------------------------------------------


@node
class Clause:
    """What is said of a run."""


# `report.title`: contains `rain`
@node
class About(Clause):
    """`name` is a path; with `[*]` in it, each of the values must follow."""

    name: str
    predicate: Predicate


# `critic` is called at most 3 times     `service` None: all calls
@node
class CallCount(Clause):
    service: str | None
    order: Order
    number: Number


# `writer` is called before `critic`
@node
class CallOrder(Clause):
    first: str
    second: str


# `writer` is called first
@node
class CallPlace(Clause):
    service: str
    last: bool


# `writer` always receives `draft`
@node
class Receives(Clause):
    service: str
    key: str
    always: bool


# the run fails with `timeout`
@node
class Fails(Clause):
    error: str | None = None


# the run succeeds
@node
class Succeeds(Clause):
    pass


# not that
@node
class Not(Clause):
    part: Clause


@node
class Every(Clause):
    parts: tuple[Clause, ...]


# when score < threshold: rounds_used equals max_rounds
@node
class When(Clause):
    condition: Clause
    then: Clause


# `score` (number)
@node
class Declared(Clause):
    """An output is given, and has its declared type."""

    output: Output


# `rounds_used` <= `max_rounds`
@node
class Holds(Clause):
    """What reads as a condition of a script over the values of the run."""

    plan: ConditionPlan
    source: SourceText


@node
class Unread(Clause):
    """What reads as no rule."""

    text: str


Rule: TypeAlias = Clause


def unread(rule: Clause) -> bool:
    """Whether a part of it reads as no rule, so that only a judge can tell whether all of it holds."""
    match rule:
        case Unread():
            return True
        case Not(part=part):
            return unread(part)
        case Every(parts=parts):
            return any(unread(part) for part in parts)
        case When(condition=condition, then=then):
            return unread(condition) or unread(then)
        case _:
            return False
