"""The sentences that can be proved, as data: a form, other ways to say the same, and which proof takes it.

In: the text of an invariant. Out: the proof's name and the names in the sentence, or the form that it is near to.
"""

from __future__ import annotations

import difflib
import re
from functools import cache

from prose_runtime.source.node import node

_NAME = r"`([\w.-]+)`"
_ROUNDS = "rounds|attempts|cycles|steps|iterations|depths|the loop is|the retry loop is|loops"


@node
class Sentence:
    """One form. `written`: as the page shows it; `forms`: patterns of the ways to say it, names as groups."""

    proof: str
    written: str
    forms: tuple[str, ...]


SENTENCES: tuple[Sentence, ...] = (
    Sentence("rounds", "Rounds are bounded by `n`", (rf"(?:{_ROUNDS})(?: are)? bounded by {_NAME}",)),
    Sentence(
        "later-rounds", "The rounds after the opening are bounded by `n`",
        (rf"(?:the )?rounds after the (?:opening|first)(?: one)? are bounded by {_NAME}",),
    ),
    Sentence(
        "calls", "Calls of `a` are bounded by `n`",
        (rf"(?:the )?calls (?:of|to) {_NAME} are bounded by {_NAME}", rf"{_NAME} is called at most {_NAME} times"),
    ),
    Sentence("once", "`a` is called exactly once", (rf"{_NAME} is called (?:exactly once|once and only once)",)),
    Sentence(
        "once-at-most", "Each of `a` is called once at most",
        (rf"(?:each of )?{_NAME} is called (?:once at most|at most once)",),
    ),
    Sentence(
        "once-each", "`a` is called once for each item of `xs`",
        (rf"{_NAME} is called (?:exactly )?once for (?:each|every) item of {_NAME}",),
    ),
    Sentence(
        "never-name", "`a` never receives `name`",
        (rf"{_NAME} never (?:receives|gets|sees) {_NAME}", rf"{_NAME} does not (?:receive|get|see) {_NAME}"),
    ),
    Sentence(
        "never-answer", "`a` never sees an answer of `b`",
        (rf"{_NAME} never (?:sees|receives|gets) (?:an|the|any) (?:answer|output|result)s? of {_NAME}",
         rf"{_NAME} does not see (?:an|the|any) (?:answer|output|result)s? of {_NAME}"),
    ),
    Sentence(
        "branches", "The branches of `a` never see each other's answers",
        (rf"(?:the )?branches of {_NAME} (?:never|do not) see each other'?s? (?:answers|outputs|results)",),
    ),
    Sentence(
        "same-inputs", "Every call of `a` receives the same inputs",
        (rf"(?:every|each) call (?:of|to) {_NAME} receives (?:the same|identical) inputs",
         rf"all calls (?:of|to) {_NAME} receive (?:the same|identical) inputs"),
    ),
    Sentence("order", "`a` runs before `b`", (rf"{_NAME} (?:runs|is called) before {_NAME}",)),
    Sentence(
        "order-each-round", "In every round `a` runs before `b`",
        (rf"in (?:every|each) round,? {_NAME} (?:runs|is called) before {_NAME}",),
    ),
    Sentence(
        "approved", "`b` runs only after `a` approved",
        (rf"{_NAME} (?:runs|is called) only (?:after|when|if) {_NAME} (?:explicitly )?(?:approve[sd]|accept(?:s|ed))",),
    ),
    Sentence("grows", "`history` only grows", (rf"{_NAME} only (?:grows|ever grows)", rf"{_NAME} never shrinks")),
    Sentence(
        "stops", "The pattern stops at the first success",
        (r"the pattern stops (?:immediately )?(?:at|on) the first success(?: or .*)?",),
    ),
)  # fmt: skip

_NEAR = 0.75


@cache
def _forms() -> tuple[tuple[re.Pattern[str], Sentence], ...]:
    return tuple((re.compile(form, re.IGNORECASE), sentence) for sentence in SENTENCES for form in sentence.forms)


def known(text: str) -> tuple[Sentence, tuple[str, ...]] | None:
    """The sentence that a text says, and the names in it in the order of the form."""
    said = " ".join(text.split()).rstrip(".")
    for form, sentence in _forms():
        match = form.fullmatch(said)
        if match is not None:
            return sentence, match.groups()
    return None


def near(text: str) -> str:
    """The form that a text nearly has, or ""."""
    said = re.sub(r"`[^`]*`", "`x`", " ".join(text.lower().split()).rstrip("."))
    written = {re.sub(r"`[^`]*`", "`x`", sentence.written.lower()): sentence.written for sentence in SENTENCES}
    found = difflib.get_close_matches(said, written, 1, _NEAR)
    return written[found[0]] if found else ""
