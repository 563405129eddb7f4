"""What the services of a list slot are called."""

from __future__ import annotations

import functools

import pytest

import prose_runtime as prose
from prose_runtime.services import BindingFault, listed_service
from prose_runtime.services.names import own_name


def strict(text: str) -> str:
    return text


class Critic:
    def __call__(self, text: str) -> str:
        return text


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("py:lib/revs.py:strict", "strict"),
        ("py:package.module:Reviews.kind", "kind"),
        ("cmd:./bin/lint.sh --all", "lint"),
        ("cmd:/usr/bin/python3 -m x", "python3"),
        ("script:replies/first.yaml", "first"),
        ("gate:word-count?min=5", "word-count"),
        ("./critic.prose.md", "critic"),
        ("./critic.prose.md#second", "second"),
        ("std/refine", "refine"),
        ("careful", "careful"),
        ("cmd:./9lives", None),
        (strict, "strict"),
        (functools.partial(strict, "a"), "strict"),
        (lambda text: text, None),
        (Critic(), None),
        (prose.ScriptedService(["a"], name="first"), "first"),
    ],
)
def test_own_names(value: object, name: str | None) -> None:
    assert own_name(value) == name


def test_a_fault_speaks_of_the_slot() -> None:
    with pytest.raises(BindingFault, match="`reviewers` is bound to `cmd:"):
        listed_service("cmd:./nowhere", slot="reviewers")


@pytest.mark.parametrize(
    ("bound", "names"),
    [
        ([strict, strict], ["strict", "strict-2"]),
        ([strict], ["strict"]),
        ([lambda text: text, Critic()], ["reviewers", "reviewers-2"]),
        ({"hard": strict, "soft": strict}, ["hard", "soft"]),
        (strict, ["reviewers"]),
    ],
)
def test_a_list_slot_takes_a_list_or_a_mapping_of_names(bound: object, names: list[str]) -> None:
    text = (
        "---\nname: ask\nkind: pattern\n---\n\n### Slots\n\n- `reviewers`: several\n\n### Delegation\n\n```prose\n"
        'return for reviewer in reviewers:\n  call reviewer\n    text: "a"\n```\n'
    )
    outcome = prose.run(text, bind={"reviewers": bound})
    assert outcome.result == ["a"] * len(names)
    assert [call.service for call in outcome.calls] == names
