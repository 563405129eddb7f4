"""Whatever stands in a fence, reading it ends, says what is wrong, and leaves a tree that can be used."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from script_samples import FORMS, parse

from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import print_script, same_tree, walk

WHOLE = "\n".join(FORMS.values())
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # a found text is short enough as it is
PIECES = [*"abx \n\t:,.=-+*/()[]{}\"'|#\\<>!é", "\n  ", "\r\n", '"""', "**", "***", "if ", "else:", "then ", "call "]
PIECES += ["for x in y:", "repeat ", "let ", "do:", "parallel:", "| map:", "(max: 3)", "try:", "  a: b\n", "record "]


def check(text: str) -> None:
    """What holds for every text."""
    script, found = parse(text)
    nodes = list(walk(script))
    unreadable = any(isinstance(node, n.Unreadable) for node in nodes)
    assert found or not unreadable
    spots = [(item.code, item.labels[0].span) for item in found]
    assert len(spots) == len(set(spots))
    assert all(0 <= span.start <= span.end <= len(text) for _, span in spots)
    assert all(0 <= node.span.start <= node.span.end <= len(text) for node in nodes)
    if not any(item.severity == "error" for item in found):
        again, more = parse(print_script(script))
        assert not any(item.severity == "error" for item in more)
        assert same_tree(script, again)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_cut_off_anywhere_is_no_crash(name: str) -> None:
    text = FORMS[name]
    for end in range(len(text)):
        check(text[:end])


@given(st.data())
@settings(max_examples=100, deadline=None, phases=PHASES)
def test_random_edits_are_no_crash(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(WHOLE)))
    text = WHOLE[start : start + data.draw(st.integers(0, 300))]
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text)))
        end = min(len(text), at + data.draw(st.sampled_from([0, 1, 2, 5, 20])))
        text = text[:at] + data.draw(st.sampled_from(PIECES)) * data.draw(st.sampled_from([1, 1, 3])) + text[end:]
    check(text)


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None, phases=PHASES)
def test_any_text_is_no_crash(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000,
        "[" * 3000 + "]" * 3000,
        "a." * 3000 + "a",
        "let x = 1" + " + 1" * 3000,
        "".join("  " * depth + "if a:\n" for depth in range(300)),
        "if a: " * 300 + "break",
        "let x = " + "if a then " * 300 + "b" + " else c" * 300,
        "let x = " + "- " * 3000 + "1",
        "not " * 3000 + "a",
        '"' * 3001,
        "if " + "(" * 3000,
        "if a\n" * 500,
        "foo bar 1\n" * 500,
        "***" * 1000,
    ],
)
def test_depth_and_length_are_bounded(text: str) -> None:
    script, _ = parse(text)
    print_depth = max((depth for depth in depths(script)), default=0)
    assert print_depth < 400


def depths(script: n.Script) -> list[int]:
    """How deep each node stands, found without recursion."""
    from prose_runtime.syntax import children

    found = []
    pending: list[tuple[n.Node, int]] = [(script, 0)]
    while pending:
        node, depth = pending.pop()
        found.append(depth)
        pending += [(child, depth + 1) for child in children(node)]
    return found


def test_a_hundred_levels_are_allowed() -> None:
    blocks = "".join("  " * depth + "repeat 2:\n" for depth in range(99)) + "  " * 99 + "call a\n"
    brackets = "let x = " + "[" * 99 + "1" + "]" * 99
    for text in (blocks, brackets):
        script, found = parse(text)
        assert found == []
        assert same_tree(script, parse(print_script(script))[0])


def test_a_long_list_takes_time_in_proportion() -> None:
    script, found = parse("let x = [" + "1, " * 20_000 + "1]")
    assert found == []
    (statement,) = script.statements
    assert isinstance(statement, n.Let)
    assert isinstance(statement.value, n.List)
    assert len(statement.value.items) == 20_001
