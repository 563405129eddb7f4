"""The clauses of a contract: what a definition asks for and promises. In: a definition. Out: its clauses as rules.

A contract is written for people, so a clause is a rule only where its words leave no doubt: every name is one of the
definition's, and all that is said is one of the known forms. All else is `Unread`, and said to be so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Literal

from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.calls import read_about_run
from prose_runtime.resolve.clauses.descriptions import read_description, read_predicate
from prose_runtime.resolve.clauses.names import Known
from prose_runtime.resolve.clauses.phrases import positive
from prose_runtime.resolve.clauses.reading import as_condition
from prose_runtime.resolve.clauses.splitting import CONDITIONAL, outside_quotes, parts_of, pieces_of
from prose_runtime.resolve.clauses.tree import Clause, Undecidable
from prose_runtime.resolve.conditions import PlainNames, classify
from prose_runtime.resolve.conditions import tree as conditions
from prose_runtime.resolve.conditions.classify import how_of, leaves
from prose_runtime.source import SourceText, Span
from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.document import Clause as Sentence
from prose_runtime.syntax.document import Definition, Input, Output
from prose_runtime.syntax.nodes import Name
from prose_runtime.syntax.types import print_type

Kind = Literal["requires", "ensures"]

_QUOTED = pattern(r"`([^`]*)`")
_SUBJECT = pattern(r"(?:the\s+)?(?:`(?P<ticked>[^`]+)`|(?P<bare>[^\W\d][\w.-]*))\s+(?P<rest>\S.*)", re.DOTALL)
_COLON = pattern(r"`(?P<name>[^`]+)`\s*:\s*(?P<rest>\S.*)", re.DOTALL)
_WHEN = pattern(r"(?:when|if|whenever)\s+(?P<condition>[^:]+?)\s*(?::|,\s*then|,)\s+(?P<rest>\S.*)", re.DOTALL | re.I)
_EACH = pattern(r"(?:each|every)\s+(?P<noun>[\w -]+?)\s+(?:has|contains|carries)\s*:\s*(?P<parts>.+)", re.DOTALL | re.I)
_NOTE = pattern(r"\([^()]*\)")
_ARTICLE = pattern(r"(?:an?|the|its|their|any|some)\s+", re.IGNORECASE)
_WORDS = pattern(r"[a-z][a-z0-9_-]*(?: [a-z][a-z0-9_-]*){0,3}")


@node
class ContractClause:
    """One sentence of a contract. `about`: the output or input whose description it is, or ""; `rule`: how it is
    decided, `Unread` where only a judge can; `wrong`: why it can be decided in no run, or ""."""

    kind: Kind
    about: str
    text: str
    span: Span
    rule: Clause
    wrong: str = ""


def clauses_of(definition: Definition, services: Set[str]) -> tuple[ContractClause, ...]:
    """The clauses of a contract in the order of the file, without those that say nothing. `services`: whom it calls."""
    given = {item.name for item in definition.inputs} | {item.name for item in definition.config}
    before, after = Known(given), Known(given | {item.name for item in definition.outputs}, services)
    return (
        *_described("requires", definition.inputs, before),
        *_sentences("requires", definition.requires, before, definition),
        *_described("ensures", definition.outputs, after),
        *_sentences("ensures", definition.ensures, after, definition),
    )


def _described(kind: Kind, items: Sequence[Input] | Sequence[Output], known: Known) -> Iterator[ContractClause]:
    for item in items:
        if isinstance(item, Output):
            kind_of = print_type(item.type) if item.declared_type else "given"
            yield ContractClause(kind, item.name, kind_of, item.span, tree.Declared(item))
        if not item.text.strip():
            continue
        lacking = not item.required if isinstance(item, Input) else item.optional or item.nullable
        try:
            predicate = read_description(item.text, known)
        except Undecidable as error:
            yield ContractClause(kind, item.name, item.text, item.span, tree.Unread(item.text), str(error))
            continue
        if predicate is None:
            # what an input is for is no condition; what an output is, is a promise
            if kind == "ensures":
                yield ContractClause(kind, item.name, item.text, item.span, tree.Unread(item.text))
            continue
        rule = tree.About(item.name, tree.OrNull(predicate) if lacking else predicate)
        yield ContractClause(kind, item.name, item.text, item.span, rule)


def _sentences(
    kind: Kind, sentences: Iterable[Sentence], known: Known, definition: Definition
) -> Iterator[ContractClause]:
    for sentence in sentences:
        text, span = sentence.text, sentence.span
        if not text.strip():
            continue
        try:
            yield ContractClause(kind, "", text, span, read_clause(text, known, definition))
        except Undecidable as error:
            yield ContractClause(kind, "", text, span, tree.Unread(text), str(error))


def read_clause(text: str, known: Known, definition: Definition) -> Clause:
    """A sentence of a contract. Raises `Undecidable` for a rule that can be decided in no run."""
    parts = tuple(_read_part(part, known, definition) for part in pieces_of(text))
    if all(isinstance(part, tree.Unread) for part in parts):
        return tree.Unread(text)
    return parts[0] if len(parts) == 1 else tree.Every(parts)


def _read_part(text: str, known: Known, definition: Definition) -> Clause:
    when = _WHEN.fullmatch(text)
    if when is not None:
        condition = _condition(when["condition"], known) or _read_one(when["condition"], known)
        if condition is None:
            return tree.Unread(text)
        return tree.When(condition, read_clause(when["rest"], known, definition))
    each = _EACH.fullmatch(text)
    if each is not None:
        return _each(each["noun"], each["parts"], definition) or tree.Unread(text)
    colon = _COLON.fullmatch(text)
    if colon is not None and known.knows(colon["name"]):
        predicate = read_description(colon["rest"], known)
        return tree.Unread(text) if predicate is None else tree.About(colon["name"], predicate)
    whole = _about_calls(text, known) or _condition(text, known)  # here no word is left that takes something back
    if whole is not None or CONDITIONAL.search(outside_quotes(text)):
        return whole or tree.Unread(text)
    return _read_joined(text, known) or tree.Unread(text)


def _read_joined(text: str, known: Known) -> Clause | None:
    """The whole, or the first part that is a rule and what is left."""
    whole = _read_one(text, known)
    if whole is not None:
        return whole
    for left, right in parts_of(text):
        first = _read_one(left, known)
        if first is not None:
            return tree.Every((first, _read_joined(right, known) or tree.Unread(right)))
    return None


def _read_one(text: str, known: Known) -> Clause | None:
    whole = _condition(text, known) or _about_calls(text, known)
    own = _SUBJECT.fullmatch(text)
    if whole is not None or own is None:
        return whole
    name, ticked = own["ticked"] or own["bare"], bool(own["ticked"])
    told, negated = positive(own["rest"])
    if negated and name in known.values:
        condition = _condition(f"`{name}` {told}", known)
        if condition is not None:
            return tree.Not(condition)
    if not known.knows(name) or (not ticked and name not in known.values):
        return None
    predicate = read_predicate(told, known)
    if predicate is None:
        return None
    return tree.About(name, tree.Reversed(predicate) if negated else predicate)


def _about_calls(text: str, known: Known) -> Clause | None:
    """`no calls of `a``   `a` is called once"""
    own = _SUBJECT.fullmatch(text)
    if own is None or not own["ticked"] or known.knows(own["ticked"]):
        return read_about_run(known.services, None, text)
    told, negated = positive(own["rest"])
    about = read_about_run(known.services, own["ticked"], told)
    return tree.Not(about) if about is not None and negated else about


def _condition(text: str, known: Known) -> Clause | None:
    """What reads as a formal condition over the names: `` `rounds_used` <= `max_rounds` ``."""
    plain = _QUOTED.sub(lambda match: match[1] if match[1] in known.values else f'"{match[1]}"', text)
    source = SourceText("", plain)
    plan, problems = classify(as_condition(plain), PlainNames(known.values, source))
    found = list(leaves(plan.tree))
    formal = all(how_of(leaf) == "formal" and _is_clear(leaf, text) for leaf in found)
    return tree.Holds(plan, source) if formal and plan.names and not problems else None


def _is_clear(leaf: conditions.Leaf, text: str) -> bool:
    """Whether a part can only be meant as a condition: a bare word after `contains` may be just a word."""
    if isinstance(leaf, conditions.Contains):
        return not isinstance(leaf.needle, Name) or f"`{leaf.needle.id}`" in text
    if isinstance(leaf, conditions.IsOneOf):
        return all(not isinstance(value, Name) or f"`{value.id}`" in text for value in leaf.values)
    return not isinstance(leaf, conditions.Truth)


def _each(noun: str, parts: str, definition: Definition) -> Clause | None:
    """`each article has: a summary, a relevance score`, of the list `articles` or of the one output that there is."""
    singular = _plain(noun)
    lists = [item.name for item in definition.outputs if _plain(item.name) in _plurals(singular)]
    if not lists and len(definition.outputs) == 1 and definition.outputs[0].type.kind == "list":
        lists = [definition.outputs[0].name]
    described = []
    for phrase in re.split(r",\s*(?:and\s+)?|\s+and\s+|;\s*", _NOTE.sub("", parts).strip(" .")):
        words = _ARTICLE.sub("", phrase.strip(), count=1).strip()
        if not _WORDS.fullmatch(words) or CONDITIONAL.search(words):
            return None
        described.append(tree.Described(tuple(_plain(words).split())))
    if len(lists) != 1 or not described:
        return None
    return tree.About(lists[0], tree.Each(tree.All(tuple(described))))


def _plain(text: str) -> str:
    return " ".join(re.split(r"[\W_]+", text.casefold())).strip()


def _plurals(noun: str) -> set[str]:
    last = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es"
    return {noun, f"{noun}s", last}
