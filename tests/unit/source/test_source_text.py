"""Places in texts: lines and columns in files of every kind of line end, with a byte-order mark, past ASCII."""

from __future__ import annotations

import pytest

from prose_runtime.source import Position, SourceText, Span, UndecodableSource


def test_a_text_is_shown_by_its_name_alone() -> None:
    assert "many lines" not in repr(SourceText("a.prose.md", "many lines\n"))
    assert "a.prose.md" in repr(SourceText("a.prose.md", "many lines\n"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_each_of_the_three_ways(end: str) -> None:
    text = SourceText("a", end.join(["one", "two", "", "four"]))
    assert [text.line(number) for number in range(6)] == ["", "one", "two", "", "four", ""]
    assert text.position(text.text.index("four")) == Position(4, 1, 0)


def test_a_byte_order_mark_moves_nothing() -> None:
    text = SourceText.from_bytes("a", b"\xef\xbb\xbfname: x")
    assert text.had_bom
    assert text.position(text.text.index("x")) == Position(1, 7, 6)


def test_columns_count_characters_and_editors_count_utf16() -> None:
    text = SourceText("a", "é𝄞x")
    assert text.position(2) == Position(1, 3, 3)
    assert text.where(Span(2, 3)) == "a:1:3"


def test_an_offset_past_the_end_is_the_end() -> None:
    assert SourceText("a", "ab\nc").position(99) == Position(2, 2, 1)


def test_bytes_that_are_no_text_name_their_line() -> None:
    with pytest.raises(UndecodableSource) as caught:
        SourceText.from_bytes("a.prose.md", b"one\ntwo \xff\n")
    assert caught.value.line == 2
