"""The sentences that can be proved, as data: a form, other ways to say the same, and which proof takes it.

In: the text of an invariant. Out: the proof's name and the names in the sentence, or the form that it is near to.
"""

from __future__ import annotations

import difflib
import re
from functools import cache

from prose_runtime.source.node import node

_NAME = r"`([\w.-]+)`"
_NAMES = r"(`[\w.-]+`(?:(?:,|,? and) `[\w.-]+`)*)"
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
    Sentence(
        "same-part", "Every call of `a` receives the same `x`",
        (rf"(?:every|each) call (?:of|to) {_NAME} receives the same {_NAME}",),
    ),
    Sentence(
        "same-in-round", "Within a round every call of `a` receives the same `x`",
        (rf"(?:with)?in (?:a|each|every) round every call (?:of|to) {_NAME} receives the same {_NAME}",),
    ),
    Sentence(
        "same-names", "Every call of `a` receives inputs of the same names",
        (rf"(?:every|each) call (?:of|to) {_NAME} receives inputs of the same names",),
    ),
    Sentence(
        "receives", "Every call of `a` receives `x`",
        (rf"(?:every|each) call (?:of|to) {_NAME} receives {_NAME}",),
    ),
    Sentence("unchanged", "`a` receives `x` unchanged", (rf"{_NAME} (?:receives|gets) {_NAME} unchanged",)),
    Sentence("only", "`a` receives only `x` and `y`", (rf"{_NAME} (?:receives|gets|sees) only {_NAMES}",)),
    Sentence(
        "never-both", "No call of `a` receives both `x` and `y`",
        (rf"no call (?:of|to) {_NAME} (?:receives|gets|sees) both {_NAME} and {_NAME}",),
    ),
    Sentence("apart", "`x` and `y` are kept apart", (rf"{_NAME} and {_NAME} are kept apart",)),
    Sentence(
        "in-order", "`a` takes the items of `xs` one at a time, in their order",
        (rf"{_NAME} (?:takes|gets|receives) the items of {_NAME} one at a time,? in (?:their )?order",),
    ),
    Sentence(
        "own-item", "`a` sees of `xs` only its own item",
        (rf"(?:each call of )?{_NAME} (?:sees|receives|gets) of {_NAME} only its own item",),
    ),
    Sentence(
        "all-answers", "`a` receives all answers of `b`, in their order",
        (rf"{_NAME} (?:receives|gets) all (?:answers|outputs|results) of {_NAME},? in (?:their )?order",),
    ),
    Sentence(
        "holds-answers", "`results` holds all answers of `b`, in their order",
        (rf"{_NAME} (?:holds|is) all (?:answers|outputs|results) of {_NAME},? in (?:their )?order",),
    ),
    Sentence(
        "from-before", "Each of `many` receives the answer of the one before it",
        (rf"each of {_NAME} (?:receives|gets) the (?:answer|output|result) of the one before it",),
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
    Sentence(
        "grows-approved", "`history` grows only after `a` approved",
        (rf"{_NAME} grows only (?:after|when|if) {_NAME} (?:explicitly )?(?:approve[sd]|accept(?:s|ed)|certifie[sd])",),
    ),
    Sentence("begins-empty", "`history` is empty at first", (rf"{_NAME} (?:is|begins) empty(?: at first)?",)),
    Sentence(
        "exclusive", "`a` and `b` are never both called",
        (rf"{_NAME} and {_NAME} are never both (?:called|asked)",),
    ),
    Sentence("only-asked", "Only `a` and `b` are asked", (rf"only {_NAMES} (?:is|are) (?:asked|called)",)),
    Sentence("undecided", "The script decides nothing", (r"(?:the script|the pattern) decides nothing",)),
    Sentence(
        "earlier-counts", "Of answers at the same moment that of the earlier of `many` counts",
        (rf"of answers at the same moment,? that of the earlier of {_NAME} counts",),
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
