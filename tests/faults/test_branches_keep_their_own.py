"""Nested parallel loops whose services answer in any order at all: every answer stands where it belongs.

A service answers with its own name and with all that it was asked, so that an answer in a wrong place, of another
service or of another branch, cannot look right. The time is the loop's own, so that 1,000 runs take seconds.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any, ClassVar

from interpreting import Answer, Budget, Call, Fake, document, planned

from prose_runtime.casebook.virtual_time import LoopClock, in_virtual_time
from prose_runtime.runtime import Outcome, Plan, execute

RUNS = 1000
EXPERTS = ("ada", "bo", "cy")
TOPICS = ("rain", "snow")
SCRIPT = """
let log = []
let rows = parallel for topic in topics:
  let cells = parallel for expert, place in experts:
    let opinion = call expert
      topic: topic
    let notes = parallel repeat 2 as n:
      call scribe
        said: opinion
        n: n
    record "{topic} {expert}" in log
    return { expert: expert, place: place, opinion: opinion, notes: notes }
  parallel:
    let left = call scribe
      said: topic
      n: 3
    let right = call expert_of_all
      topic: topic
  return { topic: topic, cells: cells, left: left, right: right }
return { rows: rows, log: log }
"""


class Echo(Fake):
    """Answers after a random while with its name and everything that it was asked. All keep one list of who was done
    when, by key."""

    chance = random.Random(0)
    done: ClassVar[list[str]] = []

    async def call(self, call: Call) -> Answer:
        await asyncio.sleep(self.chance.choice((0.0, self.chance.random())))
        self.done.append(call.key)
        return Answer(said_by(self.name, call.inputs))


def said_by(name: str, inputs: Any) -> dict[str, Any]:
    return {"by": name, "asked": dict(inputs)}


def expected() -> dict[str, Any]:
    return {
        "rows": [
            {
                "topic": topic,
                "cells": [cell(topic, expert, place) for place, expert in enumerate(EXPERTS)],
                "left": said_by("scribe", {"said": topic, "n": 3}),
                "right": said_by("expert_of_all", {"topic": topic}),
            }
            for topic in TOPICS
        ],
        "log": [f"{topic} {expert}" for topic in TOPICS for expert in EXPERTS],
    }


def cell(topic: str, expert: str, place: int) -> dict[str, Any]:
    opinion = said_by(expert, {"topic": topic})
    notes = [said_by("scribe", {"said": opinion, "n": n}) for n in (1, 2)]
    return {"expert": expert, "place": place, "opinion": opinion, "notes": notes}


def plan_with(max_parallel: int) -> Plan:
    slots = ["`experts`", "`scribe`", "`expert_of_all`"]
    services = {
        "experts": [Echo(name=name) for name in EXPERTS],
        "scribe": Echo(name="scribe"),
        "expert_of_all": Echo(name="expert_of_all"),
    }
    text = document(SCRIPT, slots=slots, inputs=["`topics`"])
    budget = Budget(max_parallel=max_parallel)
    plan, found = planned(text, services, inputs={"topics": list(TOPICS)}, budget=budget)
    assert plan is not None, [str(item) for item in found]
    return plan


def asked_by_key(outcome: Outcome) -> dict[str, Any]:
    """What each step was asked and what it gave, whatever came first."""
    return {call.key: (call.service, dict(call.inputs), call.answer) for call in outcome.calls}


def test_swapping_answers_between_branches_is_impossible() -> None:
    plans = [plan_with(max_parallel) for max_parallel in (1, 2, 3, 5, 16)]
    wanted = expected()
    orders: set[tuple[str, ...]] = set()
    steps: dict[str, Any] | None = None

    async def all_runs() -> None:
        nonlocal steps
        for seed in range(RUNS):
            Echo.chance, Echo.done = random.Random(seed), []
            outcome = await execute(plans[seed % len(plans)], clock=LoopClock(), seed=seed)
            assert outcome.status == "done", (seed, outcome.error)
            assert outcome.result == wanted, seed
            asked = asked_by_key(outcome)
            assert len(asked) == len(outcome.calls), seed
            steps = steps or asked
            assert asked == steps, seed
            orders.add(tuple(Echo.done))

    in_virtual_time(all_runs)
    assert len(steps or {}) == 22
    assert len(orders) > RUNS // 2  # the answers did come in many different orders
