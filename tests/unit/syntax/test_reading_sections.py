"""Headings, sections, instances and the choice of the script."""

from __future__ import annotations

import pytest
from reading_samples import codes, document, function, pattern, reading

from prose_runtime.syntax import same_tree
from prose_runtime.syntax.document import BoundList, BoundName, Instance, Json


def mended(text: str) -> str:
    """The text with the first fix of its first diagnostic."""
    _, diagnostics = reading(text)
    for edit in sorted(diagnostics[0].fixes[0].edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    return text


# ---- headings -------------------------------------------------------------------------------------------------------


def test_names_of_sections_match_without_regard_to_case() -> None:
    main = document(
        function("### PARAMETERS\n\n- `a`: one\n\n### returns ###\n\n- `b`: two\n\n### `Errors`\n\n- `c`: three\n")
    ).main
    assert ([item.name for item in main.inputs], [item.name for item in main.outputs]) == (["a"], ["b"])
    assert [item.name for item in main.errors] == ["c"]


def test_unknown_sections_are_kept() -> None:
    main = document(
        function("### Weather Report\n\nRain.\n\n- `a`: b\n\n### Continuity: self-driven\n\n- daily\n")
    ).main
    section = main.section("weather report")
    assert section is not None
    assert (section.title, section.text, [item.name for item in section.items]) == ("Weather Report", "Rain.", ["a"])
    assert main.section("continuity") is not None


def test_sections_know_where_they_stand() -> None:
    found = document(function("### Notes\n\nOne.\nTwo.\n\n### Tools\n\n- `cli:x`: y\n"))
    notes, tools = found.main.sections
    assert found.source.slice(notes.body) == "One.\nTwo."
    assert found.source.slice(notes.heading) == "### Notes"
    assert found.source.slice(tools.body) == "- `cli:x`: y"
    assert tools.items[0].name == "cli:x"


def test_items_keep_name_annotation_text_and_nesting() -> None:
    main = document(
        function("### Strategies\n\n- `a` (x, y): one\n  two\n  - b: three\n- when late: hurry\n- `c` exists\n")
    ).main
    first, second, third = main.sections[0].items
    assert (first.name, first.annotation, first.text, first.whole) == ("a", "x, y", "one two", "`a` (x, y): one two")
    assert (first.items[0].name, first.items[0].text) == ("b", "three")
    assert (second.name, second.text) == (None, "when late: hurry")
    assert (third.name, third.text) == (None, "`c` exists")


def test_sections_keep_their_fences() -> None:
    main = document(
        function("### Fixtures\n\n- a list:\n\n  ```yaml\n  - one\n    two\n  ```\n\n### Notes\n\nx\n")
    ).main
    (fence,) = main.sections[0].fences
    assert (fence.language, fence.text) == ("yaml", "- one\n  two")


def test_what_stands_in_fences_and_comments_is_no_section() -> None:
    main = document(
        function("### Notes\n\n````markdown\n### Slots\n````\n\n<!--\n### Errors\n- `a`: b\n-->\n\n### Tools\n\n- x\n")
    ).main
    assert [section.key for section in main.sections] == ["notes", "tools"]


def test_inline_definitions_and_their_kinds() -> None:
    found = document(
        function(
            "## a\n\n### Parameters\n\n- `x`: y\n\n## `b`\n\n### Maintains\n\n- `z`: w\n\n"
            "## c\n\n### Slots\n\n- `s`\n\n### Delegation\n\n```prose\nreturn 1\n```\n"
        )
    )
    assert [(item.name, item.kind, item.inline) for item in found.definitions] == [
        ("sample", "function", False),
        ("a", "function", True),
        ("b", "responsibility", True),
        ("c", "pattern", True),
    ]
    assert found.source.slice(found.definitions[2].name_span) == "b"
    assert found.source.slice(found.definitions[1].span).startswith("## a")


def test_two_definitions_of_one_name() -> None:
    _, diagnostics = reading(function("## a\n\n## b\n\n## a\n"))
    assert [(item.code, item.line) for item in diagnostics] == [("duplicate-definition", 10)]
    assert codes(function("## sample\n")) == ["duplicate-definition"]
    assert codes(function("##\n")) == ["unnamed-definition"]


def test_a_section_twice_is_read_as_one() -> None:
    found, diagnostics = reading(
        function("### Parameters\n\n- `a`: one\n\n### Returns\n\n- `b`: two\n\n### parameters\n\n- `c`: three\n")
    )
    assert [(item.code, item.severity, item.line) for item in diagnostics] == [("duplicate-section", "warning", 14)]
    assert [item.name for item in found.main.inputs] == ["a", "c"]
    assert codes(function("### Anything\n\n### Anything\n")) == []


def test_a_section_at_the_wrong_level_is_read_and_can_be_mended() -> None:
    text = pattern().replace("### Slots", "## Slots")
    found, diagnostics = reading(text)
    assert [(item.code, item.line) for item in diagnostics] == [("section-level", 6)]
    assert [slot.name for slot in found.main.slots] == ["writer"]
    assert mended(text) == pattern()


def test_a_definition_may_be_called_like_a_vague_section() -> None:
    assert [item.name for item in document(function("## notes\n\n### Returns\n\n- `a`: b\n")).definitions] == [
        "sample",
        "notes",
    ]


def test_a_misspelt_section_is_a_warning() -> None:
    text = function("### Paramters\n\n- `a`: one\n")
    _, diagnostics = reading(text)
    assert [(item.code, item.severity) for item in diagnostics] == [("unknown-section", "warning")]
    assert mended(text) == function("### Parameters\n\n- `a`: one\n")
    assert codes(function("### Parameter Notes\n\n### Facets\n\n### Criteria\n\n### Postconditions\n")) == []


# ---- scripts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["prose", "prosescript", "Prose", "prose title=x"])
def test_the_languages_of_scripts(language: str) -> None:
    assert document(pattern().replace("```prose", f"```{language}")).main.script is not None


@pytest.mark.parametrize("mark", ["````", "~~~"])
def test_other_marks_of_fences(mark: str) -> None:
    text = pattern().replace("```", mark)
    found = document(text)
    assert found.main.script is not None
    assert found.source.slice(found.main.script.span) == f"{mark}prose\nreturn 1\n{mark}"


def test_a_function_needs_no_script_and_a_pattern_does() -> None:
    assert document(function("### Returns\n\n- `a`: b\n")).main.script is None
    _, diagnostics = reading(pattern().replace("```prose\nreturn 1\n```", "It writes.\n"))
    assert [(item.code, item.line) for item in diagnostics] == [("no-script", 12)]
    assert codes("---\nname: a\nkind: pattern\n---\n\n### Slots\n\n- `b`\n") == ["no-script"]
    assert codes(pattern().replace("```prose", "```python")) == ["no-script"]


def test_a_block_in_another_section_is_no_script() -> None:
    assert document(function("### Notes\n\n```prose\nreturn 1\n```\n")).main.script is None


def test_a_block_without_a_language_is_the_script_with_a_fix() -> None:
    text = pattern().replace("```prose", "```")
    found, diagnostics = reading(text)
    assert [(item.code, item.severity) for item in diagnostics] == [("script-language", "warning")]
    assert found.main.script is not None
    assert mended(text) == pattern()


def test_a_second_script_is_an_error_at_its_line() -> None:
    found, diagnostics = reading(pattern() + "\n### Execution\n\n```prose\nreturn 2\n```\n")
    assert [(item.code, item.line) for item in diagnostics] == [("second-script", 20)]
    assert found.main.script is not None
    assert "return 1" in found.source.slice(found.main.script.span)


def test_retired_scripts() -> None:
    loop = pattern().replace("### Delegation", "### Delegation Loop").replace("```prose", "```javascript")
    assert [(item.code, item.severity) for item in reading(loop)[1]] == [("retired-script", "error")]
    assert codes(pattern().replace("```prose", "```js")) == ["retired-script"]
    both = pattern() + "\n```javascript\nreturn 2\n```\n"
    assert [(item.code, item.severity) for item in reading(both)[1]] == [("retired-script", "warning")]


def test_an_unclosed_block_at_the_end_is_an_error_at_its_opening() -> None:
    found, diagnostics = reading(pattern().rstrip("`\n"))
    assert [(item.code, item.line) for item in diagnostics] == [("unclosed-fence", 14)]
    assert found.main.script is not None


# ---- instances ------------------------------------------------------------------------------------------------------


def with_instances(yaml: str, title: str = "Patterns") -> str:
    return function(f"### {title}\n\n```yaml\n{yaml}```\n")


FULL = """\
- name: tidy
  pattern: std/patterns/refine
  with:
    refiner: writer
    evaluator: [a, "b"]
    judge:
      pattern: ./ask.prose.md
      with:
        who: c
      config: { n: 1 }
    many:
      - d
      - pattern: e
  config:
    n: 3
    share: 0.5
    quiet: no
    flag: true
    time: 12:30
    text: "3"
    nothing: null
    list: [1, x, { a: false }]
"""


def test_services_that_hold_instances_are_patterns() -> None:
    read_as = codes(with_instances(FULL, "Services"))
    assert read_as == ["retired-section"]
    old, _ = reading(with_instances(FULL, "Services"))
    assert same_tree(old.main.instances, document(with_instances(FULL, "Patterns")).main.instances)


def test_names_among_the_instances_of_services_say_nothing() -> None:
    both = FULL.replace("- name: tidy", "- writer\n- name: tidy", 1)
    main, found = reading(with_instances(both, "Services"))
    assert [item.name for item in main.main.instances] == ["tidy"]
    assert [(item.code, bool(item.fixes)) for item in found] == [("retired-section", False)]
    assert codes(with_instances(both, "Patterns")) == ["instance-shape"]


@pytest.mark.parametrize(
    ("sections", "code"),
    [
        ("### Requires\n\n- `a`: one\n", "retired-section"),
        ("### Ensures\n\n- `a`: one\n", "retired-section"),
        ("### Memory\n\n- `a`: one\n", "dropped-section"),
        ("### Wiring\n\na to b\n", "dropped-section"),
        ("### Services\n\n- `a`\n", "dropped-section"),
        ("### Effects\n\n- `pure`: nothing\n", "dropped-section"),
    ],
)
def test_sections_of_older_editions(sections: str, code: str) -> None:
    assert codes(function(sections)) == [code]


@pytest.mark.parametrize("title", ["Criteria", "Fulfillment", "Constraints"])
def test_sections_of_older_responsibilities(title: str) -> None:
    text = f"### Maintains\n\n- `a`: one\n\n### {title}\n\n- text\n"
    assert codes(function(text).replace("kind: function", "kind: responsibility")) == ["dropped-section"]
    assert codes(function(text.replace("Maintains", "Returns"))) == []


def test_an_instance_in_full() -> None:
    (instance,) = document(with_instances(FULL, "Patterns")).main.instances
    assert (instance.name, instance.pattern) == ("tidy", "std/patterns/refine")
    bound = {binding.slot: binding.value for binding in instance.bindings}
    assert isinstance(bound["refiner"], BoundName)
    assert bound["refiner"].name == "writer"
    assert isinstance(bound["evaluator"], BoundList)
    assert [value.name for value in bound["evaluator"].values if isinstance(value, BoundName)] == ["a", "b"]
    nested = bound["judge"]
    assert isinstance(nested, Instance)
    assert (nested.name, nested.pattern, nested.bindings[0].slot, nested.settings[0].value) == (
        None,
        "./ask.prose.md",
        "who",
        1,
    )
    assert isinstance(bound["many"], BoundList)
    assert [type(value) for value in bound["many"].values] == [BoundName, Instance]
    settings: dict[str, Json] = {setting.name: setting.value for setting in instance.settings}
    assert settings == {
        "n": 3,
        "share": 0.5,
        "quiet": "no",
        "flag": True,
        "time": "12:30",
        "text": "3",
        "nothing": None,
        "list": [1, "x", {"a": False}],
    }


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_places_inside_an_instance_are_exact(ending: str) -> None:
    text = with_instances("# Ünïcode 😀\n" + FULL).replace("\n", ending)
    found = document(text)
    (instance,) = found.main.instances
    assert found.source.slice(instance.pattern_span) == "std/patterns/refine"
    for binding in instance.bindings:
        assert found.source.slice(binding.slot_span) == binding.slot
        if isinstance(binding.value, BoundName):
            assert found.source.slice(binding.value.span) == binding.value.name
    assert [found.source.slice(setting.name_span) for setting in instance.settings][:2] == ["n", "share"]


def test_an_indented_fence_keeps_its_places() -> None:
    text = function("### Patterns\n\n- one:\n\n  ```yaml\n  name: a\n  pattern: b\n  with:\n    c: d\n  ```\n")
    found = document(text)
    (instance,) = found.main.instances
    assert (instance.name, found.source.slice(instance.pattern_span)) == ("a", "b")
    assert found.source.slice(instance.bindings[0].value.span) == "d"


def test_one_instance_without_a_list() -> None:
    assert [item.name for item in document(with_instances("name: a\npattern: b\n")).main.instances] == ["a"]


@pytest.mark.parametrize(
    ("yaml", "code", "line"),
    [
        ("- name: a\n  patern: b\n  pattern: b\n", "unknown-instance-key", 10),
        ("- name: a\n  pattern: b\n  name: c\n", "duplicate-key", 11),
        ("- name: a\n", "incomplete-instance", 9),
        ("- pattern: a\n", "incomplete-instance", 9),
        ("- name: a\n  pattern: [b]\n", "instance-shape", 10),
        ("- name: a\n  pattern: b\n  with: c\n", "instance-shape", 11),
        ("- name: a\n  pattern: b\n  with:\n    c:\n", "instance-shape", 12),
        ("- name: a\n  pattern: b\n  with:\n    c: [[d]]\n", "instance-shape", 12),
        ("- name: a\n  pattern: b\n  config: 3\n", "instance-shape", 11),
        ("- just a text\n", "instance-shape", 9),
        ("- name: a\n  compose: b\n", "retired-key", 10),
        ("- name: a\n pattern: b\n", "broken-yaml", 10),
        ("- name: &x a\n  pattern: *x\n", "yaml-feature", 9),
        ("- name: a\n  pattern: b\n- name: a\n  pattern: c\n", "duplicate-name", 11),
    ],
)
def test_each_mistake_in_an_instance_has_its_message(yaml: str, code: str, line: int) -> None:
    _, diagnostics = reading(with_instances(yaml))
    assert [(item.code, item.line) for item in diagnostics] == [(code, line)]
    assert diagnostics[0].help


def test_a_bad_instance_does_not_hide_the_next() -> None:
    found, diagnostics = reading(with_instances("- name: a\n- name: b\n  pattern: c\n  confg: {}\n- 3\n"))
    assert [item.code for item in diagnostics] == ["incomplete-instance", "unknown-instance-key", "instance-shape"]
    assert [item.name for item in found.main.instances] == ["b"]


def test_services_of_a_test_are_not_instances() -> None:
    text = with_instances("critic:\n  - reply: yes\n", "Services").replace("kind: function", "kind: test")
    assert document(text).main.instances == ()
    section = document(text).main.section("services")
    assert section is not None
    assert section.fences[0].text == "critic:\n  - reply: yes"
