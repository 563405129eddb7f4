"""The rules of the commit message example: what they find, and what they make of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "commit-message"

GOOD = "Fix the login page\n\nIt broke because the token was read too early.\n\nRefs: #7"


@pytest.fixture(scope="module")
def services() -> ModuleType:
    # Loaded under its own name, so that no other `services` on the path can stand in for it.
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("commit_message_services", FOLDER / "services.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def names(services: ModuleType, text: str) -> list[str]:
    return [fault.name for fault in services.faults(text)]


def test_a_good_message_has_no_faults(services: ModuleType) -> None:
    assert services.evaluator(task_brief="", result=GOOD) == {"score": 1.0, "suggestions": []}


@pytest.mark.parametrize(
    ("broken", "name"),
    [
        (GOOD.replace("Fix the", "WIP: Fix the"), "work-in-progress"),
        (GOOD.replace("\n\nIt", "\nIt"), "blank-second-line"),
        (GOOD.replace("page\n", "page (see #7)\n"), "references-last"),
        (GOOD.replace("login page", "login page that was broken for all of our users"), "short-subject"),
        (GOOD.replace("Fix ", "Fixed "), "imperative"),
        (GOOD.replace("Fix ", "Fixes "), "imperative"),
        (GOOD.replace("Fix ", "Fixing "), "imperative"),
        (GOOD.replace("Fix ", "fix "), "capital"),
        (GOOD.replace("page\n", "page.\n"), "no-full-stop"),
        (GOOD.replace("early.", "early.  "), "trailing-space"),
        (GOOD.replace("early.", "early, by a long line that nobody ever wrapped at all."), "wrapped-body"),
        (GOOD.replace("It broke because the", "The"), "reason"),
    ],
)
def test_each_fault_is_found_alone_and_mended(services: ModuleType, broken: str, name: str) -> None:
    assert names(services, broken) == [name]
    suggestions = services.evaluator(task_brief="", result=broken)["suggestions"]
    mended = services.refiner(task_brief="", current_result=broken, improvement_suggestions=suggestions)
    assert names(services, mended) == (["reason"] if name == "reason" else [])


@pytest.mark.parametrize(
    ("word", "order"),
    [
        ("fixed", "fix"),
        ("removes", "remove"),
        ("removing", "remove"),
        ("stopped", "stop"),
        ("running", "run"),
        ("simplified", "simplify"),
        ("got", "get"),
        ("login", None),
    ],
)
def test_verbs_become_orders(services: ModuleType, word: str, order: str | None) -> None:
    assert services.imperative(word) == order


def test_only_one_fault_is_mended_a_round(services: ModuleType) -> None:
    brief = (FOLDER / "sloppy.txt").read_text()
    draft = services.refiner(task_brief=brief)
    assert draft == brief.strip("\n")
    rounds = 1
    while suggestions := services.evaluator(task_brief=brief, result=draft)["suggestions"]:
        named = suggestions[0].partition(":")[0]
        draft = services.refiner(brief, draft, suggestions)
        assert named not in names(services, draft)
        rounds += 1
        assert rounds < 20
    assert rounds == 9
    assert draft.startswith("Fix the login page crash with expired tokens\n\n")
    assert draft.endswith("\n\nRefs: #4711")


def test_the_body_of_several_paragraphs_and_items_is_kept(services: ModuleType) -> None:
    text = "Fix it\n\nbecause it was broken\nfor long.\n\n- one\n- " + "two " * 30
    mended = services.refiner("", text, ["wrapped-body: wrap"])
    assert mended.startswith("Fix it\n\nBecause it was broken for long.\n\n- one\n- two two")
    assert all(len(line) <= 72 for line in mended.split("\n"))


def test_the_command_line_variant_answers_alike(services: ModuleType) -> None:
    brief = (FOLDER / "sloppy.txt").read_text()
    call = {"inputs": {"task_brief": brief, "result": brief}, "prompt": None}
    done = subprocess.run(
        [sys.executable, str(FOLDER / "evaluate.py")],
        input=json.dumps(call),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == services.evaluator(task_brief=brief, result=brief)
