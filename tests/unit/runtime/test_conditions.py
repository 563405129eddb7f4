"""Deciding conditions: by their form, by structure, by criteria, by the judge."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from condition_frames import Asked, Body, body, condition_of, decided, now, planned
from interpreting import result

from prose_runtime.resolve.conditions import classify_choice
from prose_runtime.runtime.conditions import JudgeAnswer, JudgeQuestion, choose, choose_now, decide_now
from prose_runtime.runtime.faults import Fault
from prose_runtime.runtime.values import ListValue, ServiceRef, from_python, to_json

VALUES: dict[str, Any] = {
    "score": 0.6,
    "threshold": 0.8,
    "missing": None,
    "zero": 0,
    "text": "No Results Found here",
    "word": "accept",
    "blank": "  ",
    "no": "no",
    "yes": "Yes",
    "on": True,
    "off": False,
    "xs": [1, 2, 3],
    "none_left": [],
    "tags": ["Art", "music"],
    "items_in": {"items": [1, 2], "findings": ["a"], "n": 5},
    "review": {"verdict": "reject", "score": 0.9, "blocking_findings": ["a"], "warnings": 0},
    "state": {"has_baseline": True, "severity": "sev1"},
    "action": "check",
    "topic": "results",
    "essay": "one two three\nfour five",
    "as_json": '["a", "b"]',
}

FORMAL = {
    "score >= threshold": False,
    "score meets threshold": False,
    "score does not meet threshold": True,
    "threshold exceeds score": True,
    "score is at least 0.6": True,
    "score is at most 0.6": True,
    "score is above 0.6": False,
    "score is not above 0.6": True,
    "score is below threshold": True,
    "score is 0.6 or more": True,
    "score is 0.6 or less": True,
    "score is 0.7 or more": False,
    "score is between 0 and 1": True,
    "score is not between 0 and 0.5": True,
    "score is between 0.7 and 1": False,
    "score equals 0.6": True,
    "score == 0.6 and threshold == 0.8": True,
    "score + 0.2 >= 0.79": True,
    "score * 2 > threshold": True,
    "-1 < score": True,
    "missing >= threshold": False,
    "missing < threshold": True,
    "not (missing >= threshold)": True,
    "missing meets -5": False,
    "missing is null": True,
    "missing is absent": True,
    "missing is not set": True,
    "missing == null": True,
    "zero is present": True,
    "zero is null": False,
    "zero": False,
    "not zero": True,
    "blank": False,
    "blank is empty": True,
    "blank is present": True,
    "no": False,
    "not no": True,
    "yes": True,
    "yes is true": True,
    "no is false": True,
    "zero is false": False,
    "missing is false": False,
    "on": True,
    "on is true": True,
    "off is false": True,
    "off is not true": True,
    "missing": False,
    "text": True,
    "xs": True,
    "none_left": False,
    "none_left is empty": True,
    "none_left is not empty": False,
    "missing is empty": True,
    "missing is null or empty": True,
    "text is null or empty": False,
    "text is not null and not empty": True,
    "missing is not null and not empty": False,
    "zero is empty": False,
    "len(xs) > 2": True,
    "xs.length == 3": True,
    "xs.count is 3": True,
    "xs[0] == 1": True,
    "xs contains 2": True,
    "xs contains 9": False,
    "tags contains 'art'": True,
    "tags contains 'ar'": False,
    "tags includes 'MUSIC'": True,
    "text contains 'no results found'": True,
    "text contains topic": True,
    "text contains {topic}": True,
    "text contains 'x' or is empty": False,
    "blank contains 'x' or is empty": True,
    "text contains 'x' or 'here'": True,
    "text contains 'no' and 'here'": True,
    "text contains 'no' and 'x'": False,
    "text does not contain 'x'": True,
    "text does not contain 'x' or 'here'": False,
    "text does not include 'here'": False,
    "text starts with 'no res'": True,
    "text ends with 'HERE'": True,
    "text starts with 'here'": False,
    "missing contains 'x'": False,
    "missing does not contain 'x'": True,
    "score contains 6": True,
    "review contains 'REJ'": True,
    "xs has fewer than 3 items": False,
    "xs has at least 3 items": True,
    "xs has 3 or more items": True,
    "xs has 3 items": True,
    "none_left has no items": True,
    "xs does not have 3 items": False,
    "items_in has 2 items": True,
    "as_json has 2 items": True,
    "essay has 5 words": True,
    "essay is at most 5 words": True,
    "essay is shorter than 5 words": False,
    "essay is longer than 4 words": True,
    "essay exceeds 1 lines": True,
    "essay is under 100 characters": True,
    "missing is shorter than 5 words": True,
    'action == "check" and state.has_baseline': True,
    "action != 'check'": False,
    "action is 'check'": True,
    "action is 'Check'": False,
    "action is 'a', 'b' or 'check'": True,
    "action is not 'a' or 'b'": True,
    "action is not 'a' or 'check'": False,
    "action is one of 'a', 'check'": True,
    "action is not one of 'a', 'check'": False,
    "action == 'a' or 'check'": True,
    "action != 'a' or 'check'": False,
    "action in ['a', 'check']": True,
    "action in tags": False,
    "score in [0.6]": True,
    "review is 'reject'": True,
    "review is 'accept'": False,
    "(score > 1 or on) and text": True,
    "score > 1 or on and off": False,
    "state.missing is present": False,
    "on && !off": True,
    "xs.length > 0 and xs[0] == 1": True,
    "none_left.length > 0 and none_left[0] == 1": False,
    "config.rounds >= 3": True,
}


@pytest.fixture
def frame() -> Body:
    return body({**VALUES, "config": {"rounds": 3}})


@pytest.mark.parametrize(("text", "holds"), FORMAL.items())
def test_formal_conditions(text: str, holds: bool, frame: Body) -> None:
    decision = now(text, frame)
    assert decision is not None
    assert (decision.how, decision.holds) == ("formal", holds)


@pytest.mark.parametrize("left", ["missing", "score", "zero", "threshold", "-1"])
@pytest.mark.parametrize("right", ["missing", "score", "zero"])
def test_not_at_least_is_always_below(left: str, right: str, frame: Body) -> None:
    above, below = now(f"not ({left} >= {right})", frame), now(f"{left} < {right}", frame)
    assert above is not None
    assert below is not None
    assert above.holds is below.holds


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("score > 'high'", "no-order"),
        ("on > 0", "no-order"),
        ("score / zero > 1", "division-by-zero"),
        ("xs[9] == 1", "index-out-of-range"),
        ("xs has 3 words", "cannot-count"),
        ("text has 3 items", "cannot-count"),
        ("text contains tags", "cannot-search"),
        ("text + 1 == 'x'", "wrong-operands"),
    ],
)
def test_formal_conditions_that_have_no_answer(text: str, code: str, frame: Body) -> None:
    with pytest.raises(Fault) as caught:
        decided(text, frame, Asked(True))
    assert caught.value.code == code


def test_a_null_operand_is_warned_of_once(frame: Body) -> None:
    now("missing >= threshold", frame)
    assert [code for code, _ in frame.warned] == ["null-in-comparison"]


# ---- structure -------------------------------------------------------------------------------------------

ACCEPTING: list[tuple[object, bool | None]] = [
    (True, True),
    (False, False),
    ("accept", True),
    ("Accepted.", True),
    ("**APPROVED**", True),
    ("pass", True),
    ("yes", True),
    ("reject", False),
    ("Not accepted", False),
    ("not approved", False),
    ("do not accept", False),
    ("rejected!", False),
    ("no", False),
    ("I do not accept this", None),
    ("I accept this", None),
    ("accepted with reservations", None),
    ("The acceptance criteria are not met", None),
    ("no issues", None),
    ("looks great", None),
    ("", None),
    ({"verdict": "accept"}, True),
    ({"verdict": "reject"}, False),
    ({"Verdict": "ACCEPT", "reason": "I would reject it otherwise"}, True),
    ({"accepted": True}, True),
    ({"accepted": False, "notes": "accept"}, False),
    ({"approved": True, "status": "done"}, True),
    ({"proceed": False}, False),
    ({"passed": True, "failed": False}, True),
    ({"rejected": True}, False),
    ({"decision": "approve", "verdict": None}, True),
    ({"accepted": True, "verdict": "reject"}, None),
    ({"verdict": "I do not accept this"}, None),
    ({"accepted": True, "verdict": "it is not good at all"}, None),
    ({"verdict": "revise"}, False),
    ({"verdict": "maybe"}, None),
    ({"text": "accept"}, None),
    ({}, None),
    ('{"verdict": "accept"}', True),
    ('```json\n{"accepted": false}\n```', False),
    ('{"verdict": "accept"', None),
    (["accept"], None),
    (3, None),
    (None, False),
]


@pytest.mark.parametrize(("answer", "holds"), ACCEPTING)
@pytest.mark.parametrize(
    ("text", "asks_for_acceptance"),
    [
        ("verdict accepts result", True),
        ("verdict accepted", True),
        ("verdict is accepted", True),
        ("verdict is not accepted", False),
        ("verdict does not approve", False),
        ("verdict certifies the proposal", True),
    ],
)
def test_verdicts_by_structure(text: str, asks_for_acceptance: bool, answer: object, holds: bool | None) -> None:
    decision = now(text, body({"verdict": answer, "result": "x"}))
    if holds is None:
        assert decision is None
    else:
        assert decision is not None
        assert (decision.how, decision.holds) == ("structure", holds is asks_for_acceptance)


@pytest.mark.parametrize(("answer", "holds"), ACCEPTING)
def test_an_explicit_verdict_never_reaches_a_judge(answer: object, holds: bool | None) -> None:
    frame = body({"decision": answer})
    explicit, guard = now("decision explicitly proceeds", frame), now("decision does not explicitly proceed", frame)
    assert explicit is not None
    assert guard is not None
    assert (explicit.holds, guard.holds) == (holds is True, holds is not True)


@pytest.mark.parametrize(
    ("answer", "rejects"),
    [
        ({"verdict": "reject"}, True),
        ({"verdict": "accept"}, False),
        ("rejected", True),
        ({"failed": True}, True),
        (None, False),
        ("I reject nothing at all", None),
    ],
)
def test_refusals(answer: object, rejects: bool | None) -> None:
    decision = now("verdict rejects the draft", body({"verdict": answer}))
    assert (decision.holds if decision else None) is rejects


WORDS: list[tuple[str, object, bool | None]] = [
    ("says abort", "abort", True),
    ("says abort", "Abort!", True),
    ("says abort", "adjust", False),
    ("says abort", "do not abort", False),
    ("says abort", "I would never say abort here", None),
    ("says abort", {"decision": "abort", "reason": "x"}, True),
    ("says abort", {"action": "abort", "status": "ok"}, True),
    ("says abort", {"action": "adjust"}, False),
    ("says abort", {"verdict": "we should adjust the brief first"}, None),
    ("says abort", {"abort": True}, True),
    ("says abort", {"reason": "abort"}, None),
    ("says abort", '{"decision": "abort"}', True),
    ("says abort", None, False),
    ("says abort", True, None),
    ("says abort", 3, None),
    ("does not say abort", "adjust", True),
    ("says proceed", {"decision": "adjust"}, False),
    ("says proceed", {"proceed": False}, False),
    ("says proceed", {"proceed": True}, True),
    ("says accept", {"verdict": "approved"}, True),
    ("says accept", {"verdict": "accept", "decision": "reject"}, None),
    ("is needs-work", "needs work", True),
    ("is sev1 or sev2", "SEV2", True),
    ("is sev1 or sev2", "sev3", False),
    ("is not sev1 or sev2", "sev3", True),
    ("is not sev1 or sev2", "sev1", False),
    ("is failed", {"status": "failed"}, True),
    ("is complete", {"complete": True}, True),
    ("is acceptable", {"accepted": True}, True),
    ("is high", {"decision": "high", "note": "x"}, True),
]


@pytest.mark.parametrize(("text", "answer", "holds"), WORDS)
def test_words_by_structure(text: str, answer: object, holds: bool | None) -> None:
    decision = now(f"decision {text}", body({"decision": answer}))
    assert (decision.holds if decision else None) is holds


def test_a_field_named_like_the_value_is_its_verdict() -> None:
    decision = now("severity is sev1", body({"severity": {"severity": "sev1", "why": "x"}}))
    assert decision is not None
    assert decision.holds is True


REPORTS: list[tuple[str, object, bool | None]] = [
    ("has blocking findings", {"blocking_findings": ["a"]}, True),
    ("has blocking findings", {"blocking_findings": []}, False),
    ("has blocking findings", {"blockingFindings": 2}, True),
    ("has blocking findings", {"blocking-findings": 0}, False),
    ("has blocking findings", {"blocking_findings": False}, False),
    ("has blocking findings", {"blocking_findings": "none"}, False),
    ("has blocking findings", {"blocking_findings": "Yes."}, True),
    ("has blocking findings", {"blocking_findings": None}, False),
    ("has blocking findings", {"blocking_findings": "see below"}, None),
    ("has blocking findings", {"findings": ["blocking"]}, None),
    ("has blocking findings", "no blocking findings", None),
    ("has blocking findings", "none", None),
    ("has blocking findings", '{"blocking_findings": []}', False),
    ("has blocking findings", None, False),
    ("still has blocking findings", {"blocking_findings": ["a"]}, True),
    ("has no blocking findings", {"blocking_findings": []}, True),
    ("does not have blocking findings", {"blocking_findings": ["a"]}, False),
    ("reports errors or warnings", {"errors": [], "warnings": 1}, True),
    ("reports errors or warnings", {"errors": [], "warnings": []}, False),
    ("reports errors or warnings", {"errors": []}, None),
    ("reports errors or warnings", {"errors": 1}, True),
    ("reports errors and warnings", {"errors": 1, "warnings": 0}, False),
    ("reports errors and warnings", {"errors": 1, "warnings": 2}, True),
    (
        "reports invalid, unsupported, or unresolved tools",
        {"invalid": 0, "unsupported_tools": 0, "unresolved_tools": 1},
        True,
    ),
    ("has at least 2 findings", {"findings": ["a"]}, False),
    ("has at least 2 findings", {"findings": 3}, True),
    ("has at least 2 findings", "two findings", None),
]


@pytest.mark.parametrize(("text", "answer", "holds"), REPORTS)
def test_reports_by_structure(text: str, answer: object, holds: bool | None) -> None:
    decision = now(f"report {text}", body({"report": answer}))
    assert (decision.holds if decision else None) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("err is timeout", True),
        ("err is not timeout", False),
        ("err is service-failed", False),
        ("err is 'timeout'", True),
        ("err is timeout or contract", True),
        ("err is contract or service-failed", False),
        ("err is recoverable", False),
        ("err.attempt >= 2", True),
    ],
)
def test_errors_by_their_name(text: str, holds: bool) -> None:
    frame = body({"err": {"name": "timeout", "message": "contract", "attempt": 2}, "timeout": 5})
    decision = now(text, frame)
    assert decision is not None
    assert decision.holds is holds


# ---- slots -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("critic accepts output", False, True),
        ("critic does not accept output", True, False),
        ("critic.score >= 0.8", False, True),
        ("critic says accept", False, True),
    ],
)
def test_a_slot_is_its_latest_answer(text: str, before: bool, after: bool) -> None:
    answered = {"critic": {"verdict": "accept", "score": 0.9}}
    for answers, holds in (({}, before), (answered, after)):
        decision = now(text, body({"output": "x"}, answers=answers))
        assert decision is not None
        assert decision.holds is holds


def test_a_bare_slot_is_whether_it_is_bound() -> None:
    frame = body()
    plan = planned("critic", frame)
    absent = planned("critic is present", frame)
    frame.values["critic"] = None
    for each in (plan, absent):
        decision = decide_now(each, condition_of(each.text), frame)
        assert decision is not None
        assert decision.holds is False
    frame.values["critic"] = ServiceRef("strict")
    decision = decide_now(absent, condition_of(absent.text), frame)
    assert decision is not None
    assert decision.holds is True


# ---- criteria --------------------------------------------------------------------------------------------

CRITERIA: list[tuple[object, object, bool]] = [
    ("result contains 'no results found' or is empty", "Sorry, no results found.", True),
    ("result contains 'no results found' or is empty", "", True),
    ("result contains 'no results found' or is empty", "Three hits", False),
    ("is shorter than 3 words", "two words", True),
    ("has fewer than 3 items", [1, 2], True),
    ("has fewer than 3 items", [1, 2, 3], False),
    ("result.score < 0.5", {"score": 0.4}, True),
    ("is null", None, True),
    (["is null", "contains 'error'"], "an Error", True),
    (["is null", "contains 'error'"], "fine", False),
    (None, "anything", False),
    ("  ", "anything", False),
    ([], "anything", False),
]


@pytest.mark.parametrize(("criteria", "answer", "failure"), CRITERIA)
def test_formal_criteria(criteria: object, answer: object, failure: bool) -> None:
    frame = body({"failure_criteria": criteria, "answer": answer})
    for text, holds in (("is a failure", failure), ("is not a failure", not failure)):
        decision = now(f"failure_criteria says answer {text}", frame)
        assert decision is not None
        assert (decision.how, decision.holds) == ("criteria", holds)


@pytest.mark.parametrize(
    ("criteria", "acceptable"), [(None, True), ("has 2 items", True), (["has 2 items", "is null"], False)]
)
def test_criteria_of_acceptance(criteria: object, acceptable: bool) -> None:
    frame = body({"acceptance_criteria": criteria, "attempt": {"result": [1, 2]}})
    decision = now("acceptance_criteria says attempt.result is acceptable", frame)
    assert decision is not None
    assert decision.holds is acceptable


def test_other_criteria_go_to_the_judge_who_sees_only_the_value() -> None:
    judge = Asked(True)
    frame = body({"failure_criteria": "the answer is rude", "answer": "go away", "secret": 1})
    decision = decided("failure_criteria says answer is a failure", frame, judge)
    assert (decision.how, decision.holds) == ("judge", True)
    (question,) = judge.questions
    assert (question.text, dict(question.values)) == ("the answer is rude", {"answer": "go away"})


def test_criteria_for_a_judge_without_one() -> None:
    frame = body({"failure_criteria": "it is rude", "answer": "go away"})
    with pytest.raises(Fault) as caught:
        decided("failure_criteria says answer is a failure", frame)
    assert (caught.value.code, caught.value.facts["text"]) == ("judge-needed", "it is rude")


def test_several_criteria_are_asked_only_as_far_as_needed() -> None:
    judge = Asked(True)
    frame = body({"failure_criteria": ["is null", "it is rude", "it is long"], "answer": "x"})
    assert decided("failure_criteria says answer is not a failure", frame, judge).holds is False
    assert [question.text for question in judge.questions] == ["it is rude"]


# ---- the judge -------------------------------------------------------------------------------------------


def test_prose_goes_to_the_judge_with_the_values_it_names() -> None:
    judge = Asked(True)
    frame = body({"draft": "x", "notes": ["a"], "secret": 1})
    decision = decided("the tone of draft follows {notes}", frame, judge)
    (question,) = judge.questions
    assert question.text == "the tone of draft follows notes"
    assert to_json(from_python(dict(question.values))) == {"draft": "x", "notes": ["a"]}
    assert (decision.how, decision.holds) == ("judge", True)
    assert decision.because == "`the tone of draft follows notes` is true: so it seems"


@pytest.mark.parametrize(
    ("score", "asked", "holds"),
    [(0.9, 1, True), (0.1, 0, False)],
)
def test_a_judge_is_asked_only_if_it_still_matters(score: float, asked: int, holds: bool) -> None:
    judge = Asked(True)
    decision = decided("the tone is warm and score >= 0.8", body({"score": score}), judge)
    assert (len(judge.questions), decision.holds) == (asked, holds)


def test_or_with_a_formal_part_that_holds_asks_nobody() -> None:
    judge = Asked()
    assert decided("the tone is warm or score >= 0.8", body({"score": 0.9}), judge).holds is True


def test_unreadable_neighbours_are_one_question() -> None:
    judge = Asked(True)
    frame = body({"review": "there are grave concerns", "score": 1})
    text = "score > 0 and review has critical concerns and the concerns block release"
    assert decided(text, frame, judge).holds is True
    (question,) = judge.questions
    assert question.text == "review has critical concerns and the concerns block release"
    assert dict(question.values) == {"review": "there are grave concerns"}


def test_parts_that_are_no_neighbours_are_asked_one_after_the_other() -> None:
    judge = Asked(False, True)
    frame = body({"score": 1})
    assert decided("it is warm or score < 0 or it is short", frame, judge).holds is True
    assert [question.text for question in judge.questions] == ["it is warm", "it is short"]


def test_a_question_has_its_subject_where_the_author_left_it_out() -> None:
    judge = Asked(True)
    frame = body({"verdict": {"verdict": "reject"}, "x": 1})
    assert decided("verdict is accepted or has grave problems or x == 2", frame, judge).holds is True
    assert [question.text for question in judge.questions] == ["verdict has grave problems"]


def test_two_words_of_one_phrase_are_one_question() -> None:
    judge = Asked(True)
    decided("severity is sev1 or sev2", body({"severity": "a long report about the incident"}), judge)
    assert [question.text for question in judge.questions] == ["severity is sev1 or sev2"]


def test_the_negation_is_part_of_the_question() -> None:
    judge = Asked(True)
    assert decided("verdict is not accepted", body({"verdict": "I do not accept this"}), judge).holds is True
    assert judge.questions[0].text == "verdict is not accepted"


def test_a_negation_around_a_phrase_turns_the_answer() -> None:
    judge = Asked(True)
    assert decided("not (verdict accepts)", body({"verdict": "I do not accept this"}), judge).holds is False
    assert judge.questions[0].text == "verdict accepts"


def test_unreadable_without_a_judge_shows_the_value_and_a_way_out() -> None:
    with pytest.raises(Fault) as caught:
        decided("verdict accepts result", body({"verdict": "I do not accept this", "result": "x"}))
    fault = caught.value
    assert fault.code == "unreadable-verdict"
    assert '"I do not accept this"' in fault.message
    assert '{"verdict": "accept"}' in fault.diagnostic(body().source).help


def test_unreadable_matters_only_if_it_does() -> None:
    frame = body({"verdict": "I do not accept this", "score": 0.1})
    assert decided("verdict accepts and score > 0.8", frame).holds is False


def test_formal_parts_keep_their_order() -> None:
    frame = body({"xs": []})
    assert decided("xs.length > 0 and xs[0] == 1 and it is nice", frame).holds is False


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        ({"holds": True, "reason": "r"}, True),
        ({"holds": "no"}, False),
        (True, True),
        ("yes", True),
        ('{"holds": false, "reason": "r"}', False),
        ("I think so", None),
        ({"reason": "r"}, None),
        (None, None),
        (1, None),
    ],
)
def test_what_a_judge_answers(answer: object, holds: bool | None) -> None:
    question = JudgeQuestion("it is warm", {}, condition_of("x").span)
    found = question.read(from_python(answer))
    assert (found.holds if found else None) is holds


def test_what_a_judge_is_given() -> None:
    question = JudgeQuestion("which?", {"x": 1}, condition_of("x").span, ("a", "b"))
    assert question.inputs() == {"text": "which?", "values": {"x": 1}, "labels": ListValue(["a", "b"])}


# ---- choices ---------------------------------------------------------------------------------------------

LABELS = ("retry", "fall back", "abort")


@pytest.mark.parametrize(
    ("value", "how", "chosen"),
    [
        ("retry", "formal", "retry"),
        ("Fall-back.", "formal", "fall back"),
        ({"action": "abort", "why": "retry"}, "structure", "abort"),
        ("something else", None, None),
        ({"action": "abort", "decision": "retry"}, None, None),
        (None, None, None),
    ],
)
def test_a_choice_by_a_value(value: object, how: str | None, chosen: str | None) -> None:
    frame = body({"plan": value})
    plan, _ = classify_choice(condition_of("plan"), frame)
    choice = choose_now(plan, LABELS, frame)
    assert (choice and choice.how, choice and choice.label) == (how, chosen)
    assert choice is None or LABELS[choice.index] == chosen


def test_a_choice_by_the_judge() -> None:
    asked: list[JudgeQuestion] = []

    async def judge(question: JudgeQuestion) -> JudgeAnswer:
        asked.append(question)
        answer = question.read({"choice": "Abort", "reason": "hopeless"})
        assert answer is not None
        return answer

    frame = body({"plan": "x"})
    condition = condition_of("best recovery path for plan")
    plan, _ = classify_choice(condition, frame)
    choice = asyncio.run(choose(plan, condition, LABELS, frame, judge))
    assert (choice.how, choice.label, choice.index, choice.because) == ("judge", "abort", 2, "hopeless")
    assert (asked[0].labels, dict(asked[0].values)) == (LABELS, {"plan": "x"})
    with pytest.raises(Fault, match="only be decided by a judge"):
        asyncio.run(choose(plan, condition, LABELS, frame, None))


# ---- how it is told --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("score >= threshold", "score 0.6 >= threshold 0.8 is false"),
        ("score does not meet threshold", "score 0.6 < threshold 0.8 is true"),
        ("action == 'check' and on", 'action "check" == "check" is true; on true is true'),
        ("text contains 'x' or is empty", None),
        ("review rejects", '`review rejects` is true: `verdict` is "reject"'),
        ("review has blocking findings", '`review has blocking findings` is true: `blocking_findings` is ["a"]'),
        ("essay has 5 words", "`essay has 5 words` is true: essay has 5 words"),
    ],
)
def test_the_reason_shows_the_values_it_saw(text: str, because: str | None, frame: Body) -> None:
    decision = now(text, frame)
    assert decision is not None
    if because is None:
        assert decision.because.count("No Results Found here") == 2
    else:
        assert decision.because == because


def test_the_values_are_plain_json(frame: Body) -> None:
    decision = now("review.score >= threshold and xs", frame)
    assert decision is not None
    assert decision.values == {"review.score": 0.9, "threshold": 0.8, "xs": [1, 2, 3]}
    assert [frame.source.slice(span) for span in decision.spans] == ["review.score >= threshold", "xs"]


def test_a_formal_condition_is_decided_in_microseconds(frame: Body) -> None:
    plan, condition = planned("score >= threshold", frame), condition_of("score >= threshold")

    def seconds(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            decide_now(plan, condition, frame)
        return (time.perf_counter() - start) / count

    assert min(seconds(1000) for _ in range(5)) < 100e-6


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("n >= 9 or below 4", True),
        ("n >= 9 or below 3", False),
        ("n exceeds 5 or at most 3", True),
        ("n is 7 or between 1 and 3", True),
        ("n > 5 or null", False),
        ("none > 5 or null", True),
        ('text is "x" or empty', False),
        ('blank is "x" or empty', True),
        ("n > 1 and below 3", False),
        ("text is present and not empty", True),
    ],
)
def test_is_may_be_left_out_with_the_subject(condition: str, holds: bool) -> None:
    bound = 'let n = 3\nlet none = null\nlet text = "t"\nlet blank = " "\n'
    assert result(f"{bound}if {condition}: return true\nreturn false") is holds


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("items has at least two items", True),
        ("items has three or more items", False),
        ("report has at least one issue", True),
        ("report has one issue", True),
        ("report has fewer than two entries", True),
        ("report has no more than one issue", True),
        ("report has at least one word", False),
        ("text is longer than two words", False),
        ("report.mark is one", True),
    ],
)
def test_numbers_in_words_count(condition: str, holds: bool) -> None:
    report = '{ issues: [1], entries: [], words: [], mark: "one" }'
    bound = f'let items = [1, 2]\nlet text = "a b"\nlet report = {report}\n'
    assert result(f"{bound}if {condition}: return true\nreturn false") is holds


def test_a_declared_name_is_never_a_number_in_words() -> None:
    assert result("let one = 5\nlet items = [1]\nif items has at least one items: return true\nreturn false") is False
