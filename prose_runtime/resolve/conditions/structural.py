"""Structural phrases: verdicts, `says WORD`, `has WORDS`. In: a cursor after a subject. Out: a leaf, or None.

Words after a verb need no declaration. What is more than a short phrase is prose and gives None.
"""

from __future__ import annotations

from prose_runtime.resolve.conditions import words
from prose_runtime.resolve.conditions.being import Alternative, read_alternative, word_leaf
from prose_runtime.resolve.conditions.cursor import Cursor
from prose_runtime.resolve.conditions.formal import skip_negation
from prose_runtime.resolve.conditions.subject import Subject
from prose_runtime.resolve.conditions.tree import Is, IsOneOf, Leaf, Reports, Verdict

_LONGEST_FIELD = 4
_LONGEST_OBJECT = 2


def read_structural(cursor: Cursor, subject: Subject) -> Leaf | None:
    """Any structural phrase that does not begin with `is`."""
    return cursor.first((_verdict, _saying, _equalling, _reporting), subject)


# ---- verdicts --------------------------------------------------------------------------------------------


def _verdict(cursor: Cursor, subject: Subject) -> Leaf | None:
    explicit = cursor.took("explicitly")
    done = skip_negation(cursor)
    had = _had(cursor) if done is None else None
    negated = bool(done) or bool(had)
    explicit = cursor.took("explicitly") or explicit
    forms = words.PARTICIPLES if had is not None else words.VERBS
    if done is None and had is None and not explicit and cursor.took("not"):
        negated, forms = True, words.PARTICIPLES  # `review not accepted`
    word = cursor.word()
    if word not in forms or (done is not None and word not in words.BASES):
        return None
    cursor.at += 1
    if not cursor.at_boundary() and (word in words.PARTICIPLES or not _object(cursor)):
        return None
    return Verdict(**subject.facts(cursor, negated), subject=subject.expression, verb=forms[word], explicit=explicit)


def _had(cursor: Cursor) -> bool | None:
    """Reads `has been`, `has not`, `hasn't`: whether it negates; None where no such word stands."""
    if cursor.word() in words.NOT_HAVE:
        cursor.at += 1
        negated = True
    elif cursor.word() in words.HAVE:
        cursor.at += 1
        negated = cursor.took("not")
    else:
        return None
    cursor.took("been")
    return negated


def _object(cursor: Cursor) -> bool:
    """Reads what a verdict is about (`the proposal`), which changes nothing; False if it is more than that."""
    if cursor.word() in ("it", "this", "that", "them"):
        cursor.at += 1
        return cursor.at_boundary()
    if cursor.word() in words.ARTICLES:
        cursor.at += 1
    count = 0
    while not cursor.at_boundary():
        token = cursor.peek()
        if token.kind != "word" or token.lower in words.CLAUSE or token.lower in words.VERBS:
            return False
        cursor.at += 1
        while cursor.peek().text == "." and cursor.peek(1).kind == "word" and cursor.peek().start == cursor.end():
            cursor.at += 2
        count += 1
    return 0 < count <= _LONGEST_OBJECT


# ---- saying ----------------------------------------------------------------------------------------------


def _saying(cursor: Cursor, subject: Subject) -> Leaf | None:
    explicit = cursor.took("explicitly")
    negated = bool(skip_negation(cursor))
    explicit = cursor.took("explicitly") or explicit
    if cursor.word() not in words.SAY:
        return None
    cursor.at += 1
    cursor.took("to")
    negated = cursor.took("not") is not negated
    if cursor.peek().kind == "text":
        found = Alternative(word=cursor.take().text)
    else:
        reading = read_alternative(cursor, subject)
        if reading is None:
            return None
        found = reading
    if not cursor.at_boundary():
        return None
    facts = subject.facts(cursor, negated)
    if found.value is not None:
        return IsOneOf(**facts, subject=subject.expression, values=(found.value,), spread=False)
    word = found.word or cursor.tokens[cursor.at - 1].text
    if word.lower() in words.PARTICIPLES:
        return word_leaf(cursor, subject, word, negated, explicit)
    return Is(**facts, subject=subject.expression, word=word, error=subject.is_error(cursor), explicit=explicit)


