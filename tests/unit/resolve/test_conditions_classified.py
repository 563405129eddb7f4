"""How conditions are decided, found from their texts."""

from __future__ import annotations

import pytest
from condition_places import Place, classified, condition_of

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.resolve.conditions import classify, classify_choice, classify_criteria, judge_needed, leaves
from prose_runtime.resolve.conditions import tree as nodes
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.nodes import Condition

FORMAL = """
score >= threshold
score meets threshold
score meets or exceeds threshold
score exceeds 0.8
score does not meet threshold
score is at least 3
score is at most threshold
score is not at least 3
score is below 0.5
score is under 0.5
score is above 0.5
score is over 0.5
score is more than 3
score is less than 3
score is fewer than 3
score is greater than 3
score is greater than or equal to 3
score is no less than 3
score is 0.8 or more
score is 3 or less
score is between 0 and 1
score equals 3
score equals threshold
score is equal to threshold
score == threshold
score ≥ threshold
a.b >= c - 1
len(xs) > 3
xs.length == 0
xs[0] == "a"
xs[a.b].c != null
a + b * 2 > (c - 1) / 2
-1 < score
not (a >= b)
not a
(a > 3 or b) and c
((a))
action == "check" and state.has_baseline
action is "a" or "b"
action is 'a', 'b' or 'c'
action is one of "a", "b"
action is one of tags
action in tags
action not in tags
action is in ["a", "b"]
action == "a" or "b"
x is null or empty
x is not null and not empty
x is present
x is absent
x is set
x is not set
x is true
x is false
x is empty
x isn't empty
x exists
x does not exist
result contains 'no results found' or is empty
result contains "a" or "b"
result includes topic
result contains {topic}
result contains 42
result does not contain "error"
result doesn't include 'error'
result starts with "Hi" and ends with '!'
result has fewer than 3 items
result has at least 3 items
result has 3 or more items
result has no items
summary is at most 500 words
summary is shorter than 20 words
summary exceeds 3 lines
the result is empty
flag
state.done
critic
critic is present
critic.score >= 0.8
config.max_rounds > 3
budget.exhausted
severity is {done}
true
""".strip().splitlines()

STRUCTURE = """
decision says abort
decision says "abort"
decision says to abort
decision does not say abort
decision decides abort
decision is adjust
decision is not adjust
severity is sev1 or sev2
verdict accepts result
verdict accepts
verdict certifies the proposal
verdict rejects the last draft
verdict is accepted
verdict is not accepted
verdict has been approved
verdict passes
validation fails
review accepted
review not accepted
review does not accept the draft
critic accepts output
editor approves
critic.verdict is accepted
result equals finished
lint_report has blocking findings
lint_report still has blocking findings
lint_report has no blocking findings
lint_report does not report errors
validation reports errors
validation reports errors or warnings
validation reports errors and warnings
report reports invalid, unsupported, or unresolved tools
report reports an ambiguous match, an unsatisfied subscription, or a cyclic contract set
review has critical concerns
review has at least 2 findings
state.validation-result has blocking issues
review has blocking issues or report has blocking issues
""".strip().splitlines()

NEVER_JUDGED_STRUCTURE = """
decision does not explicitly proceed
verdict explicitly accepts
verdict is explicitly approved
err is timeout
err is not service-failed
err is recoverable
""".strip().splitlines()

CRITERIA = """
failure_criteria says result is a failure
failure_criteria says result is not a failure
acceptance_criteria says attempt.result is acceptable
""".strip().splitlines()

JUDGED = """
all tests pass
more pages remain
analysis complete
mitigated or max 4 cycles
results include failures
result contains blocking issues
result contains errors and warnings
result is ready to ship
result is longer than 5
the author's view is that a > b
review has been approved by the board
verdict accepts the draft but with reservations
verdict accepts it only if the tests pass
review has concerns that block the release
score is about 80% of threshold
a and
or b
not all tests pass
action says result is a failure
result contains true
review is accepted and it is short
""".strip().splitlines()


@pytest.mark.parametrize("text", FORMAL)
def test_formal_conditions_need_no_judge(text: str) -> None:
    plan, found = classified(text)
    assert (plan.how, plan.judge, found) == ("formal", "never", [])


@pytest.mark.parametrize("text", STRUCTURE)
def test_structural_conditions_may_need_a_judge(text: str) -> None:
    plan, found = classified(text)
    assert (plan.how, plan.judge, found) == ("structure", "maybe", [])


@pytest.mark.parametrize("text", NEVER_JUDGED_STRUCTURE)
def test_what_is_explicit_or_about_an_error_never_reaches_a_judge(text: str) -> None:
    plan, _ = classified(text)
    assert (plan.how, plan.judge) == ("structure", "never")


