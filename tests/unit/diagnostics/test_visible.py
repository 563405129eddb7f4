"""Text made safe to print."""

from __future__ import annotations

import pytest

from prose_runtime.diagnostics.visible import columns, cut, visible, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünï", "plain ünï"),
        ("a\nb\tc", "a\nb\tc"),
        ("a\rb", "a␍b"),
        ("\x00\x1b\x7f", "␀␛␡"),
        ("\x9b31m", "<U+009B>31m"),
        ("abc\u202edef", "abc<U+202E>def"),
        ("a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"),
        ("\ud800", "<U+D800>"),
        ("\U000e0041", "<U+E0041>"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line() -> None:
    assert visible_line("a\r\nb\nc\td") == "a⏎b⏎c d"


def test_columns() -> None:
    assert columns("abc") == 3
    assert columns("名前") == 4
    assert columns("e\u0301") == 1


@pytest.mark.parametrize(("text", "width", "shown"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("名前名", 4, "名…")])
def test_cut(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown
    assert columns(cut(text, width)) <= width
