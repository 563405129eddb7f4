"""Who gets what: boxes as the script has them, arrows from where things come."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prose_runtime import load
from prose_runtime.api import standard_library
from prose_runtime.cli.std import pages_of
from prose_runtime.reports.graph import Graph, graph_of
from prose_runtime.reports.graph_mermaid import arrows_in, graph_mermaid
from prose_runtime.reports.graph_text import graph_text

PAGES = Path(__file__).parents[3] / "docs" / "patterns"


def graph(text: str) -> Graph:
    return graph_of(load(text).program.main)


HEAD = "---\nname: example\nkind: pattern\n---\n\n### Slots\n\n- `maker`\n- `critic`\n\n### Delegation\n\n"


def pattern(script: str) -> str:
    return f"{HEAD}```prose\n{script}\n```\n"


def test_refine_reads_as_it_runs() -> None:
    assert graph_text(graph_of(load("std/patterns/refine").program.main)).split("\n")[:9] == [
        "pattern refine (task_brief, config max_rounds)",
        "├─ repeat max_rounds as round",
        "│  ├─ refiner",
        "│  │    task_brief              ← task_brief",
        "│  │    current_result          ← refiner of the round before",
        "│  │    current_score           ← evaluator.score of the round before",
        "│  │    improvement_suggestions ← evaluator.suggestions of the round before",
        "│  ├─ evaluator",
        "│  │    task_brief ← task_brief",
    ]


def test_boxes_in_which_nobody_is_asked_are_left_out() -> None:
    text = graph_text(
        graph(pattern("let n = 0\nrepeat 3:\n  n = n + 1\ntry:\n  call maker\ncatch:\n  n = 1\nreturn n"))
    )
    assert "repeat" not in text
    assert "catch" not in text
    assert "├─ try\n│  └─ maker" in text


def test_every_kind_of_step_is_drawn() -> None:
    script = (
        'agent scribe:\n  prompt: "Write."\nblock b(x):\n  call critic\n    text: x\n'
        'let a = session: scribe\n  prompt: "now"\nlet g = gate question: "Go on?"\n'
        'if g is yes:\n  do b(a)\nelse:\n  throw "stopped"\nreturn { a: a }'
    )
    text = graph_text(graph(pattern(script)))
    for line in (
        "scribe (session)",
        "gate",
        "if g is yes",
        "do b",
        "critic",
        "text ← scribe",
        "else",
        "throw",
        "return",
    ):
        assert line in text


def test_a_function_without_a_script_is_the_model_s() -> None:
    text = graph_text(
        graph("---\nname: f\nkind: function\n---\n\n### Parameters\n\n- `topic`: it\n\n### Returns\n\n- `x`: y\n")
    )
    assert text == "function f (topic)\n└─ model\n     topic ← topic"


def test_nobody_is_asked() -> None:
    assert "nobody is asked anything" in graph_text(graph(pattern("let a = 1")))


def test_lines_are_no_wider_than_the_terminal() -> None:
    for path in standard_library().values():
        lines = graph_text(graph_of(load(path).program.main), width=80).split("\n")
        assert max(map(len, lines)) <= 80, path


def test_mermaid_is_made_of_plain_names_and_escaped_labels() -> None:
    script = 'let a = call maker\n  text: "x"\nif a says "end | [x] -->" or a > 3:\n  return call critic\n    "%": a'
    text = graph_mermaid(graph(pattern(script.replace('    "%": a', "    text: a"))))
    line = re.compile(
        r'flowchart TD|\s*(subgraph \w+\["[^"\[\]|<>]*"\]|end'
        r'|\w+(\["[^"]*"\]|\(\["[^"]*"\]\)|\{\{"[^"]*"\}\}|>"[^"]*"\])'
        r'|\w+ (-->|-\.->)(\|"[^"|]*"\|)? \w+)'
    )
    assert [row for row in text.split("\n") if not line.fullmatch(row)] == []
    assert "#124;" in text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("1. *a* _b_ `c` ~~d~~", "1. #42;a#42; #95;b#95; #96;c#96; #126;#126;d#126;#126;"),
        ("task_brief", "task_brief"),
        ("<b> #35; & |", "#60;b#62; #35;35#59; #38; #124;"),
    ],
)
def test_labels_of_mermaid_mean_nothing_else(written: str, shown: str) -> None:
    text = graph_mermaid(graph(pattern(f'let a = call maker\nif a is "{written}":\n  return a')))
    assert f'["if a is #34;{shown}#34;"]' in text


def test_what_nothing_is_written_on_has_no_label() -> None:
    text = graph_mermaid(graph(pattern("let a = call maker\nreturn a")))
    assert text.endswith("  step1 --> step2")
    assert graph_mermaid(graph(pattern("let a = 1"))).endswith('nobody["nobody is asked anything"]')


def test_a_block_in_itself_is_drawn_once() -> None:
    script = 'block b(x):\n  let y = call maker\n    a: x\n  if y is "more":\n    do b(y)\ndo b(1)'
    assert graph_text(graph(pattern(script))).split("\n")[-2:] == [
        '   └─ if y is "more"',
        "      └─ do b, as above",
    ]


def test_blocks_that_call_many_blocks_are_drawn_up_to_a_number() -> None:
    blocks = ["block b0(x):\n  call maker\n    t: x"]
    blocks += [f"block b{number}(x):\n  do b{number - 1}(x)\n  do b{number - 1}(x)" for number in range(1, 30)]
    assert len(list(graph(pattern("\n".join([*blocks, "do b29(1)"]))).whole.steps())) < 200


def test_failures_are_drawn_and_long_lists_are_counted() -> None:
    script = "let xs = []\n" + "\n".join(
        f"let a{number} = call maker\nrecord a{number}.p{number} in xs" for number in range(20)
    )
    script += "\ntry:\n  call maker\ncatch as e:\n  call critic\n    text: e.message\n    all: xs"
    text = graph_text(graph(pattern(script)))
    assert "text ← failure of maker" in text
    assert "and 8 more" in " ".join(text.split())


def test_arrows_are_counted() -> None:
    script = "let xs = []\n" + "\n".join(f"let a{n} = call maker\n  t: xs\nrecord a{n} in xs" for n in range(40))
    drawn = graph(pattern(script))
    assert arrows_in(drawn) == graph_mermaid(drawn).count("-->") == 40 * 39 // 2


def test_five_hundred_calls_are_drawn() -> None:
    script = "\n".join(
        f"let a{number} = call maker\n  text: {f'a{number - 1}' if number else 1}" for number in range(500)
    )
    drawn = graph(pattern(script))
    assert len(list(drawn.whole.steps())) == 500
    assert graph_mermaid(drawn).count("-->") == 499


MADE = pages_of(standard_library())


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_pages_of_the_patterns_are_theirs(name: str) -> None:
    page = PAGES / name
    assert page.is_file(), "make pages"
    assert page.read_text(encoding="utf-8") == MADE[name], "make pages"


def test_there_is_no_page_without_a_pattern() -> None:
    assert {page.name for page in PAGES.iterdir()} == set(MADE)
