"""The rules in which a sentence about the calls or the end of a run is decided.

In: the facts of a run, a subject and a text. Out: whether it holds, or None where it reads as no such rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from prose_runtime.casebook.facts import Facts, Undecidable
from prose_runtime.casebook.phrases import NUMBER, ORDERS, QUANTITY, number
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.runtime.outcome import CallRecord

_COUNT = rf"(?:exactly\s+)?(?:(?P<order>{QUANTITY})\s+)?(?P<number>{NUMBER})"
_NAME = r"`(?P<service>[^`]+)`"
_TIMES = {"once": 1, "twice": 2}


def decide_about_run(facts: Facts, subject: str | None, text: str) -> bool | None:
    """A sentence about calls, errors or the end. Raises `Undecidable` for a service that is not there."""
    if subject == "__error.md" or text.lower().startswith("`__error.md`"):
        rest = text.rpartition("`")[2].strip() if subject is None else text
        return facts.error is not None if rest == "exists" else facts.error is None if rest == "is missing" else None
    for expression, rule in _OF_A_SERVICE if subject in facts.services else ():
        match = expression.fullmatch(text)
        if match is not None:
            assert subject is not None
            return rule(facts, subject, match)
    if subject not in (None, "calls", "execution", "run"):
        return None
    whole = text if subject is None else f"{subject}: {text}"
    for expression, run_rule in _OF_THE_RUN:
        match = expression.fullmatch(whole)
        if match is not None:
            return run_rule(facts, match)
    return None


def _holds(count: int, match: re.Match[str]) -> bool:
    parts = match.groupdict()
    wanted = number(parts.get("number") or "") if not parts.get("times") else _TIMES[parts["times"].lower()]
    if wanted is None:
        raise Undecidable(f"`{match[0]}` has no number")
    order = ORDERS.get(" ".join((parts.get("order") or "").lower().split()), "==")
    return {
        "<": count < wanted,
        "<=": count <= wanted,
        ">": count > wanted,
        ">=": count >= wanted,
        "!=": count != wanted,
    }.get(order, count == wanted)


def _of(facts: Facts, service: str) -> list[CallRecord]:
    if service not in facts.services:
        near = nearest(service, facts.services)
        raise Undecidable(f"nothing is called `{service}`" + (f"; it may be `{near}`" if near else ""))
    return [call for call in facts.calls if call.service == service]


def _called(facts: Facts, service: str, match: re.Match[str]) -> bool:
    return _holds(len(_of(facts, service)), match)


def _called_at_all(facts: Facts, service: str, match: re.Match[str]) -> bool:
    return bool(_of(facts, service))


def _order(facts: Facts, service: str, match: re.Match[str]) -> bool:
    """The first call of the earlier one stands before the first of the later one; both are made."""
    names = [call.service for call in facts.calls]
    _of(facts, match["service"])
    if service not in names or match["service"] not in names:
        return False
    before = names.index(service) < names.index(match["service"])
    return before if match["order"].lower() == "before" else not before


def _place(facts: Facts, service: str, match: re.Match[str]) -> bool:
    place = 0 if match["place"].lower() == "first" else -1
    return bool(facts.calls) and facts.calls[place].service == service


def _receives(facts: Facts, service: str, match: re.Match[str]) -> bool:
    calls = _of(facts, service)
    found = [match["key"] in call.inputs for call in calls]
    return bool(calls) and (all(found) if match["always"] else any(found))


def _calls(facts: Facts, match: re.Match[str]) -> bool:
    service = match["service"]
    return _holds(len(facts.calls if service is None else _of(facts, service)), match)


def _no_calls(facts: Facts, match: re.Match[str]) -> bool:
    service = match["service"]
    return not (facts.calls if service is None else _of(facts, service))


def _fails(facts: Facts, match: re.Match[str]) -> bool:
    return facts.error is not None and match["error"] in (None, facts.error)


def _succeeds(facts: Facts, match: re.Match[str]) -> bool:
    return facts.status == "done"


def _re(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_OF_A_SERVICE: tuple[tuple[re.Pattern[str], Callable[[Facts, str, re.Match[str]], bool]], ...] = (
    (_re(rf"(?:is|are) called {_COUNT} times?"), _called),
    (_re(rf"(?:is|are) called (?:exactly )?(?:(?P<order>{QUANTITY}) )?(?P<times>once|twice)"), _called),
    (_re(r"(?:is|are) called"), _called_at_all),
    (_re(rf"(?:is|are) called (?P<order>before|after) {_NAME}"), _order),
    (_re(r"(?:is|are) called (?P<place>first|last)"), _place),
    (_re(r"(?P<always>always )?receives (?:an? |the )?`(?P<key>[^`]+)`"), _receives),
)
_PLACE = r"(?:(?:run|execution|calls): (?:has |makes |are |is )?|there (?:is|are) |it makes |the run makes )?"
_OF_THE_RUN: tuple[tuple[re.Pattern[str], Callable[[Facts, re.Match[str]], bool]], ...] = (
    (_re(rf"{_PLACE}(?:no calls?|never called)(?::? (?:of )?(?:the )?{_NAME})?(?: (?:is|are) made)?"), _no_calls),
    (_re(rf"{_PLACE}{_COUNT} calls?(?: of (?:the )?{_NAME})?(?: (?:is|are) made)?"), _calls),
    (_re(rf"calls: (?:is |are )?{_COUNT}(?P<service>(?!))?"), _calls),
    (_re(r"(?:the )?(?:run|execution):? fails(?: with (?:the )?(?:error )?`(?P<error>[^`]+)`)?"), _fails),
    (_re(r"(?:the )?(?:run|execution):? (?:succeeds|is done|ends well)"), _succeeds),
)
