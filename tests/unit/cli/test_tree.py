"""The picture of a run fits its window and its memory."""

from __future__ import annotations

import pytest

from prose_runtime.cli.tree import KEPT, RunTree, short
from prose_runtime.diagnostics.visible import columns


def texts(tree: RunTree, width: int = 80, height: int = 24, now: float = 0.0) -> list[str]:
    return [line.text for line in tree.lines(width, height, now)]


def played(rounds: int) -> RunTree:
    tree = RunTree()
    for number in range(1, rounds + 1):
        for slot in ("refiner", "evaluator"):
            key = f"refine/repeat#{number}/call:{slot}"
            tree.begin(key, 1.0)
            tree.end(key, f"{slot} {number}", 0.5)
        tree.decide(f"refine/repeat#{number}/if", f"score {number} >= 9: no")
    return tree


def test_rounds_calls_and_decisions() -> None:
    assert texts(played(2)) == [
        "refine",
        "├─ repeat 1",
        "│  ├─ ✓ refiner  0.5 s  refiner 1",
        "│  ├─ ✓ evaluator  0.5 s  evaluator 1",
        "│  └─ ◇  score 1 >= 9: no",
        "└─ repeat 2",
        "   ├─ ✓ refiner  0.5 s  refiner 2",
        "   ├─ ✓ evaluator  0.5 s  evaluator 2",
        "   └─ ◇  score 2 >= 9: no",
    ]


def test_earlier_rounds_fold_first() -> None:
    lines = texts(played(3), height=9)
    assert lines[:3] == [
        "refine",
        "├─ repeat 1  (2 calls)  score 1 >= 9: no",
        "├─ repeat 2  (2 calls)  score 2 >= 9: no",
    ]
    assert lines[3] == "└─ repeat 3"
    assert len(lines) == 7


@pytest.mark.parametrize("rounds", [1, 5, 40, 3 * KEPT])
@pytest.mark.parametrize("height", [3, 5, 20])
def test_it_always_fits(rounds: int, height: int) -> None:
    tree = played(rounds)
    tree.begin(f"refine/repeat#{rounds + 1}/call:a-service-with-a-very-long-name", 2.0)
    for width in (20, 80):
        lines = texts(tree, width, height, now=5.0)
        assert len(lines) <= height
        assert all(columns(line) <= width for line in lines)
        assert "▸" in lines[-1]


def test_memory_does_not_grow_with_the_rounds() -> None:
    tree = played(3 * KEPT)
    (pattern,) = tree.root.children.values()
    assert len(pattern.children) <= KEPT + 1
    assert pattern.dropped >= 2 * KEPT - 1
    assert pattern.calls == 6 * KEPT


def test_a_running_call_shows_its_seconds() -> None:
    tree = RunTree()
    tree.begin("f/call:slow", 10.0)
    assert texts(tree, now=10.2)[-1] == "└─ ▸ slow"
    assert texts(tree, now=13.0)[-1] == "└─ ▸ slow  3 s"


def test_a_failed_call_stays_visible_when_it_is_folded() -> None:
    tree = played(3)
    tree.begin("refine/repeat#4/call:x", 1.0)
    tree.end("refine/repeat#4/call:x", "timeout", 1.0, failed=True)
    tree.begin("refine/repeat#5/call:x", 1.0)
    states = [line.state for line in tree.lines(80, 7, 1.0)]
    assert states[4] == "failed"


def test_control_characters_in_keys_are_shown() -> None:
    tree = RunTree()
    tree.begin("a\x1b[2J/call:b", 1.0)
    assert "\x1b" not in "".join(texts(tree))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("two\nlines\x1b", "two⏎lines␛"),
        (None, "null"),
        (True, "true"),
        (0.4, "0.4"),
        (0.1 + 0.2, "0.3"),
        ([1, 2], "[2 items]"),
        ([1], "[1 item]"),
        (
            {"score": 0.4, "issues": [1], "more": {"a": 1}, "none": {}},
            "{score: 0.4, issues: [1 item], more: {…}, none: {}}",
        ),
        ("x" * 200, "x" * 59 + "…"),
    ],
)
def test_short(value: object, text: str) -> None:
    assert short(value) == text
