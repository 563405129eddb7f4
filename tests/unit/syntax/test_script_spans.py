"""Places are exact in the whole file: line ends, byte-order marks, letters of all sizes, indented fences."""

from __future__ import annotations

import pytest
from script_samples import FORMS, parse, places

from prose_runtime.source import SourceText, Span
from prose_runtime.syntax import Fence, parse_script, walk
from prose_runtime.syntax import nodes as n

SCRIPT = 'let größe = call writer\n  topic: "näh 🐋 {who.name}"\n# ß\nif größe is "ü":\n  return größe.länge\n'


def named(script: n.Script, text: str) -> list[tuple[str, str]]:
    """Each name, property and key with the text that its span covers."""
    found = []
    for node in walk(script):
        if isinstance(node, n.Name):
            found.append((node.id, text[node.span.start : node.span.end]))
        elif isinstance(node, n.Property):
            found.append((node.name, text[node.name_span.start : node.name_span.end]))
        elif isinstance(node, n.Entry):
            found.append((node.key, text[node.key_span.start : node.key_span.end].strip('"')))
        elif isinstance(node, n.Call):
            found.append((node.target, text[node.target_span.start : node.target_span.end].strip('"')))
    return found


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", FORMS)
def test_a_span_covers_what_its_node_says(name: str, end: str) -> None:
    before = f"# Über 🐋{end}{end}"
    body = FORMS[name].replace("\n", end)
    script, found = parse(body, before=before, after=f"{end}```{end}")
    assert found == []
    pairs = named(script, before + body)
    assert [said for said, _ in pairs] == [covered for _, covered in pairs]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_children_stand_inside_their_parents(end: str) -> None:
    script, _ = parse("\n".join(FORMS.values()).replace("\n", end))
    for node in walk(script):
        if isinstance(node, n.Script):
            continue
        below = [child for child in walk(node) if child is not node]
        assert all(node.span.start <= child.span.start and child.span.end <= node.span.end for child in below)


def test_conditions_know_the_place_of_each_character() -> None:
    before = "é\r\n"
    body = "if the score  # of all\r\n      is **above 3**\r\n      or 'x: y':\r\n  break\r\n"
    script, found = parse(body, before=before)
    assert found == []
    (statement,) = script.statements
    assert isinstance(statement, n.If)
    condition = statement.arms[0].condition
    assert condition.text == "the score is above 3 or 'x: y'"
    whole = before + body
    for part in ("score", "above 3", "'x: y'"):
        at = condition.text.index(part)
        span = condition.at(at, at + len(part))
        assert whole[span.start : span.end] == part


def test_lines_and_columns_with_wide_letters() -> None:
    assert places("let 🐋x = 1\n") != []
    assert places('let ü = "🐋" "b"\n', before="äö\r\n🐋\n") == [(3, 13, "unexpected-text")]


def test_a_byte_order_mark_is_no_column() -> None:
    source = SourceText.from_bytes("a.prose.md", b"\xef\xbb\xbflet a = 'b'\r\nlet c =\r\n")
    whole = Span(0, len(source.text))
    _, found = parse_script(source, Fence(whole, "prose", whole))
    spots = [source.position(item.labels[0].span.start) for item in found]
    assert [(spot.line, spot.column) for spot in spots] == [(1, 9), (2, 7)]


def test_an_indented_fence_is_read_without_its_indentation() -> None:
    before = "- item\n\n   ```prose\n"
    body = "   if a:\n     call b\n       c: d\n   call e -1\n"
    script, found = parse(body, before=before, after="   ```\n", indent=3)
    assert [(item.line, item.code) for item in found] == [(7, "minus-spacing")] or found[0].line == 7
    assert len(script.statements) == 2
    assert script.statements[0].span.start == len(before) + 3


def test_a_script_that_is_indented_as_a_whole_is_read() -> None:
    script, found = parse("    let a = 1\n    if a:\n      break\n")
    assert found == []
    assert len(script.statements) == 2


@pytest.mark.parametrize("text", [SCRIPT, SCRIPT.replace("\n", "\r\n")])
def test_names_may_have_letters_of_all_languages(text: str) -> None:
    script, found = parse(text)
    assert found == []
    assert ("größe", "größe") in named(script, text)
