"""Frontmatter: texts stay texts, and what is wrong is said at its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_samples import codes, document, function, reading

from prose_runtime.source import SourceText
from prose_runtime.syntax.frontmatter import read_frontmatter
from prose_runtime.syntax.passage import Line, join
from prose_runtime.syntax.plain_yaml import YamlMap, read_yaml, texts


def with_lines(*lines: str) -> str:
    return "---\n" + "\n".join(lines) + "\n---\n\n### Returns\n\n- `a`: one\n"


@pytest.mark.parametrize("value", ["no", "12:30", "2024-01-02", "0x10", "1_000", "~", "yes", "1e3", "null", "01"])
def test_values_stay_what_was_written(value: str) -> None:
    found = document(with_lines("name: a", "kind: function", f"note: {value}"))
    assert found.field("note") == value
    assert document(with_lines("name: a", "kind: function", f"note: [{value}]")).field("note") == [value]


def test_lists_and_mappings_hold_texts() -> None:
    found = document(with_lines("name: a", "kind: function", "x:", "  - no", "  - { y: 1 }", "z: \"q: 'r'\""))
    assert found.field("x") == ["no", {"y": "1"}]
    assert found.field("z") == "q: 'r'"


@pytest.mark.parametrize("extra", ["", "z: [1]"])
def test_a_key_twice_points_at_both_places(extra: str) -> None:
    _, diagnostics = reading(with_lines("name: a", "kind: function", extra, "name: b"))
    assert [item.code for item in diagnostics] == ["duplicate-key"]
    lines = [label.source.position(label.span.start).line for label in diagnostics[0].labels]
    assert lines == [5, 2]
    found, _ = reading(with_lines("name: a", "kind: function", extra, "name: b"))
    assert found.main.name == "a"


def test_broken_yaml_is_said_at_its_line_and_the_rest_is_read() -> None:
    found, diagnostics = reading(with_lines("name: a", "kind: function", "title: one: two", "x: y"))
    assert [(item.code, item.line) for item in diagnostics] == [("broken-yaml", 4)]
    assert (found.main.name, found.main.kind, found.field("x")) == ("a", "function", "y")
    assert [item.name for item in found.main.outputs] == ["a"]


def test_a_tab_in_yaml_is_broken_yaml() -> None:
    assert codes(with_lines("name: a", "kind: function", "x:", "\ty: 1")) == ["broken-yaml"]


@pytest.mark.parametrize(
    "line", ["a: &x 1", "a: *x", "a: !!python/object/apply:os.system [ls]", "a: !x y", "a: [&x 1, *x]"]
)
def test_anchors_aliases_and_tags_are_refused(line: str) -> None:
    assert codes(with_lines("name: a", "kind: function", line)) == ["yaml-feature"]


def test_a_laughing_bomb_is_refused_at_once() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    assert codes(with_lines("name: a", "kind: function", *lines)) == ["yaml-feature"]


def test_deep_yaml_and_long_yaml_are_refused() -> None:
    assert codes(with_lines("name: a", "kind: function", "x: " + "[" * 500 + "]" * 500)) == ["nested-too-deeply"]
    assert codes(with_lines("name: a", "kind: function", "x: [" + "1, " * 6000 + "]")) == ["document-too-large"]


def test_unclosed_frontmatter_ends_where_the_text_begins() -> None:
    found, diagnostics = reading("---\nname: a\nkind: function\n\n### Returns\n\n- `b`: one\n")
    assert [(item.code, item.line) for item in diagnostics] == [("unclosed-frontmatter", 1)]
    assert (found.main.name, found.main.kind) == ("a", "function")
    assert [item.name for item in found.main.outputs] == ["b"]


def test_a_missing_name_is_taken_from_the_title_then_from_the_file() -> None:
    found, diagnostics = reading("---\nkind: function\n---\n\n# Say Hello\n")
    assert [item.code for item in diagnostics] == ["missing-name"]
    assert found.main.name == "say-hello"
    assert found.source.slice(found.main.name_span) == "Say Hello"
    (fix,) = diagnostics[0].fixes
    (edit,) = fix.edits
    text = found.source.text
    assert text[: edit.span.start] + edit.replacement + text[edit.span.end :] == (
        "---\nname: say-hello\nkind: function\n---\n\n# Say Hello\n"
    )
    found, _ = reading("---\nkind: function\n---\n", name="some/dir/Greet Me.prose.md")
    assert found.main.name == "greet-me"


def test_an_unknown_kind_names_the_nearest() -> None:
    _, diagnostics = reading("---\nname: a\nkind: fucntion\n---\n")
    assert [(item.code, item.line) for item in diagnostics] == [("unknown-kind", 3)]
    assert "`function`" in diagnostics[0].help
    assert codes("---\nname: a\nkind: Function\n---\n") == []


def test_a_misspelt_key_for_the_kind_is_named() -> None:
    _, diagnostics = reading("---\nname: a\nknd: function\n---\n")
    assert [item.code for item in diagnostics] == ["missing-kind"]
    assert diagnostics[0].help == "rename `knd` to `kind`"


@pytest.mark.parametrize(
    ("word", "sections", "now", "safe"),
    [
        ("service", "", "function", True),
        ("composite", "### Slots\n\n- `a`\n\n### Delegation\n\n```prose\nreturn 1\n```\n", "pattern", True),
        ("program", "", "function", False),
        ("system", "### Slots\n\n- `a`\n\n### Delegation\n\n```prose\nreturn 1\n```\n", "pattern", False),
    ],
)
def test_retired_kinds_carry_a_fix(word: str, sections: str, now: str, safe: bool) -> None:
    text = function(sections).replace("kind: function", f"kind: {word}")
    found, diagnostics = reading(text)
    assert [(item.code, item.severity) for item in diagnostics] == [("retired-kind", "warning")]
    assert found.main.kind == now
    (fix,) = diagnostics[0].fixes
    assert fix.safe is safe
    (edit,) = fix.edits
    mended = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    assert codes(mended) == []


KEYS = st.sampled_from(["name", "kind", "note", "x-y"])
VALUES = st.text(alphabet="abz019./+- :_#'\"[]{}&*!|>%@,?", max_size=12)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4, unique_by=lambda pair: pair[0]))
def test_the_quick_way_reads_what_yaml_reads(pairs: list[tuple[str, str]]) -> None:
    lines = [f"{key}: {value}" for key, value in pairs]
    source = SourceText("x", "---\n" + "\n".join(lines) + "\n---\n")
    front, diagnostics = read_frontmatter(source)
    node, _ = read_yaml(source, join([Line(line, 0, 0) for line in lines], "\n"))
    if not diagnostics and isinstance(node, YamlMap):
        assert {field.key: field.value for field in front.fields} == texts(node)
    elif not diagnostics:
        assert not front.fields
