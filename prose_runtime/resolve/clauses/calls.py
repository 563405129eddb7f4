"""What can be said of the calls and the end of a run. In: a subject and a text. Out: the clause, or None."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from typing import TypeAlias

from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.resolve.clauses import tree
from prose_runtime.resolve.clauses.forms import order_of
from prose_runtime.resolve.clauses.phrases import NUMBER, QUANTITY, as_number
from prose_runtime.resolve.clauses.tree import Clause, Undecidable
from prose_runtime.source.pattern import pattern

Match: TypeAlias = "re.Match[str]"

_COUNT = rf"(?:exactly\s+)?(?:(?P<order>{QUANTITY})\s+)?(?P<number>{NUMBER})"
_NAME = r"`(?P<service>[^`]+)`"
_TIMES = {"once": 1, "twice": 2}


def read_about_run(services: Set[str], subject: str | None, text: str) -> Clause | None:
    """A sentence about calls, errors or the end. Raises `Undecidable` for a service that is not there."""
    if subject == "__error.md" or text.lower().startswith("`__error.md`"):
        rest = text.rpartition("`")[2].strip() if subject is None else text
        return {"exists": tree.Fails(), "is missing": tree.Not(tree.Fails())}.get(rest)
    for expression, read in _OF_A_SERVICE if subject in services else ():
        match = expression.fullmatch(text)
        if match is not None:
            assert subject is not None
            return read(services, subject, match)
    if subject not in (None, "calls", "execution", "run"):
        return None
    whole = text if subject is None else f"{subject}: {text}"
    for expression, read_run in _OF_THE_RUN:
        match = expression.fullmatch(whole)
        if match is not None:
            return read_run(services, match)
    return None


def _known(services: Set[str], service: str) -> str:
    if service not in services:
        near = nearest(service, services)
        raise Undecidable(f"nothing is called `{service}`" + (f"; it may be `{near}`" if near else ""))
    return service


def _counted(service: str | None, match: Match) -> Clause:
    parts = match.groupdict()
    number = tree.Number(_TIMES[parts["times"].lower()]) if parts.get("times") else as_number(parts["number"])
    if number.value is None:
        raise Undecidable(f"`{match[0]}` has no number")
    return tree.CallCount(service, order_of(parts.get("order")), number)


def _called(services: Set[str], service: str, match: Match) -> Clause:
    return _counted(service, match)


def _called_at_all(services: Set[str], service: str, match: Match) -> Clause:
    return tree.CallCount(service, ">", tree.Number(0))


def _order(services: Set[str], service: str, match: Match) -> Clause:
    other = _known(services, match["service"])
    return tree.CallOrder(service, other) if match["order"].lower() == "before" else tree.CallOrder(other, service)


def _place(services: Set[str], service: str, match: Match) -> Clause:
    return tree.CallPlace(service, match["place"].lower() == "last")


def _receives(services: Set[str], service: str, match: Match) -> Clause:
    return tree.Receives(service, match["key"], bool(match["always"]))


def _calls(services: Set[str], match: Match) -> Clause:
    return _counted(None if match["service"] is None else _known(services, match["service"]), match)


def _no_calls(services: Set[str], match: Match) -> Clause:
    service = match["service"]
    return tree.CallCount(None if service is None else _known(services, service), "==", tree.Number(0))


def _re(text: str) -> re.Pattern[str]:
    return pattern(text, re.IGNORECASE)


_OF_A_SERVICE: tuple[tuple[re.Pattern[str], Callable[[Set[str], str, Match], Clause]], ...] = (
    (_re(rf"(?:is|are) called {_COUNT} times?"), _called),
    (_re(rf"(?:is|are) called (?:exactly )?(?:(?P<order>{QUANTITY}) )?(?P<times>once|twice)"), _called),
    (_re(r"(?:is|are) called"), _called_at_all),
    (_re(rf"(?:is|are) called (?P<order>before|after) {_NAME}"), _order),
    (_re(r"(?:is|are) called (?P<place>first|last)"), _place),
    (_re(r"(?P<always>always )?receives (?:an? |the )?`(?P<key>[^`]+)`"), _receives),
)
_PLACE = r"(?:(?:run|execution|calls): (?:has |makes |are |is )?|there (?:is|are) |it makes |the run makes )?"
_OF_THE_RUN: tuple[tuple[re.Pattern[str], Callable[[Set[str], Match], Clause]], ...] = (
    (_re(rf"{_PLACE}(?:no calls?|never called)(?::? (?:of )?(?:the )?{_NAME})?(?: (?:is|are) made)?"), _no_calls),
    (_re(rf"{_PLACE}{_COUNT} calls?(?: of (?:the )?{_NAME})?(?: (?:is|are) made)?"), _calls),
    (_re(rf"calls: (?:is |are )?{_COUNT}(?P<service>(?!))?"), _calls),
    (
        _re(r"(?:the )?(?:run|execution):? fails(?: with (?:the )?(?:error )?`(?P<error>[^`]+)`)?"),
        lambda services, match: tree.Fails(match["error"]),
    ),
    (_re(r"(?:the )?(?:run|execution):? (?:succeeds|is done|ends well)"), lambda services, match: tree.Succeeds()),
)
