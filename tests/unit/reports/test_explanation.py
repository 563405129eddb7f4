"""What can be known of a file before it runs, on one page."""

from __future__ import annotations

import pytest

from prose_runtime import ScriptedService, load
from prose_runtime.api import prepare, standard_library
from prose_runtime.reports.costs import costs_of
from prose_runtime.reports.explanation import Explanation, explained, explanation_of


def of(name: str) -> Explanation:
    return explanation_of(load(name).program.main)


def test_refine() -> None:
    found = of("std/patterns/refine").to_json()
    assert found["calls"]["most"] == {"formula": "2 x `max_rounds`", "number": 6}
    services = {item["name"]: item for item in found["services"]}
    assert services["evaluator"]["gets"] == ["task_brief", "result"]
    assert services["evaluator"]["gives"] == [
        {"part": "score", "kind": "number", "required": True},
        {"part": "suggestions", "kind": "", "required": False},
    ]
    assert [(item["text"], item["how"], item["judge"]) for item in found["conditions"]] == [
        ("current_score meets threshold", "formal", "never")
    ]
    assert {item["status"] for item in found["invariants"]} == {"proved"}
    assert found["needs"] == ["`refiner`", "`evaluator`"]


def test_refine_as_text() -> None:
    lines = explained(of("std/patterns/refine")).split("\n")
    assert "             must give `score` (number); may give `suggestions`" in lines
    assert "  at most   2 x `max_rounds` = 6" in lines
    assert "  line 88  current_score meets threshold: by rule" in lines


@pytest.mark.parametrize(
    ("script", "gives"),
    [
        ("let x = call a\nif x.score > 3:\n  return 1", [("score", "number", True)]),
        ("let x = call a\nlet s = x.score\nif s meets n:\n  return 1", [("score", "number", True)]),
        ("let x = call a\nif x.score is between 1 and 3:\n  return 1", [("score", "number", True)]),
        ("let x = call a\nreturn x.title", [("title", "", False)]),
        ("let x = call a\nif x accepts it:\n  return 1", [("", "verdict", True)]),
        ("let x = call a\nif x.note is present:\n  return 1", [("note", "", False)]),
        ("let x = call a\nreturn 1", []),
    ],
)
def test_what_an_answer_must_hold(script: str, gives: list[tuple[str, str, bool]]) -> None:
    head = (
        "---\nname: x\nkind: pattern\n---\n\n### Slots\n\n- `a`\n\n### Config\n\n- `n` (integer, default: 3): many\n\n"
    )
    found = of(f"{head}### Delegation\n\n```prose\n{script}\n```\n")
    assert [(one.part, one.kind, one.required) for one in found.services[0].gives] == gives


@pytest.mark.parametrize("name", sorted(standard_library()))
def test_every_page_of_the_library_is_narrow_and_complete(name: str) -> None:
    found = explanation_of(load(standard_library()[name]).program.main)
    text = explained(found, width=80)
    assert max(map(len, text.split("\n"))) <= 80
    assert "REFUTED" not in text
    assert not found.bounds.most_calls.endless


def test_agents_and_gates() -> None:
    page = explanation_of(
        load(
            "---\nname: asks\nkind: function\n---\n\n### Execution\n\n```prose\nagent poet:\n  persist: true\n"
            'let a = session: poet\n  prompt: "Rhyme."\nlet b = resume: poet\n  prompt: "Again."\n'
            'return gate { question: "Publish?", a, b }\n```\n'
        ).program.main
    )
    assert (str(page.bounds.fewest_calls), str(page.bounds.most_calls)) == ("2", "2")
    assert [(item.name, str(item.most)) for item in page.services] == [("poet", "2"), ("gate", "1")]
    assert list(page.needs) == ["`model`", "`gate`, or a person at the terminal"]


def test_what_is_bound_is_shown_with_what_it_takes_and_gives() -> None:
    def a(topic: str, tone: str = "") -> dict[str, str]:
        return {}

    head = "---\nname: x\nkind: pattern\n---\n\n### Slots\n\n- `a`\n- `many`\n- `free`\n\n### Delegation\n\n```prose\n"
    loaded = load(f"{head}call a\n  topic: 1\nfor m in many:\n  call m\ncall free\n```\n")
    bound = prepare(loaded, bind={"a": a, "many": [ScriptedService([1])]}).bound
    found = explanation_of(loaded.program.main, bound)
    assert found.to_json()["bound"][0]["takes"] == [
        {"name": "topic", "type": "string", "required": True},
        {"name": "tone", "type": "string", "required": False},
    ]
    lines = explained(found).split("\n")
    place = lines.index("Bound")
    assert lines[place - 2] == "  `free`"
    shown = " ".join(" ".join(lines[place:]).split())
    assert "takes topic (string), optional tone (string) gives object many" in shown
    assert "takes whatever it is given may give anything" in shown


NESTED = """---
name: x
kind: pattern
---

### Slots

- `a`
- `b`

### Config

- `n` (integer, default: 3): many

### Patterns

```yaml
- name: inner
  pattern: std/patterns/refine
  with: {refiner: a, evaluator: b}
```

### Delegation

```prose
repeat n:
  call a
    task_brief: 1
call inner
  task_brief: 1
```
"""


def test_costs_are_sums_over_those_that_are_called() -> None:
    loaded = load(NESTED)

    def page(**prices: float) -> Explanation:
        return explanation_of(loaded.program.main, None, lambda bounds: costs_of(loaded.program, bounds, prices))

    found = page(a=0.5, b=0.25).to_json()["costs"]
    assert found["most"]["number"] == 0.5 * (3 + 3) + 0.25 * 3
    assert found["fewest"]["number"] == 0.5 * (3 + 1) + 0.25
    assert found["without_a_price"] == []
    lacking = page(a=1)
    assert (lacking.to_json()["costs"]["most"]["number"], lacking.to_json()["costs"]["without_a_price"]) == (
        None,
        ["b"],
    )
    assert "  unknown  there is no price of `b`" in explained(lacking).split("\n")
