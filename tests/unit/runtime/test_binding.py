"""What binding says before the first call."""

from __future__ import annotations

from typing import Any

import pytest
from interpreting import Fake, codes, document, numbered, planned, result, takes

from prose_runtime.runtime.port import Parameter, Signature
from prose_runtime.syntax.document import Type

S = "return call s\n  x: 1"


@pytest.mark.parametrize(
    ("services", "found"),
    [
        ({}, ["slot-not-bound"]),
        ({"s": Fake(), "t": Fake()}, ["nothing-to-bind"]),
        ({"s": [Fake(), Fake()]}, ["slot-bound-twice"]),
        ({"s": Fake()}, []),
        ({"model": Fake()}, []),
        ({"s": Fake(signature=takes("x", optional=["y"]))}, []),
        ({"s": Fake(signature=takes("x", "y"))}, ["service-needs-input"]),
        ({"s": Fake(signature=takes())}, ["input-withheld"]),
    ],
)
def test_slots_and_services(services: dict[str, Any], found: list[str]) -> None:
    assert codes(S, services, slots=["`s`"]) == found


def test_optional_slots_may_stay_unbound_and_an_unbound_list_is_empty() -> None:
    script = "let n = 0\nfor one in many:\n  n = n + 1\nreturn [n, many]"
    text = document(script, slots=["`many`"])
    plan, found = planned(text, {})
    assert plan is not None
    assert [item.code for item in found] == ["list-slot-not-bound"]
    optional = document(script, slots=["`many` (optional)"])
    assert planned(optional, {})[1] == []
    assert result(text) == [0, []]


def test_services_of_a_list_are_told_apart_by_name() -> None:
    text = document("return many", slots=["`many`"]).replace("return many", "for m in many:\n  let x = m\nreturn many")
    assert result(text, {"many": [Fake(name="a"), Fake(name="b"), Fake(name="a")]}) == ["a", "b", "a-2"]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, ["input-not-given"]),
        ({"topic": 3}, ["bad-input"]),
        ({"topic": float("nan")}, ["bad-input"]),
        ({"topic": "t", "topik": "t"}, ["unknown-given-input"]),
        ({"topic": "t", "limit": 2}, []),
        ({"topic": "t", "limit": None}, []),
    ],
)
def test_inputs_are_checked(given: dict[str, Any], found: list[str]) -> None:
    more = "\n### Parameters\n\n- `topic` (string, required) — a\n- `limit` (number, optional) — b\n"
    assert codes("return [topic, limit]", {}, more=more, inputs=given) == found


@pytest.mark.parametrize(
    ("given", "found"),
    [({"n": "three"}, ["bad-config"]), ({"m": 3}, ["unknown-given-config"]), ({"n": 4}, []), ({}, [])],
)
def test_config_is_checked(given: dict[str, Any], found: list[str]) -> None:
    assert codes("return n", {}, config_=["`n` (integer, default: 3): how many"], config=given) == found


def test_config_given_as_input_is_told_so() -> None:
    _, found = planned(document("return n", config=["`n` (integer, default: 3): x"]), {}, inputs={"n": 4})
    assert [item.help for item in found] == ["give it as config: `--config n=…`"]


def test_criteria_that_need_a_judge_are_an_error_only_when_they_do() -> None:
    script = "let r = call s\nif failure_criteria says r is a failure:\n  return null\nreturn r"
    config = ["`failure_criteria` (string, default: none): when"]

    def found(**options: Any) -> list[str]:
        return codes(script, {"s": numbered()}, slots=["`s`"], config_=config, **options)

    assert found() == []
    assert found(config={"failure_criteria": "r contains 'no results' or is empty"}) == []
    assert found(config={"failure_criteria": "the answer is rude"}) == ["judge-needed"]
    assert found(config={"failure_criteria": "the answer is rude"}, judge=Fake({"holds": True})) == []


def test_a_judge_is_asked_through_the_door_and_sees_only_what_is_named() -> None:
    judge = Fake({"holds": True, "reason": "it is kind"})
    script = "let secret = 1\nlet r = call s\nif the tone of r is friendly:\n  return [secret, 1]\nreturn 0"
    from interpreting import run

    outcome = run(script, {"s": Fake("hello")}, judge=judge)
    assert outcome.result == [1, 1]
    assert judge.received[0]["values"] == {"r": "hello"}
    assert [(item.service, item.key) for item in outcome.calls][-1] == ("judge", "example/if/judge")
    assert [(item.how, item.holds) for item in outcome.decisions] == [("judge", True)]
    assert "it is kind" in outcome.decisions[0].because


@pytest.mark.parametrize(
    ("line", "code"),
    [('let x = session "hi"', "model-not-bound"), ('let x = gate { question: "ok?" }', "gate-not-bound")],
)
def test_a_session_or_gate_that_nobody_answers_is_an_error_before_the_run(line: str, code: str) -> None:
    assert codes(f"{line}\nreturn x", {}) == [code]


def test_a_choice_by_value_takes_the_option_of_that_label() -> None:
    script = 'let way = call s\nchoice way:\n  option "retry":\n    return 1\n  option "stop":\n    return 2'
    assert result(script, {"s": Fake("stop")}) == 2


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        ('"three"', {}, ["mistyped-input"]),
        ("3", {}, []),
        ("[1]", {}, ["mistyped-input"]),
        ("null", {}, []),
        ("amount", {"inputs": {"amount": "three"}}, ["mistyped-input"]),
        ("amount", {"inputs": {"amount": 3}}, []),
        ("limit", {}, ["mistyped-input"]),
    ],
)
def test_a_value_that_is_known_before_the_run_is_of_the_type_that_the_service_declares(
    value: str, options: dict[str, Any], expected: list[str]
) -> None:
    signature = Signature((Parameter("how_many", Type("number")),))
    parts = {"config_": ["`limit`: default `few`"], "inputs_": ["`amount` (optional): how much"]}
    script = f"return call s\n  how-many: {value}"
    found = codes(script, {"s": Fake(1, signature=signature)}, slots=["`s`"], **parts, **options)
    assert found == expected


def test_a_value_that_is_bound_again_is_not_known_before_the_run() -> None:
    signature = Signature((Parameter("v", Type("number")),))
    script = "amount = 4\nreturn call s\n  v: amount"
    given = {"slots": ["`s`"], "inputs_": ["`amount` (optional): how much"], "inputs": {"amount": "three"}}
    assert codes(script, {"s": Fake(1, signature=signature)}, **given) == []
