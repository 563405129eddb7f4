"""Whole documents: what is read, exact places, and that nothing makes the reader fall over."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_samples import TIDY, codes, document, function, no_script, pattern, reading

from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Document
from prose_runtime.syntax.nodes import Node
from prose_runtime.syntax.read import MAX_CHARACTERS, read


def spans_of(value: object) -> list[Span]:
    """Every span in a tree."""
    if isinstance(value, Span):
        return [value]
    if isinstance(value, tuple):
        return [span for item in value for span in spans_of(item)]
    if is_dataclass(value) and isinstance(value, Node):
        return [span for item in fields(value) for span in spans_of(getattr(value, item.name))]
    return []


def check_places(found: Document, text: str) -> None:
    for span in spans_of(found.definitions) + spans_of(found.frontmatter):
        assert 0 <= span.start <= span.end <= len(text)


def test_the_whole_sample_is_read() -> None:
    found = document(TIDY)
    main = found.main
    assert (main.name, main.kind, found.title, main.inline) == ("tidy-up", "pattern", "Tidy Up", False)
    assert main.description == "Clean a text until a reader calls it clean. Ünïcode, 😀."
    assert [slot.name for slot in main.slots] == ["cleaner", "readers", "helper"]
    assert [item.name for item in main.inputs] == ["text", "rules"]
    assert [item.name for item in main.outputs] == ["text", "verdict", "left"]
    assert [clause.text for clause in main.ensures] == ["Every reader sees the same text"]
    assert [clause.text for clause in main.requires] == ["The text is not empty"]
    assert main.script is not None
    inner = found.definition("cleaner")
    assert inner is not None
    assert (inner.kind, inner.inline, [item.name for item in inner.inputs]) == ("function", True, ["text", "hint"])


def test_names_point_at_themselves_in_crlf_and_after_non_ascii() -> None:
    for text in (TIDY, TIDY.replace("\n", "\r\n"), TIDY.replace("\n", "\r")):
        found = document(text)
        main = found.main
        for named in (*main.slots, *main.config, *main.inputs, *main.outputs, *main.errors):
            assert found.source.slice(named.name_span) == named.name
        assert found.source.slice(main.name_span) == "tidy-up"
        for binding in main.instances[0].bindings:
            assert found.source.slice(binding.slot_span) == binding.slot


def test_a_byte_order_mark_moves_nothing() -> None:
    source = SourceText.from_bytes("x.prose.md", b"\xef\xbb\xbf" + TIDY.encode())
    found, diagnostics = read(source, no_script)
    assert diagnostics == []
    assert found.source.position(found.main.name_span.start).line == 2
    assert found.source.position(found.main.name_span.start).column == 7


def test_the_script_is_given_to_its_parser_as_a_fence() -> None:
    seen = []

    def parse(source: SourceText, fence: object) -> object:
        seen.append(fence)
        return no_script(source, fence)  # type: ignore[arg-type]

    source = SourceText("x.prose.md", TIDY)
    read(source, parse)  # type: ignore[arg-type]
    (fence,) = seen
    assert source.slice(fence.content) == "let a = call cleaner\n  text: text\n\nreturn a\n"
    assert source.slice(fence.span).startswith("```prose\n")
    assert source.slice(fence.span).endswith("return a\n```")
    assert (fence.language, fence.indent) == ("prose", 0)


def test_seven_mistakes_are_seven_messages_at_their_lines() -> None:
    text = """\
---
name: broken
kind: patern
kind: pattern
---

### Slots

- the writer
- `reader`
- `reader`

### Config

- `rounds` (integer, default: some): how often

### Delegation

```prose
return 1
```

```prose
return 2
```

## reader

## reader
"""
    found = [(item.code, item.line) for item in reading(text)[1]]
    assert sorted(found, key=lambda pair: pair[1]) == [
        ("unknown-kind", 3),
        ("duplicate-key", 4),
        ("unnamed-item", 9),
        ("duplicate-name", 11),
        ("default-mismatch", 15),
        ("second-script", 23),
        ("duplicate-definition", 29),
    ]
    assert all(item.help for item in reading(text)[1])


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_document_cut_off_at_every_byte_is_read(ending: str) -> None:
    data = TIDY.replace("\n", ending).encode()
    for end in range(0, len(data), 1 if ending == "\n" else 11):
        text = data[:end].decode(errors="ignore")
        found, diagnostics = reading(text)
        check_places(found, text)
        for item in diagnostics:
            assert all(0 <= label.span.start <= label.span.end <= len(text) for label in item.labels)


MARKS = list("`-*:#\n\r\t ()[{|\"'—\0•>&!<\u2028\x85\ud800")
WORDS = ["```", "~~~", "---", "\n\n", "- ", "### ", "## ", "default", "optional", "receives:"]
PIECES = st.sampled_from(MARKS + WORDS)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(TIDY)), st.integers(0, 30), PIECES), min_size=1, max_size=8))
def test_random_edits_never_make_it_fall_over(edits: list[tuple[int, int, str]]) -> None:
    text = TIDY
    for at, removed, added in edits:
        text = text[:at] + added + text[at + removed :]
    found, _ = reading(text)
    check_places(found, text)
    assert found.definitions


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    found, _ = reading(text)
    check_places(found, text)


def test_a_file_without_frontmatter_says_how_to_write_it() -> None:
    found, diagnostics = reading("# Greet\n\n### Slots\n\n- `a`\n\n### Delegation\n\n```prose\nreturn 1\n```\n")
    assert [item.code for item in diagnostics] == ["missing-frontmatter"]
    assert "kind: pattern" in diagnostics[0].help
    assert (found.main.name, found.main.kind) == ("greet", "pattern")


def test_a_file_that_is_too_large_is_not_read() -> None:
    found, diagnostics = reading("x" * (MAX_CHARACTERS + 1))
    assert [item.code for item in diagnostics] == ["document-too-large"]
    assert found.main.name == "sample"


def test_lists_deeper_than_the_limit_are_reported() -> None:
    deep = "".join("  " * level + f"- level {level}\n" for level in range(60))
    assert codes(function("### Notes\n\n" + deep)) == ["nested-too-deeply"]
    shallow = "".join("  " * level + f"- level {level}\n" for level in range(10))
    assert codes(function("### Notes\n\n" + shallow)) == []


def test_an_unclosed_script_takes_no_section_along() -> None:
    text = pattern().rstrip("`\n") + "\n\n### Invariants\n\n- It ends\n\n## helper\n\n### Parameters\n\n- `a`: one\n"
    found, diagnostics = reading(text)
    assert [(item.code, item.source.line(item.line)) for item in diagnostics] == [("unclosed-fence", "```prose")]
    assert [clause.text for clause in found.main.invariants] == ["It ends"]
    assert found.definition("helper") is not None
    assert found.main.script is not None
    assert found.source.slice(found.main.script.span).rstrip().endswith("return 1")


def test_a_script_that_another_fence_closes_by_accident_is_unclosed() -> None:
    text = (
        "---\nname: s\nkind: pattern\n---\n\n### Slots\n\n- `a`\n\n### Delegation\n\n```prose\nreturn 1\n\n"
        "### Patterns\n\n```yaml\n- name: x\n  pattern: y\n```\n"
    )
    found, diagnostics = reading(text)
    assert [(item.code, item.line) for item in diagnostics] == [("unclosed-fence", 12)]
    assert [instance.name for instance in found.main.instances] == ["x"]
