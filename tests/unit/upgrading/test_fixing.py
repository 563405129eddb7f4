"""`check --fix`: edits of spans alone, until nothing is left to mend, and never for the worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.upgrading import Upgraded, fix

HEAD = "---\nname: x\nkind: pattern\n---\n\n### Slots\n\n- `writer`\n\n### Delegation\n\n```prose\n"


def mended(text: str, *, unsafe: bool = False) -> Upgraded:
    return fix(SourceText("x.prose.md", text), Path("x.prose.md"), DiskLoader(), unsafe=unsafe)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return call writer\n\ttopic: 1\n", "return call writer\n    topic: 1\n"),
        (
            "if 1 > 2\n  return call writer\nreturn call writer\n",
            "if 1 > 2:\n  return call writer\nreturn call writer\n",
        ),
        ("return call writer\n  topic: 'rain'\n", 'return call writer\n  topic: "rain"\n'),
    ],
)
def test_safe_fixes_are_made(before: str, after: str) -> None:
    found = mended(f"{HEAD}{before}```\n")
    assert found.source.text == f"{HEAD}{after}```\n"
    assert len(found.changes) == 1


def test_several_rounds_and_several_places() -> None:
    text = f"{HEAD}if 1 > 2\n\tcall writer\nreturn call writer\n```\n"
    found = mended(text)
    assert found.source.text == f"{HEAD}if 1 > 2:\n    call writer\nreturn call writer\n```\n"
    assert mended(found.source.text).changes == ()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_all_else_stays_byte_for_byte(ending: str) -> None:
    text = "---\nname: x\nkind: service\n---\n\nWords,  as \twritten.  \n\n### Execution\n\n```prose\nreturn 1\n```\n\n"
    found = mended(text.replace("\n", ending))
    assert found.source.text == text.replace("kind: service", "kind: function").replace("\n", ending)


def test_a_file_without_faults_is_left_alone() -> None:
    text = f"{HEAD}return call writer\n```\n"
    assert (mended(text).source.text, mended(text).changes) == (text, ())


def test_what_may_change_the_meaning_is_only_done_when_asked() -> None:
    text = f"{HEAD}return call writr\n```\n"
    assert mended(text).changes == ()
    assert "call writer" in mended(text, unsafe=True).source.text or mended(text, unsafe=True).changes == ()


@pytest.mark.parametrize("cut", range(0, 260, 7))
def test_half_a_file_is_never_made_worse(cut: int) -> None:
    text = f"{HEAD}let a = call writer\n\ttopic: 'x\nif a > 2\n  return a\nreturn {{ a: a\n```\n"
    before = mended(text[:cut])
    assert before.refused == "" or before.source.text == text[:cut]