def _equalling(cursor: Cursor, subject: Subject) -> Leaf | None:
    """`equals WORD`, the word being no name."""
    negated = bool(skip_negation(cursor))
    if cursor.word() not in ("equals", "equal"):
        return None
    cursor.at += 1
    found = read_alternative(cursor, subject)
    if found is None or not found.word or not cursor.at_boundary():
        return None
    return word_leaf(cursor, subject, found.word, negated, explicit=False)


# ---- reporting -------------------------------------------------------------------------------------------


def _reporting(cursor: Cursor, subject: Subject) -> Leaf | None:
    negated = bool(skip_negation(cursor))
    cursor.took("still")
    if cursor.word() not in words.HAVE | words.REPORT:
        return None
    cursor.at += 1
    cursor.took("still")
    negated = cursor.took("no") is not negated
    first = _field(cursor)
    if first is None:
        return None
    named, joins = [first], set[str]()
    listing = cursor.peek().text == ","
    while True:
        further = cursor.attempt(lambda: _further(cursor, listing))
        if further is None:
            break
        joins.add(further[0])
        named.append(further[1])
    joins.discard(",")
    if not (cursor.at_boundary() or cursor.ended()) or len(joins) > 1:
        return None
    # `has no errors or warnings`: neither; `has errors and warnings`: both
    every = joins == {"and"} and not negated
    fields = tuple(_spellings(words_, named[-1]) for words_ in named)
    return Reports(**subject.facts(cursor, negated), subject=subject.expression, fields=fields, every=every)


def _field(cursor: Cursor) -> tuple[str, ...] | None:
    """The words that name a field, without article, up to a boundary or comma."""
    while cursor.word() in words.ARTICLES or (cursor.word() in ("still", "more") and cursor.peek(1).text != ","):
        cursor.at += 1
    found: list[str] = []
    while not cursor.at_boundary() and cursor.peek().text != ",":
        token = cursor.peek()
        if token.kind != "word" or token.lower in words.CLAUSE:
            return None
        found.append(token.text)
        cursor.at += 1
    return tuple(found) if 0 < len(found) <= _LONGEST_FIELD else None


def _further(cursor: Cursor, listing: bool) -> tuple[str, tuple[str, ...]] | None:
    """`, unsupported`, `or warnings`: how it is joined, and its words. Once a comma stood, longer phrases are fields
    too; else a phrase of more than two words is a part of its own."""
    join = "," if cursor.took_symbol(",") else ""
    if cursor.word() in ("and", "or"):
        join = cursor.take().lower
    if not join or cursor.ended():
        return None
    if cursor.is_value(cursor.peek().text) and cursor.peek(1).text != "," and not cursor.is_article(cursor.at):
        return None
    if cursor.word() in words.BE | words.HAVE | words.DO | words.NOT_DO | words.SAY | words.REPORT | {"not"}:
        return None
    found = _field(cursor)
    if found is None or (not listing and (len(found) > 2 or found[0].lower() in _VERBS or found[-1].lower() in _VERBS)):
        return None
    return join, found


_VERBS = frozenset(words.VERBS) | frozenset(words.COMPARING) | frozenset(words.SEARCHING) | {"starts", "ends", "exists"}


def _spellings(named: tuple[str, ...], last: tuple[str, ...]) -> tuple[str, ...]:
    """How the field may be spelt; a single adjective may share the noun of the last one (`invalid … tools`)."""
    spelt = [" ".join(named)]
    if len(named) == 1 and len(last) > 1:
        spelt.append(" ".join((*named, *last[1:])))
    return tuple(spelt)