@pytest.mark.parametrize("text", CRITERIA)
def test_criteria_are_known_when_the_run_begins(text: str) -> None:
    plan, found = classified(text)
    assert (plan.how, plan.judge, found) == ("criteria", "maybe", [])


@pytest.mark.parametrize("text", JUDGED)
def test_prose_needs_a_judge_and_a_note_says_so(text: str) -> None:
    plan, found = classified(text)
    assert (plan.how, plan.judge) == ("judge", "always")
    assert {item.code for item in found} == {"only-a-judge-can-decide"}
    assert {item.severity for item in found} == {"note"}


def only(text: str) -> nodes.Leaf:
    (leaf,) = leaves(classified(text)[0].tree)
    return leaf


def test_an_alternative_without_subject_is_about_the_last_one() -> None:
    plan, _ = classified("result contains 'x' or is empty")
    contains, empty = leaves(plan.tree)
    assert isinstance(empty, nodes.State)
    assert empty.asked == "result is empty"
    assert empty.mentions == contains.mentions == ("result",)


def test_lists_of_fields_share_their_noun() -> None:
    leaf = only("report reports invalid, unsupported, or unresolved tools")
    assert isinstance(leaf, nodes.Reports)
    assert leaf.fields == (("invalid", "invalid tools"), ("unsupported", "unsupported tools"), ("unresolved tools",))


def test_articles_are_no_names() -> None:
    leaf = only("report reports an ambiguous match, an unsatisfied subscription, or a cyclic contract set")
    assert isinstance(leaf, nodes.Reports)
    assert [spellings[0] for spellings in leaf.fields] == [
        "ambiguous match",
        "unsatisfied subscription",
        "cyclic contract set",
    ]
    assert leaf.mentions == ("report",)


def test_neighbouring_prose_is_one_question() -> None:
    plan, _ = classified("score >= 3 and the tone is warm and nobody is hurt")
    compare, judged = leaves(plan.tree)
    assert isinstance(compare, nodes.Compare)
    assert isinstance(judged, nodes.Judged)
    assert judged.asked == "the tone is warm and nobody is hurt"


def test_prose_that_names_nothing_gets_the_values_of_the_whole_condition() -> None:
    plan, _ = classified("review has critical concerns and the concerns block release")
    assert list(leaves(plan.tree))[1].mentions == ("review",)


def test_prose_gets_only_the_values_it_names() -> None:
    assert only("the tone of summary suits topic").mentions == ("summary", "topic")
    assert only("the tone of {summary} suits children").asked == "the tone of summary suits children"


def test_names_are_those_of_all_parts() -> None:
    assert classified("score >= threshold or all of results are good")[0].names == ("score", "threshold", "results")


def test_not_binds_closer_than_and() -> None:
    tree = classified("not a and b or c")[0].tree
    assert isinstance(tree, nodes.Or)
    assert isinstance(tree.parts[0], nodes.And)
    assert isinstance(tree.parts[0].parts[0], nodes.Not)


def test_marks_change_nothing() -> None:
    plan, found = classified("**score >= threshold** and ***flag***")
    assert (plan.how, found) == ("formal", [])


# ---- what is said about them -----------------------------------------------------------------------------


def said(text: str) -> list[Diagnostic]:
    return [item for item in classified(text)[1] if item.code != "only-a-judge-can-decide"]


def test_a_single_equals_sign_has_a_fix() -> None:
    (item,) = said("score = 3")
    assert (item.code, item.severity) == ("single-equals", "error")
    assert [(edit.span, edit.replacement) for edit in item.fixes[0].edits] == [(Span(6, 7), "==")]


@pytest.mark.parametrize("text", ["", "   ", "****"])
def test_an_empty_condition(text: str) -> None:
    assert [item.code for item in said(text)] == ["empty-condition"]


@pytest.mark.parametrize(("text", "place"), [("(score > 3", 0), ("score > 3)", 9), ("the end (really", 8)])
def test_parentheses_have_partners(text: str, place: int) -> None:
    (item,) = classified(text)[1]
    assert (item.code, item.labels[0].span.start) == ("unbalanced-parentheses", place)


@pytest.mark.parametrize(
    ("text", "name", "advice"),
    [
        ("scroe >= 3", "scroe", "write `score`"),
        ("scroe.value >= 3", "scroe", "write `score`"),
        ("score >= thresold", "thresold", "write `threshold`"),
        ("score == finished", "finished", 'write `"finished"` in quotes if it is a text'),
        ("result contains {topik}", "topik", "write `topic`"),
    ],
)
def test_a_name_beside_a_symbol_is_a_name(text: str, name: str, advice: str) -> None:
    (item,) = said(text)
    assert (item.code, item.severity, item.help) == ("unknown-name-in-condition", "error", advice)
    assert item.source.slice(item.labels[0].span).strip("{}") == name


