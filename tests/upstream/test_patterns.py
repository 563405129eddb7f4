"""The published patterns run by scripted services: what each returns, whom it asks in which order and with what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from checkout import PATTERNS, needs_checkout

import prose_runtime as prose

pytestmark = needs_checkout
UNLESS = "result contains 'nothing found' or is empty"


def say(*replies: Any) -> prose.ScriptedService:
    return prose.ScriptedService(list(replies))


def fails(**inputs: Any) -> Any:
    raise prose.ServiceError("it is down", name="down")


def add(letter: str) -> Callable[[str], str]:
    return lambda input: input + letter


def names(*replies: Any) -> dict[str, Any]:
    """Services for a list slot, `a`, `b`, …: each gives one reply, or fails where that is None."""
    given = zip("abcdef", replies, strict=False)
    return {name: fails if reply is None else prose.ScriptedService([reply], name=name) for name, reply in given}


@dataclass(frozen=True)
class Case:
    """A run: what it is bound to and given, what it must return, who is asked (those of branches in any order)."""

    pattern: str
    bind: dict[str, Any]
    result: dict[str, Any]
    calls: str
    inputs: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    receives: dict[int, dict[str, Any]] = field(default_factory=dict)
    in_order: bool = True


def file_of(pattern: str) -> Path:
    return PATTERNS / f"{pattern}.prose.md"


TASK = {"task_brief": "t"}
TIERS = {"tiers": [{"model": "big", "count": 2}, {"model": "small", "count": 1}]}
DRAFTS = [{"score": 0.4, "suggestions": "x"}, {"score": 0.6, "suggestions": "y"}, {"score": 0.9, "suggestions": "z"}]

CASES = [
    Case(
        "assumption-miner",
        {"miner": lambda material: "m", "comparator": say("map")},
        {
            "result": "map",
            "raw_assumptions": [{"tier": tier, "assumptions": "m"} for tier in ("big", "big", "small")],
        },
        "miner miner miner comparator",
        {"material": "stuff"},
        TIERS,
    ),
    Case(
        "blind-review",
        {"reviewer": lambda material: material, "comparator": say({"divergences": ["d"]})},
        {"divergences": ["d"]},
        "reviewer " * 6 + "comparator",
        {"materials": ["one", "two"], "task_brief": "t"},
        TIERS,
        in_order=False,
    ),
    Case(
        "coherence-probe",
        {"reader": lambda corpus: f"of {corpus}", "sync_analyst": say("same")},
        {"predictions": {"a_predicts_b": ["of A"] * 3, "b_predicts_a": ["of B"] * 3}},
        "reader " * 6 + "sync_analyst",
        {"corpus_a": "A", "corpus_b": "B"},
        receives={-1: {"labels": {"label_a": "Corpus A", "label_b": "Corpus B"}}},
    ),
    Case(
        "contrastive-probe",
        {"measurement": lambda candidate_config: f"of {candidate_config}", "ranker": say("A")},
        {"result": "A", "profile_a": "of x", "profile_b": "of y"},
        "measurement measurement ranker",
        config={"candidate_a": "x", "candidate_b": "y", "dimension": "d"},
    ),
    Case(
        "dialectic",
        {"thesis": say("t1", "t2"), "antithesis": say("a1", "a2")},
        {
            "exchange": [
                {"round": 1, "thesis": "t1", "antithesis": "a1"},
                {"round": 2, "thesis": "t2", "antithesis": "a2"},
            ]
        },
        "thesis antithesis thesis antithesis",
        TASK,
        receives={2: {"prior_antithesis": "a1"}},
    ),
    Case(
        "ensemble-synthesizer",
        {"ensemble_member": say("m", "m", "m"), "synthesizer": say("s")},
        {"result": "s", "member_results": ["m", "m", "m"]},
        "ensemble_member ensemble_member ensemble_member synthesizer",
        TASK,
    ),
    Case(
        "fallback-chain",
        {"chain": names(None, "ok", "never")},
        {"result": "ok"},
        "a b",
        TASK,
    ),
    Case(
        "fallback-chain",
        {"chain": names(None, None)},
        {"result": None, "attempts": 2, "winner": None},
        "a b",
        TASK,
    ),
    Case(
        "fallback-chain",
        {"chain": names("nothing found", "", "ok")},
        {"result": "ok"},
        "a b c",
        TASK,
        {"failure_criteria": UNLESS},
    ),
    Case(
        "fan-out",
        {"delegates": {"a": lambda brief: f"a {brief}", "b": lambda brief: f"b {brief}"}},
        {"result": ["a x", "b y"], "results": ["a x", "b y"]},
        "a b",
        {"briefs": ["x", "y"]},
        in_order=False,
    ),
    Case(
        "fan-out",
        {"delegates": {"a": lambda brief: f"a {brief}", "b": lambda brief: f"b {brief}"}},
        {"results": ["a all", "b all"]},
        "a b",
        {"briefs": "all"},
        in_order=False,
    ),
    Case(
        "guard",
        {"guard": say({"proceed": True, "reason": "r"}), "target": say("done")},
        {"result": "done", "proceeded": True},
        "guard target",
        TASK,
    ),
    Case(
        "guard",
        {"guard": say({"proceed": False, "reason": "r"}), "target": say("done")},
        {"result": "r", "proceeded": False},
        "guard",
        TASK,
    ),
    Case("guard", {"guard": say("go on, maybe"), "target": say("done")}, {"proceeded": False}, "guard", TASK),
    Case(
        "map-reduce",
        {"mapper": lambda chunk_index, chunk_count: f"{chunk_index} of {chunk_count}", "reducer": say("r")},
        {"result": "r", "mapper_results": ["0 of 3", "1 of 3", "2 of 3"]},
        "mapper mapper mapper reducer",
        {"task_brief": "t", "chunks": [7, 8, 9]},
    ),
    Case(
        "oversight",
        {
            "actor": say("o1", "o2"),
            "observer": say("s1", "s2"),
            "arbiter": say({"decision": "adjust", "adjusted_brief": "other"}, {"decision": "abort"}),
        },
        {"cycles": 2, "abort_reason": {"decision": "abort"}},
        "actor observer arbiter actor observer arbiter",
        TASK,
        receives={3: {"task_brief": "other"}},
    ),
    Case(
        "oversight",
        {
            "actor": say("o1", "o2", "o3"),
            "observer": say("s", "s", "s"),
            "arbiter": say("continue", "continue", "continue"),
        },
        {"result": "o3", "cycles": 3},
        "actor observer arbiter " * 3,
        TASK,
    ),
    Case(
        "pipeline",
        {"stages": {"a": add("1"), "b": add("2")}},
        {"result": "t12", "stage_outputs": ["t1", "t12"]},
        "a b",
        TASK,
    ),
    Case(
        "proposer-adversary",
        {"proposer": say("p"), "adversary": say("no")},
        {"result": {"proposal": "p", "attack": "no"}},
        "proposer adversary",
        TASK,
    ),
    Case(
        "ratchet",
        {
            "advancer": say("s1", "s2", "s3"),
            "certifier": say({"verdict": "certify"}, {"verdict": "reject", "reason": "no"}, {"verdict": "certified"}),
        },
        {"result": ["s1", "s3"]},
        "advancer certifier " * 3,
        TASK,
        {"max_steps": 3},
        receives={4: {"rejection_feedback": {"verdict": "reject", "reason": "no"}}},
    ),
    Case(
        "ratchet",
        {"advancer": say("s1"), "certifier": say({"certified": True})},
        {"result": ["s0", "s1"]},
        "advancer certifier",
        {"task_brief": "t", "certified_progress": ["s0"]},
        {"max_steps": 1},
    ),
    Case(
        "refine",
        {"refiner": say("d1", "d2", "d3"), "evaluator": say(*DRAFTS)},
        {"result": "d3", "score": 0.9, "rounds_used": 3},
        "refiner evaluator " * 3,
        TASK,
        receives={
            2: {"task_brief": "t", "current_result": "d1", "current_score": 0.4, "improvement_suggestions": "x"},
            4: {"task_brief": "t", "current_result": "d2", "current_score": 0.6, "improvement_suggestions": "y"},
        },
    ),
    Case(
        "refine",
        {"refiner": say("d1", "d2", "d3"), "evaluator": say({}, {}, {})},
        {"result": "d3", "score": None, "rounds_used": 3},
        "refiner evaluator " * 3,
        TASK,
    ),
    Case(
        "retry-with-learning",
        {"target": say({"error": "a", "message": "m"}, {"error": "b", "message": "m"}, "fine")},
        {"result": "fine", "attempts": 3},
        "target target target",
        TASK,
    ),
    Case(
        "retry-with-learning",
        {"target": say("nothing found", "", "good")},
        {"result": "good", "attempts": 3},
        "target target target",
        TASK,
        {"failure_criteria": UNLESS},
    ),
    Case(
        "stochastic-probe",
        {"probe": say(*"1234567"), "analyst": say("spread")},
        {},
        "probe " * 7 + "analyst",
        {"task_brief": "t", "material": "m"},
    ),
    Case(
        "worker-critic",
        {"worker": say("w1", "w2"), "critic": say({"verdict": "reject", "issues": ["i"]}, {"verdict": "accept"})},
        {"result": "w2", "attempts": 2},
        "worker critic worker critic",
        {"task_brief": "t", "criteria": "c"},
        receives={2: {"critique": {"verdict": "reject", "issues": ["i"]}}},
    ),
]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.pattern}-{n}") for n, case in enumerate(CASES)])
def test_it_does_what_its_script_says(case: Case) -> None:
    outcome = prose.run(file_of(case.pattern), bind=case.bind, inputs=case.inputs, config=case.config)
    assert outcome.status == "done", outcome.error
    assert isinstance(outcome.result, dict)
    assert {name: outcome.result.get(name) for name in case.result} == case.result
    asked, wanted = [call.service for call in outcome.calls], case.calls.split()
    assert sorted(asked) == sorted(wanted)
    if case.in_order:
        assert asked == wanted
    for number, inputs in case.receives.items():
        got = outcome.calls[number].inputs
        assert {name: got.get(name) for name in inputs} == inputs


def test_a_race_gives_what_came_first_and_says_who_failed() -> None:
    outcome = prose.run(file_of("race"), bind={"candidates": names(None, "ok")}, inputs=TASK)
    assert (outcome.status, outcome.result["result"]) == ("done", "ok")
    assert [item["error"] is not None for item in outcome.result["failure_history"]] == [True, False]


def test_a_race_that_nobody_wins_gives_nothing() -> None:
    outcome = prose.run(file_of("race"), bind={"candidates": names(None, None)}, inputs=TASK)
    assert (outcome.status, outcome.result["result"], outcome.result["attempts"]) == ("done", None, 2)


def test_what_failed_is_passed_on_to_the_next_attempt() -> None:
    target = say({"error": "a", "message": "m"}, {"error": "b", "message": "m"}, "fine")
    outcome = prose.run(file_of("retry-with-learning"), bind={"target": target}, inputs=TASK)
    assert [len(call.inputs.get("failure_history") or []) for call in outcome.calls] == [0, 1, 2]


def test_nobody_receives_what_is_another_s() -> None:
    bind = {"refiner": say("d"), "evaluator": say({"score": 1})}
    outcome = prose.run(file_of("refine"), bind=bind, inputs=TASK)
    assert outcome.calls[0].inputs["improvement_suggestions"] is None
    assert set(outcome.calls[1].inputs) == {"task_brief", "result"}
    bind = {"worker": say("w"), "critic": say({"verdict": "accept"})}
    outcome = prose.run(file_of("worker-critic"), bind=bind, inputs={"task_brief": "t", "criteria": "c"})
    assert "criteria" not in outcome.calls[0].inputs
    assert outcome.calls[1].inputs["criteria"] == "c"


def test_a_verdict_in_a_sentence_is_neither_yes_nor_no() -> None:
    bind = {"worker": say("w"), "critic": say("I do not accept this")}
    outcome = prose.run(file_of("worker-critic"), bind=bind, inputs={"task_brief": "t", "criteria": "c"})
    assert outcome.status == "failed"
    assert outcome.error is not None
    assert outcome.error.name == "unreadable-verdict"


def test_criteria_that_only_reading_decides_need_a_judge() -> None:
    criteria = {"failure_criteria": "the answer is rude"}
    with pytest.raises(prose.CheckFailed, match="judge-needed"):
        prose.run(file_of("retry-with-learning"), bind={"target": say("a")}, inputs=TASK, config=criteria)
    judge = say(True, False)
    outcome = prose.run(
        file_of("retry-with-learning"), bind={"target": say("a", "b")}, inputs=TASK, config=criteria, judge=judge
    )
    assert (outcome.result["result"], outcome.result["attempts"]) == ("b", 2)


def test_every_pattern_is_run() -> None:
    published = {path.name.removesuffix(".prose.md") for path in PATTERNS.glob("*.prose.md")}
    assert published == {case.pattern for case in CASES} | {"race"}
