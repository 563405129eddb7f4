"""How a condition is decided, found before the run. In: a condition and the names around it. Out: its plan.

Also read here: what of a plan needs a judge for certain, and a text of criteria that is only known when the run begins.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Literal

from prose_runtime.diagnostics import Diagnostic, Edit, Fix
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.resolve.conditions import tree as nodes
from prose_runtime.resolve.conditions.cursor import Cursor
from prose_runtime.resolve.conditions.parser import judged, read_condition
from prose_runtime.resolve.conditions.scope import ConditionScope, PlainNames
from prose_runtime.resolve.conditions.tokens import FOREIGN_SIGNS
from prose_runtime.resolve.conditions.tree import ConditionPlan, How, Leaf, Tree
from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import changed, node
from prose_runtime.syntax.nodes import Condition, Name

_HOWS: tuple[How, ...] = ("formal", "structure", "criteria", "judge")
_CRITERIA = SourceText("criteria", "")
_STRUCTURE = (nodes.Is, nodes.Verdict, nodes.Reports)
_ADVICE = "to decide it without one, compare a value: `score >= 0.8`, `review is accepted`, `report has errors`"


def classify(condition: Condition, scope: ConditionScope) -> tuple[ConditionPlan, list[Diagnostic]]:
    """The plan of a condition, and what is to be said about it."""
    cursor = Cursor(condition, scope)
    tree = read_condition(cursor) if cursor.tokens else judged(cursor, 0, 0)
    if cursor.broken:
        tree = judged(cursor, 0, len(condition.text))
    _foreign_signs(cursor)
    if not cursor.tokens:
        cursor.report("empty-condition", 0, len(condition.text))
    elif not (_unbalanced(cursor) or _unknown_in_braces(cursor)):
        for leaf in leaves(tree):
            if isinstance(leaf, nodes.Judged):
                cursor.report(
                    "only-a-judge-can-decide", leaf.start, leaf.end, text=leaf.asked, advice=_advice(cursor, leaf)
                )
    return _plan(cursor, tree), cursor.diagnostics


def _foreign_signs(cursor: Cursor) -> None:
    """`&&`, `||` and `!` are read as the words they stand for, and reported with these. A `!` may end a sentence."""
    tokens = cursor.tokens
    for index, token in enumerate(tokens):
        word = FOREIGN_SIGNS.get(token.text) if token.kind == "word" else None
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if word is None or (word == "not" and (following is None or following.start > token.end)):
            continue
        fix = Fix(f"Write {word}", (Edit(cursor.span(token.start, token.end), f"{word} " if word == "not" else word),))
        cursor.report("foreign-word", token.start, token.end, fixes=(fix,), found=token.text, instead=word)


def _unbalanced(cursor: Cursor) -> bool:
    """Whether a parenthesis has no partner; reports the first."""
    open_ones = []
    for token in cursor.tokens:
        if token.kind == "symbol" and token.text == "(":
            open_ones.append(token)
        elif token.kind == "symbol" and token.text == ")":
            if not open_ones:
                cursor.report("unbalanced-parentheses", token.start, token.end, found=")", missing="(")
                return True
            open_ones.pop()
    if open_ones:
        cursor.report("unbalanced-parentheses", open_ones[0].start, open_ones[0].end, found="(", missing=")")
    return bool(open_ones)


def _unknown_in_braces(cursor: Cursor) -> bool:
    """Whether some `{x}` names nothing; reports each."""
    found = False
    for index, token in enumerate(cursor.tokens):
        inside = index > 0 and cursor.tokens[index - 1].text == "."
        if token.braced and token.kind == "word" and not inside and not cursor.is_value(token.text):
            near = nearest(token.text, cursor.scope.visible())
            advice = f"write `{near}`" if near else "bind it before, or write the word without braces"
            cursor.report("unknown-name-in-condition", token.start, token.end, name=token.text, advice=advice)
            found = True
    return found


def _advice(cursor: Cursor, leaf: Leaf) -> str:
    """A way out: the name that was meant if the first word nearly is one, else the forms that need no judge."""
    first = cursor.token_from(leaf.start)
    if first is None or first.kind != "word" or len(first.text) < 4 or cursor.is_value(first.text):
        return _ADVICE
    near = nearest(first.text, cursor.scope.visible())
    return f"nothing is named `{first.text}`; if you mean `{near}`, write that" if near else _ADVICE


def _plan(cursor: Cursor, tree: Tree) -> ConditionPlan:
    every = list(leaves(tree))
    how = max((how_of(leaf) for leaf in every), key=_HOWS.index)
    needs = {needs_judge(leaf) for leaf in every}
    judge: Literal["never", "maybe", "always"] = (
        "always" if "always" in needs else "maybe" if "maybe" in needs else "never"
    )
    names = tuple(dict.fromkeys(name for leaf in every for name in leaf.mentions))
    return ConditionPlan(cursor.text, how, tree, names, judge)


def how_of(leaf: Leaf) -> How:
    """The way in which a leaf is meant to be decided."""
    if isinstance(leaf, nodes.Judged):
        return "judge"
    if isinstance(leaf, nodes.Criteria):
        return "criteria"
    if isinstance(leaf, _STRUCTURE) or (isinstance(leaf, nodes.Count) and _counts_field(leaf)):
        return "structure"
    return "formal"


def _counts_field(leaf: nodes.Count) -> bool:
    return leaf.unit not in ("items", "words", "lines", "characters")


def needs_judge(leaf: Leaf) -> Literal["never", "maybe", "always"]:
    """Whether a judge is asked about a part."""
    if isinstance(leaf, nodes.Judged):
        return "always"
    if isinstance(leaf, (nodes.Is, nodes.Verdict)) and (leaf.explicit or (isinstance(leaf, nodes.Is) and leaf.error)):
        return "never"
    return "never" if how_of(leaf) == "formal" else "maybe"


def leaves(tree: Tree) -> Iterator[Leaf]:
    """The leaves of a tree, in the order of the text."""
    if isinstance(tree, Leaf):
        yield tree
    elif isinstance(tree, nodes.Not):
        yield from leaves(tree.part)
    elif isinstance(tree, (nodes.And, nodes.Or)):
        for part in tree.parts:
            yield from leaves(part)


# ---- what needs a judge ----------------------------------------------------------------------------------


def classify_choice(condition: Condition, scope: ConditionScope) -> tuple[ConditionPlan, list[Diagnostic]]:
    """The plan of a `choice`: a bare value that may equal a label ("maybe" needs the judge), else the judge's."""
    cursor = Cursor(condition, scope)
    tree = read_condition(cursor) if cursor.tokens else judged(cursor, 0, 0)
    if not isinstance(tree, nodes.Truth):
        tree = judged(cursor, 0, len(condition.text))
    cursor.diagnostics.clear()
    if not cursor.tokens:
        cursor.report("empty-condition", 0, len(condition.text))
    elif isinstance(tree, nodes.Judged):
        advice = "to decide it without one, name a value that equals one of the labels"
        cursor.report("only-a-judge-can-decide", tree.start, tree.end, text=tree.asked, advice=advice)
    plan = _plan(cursor, tree)
    return (changed(plan, judge="maybe") if plan.judge == "never" else plan), cursor.diagnostics