def test_an_unlike_name_beside_a_symbol_is_prose() -> None:
    assert said("kilograms >= 3") == []
    assert classified("kilograms >= 3")[0].judge == "always"


def test_a_word_that_names_a_value_is_the_value_with_a_warning() -> None:
    plan, found = classified("severity is done")
    assert [(item.code, item.severity) for item in found] == [("word-names-a-value", "warning")]
    assert plan.how == "formal"


def test_for_an_error_a_word_is_always_its_name() -> None:
    plan, found = classified("err is done")
    (leaf,) = leaves(plan.tree)
    assert isinstance(leaf, nodes.Is)
    assert (leaf.word, leaf.error, found) == ("done", True, [])


def test_a_minus_stands_between_blanks() -> None:
    assert [item.code for item in said("a -1 > 0")] == ["minus-spacing"]
    assert said("a - 1 > 0") == []
    assert said("a > -1") == []


def test_the_note_names_what_was_perhaps_meant() -> None:
    (item,) = classified("resullt is good enough")[1]
    assert item.help == "nothing is named `resullt`; if you mean `result`, write that"


def test_spans_are_exact_where_marks_and_lines_were_taken_off() -> None:
    file = "if ** scroe\n   >= 3**:"
    text, offsets = "scroe >= 3", (*range(6, 11), 11, *range(15, 17), 17, 18)
    condition = Condition(Span(3, 21), text, offsets, "**")
    place = Place(file)
    (item,) = classify(condition, place)[1]
    assert SourceText("x", file).slice(item.labels[0].span) == "scroe"


@pytest.mark.parametrize(
    "text", ["(" * 500 + "a" + ")" * 500, "not " * 500 + "a", "-" * 500 + "1", "a[" * 300, "[" * 999]
)
def test_deep_nesting_is_prose_and_no_crash(text: str) -> None:
    assert classified(text)[0].judge in ("never", "always")


@pytest.mark.parametrize("text", [*FORMAL, *STRUCTURE, *JUDGED])
def test_cut_off_anywhere_it_still_reads(text: str) -> None:
    for end in range(0, len(text), 3):
        classified(text[:end])
        classified(text[end:])


# ---- criteria and choices --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "result contains 'no results found' or is empty",
        "contains 'no results found'",
        "is shorter than 20 words",
        "has fewer than 3 items",
        "candidate contains 'x'",
        "the result is empty",
        "result.score >= 0.8",
        "is null",
        "it is empty or it contains 'x'",
    ],
)
def test_criteria_that_read_as_a_formal_condition(text: str) -> None:
    plan = classify_criteria(text, "attempt.candidate")
    assert plan is not None
    assert (plan.how, plan.judge) == ("formal", "never")


@pytest.mark.parametrize(
    "text",
    [
        "the answer is rude",
        "is acceptable",
        "result is rude",
        "other contains 'x'",
        "result contains errors",
        "",
        "no 'x'",
    ],
)
def test_all_other_criteria_go_to_the_judge(text: str) -> None:
    assert classify_criteria(text, "candidate") is None


def test_what_needs_a_judge_before_the_run() -> None:
    prose = classified("score > 3 and the tone is warm")[0]
    assert [need.text for need in judge_needed(prose)] == ["the tone is warm"]
    criteria = classified("failure_criteria says result is a failure")[0]
    assert judge_needed(criteria) == ()
    assert judge_needed(criteria, {"failure_criteria": None}) == ()
    assert judge_needed(criteria, {"failure_criteria": "is empty"}) == ()
    needs = judge_needed(criteria, {"failure_criteria": ["is empty", "the answer is rude"]})
    assert [need.text for need in needs] == ["the answer is rude"]


@pytest.mark.parametrize(
    ("text", "judge", "codes"),
    [
        ("action", "maybe", []),
        ("decision.action", "maybe", []),
        ("best recovery path", "always", ["only-a-judge-can-decide"]),
        ("score >= 3", "always", ["only-a-judge-can-decide"]),
    ],
)
def test_a_choice_by_a_value_may_need_no_judge(text: str, judge: str, codes: list[str]) -> None:
    plan, found = classify_choice(condition_of(text), Place(text))
    assert (plan.judge, [item.code for item in found]) == (judge, codes)


def test_an_empty_choice() -> None:
    assert [item.code for item in classify_choice(condition_of(""), Place(""))[1]] == ["empty-condition"]


def test_signs_of_other_languages_are_read_and_reported() -> None:
    plan, found = classified("a && !b || c")
    assert (plan.how, [item.code for item in found]) == ("formal", ["foreign-word"] * 3)
    assert [(edit.span.start, edit.replacement) for item in found for edit in item.fixes[0].edits] == [
        (2, "and"),
        (5, "not "),
        (8, "or"),
    ]
    assert "foreign-word" not in [item.code for item in classified("a is good!")[1]]
