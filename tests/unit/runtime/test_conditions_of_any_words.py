"""Whatever stands in a condition, whatever the values: it is classified, and decided, asked or refused in words."""

from __future__ import annotations

from condition_frames import body, condition_of, finished
from hypothesis import given, settings
from hypothesis import strategies as st

from prose_runtime.diagnostics import has_errors
from prose_runtime.resolve.conditions import classify, classify_criteria, leaves
from prose_runtime.runtime.conditions import JudgeAnswer, JudgeQuestion, decide
from prose_runtime.runtime.faults import Fault
from prose_runtime.source import SourceText

WORDS = (
    *("score", "draft", "xs", "err", "critic", "failure_criteria", "word", "timeout", "{draft}", "{score}", "{other}"),
    *("is", "not", "and", "or", "has", "have", "reports", "says", "accepts", "accepted", "rejects", "no", "does"),
    *("contains", "starts", "with", "ends", "meets", "exceeds", "at", "least", "most", "fewer", "than", "between"),
    *("3", "0.5", "items", "words", "more", "less", "one", "of", "in", "null", "empty", "true", "present", "the", "a"),
    *("(", ")", "[", "]", ",", ".", "==", "=", "<", ">=", "+", "-", "*", "/", "%", "'a'", '"b', "**", "?", "!", "&&"),
    *("still", "explicitly", "doesn't", "isn't", "len(", "xs.length", "xs[0]", "draft.text", "errors", "warnings"),
    *("failure", "acceptable"),
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-1, 1)
    | st.sampled_from(["", "a", "accept", "no", "I do"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["verdict", "errors", "accepted", "text", "name"]), inner, max_size=3)
    ),
    max_leaves=6,
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=30)


async def yes(question: JudgeQuestion) -> JudgeAnswer:
    assert question.text.strip()
    return JudgeAnswer(True, "")


@settings(max_examples=300, deadline=None)
@given(TEXTS, VALUES, VALUES)
def test_any_condition_is_decided_asked_or_refused(text: str, first: object, second: object) -> None:
    frame = body(
        {"score": first, "draft": second, "xs": [first, second], "err": {"name": "timeout"}, "word": "a",
         "failure_criteria": "is empty"},
        answers={"critic": second},
    )  # fmt: skip
    frame.source = SourceText("body.prose.md", text)
    plan, found = classify(condition_of(text), frame)
    for leaf in leaves(plan.tree):
        assert 0 <= leaf.start <= leaf.end <= len(text)
    if has_errors(found):
        return
    try:
        decision = finished(decide(plan, condition_of(text), frame, yes))
    except Fault as fault:
        refused = fault.diagnostic(frame.source)
        assert (refused.code, refused.help != "") == (fault.name, True)  # noqa: PT017
    else:
        assert isinstance(decision.holds, bool)
        assert decision.because
        assert isinstance(decision.values, dict)
        if plan.judge == "never":
            assert decision.how != "judge"
        if plan.how == "formal":
            assert decision.how == "formal"


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_any_criteria_are_formal_or_for_the_judge(text: str) -> None:
    plan = classify_criteria(text, "draft")
    assert plan is None or plan.judge == "never"