@node
class Need:
    """A piece of a condition, or a text of criteria, that only a judge can decide, and where it stands."""

    text: str
    span: Span


def judge_needed(plan: ConditionPlan, values: Mapping[str, object] | None = None) -> tuple[Need, ...]:
    """What of a plan only a judge can decide. `values` are the inputs and config as far as they are known: with them
    criteria that do not read as a formal condition are needs too."""
    needs: list[Need] = []
    for leaf in leaves(plan.tree):
        if isinstance(leaf, nodes.Judged):
            needs.append(Need(leaf.asked, leaf.span))
        elif isinstance(leaf, nodes.Criteria) and values is not None and leaf.criteria.id in values:
            texts = criteria_texts(values[leaf.criteria.id])
            needs += [Need(text, leaf.span) for text in texts if classify_criteria(text, leaf.subject_text) is None]
    return tuple(needs)


def criteria_texts(value: object) -> list[str]:
    """The texts of given criteria: none for null and blank text, one for a text, several for a list of texts."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return []
    if isinstance(value, Mapping):
        return [json.dumps(value, default=list, ensure_ascii=False)]
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [str(value)]
    return [text for item in value for text in criteria_texts(item)]


@lru_cache(maxsize=512)
def classify_criteria(text: str, subject: str = "result") -> ConditionPlan | None:
    """The plan of criteria that read as a formal condition about one value, else None (a judge decides them).

    `subject` is that value as the script writes it (`candidate_result`, `attempt.result`). In the text it may be
    `result`, `it`, its name, or left out; whatever name the plan reads is that value.
    """
    place = Span(0, 0)
    condition = Condition(place, text, ())
    root, *below = subject.split(".")
    # inside of a text of criteria: what it is about, by any of its names, and nothing else
    names = frozenset({"result", "it", below[-1] if below else root})
    cursor = Cursor(condition, PlainNames(names, _CRITERIA))
    if not cursor.tokens:
        return None
    cursor.subject, cursor.subject_text = Name(place, "result"), "result"
    tree = read_condition(cursor)
    if cursor.broken or cursor.diagnostics or not all(how_of(leaf) == "formal" for leaf in leaves(tree)):
        return None
    return _plan(cursor, tree)
