"""A refiner and an evaluator of commit messages, made of rules: no model, no network.

`evaluator` scores a message against the usual conventions and names its faults, the gravest first.
`refiner` takes a brief (the message as it was typed) and mends one named fault a call. A fault that no rule can
mend, such as a missing reason, stays: the refiner does not invent what its author did not write.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

SUBJECT_GOAL, SUBJECT_LIMIT, BODY_WIDTH = 50, 72, 72

_MARKER = re.compile(r"^\s*\[?\b(?:wip|fixup|squash|tmp|todo)\b\]?\s*[!:-]*\s*", re.IGNORECASE)
_REFERENCE = re.compile(r",?[ \t]*\(?(?:\b(?:see|refs?|closes|fixes|resolves):?[ \t]+)?#(\d+)\b\)?", re.IGNORECASE)
_TRAILER = re.compile(r"^[A-Z][\w-]+: \S")
_REASON = re.compile(
    r"\b(?:because|since|so that|otherwise|in order to|to avoid|until now|before this)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"(?:,? (?:so that|because|since|when|which|in order to|and) |[,;] )", re.IGNORECASE)
_IRREGULAR = {
    "made": "make",
    "wrote": "write",
    "got": "get",
    "did": "do",
    "built": "build",
    "sent": "send",
    "ran": "run",
}
_VERBS_KNOWN = (
    "add allow avoid build bump change check clean close convert correct create delete disable do document drop "
    "enable ensure extract fix get handle implement improve introduce keep make merge move parse prevent read refactor "
    "release remove rename replace restore return revert rework run send set show simplify skip split stop support "
    "test update upgrade use validate write"
)
_VERBS = frozenset(_VERBS_KNOWN.split())


@dataclass(frozen=True)
class Fault:
    """One broken convention: its name, what to do about it, and what it costs (the score starts at 1)."""

    name: str
    advice: str
    cost: float


@dataclass(frozen=True)
class Message:
    """A commit message in its parts; `trailers` are the last lines of the form `Key: value`."""

    subject: str
    gap: bool
    body: str
    trailers: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Message:
        lines = text.strip("\n").split("\n")
        rest = lines[1:]
        trailers: list[str] = []
        while len(rest) > 1 and _TRAILER.match(rest[-1]):
            trailers.insert(0, rest.pop())
        gap = not rest or not rest[0].strip()
        return cls(lines[0], gap, "\n".join(rest).strip("\n"), tuple(trailers))

    def __str__(self) -> str:
        parts = [self.subject + ("" if self.gap or not self.body else "\n" + self.body)]
        if self.gap and self.body:
            parts.append(self.body)
        return "\n\n".join([*parts, *(["\n".join(self.trailers)] if self.trailers else [])])


def imperative(word: str) -> str | None:
    """The order form of a verb ("fixed", "fixes" and "fixing" give "fix"), or None if the word is no known verb."""
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    stems = [lower, lower[:-1], lower[:-2], lower[:-3], lower[:-3] + "e", lower[:-2] + "e"]
    stems += [stem[:-1] for stem in (lower[:-2], lower[:-3]) if stem[-1:] == stem[-2:-1]]
    stems += [lower[:-3] + "y"] if lower.endswith(("ied", "ies")) else []
    return next((stem for stem in stems if stem in _VERBS), None)


def faults(text: str) -> list[Fault]:
    """The conventions that a message breaks, in the order in which they are best mended."""
    message = Message.read(text)
    subject, body = message.subject, message.body
    first = subject.split()[0] if subject.split() else ""
    found: list[Fault] = []

    def check(broken: object, name: str, advice: str, cost: float) -> None:
        if broken:
            found.append(Fault(name, advice, cost))

    check(_MARKER.match(subject), "work-in-progress", "take the work-in-progress marker off the subject", 0.2)
    check(not message.gap, "blank-second-line", "leave the second line blank", 0.1)
    check(
        _REFERENCE.search(subject) or _REFERENCE.search(body),
        "references-last",
        "name issues in a `Refs:` line at the end",
        0.05,
    )
    check(
        len(subject) > SUBJECT_GOAL,
        "short-subject",
        f"cut the subject to {SUBJECT_GOAL} characters (it has {len(subject)}) and move the rest to the body",
        0.15 if len(subject) > SUBJECT_LIMIT else 0.05,
    )
    check(
        imperative(first) not in (None, first.lower()),
        "imperative",
        f"write the subject as an order, not {first!r}",
        0.1,
    )
    check(subject[:1].islower(), "capital", "begin the subject with a capital", 0.05)
    check(subject.rstrip().endswith((".", "!", ",")), "no-full-stop", "end the subject without a full stop", 0.05)
    check(any(line != line.rstrip() for line in text.split("\n")), "trailing-space", "remove trailing spaces", 0.05)
    check(
        any(len(line) > BODY_WIDTH for line in body.split("\n")),
        "wrapped-body",
        f"wrap the body at {BODY_WIDTH} characters",
        0.1,
    )
    check(not _REASON.search(body), "reason", "say in the body why the change is needed", 0.2)
    return found


def _sentence(text: str) -> str:
    text = text.strip(" ,;")
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _without_marker(message: Message) -> Message:
    return Message(_MARKER.sub("", message.subject), message.gap, message.body, message.trailers)


def _with_gap(message: Message) -> Message:
    return Message(message.subject, True, message.body, message.trailers)


def _references_last(message: Message) -> Message:
    numbers = _REFERENCE.findall(message.subject) + _REFERENCE.findall(message.body)
    subject = re.sub(r"\s+", " ", _REFERENCE.sub("", message.subject)).strip()
    subject = re.sub(r"^(?:fix(?:e[sd])? and|:) ", "", subject, flags=re.IGNORECASE)
    body = _REFERENCE.sub("", message.body)
    line = "Refs: " + ", ".join(f"#{number}" for number in dict.fromkeys(numbers))
    return Message(subject, message.gap, body, (*message.trailers, line))


def _short_subject(message: Message) -> Message:
    """Cut before the last clause that lets the subject fit; what was cut opens the body."""
    cuts = [match.start() for match in _CLAUSE.finditer(message.subject) if match.start() <= SUBJECT_GOAL]
    cut = cuts[-1] if cuts else message.subject.rfind(" ", 0, SUBJECT_GOAL + 1)
    if cut <= 0:
        return message
    rest = _sentence(re.sub(r"^,? (?:and|which) ", "", message.subject[cut:]))
    if rest.lower().startswith("so that "):
        rest = "This is done " + rest[0].lower() + rest[1:]
    body = "\n".join(part for part in (rest, "", message.body) if part or message.body)
    return Message(message.subject[:cut], True, body, message.trailers)


def _imperative_subject(message: Message) -> Message:
    first, _, rest = message.subject.partition(" ")
    verb = imperative(first) or first
    verb = verb.capitalize() if first[:1].isupper() else verb
    return Message(f"{verb} {rest}".strip(), message.gap, message.body, message.trailers)


def _capital_subject(message: Message) -> Message:
    return Message(message.subject[:1].upper() + message.subject[1:], message.gap, message.body, message.trailers)


def _no_full_stop(message: Message) -> Message:
    return Message(message.subject.rstrip(" .!,"), message.gap, message.body, message.trailers)


def _no_trailing_space(message: Message) -> Message:
    body = "\n".join(line.rstrip() for line in message.body.split("\n"))
    return Message(message.subject.rstrip(), message.gap, body, tuple(line.rstrip() for line in message.trailers))


def _wrapped_body(message: Message) -> Message:
    paragraphs = re.split(r"\n\s*\n", message.body)
    wrapped = [_wrapped(paragraph) for paragraph in paragraphs]
    return Message(message.subject, message.gap, "\n\n".join(wrapped), message.trailers)


def _wrapped(paragraph: str) -> str:
    """A paragraph at `BODY_WIDTH`; the items of a list stay items, and a first letter becomes a capital."""
    if re.match(r"\s*[-*] ", paragraph):
        lines = (textwrap.fill(line, BODY_WIDTH, subsequent_indent="  ") for line in paragraph.split("\n"))
        return "\n".join(lines)
    return textwrap.fill(_sentence(" ".join(paragraph.split())), BODY_WIDTH, break_long_words=False)


_MENDERS: dict[str, Callable[[Message], Message]] = {
    "work-in-progress": _without_marker,
    "blank-second-line": _with_gap,
    "references-last": _references_last,
    "short-subject": _short_subject,
    "imperative": _imperative_subject,
    "capital": _capital_subject,
    "no-full-stop": _no_full_stop,
    "trailing-space": _no_trailing_space,
    "wrapped-body": _wrapped_body,
}


def evaluator(task_brief: str, result: str) -> dict[str, object]:
    """Score a message between 0 and 1, and name its faults as `name: advice`."""
    found = faults(result)
    score = max(0.0, 1 - sum(fault.cost for fault in found))
    return {"score": round(score, 2), "suggestions": [f"{fault.name}: {fault.advice}" for fault in found]}


def refiner(
    task_brief: str,
    current_result: str | None = None,
    improvement_suggestions: list[str] | None = None,
    current_score: float | None = None,
) -> str:
    """The message as typed on the first call; from then on, the draft with the first fault mended that can be.

    The pattern gives the score as well; these rules go by the suggestions alone.
    """
    if current_result is None:
        return task_brief.strip("\n")
    for suggestion in improvement_suggestions or []:
        mend = _MENDERS.get(suggestion.partition(":")[0])
        if mend is not None:
            return str(mend(Message.read(current_result)))
    return current_result
