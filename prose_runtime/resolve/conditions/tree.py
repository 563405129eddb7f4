"""The classified condition: a tree of parts, each with its way of being decided.

Leaves have `start` and `end`, their place in `Condition.text`, and `asked`, the sentence a judge would be given: the
words as written, with the subject put in front where the author left it out. A negation that stands inside of a phrase
(`is not empty`) is the leaf's own `negated`, so that the sentence for a judge is whole.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from prose_runtime.source import Span
from prose_runtime.source.node import node
from prose_runtime.syntax.nodes import Expression, Name

How = Literal["formal", "structure", "criteria", "judge"]


@node
class ConditionPlan:
    """How a condition is decided, most certain way first; `how` names the least certain way that it may need.

    - `tree`: the parts.
    - `names`: the names whose values it reads, for display and for the judge.
    - `judge`: "never"; "maybe" (structure that may be unreadable at run time); "always" (some part can only be judged).
    """

    text: str
    how: How
    tree: Tree
    names: tuple[str, ...]
    judge: Literal["never", "maybe", "always"]


# critic.score   (the latest answer of a slot, or something in it)
@node
class SlotAnswer(Expression):
    slot: str


@node
class Part:
    """A piece of a condition: `And`, `Or`, `Not` or a `Leaf`."""

    span: Span
    start: int
    end: int


Tree: TypeAlias = Part


@node
class Leaf(Part):
    """A part that is decided as a whole."""

    asked: str
    mentions: tuple[str, ...]  # the names that its text names
    negated: bool


# a and b
@node
class And(Part):
    parts: tuple[Tree, ...]


# a or b
@node
class Or(Part):
    parts: tuple[Tree, ...]


# not (a)
@node
class Not(Part):
    part: Tree


# ---- formal ----------------------------------------------------------------------------------------------

Order = Literal["==", "!=", "<", "<=", ">", ">="]


# score meets threshold   len(xs) > 3
@node
class Compare(Leaf):
    operator: Order
    left: Expression
    right: Expression


# score is between 0 and 1
@node
class Between(Leaf):
    subject: Expression
    low: Expression
    high: Expression


# severity is "sev1" or "sev2"   action is one of allowed   (`spread`: the one value is a list of them)
@node
class IsOneOf(Leaf):
    subject: Expression
    values: tuple[Expression, ...]
    spread: bool


# result contains "no results found"
@node
class Contains(Leaf):
    subject: Expression
    needle: Expression
    where: Literal["inside", "start", "end"]
    verb: str


StateName = Literal["present", "null", "empty", "true", "false"]


# error is present   (`absent` is "null")
@node
class State(Leaf):
    subject: Expression
    state: StateName


# result has fewer than 3 items   summary is at most 500 words
@node
class Count(Leaf):
    """`unit`: items, words, lines or characters; else the name of a list field, spelt with spaces."""

    subject: Expression
    unit: str
    operator: Order
    number: Expression


# published   result.done
@node
class Truth(Leaf):
    expression: Expression


# ---- structure -------------------------------------------------------------------------------------------


# decision says abort   severity is sev1   err is timeout
@node
class Is(Leaf):
    subject: Expression
    word: str
    error: bool  # the subject is what a `catch` caught
    explicit: bool


# verdict accepts result   review accepted   decision does not explicitly proceed
@node
class Verdict(Leaf):
    subject: Expression
    verb: str  # accept, approve, certify, pass, proceed, reject, fail
    explicit: bool


# lint_report still has blocking findings   validation reports errors or warnings
@node
class Reports(Leaf):
    """`fields`: for each alternative the spellings that its field may have; `every`: joined by `and`."""

    subject: Expression
    fields: tuple[tuple[str, ...], ...]
    every: bool


# ---- criteria and judge ----------------------------------------------------------------------------------


# failure_criteria says result is a failure
@node
class Criteria(Leaf):
    criteria: Name
    subject: Expression
    subject_text: str
    wants: Literal["failure", "acceptable"]


# the tone is friendly
@node
class Judged(Leaf):
    """Only a judge can decide it. `mentions` are the names whose values it gets."""
