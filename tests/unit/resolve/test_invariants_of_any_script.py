"""What is proved of random scripts is true of every run, and what is refuted is broken by one of them."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from textwrap import indent
from typing import Any

import pytest
from invariant_checks import CHECKS, ORDINARY, Seen, any_world, run, strict_order
from invariant_scripts import HEAD, Scripts

import prose_runtime as prose
from prose_runtime import load
from prose_runtime.resolve.invariants import SENTENCES, Finding, invariants_of
from prose_runtime.resolve.invariants.sentences import known

SAID = [
    "Rounds are bounded by `n`", "The rounds after the opening are bounded by `n`", "Calls of `a` are bounded by `n`",
    "Calls of `b` are bounded by `2`", "`a` is called exactly once", "`b` is called exactly once",
    "Each of `many` is called once at most", "`a` is called once for each item of `xs`", "`a` never receives `secret`",
    "`b` never receives `history`", "`b` never receives `t`", "`a` never sees an answer of `b`",
    "`b` never sees an answer of `a`",
    "The branches of `a` never see each other's answers", "The branches of `many` never see each other's answers",
    "Every call of `a` receives the same inputs", "Every call of `many` receives the same inputs",
    "Every call of `a` receives the same `x`", "Every call of `b` receives the same `t`",
    "Within a round every call of `many` receives the same `x`",
    "Within a round every call of `a` receives the same `xs`",
    "Every call of `a` receives inputs of the same names", "Every call of `a` receives `x`",
    "Every call of `b` receives `t`", "`a` receives `xs` unchanged", "`b` receives `t` unchanged",
    "`a` receives only `x` and `y`", "`b` receives only `t`, `xs` and `x`",
    "No call of `a` receives both `t` and `secret`",
    "`x` and `y` are kept apart", "`a` takes the items of `xs` one at a time, in their order",
    "`many` takes the items of `many` one at a time, in their order", "`a` sees of `xs` only its own item",
    "`b` receives all answers of `a`, in their order", "`x` holds all answers of `a`, in their order",
    "`z1` holds all answers of `a`, in their order",
    "`z1` holds all answers of `b`, in their order", "`a` receives all answers of `b`, in their order",
    "`y` holds all answers of `a`, in their order", "Each of `many` receives the answer of the one before it",
    "`a` runs before `b`", "In every round `a` runs before `b`", "`b` runs only after `a` approved",
    "`history` only grows", "`history` grows only after `a` approved", "`history` is empty at first",
    "`a` and `b` are never both called", "Only `a` and `b` are asked", "Only `many` are asked",
    "The script decides nothing", "Of answers at the same moment that of the earlier of `many` counts",
    "The pattern stops at the first success",
]  # fmt: skip
APART = {"begins-empty", "earlier-counts", "stops"}
"""What these say is seen in runs of their own, below."""


def written(seed: int) -> tuple[str, list[Finding]]:
    """A script without its invariants, and what became of each of them; none where the script has another error."""
    script = Scripts(random.Random(seed)).script()
    text = HEAD.format(sentences="\n".join(f"- {said}" for said in SAID), script=script)
    loaded = load(text)
    wrong = [item for item in loaded.diagnostics if item.severity == "error" and item.code != "invariant-refuted"]
    plain = text.partition("### Invariants")[0] + text[text.index("### Delegation") :]
    return plain, [] if wrong else invariants_of(loaded.program.main)


def holds(found: Finding, seen: Seen) -> bool:
    return CHECKS[found.proof](seen, *found.names)


def shown(text: str, seen: Seen) -> str:
    calls = "\n".join(f"{one.key} {one.inputs} -> {one.answer}" for one in seen.made)
    return f"{text[text.index('### Delegation') :]}\n{seen.world}\n{calls}\n{seen.end.status}"


def test_every_sentence_is_tried() -> None:
    tried = {found[0].proof for text in SAID if (found := known(text)) is not None}
    assert tried == set(CHECKS) | APART == {sentence.proof for sentence in SENTENCES}


@pytest.mark.parametrize("block", range(8))
def test_what_is_proved_is_true_of_every_run(block: int) -> None:
    proofs: Counter[str] = Counter()
    for seed in range(block * 60, block * 60 + 60):
        text, findings = written(seed)
        proved = [found for found in findings if found.status == "proved" and found.proof in CHECKS]
        for again in range(4):
            world = any_world(random.Random(seed * 10 + again)) if again else ORDINARY
            seen = run(text, seed * 10 + again, world)
            for found in proved:
                proofs[found.proof] += bool(seen.made)
                assert holds(found, seen), f"{seed}: {found.clause.text}\n{shown(text, seen)}"
    assert len(proofs) > 20, proofs


RUNS = 250
UNSEEN = {"apart", "grows"}
"""What breaks these is over before a call or the end of the run shows it; those that are seen are broken."""


def is_broken(found: Finding, seen: Seen) -> bool:
    check = strict_order if found.proof == "order" else CHECKS[found.proof]
    return not check(seen, *found.names)


@pytest.mark.parametrize("block", range(8))
def test_what_is_refuted_is_broken_by_some_run(block: int) -> None:
    refuted: Counter[str] = Counter()
    for seed in range(1000 + block * 20, 1000 + block * 20 + 20):
        text, findings = written(seed)
        seeable = [found for found in findings if found.proof in CHECKS and found.names[-1:] != ("history",)]
        left = [found for found in seeable if found.status == "refuted" and found.proof not in UNSEEN]
        refuted.update(found.proof for found in left)
        for again in range(RUNS):
            if not left:
                break
            seen = run(text, again, any_world(random.Random(again)))
            left = [found for found in left if not is_broken(found, seen)]
        assert not left, f"{seed}: {[(found.clause.text, found.because) for found in left]}\n{text}"
    assert len(refuted) > 10, refuted


# ---- what is seen in runs of their own -------------------------------------------------------------------


def said_of(sentence: str, script: str) -> str:
    """What becomes of a sentence."""
    return invariants_of(load(HEAD.format(sentences=f"- {sentence}", script=script)).program.main)[0].status


def ended(script: str, services: dict[str, Any]) -> prose.Outcome:
    text = HEAD.format(sentences="- nothing", script=script)
    others: dict[str, Any] = {"a": lambda: None, "b": lambda: None, "many": [lambda: None]}
    return prose.run(text, bind={**others, **services}, inputs={"xs": [1, 2], "t": "text"}, config={"n": 3})


@pytest.mark.parametrize("value", ["[]", "[t]", "xs", "null", "[n, t]", "xs[0]"])
def test_a_list_is_empty_at_first_as_it_is_said(value: str) -> None:
    script = f"let history = {value}\nreturn history"
    status = said_of("`history` is empty at first", script)
    assert status == ("proved" if ended(script, {}).result == [] else "open" if value == "xs[0]" else "refuted")


@pytest.mark.parametrize("join", ["", '("first")', '("any", count: 1)', '("all")', '(on-fail: "continue")'])
@pytest.mark.parametrize("count", [2, 5])
def test_of_answers_at_the_same_moment_the_earlier_counts_as_it_is_said(join: str, count: int) -> None:
    script = f"let won = parallel for m in many {join}:\n  call m\nreturn won"
    status = said_of("Of answers at the same moment that of the earlier of `many` counts", script)
    at_once = asyncio.Event()

    def answering(number: int) -> Callable[[], Awaitable[int]]:
        async def answer() -> int:
            if number == count - 1:
                at_once.set()  # whoever is asked last lets all of them answer
            await at_once.wait()
            return number

        return answer

    won = ended(script, {"many": [answering(number) for number in range(count)]}).result
    assert (status == "proved") is (won in (0, [0]))
    assert (status == "refuted") is (won == list(range(count)))


def rounds_of(luck: random.Random, depth: int = 0) -> str:
    """A loop with calls and ways out of it, or of loops in it."""
    heads = ["repeat n:", "for v in xs:", "repeat 3:", "loop (max: n):", "loop until x.ok is true (max: n):"]
    head = luck.choice(heads[: 4 if depth else 5])  # where there is a success already, `until` would have no round
    lines = [luck.choice(["x = call a", "let y = call b\nx = call a"])]
    if depth < 2 and luck.random() < 0.4:
        lines.append(rounds_of(luck, depth + 1))
    if luck.random() < 0.6:
        lines.append(f"if x.ok:\n  {luck.choice(['return x', 'break', 'break', 'continue'])}")
    if luck.random() < 0.3:
        lines.append(f"let z = repeat 2:\n  if x.ok:\n    {luck.choice(['return x', 'break'])}\n  call a")
    return head + "\n" + indent("\n".join(lines), "  ")


@pytest.mark.parametrize("seed", range(150))
def test_the_first_success_ends_the_loop_as_it_is_said(seed: int) -> None:
    """Every answer is a success, so that a loop with a way out has one round."""
    script = "let x = null\n" + rounds_of(random.Random(seed))
    status = said_of("The pattern stops at the first success", script)
    end = ended(script, dict.fromkeys("ab", lambda: {"ok": True}))
    assert end.status == "done"
    several = any(re.match(r"[^#]*#[23]/", call.key) for call in end.calls)
    assert status == ("refuted" if several else "proved"), script
