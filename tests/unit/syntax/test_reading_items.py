"""Slots, config, inputs, outputs, errors and shape, in all the ways in which they are written."""

from __future__ import annotations

import pytest
from reading_samples import codes, document, function, pattern, reading

from prose_runtime.syntax.document import Config, Input, Json, Output
from prose_runtime.syntax.types import print_type


def config(line: str) -> Config:
    (found,) = document(pattern(f"### Config\n\n{line}")).main.config
    return found


def inputs(section: str, *, slots: str = "- `writer`") -> dict[str, Input]:
    return {item.name: item for item in document(pattern(section, slots=slots)).main.inputs}


def one_input(line: str) -> Input:
    (found,) = document(function(f"### Parameters\n\n{line}")).main.inputs
    return found


def one_output(line: str) -> Output:
    (found,) = document(function(f"### Returns\n\n{line}")).main.outputs
    return found


# ---- slots ----------------------------------------------------------------------------------------------------------


def test_slots_in_all_forms() -> None:
    found = document(
        pattern(
            slots="""\
- `a`
- `b` (primary)
- `c`: does c
- d — does d
- `e` (optional): may be missing
- `f` (string[], optional)
- `g[]`
- **h**: bold
- `i` (primary): does i
  - requires: `draft`, notes
  - returns: a score
  - maintains:
    - the score
    - the reasons"""
        )
    ).main
    slots = {slot.name: slot for slot in found.slots}
    assert list(slots) == list("abcdefghi")
    assert [name for name, slot in slots.items() if slot.primary] == ["b", "i"]
    assert [name for name, slot in slots.items() if slot.optional] == ["e", "f"]
    assert [name for name, slot in slots.items() if slot.many] == ["f", "g"]
    assert (slots["c"].text, slots["d"].text, slots["h"].text) == ("does c", "does d", "bold")
    assert [clause.text for clause in slots["i"].requires] == ["`draft`, notes"]
    assert [clause.text for clause in slots["i"].ensures] == ["a score", "the score", "the reasons"]


def test_nested_lines_of_a_slot_that_lost_their_indentation() -> None:
    (slot,) = document(pattern(slots="- `a`\n- requires: x\n- ensures: y")).main.slots
    assert [clause.text for clause in slot.requires] == ["x"]
    assert [clause.text for clause in slot.ensures] == ["y"]


def test_a_slot_is_many_and_optional_by_its_input() -> None:
    section = (
        "### Requires\n\n- Pattern instance receives:\n    team: string[] -- who\n    boss: string -- (optional) who\n"
    )
    slots = {slot.name: slot for slot in document(pattern(section, slots="- `team`\n- `boss`")).main.slots}
    assert (slots["team"].many, slots["team"].optional) == (True, False)
    assert (slots["boss"].many, slots["boss"].optional) == (False, True)


def test_other_bullets_are_read_too() -> None:
    assert [slot.name for slot in document(pattern(slots="* `a`\n* `b`")).main.slots] == ["a", "b"]
    assert [slot.name for slot in document(pattern(slots="1. `a`\n2. `b`")).main.slots] == ["a", "b"]
    assert [slot.name for slot in document(pattern(slots="• `a`\n• `b`")).main.slots] == ["a", "b"]


# ---- config ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "type_", "default", "text"),
    [
        ("- `n` (integer, default: 3): how many", "integer", 3, "how many"),
        ("- n (integer, default 3) — how many", "integer", 3, "how many"),
        ("- `n`: integer, default `2`", "integer", 2, ""),
        ("- `n`: integer, default 2 -- how many", "integer", 2, "-- how many"),
        ("- `n`: 3", "number", 3, ""),
        ("- `n`: `3`", "number", 3, ""),
        ("- `n`: 3 — how many", "number", 3, "how many"),
        ("- `n`: true", "boolean", True, ""),
        ("- `n`: 'a b'", "string", "a b", ""),
        ("- `n` — how many (default: 5)", "number", 5, "how many"),
        ("- n — how many (default: 5)", "number", 5, "how many"),
        ("- `n` (string, default: none): x", "string", None, "x"),
        ("- `n` (string, default: Corpus (one) A): x", "string", "Corpus (one) A", "x"),
        ("- `n` (string, default: no): x", "string", "no", "x"),
        ("- `n` (string, default: 12:30): x", "string", "12:30", "x"),
        ('- `n` (string, default: "a, b)"): x', "string", "a, b)", "x"),
        ("- `n` (default: 3): x", "number", 3, "x"),
        ("- `n` (boolean, default: false): x", "boolean", False, "x"),
        (
            "- `n` (object[], default: {'m': 'a', 'k': 1}, {'m': 'b'}): x",
            "object[]",
            [{"m": "a", "k": 1}, {"m": "b"}],
            "x",
        ),
        ('- `n` (object, default: { m: "a" }): x', "object", {"m": "a"}, "x"),
        ("- `n` (string[], default: []): x", "string[]", [], "x"),
        ("- `n` (integer, default: 3, optional): x", "integer", 3, "x"),
        ('- `n` ("a" | "b", default: b): x', '"a" | "b"', "b", "x"),
    ],
)
def test_config_in_all_forms(line: str, type_: str, default: Json, text: str) -> None:
    found = config(line)
    assert (print_type(found.type), found.default, found.has_default, found.text) == (type_, default, True, text)
    assert type(found.default) is type(default)


@pytest.mark.parametrize(
    ("line", "type_"), [("- `n` (integer): x", "integer"), ("- `n`: how many", "any"), ("- `n`", "any")]
)
def test_config_without_a_default(line: str, type_: str) -> None:
    found = config(line)
    assert (print_type(found.type), found.default, found.has_default) == (type_, None, False)


@pytest.mark.parametrize("line", ["- None.", "- None. The slots say it all: `a`.", "- (none)", "- none"])
def test_no_config_is_no_config(line: str) -> None:
    assert document(pattern(f"### Config\n\n{line}")).main.config == ()


@pytest.mark.parametrize("line", ["(integer, default: few)", "(boolean, default: yes)", "(number, default: true)"])
def test_a_default_of_another_type_is_an_error_at_the_default(line: str) -> None:
    found, diagnostics = reading(pattern(f"### Config\n\n- `n` {line}: x"))
    assert [item.code for item in diagnostics] == ["default-mismatch"]
    assert found.source.slice(diagnostics[0].labels[0].span) == line.rsplit(": ", 1)[1].rstrip(")")
    assert found.main.config[0].has_default is False


def test_a_misspelt_type_is_a_warning_at_the_type() -> None:
    found, diagnostics = reading(pattern("### Config\n\n- `n` (intger, default: 3): x"))
    assert [(item.code, item.severity) for item in diagnostics] == [("unknown-type", "warning")]
    assert found.source.slice(diagnostics[0].labels[0].span) == "intger"
    assert print_type(found.main.config[0].type) == "integer"


# ---- inputs ---------------------------------------------------------------------------------------------------------

RECEIVES = """\
### Requires

- Pattern instance receives:
    writer: string         -- who writes
    task: string           -- the task,
                              with a colon: and a dash -- here.
                              Default: nothing at all
    pieces: any[]          -- (optional, default []) -- what there is
    label: string          -- (optional, default "Corpus A") a label
    runs: number -- (optional, default 3) how often
    judge: boolean         — judged or not
"""


@pytest.mark.parametrize(
    "move", [lambda text: text, lambda text: text.replace("    ", "  "), lambda text: text.replace("  ", "")]
)
def test_the_received_lines_with_and_without_their_indentation(move: object) -> None:
    found = inputs(move(RECEIVES))  # type: ignore[operator]
    assert list(found) == ["task", "pieces", "label", "runs", "judge"]
    assert found["task"].text == "the task, with a colon: and a dash -- here. Default: nothing at all"
    assert (found["task"].required, found["task"].declared_type, found["task"].type.kind) == (True, True, "string")
    assert (found["pieces"].required, found["pieces"].default, found["pieces"].text) == (False, [], "what there is")
    assert (found["label"].required, found["label"].default, found["label"].text) == (False, "Corpus A", "a label")
    assert (found["runs"].default, found["runs"].type.kind) == (3, "number")
    assert found["judge"].type.kind == "boolean"


def test_the_received_lines_in_one_line() -> None:
    found = inputs(
        "### Requires\n\n- Pattern instance receives: writer: string -- who writes task: string -- the task "
        "runs: number -- (optional, default 3) how often"
    )
    assert {name: (item.required, item.text) for name, item in found.items()} == {
        "task": (True, "the task"),
        "runs": (False, "how often"),
    }


def test_the_received_lines_as_a_paragraph_and_after_a_blank_line() -> None:
    assert list(inputs("### Parameters\n\nPattern instance receives:\n  a: string -- one\n  b: string -- two\n")) == [
        "a",
        "b",
    ]
    assert list(
        inputs("### Parameters\n\n- Pattern instance receives:\n\n      a: string -- one\n      b: string -- two\n")
    ) == ["a", "b"]
    assert list(inputs("### Parameters\n\n- Pattern instance receives:\n  - `a`: string — one\n  - b: two\n")) == [
        "a",
        "b",
    ]


def test_shapes_and_alternatives_among_the_received_lines() -> None:
    found = inputs(
        '### Requires\n\n- Pattern instance receives:\n    m: "x" | "y" -- mode\n    s: { ok: boolean } -- state\n'
    )
    assert {name: print_type(item.type) for name, item in found.items()} == {"m": '"x" | "y"', "s": "{ ok: boolean }"}


def test_a_list_or_one_text_for_all() -> None:
    found = inputs(
        "### Requires\n\n- Pattern instance receives:\n    b: string[] -- one each\n       OR a single string for all\n"
    )
    assert print_type(found["b"].type) == "string[] | string"


@pytest.mark.parametrize(
    ("line", "type_", "required"),
    [
        ("- `a`: a text", None, True),
        ("- a: a text", None, True),
        ("- `a` — a text", None, True),
        ("- `a` -- a text", None, True),
        ("- `a` (string, required) — a text", "string", True),
        ("- `a` (string, optional): a text", "string", False),
        ("- `a` (optional): a text", None, False),
        ("- `a`: run — a text", "run", True),
        ("- `a`: run[] — a text", "run[]", True),
        ("- `a`: optional list of things", None, False),
        ("- `a`: notes to heed, optional on the first round", None, False),
        ("- `a`: notes (optional)", None, False),
        ("- `a`: (optional, default: auto) how", None, False),
        ("- `a`: how (optional, default: auto)", None, False),
        ("- `a`: how many, default `3`", "number", False),
        ("- `a` the text", None, True),
        ('- `a`: "x" | "y" — which', '"x" | "y"', True),
        ("- `a`: every optional field is kept", None, True),
        ("- `a`: number of optional parts", None, True),
    ],
)
def test_inputs_as_bullets(line: str, type_: str | None, required: bool) -> None:
    found = one_input(line)
    assert found.name == "a"
    assert (print_type(found.type) if found.declared_type else None) == type_
    assert found.required is required


def test_defaults_of_inputs() -> None:
    assert one_input("- `a` (integer, default: 3): x").default == 3
    assert one_input("- `a`: x, default `3`").default == 3
    assert one_input("- `a`: (optional, default: auto) x").default == "auto"
    assert one_input("- `a`: x (default: no)").default == "no"
    found = one_input("- `a`: the default applies")
    assert (found.has_default, found.required) == (False, True)


def test_two_names_in_one_bullet_are_two_inputs() -> None:
    found = document(function("### Parameters\n\n- `a` and `b`: two texts")).main.inputs
    assert [(item.name, item.text) for item in found] == [("a", "two texts"), ("b", "two texts")]


def test_sentences_among_the_inputs_of_a_pattern_stay_sentences() -> None:
    main = document(pattern("### Requires\n\n- The task is clear\n- `task` is not empty\n")).main
    assert [clause.text for clause in main.requires] == ["The task is clear", "`task` is not empty"]
    assert (main.inputs, main.declares_inputs) == ((), False)


def test_a_list_that_says_none_declares_that_there_are_none() -> None:
    assert document(pattern("### Parameters\n\n- None.")).main.declares_inputs is True
    assert document(pattern()).main.declares_inputs is False
    assert document(pattern("### Requires\n\n- `writer`: who writes")).main.declares_inputs is True


def test_inputs_are_what_is_listed_minus_slots_minus_config() -> None:
    found = inputs("### Config\n\n- `n`: 3\n\n### Parameters\n\n- `writer`: who\n- `n`: how many\n- `task`: what\n")
    assert list(found) == ["task"]


def test_an_input_twice_is_an_error_at_the_second() -> None:
    _, diagnostics = reading(function("### Parameters\n\n- `a`: one\n- `a`: two\n"))
    assert [(item.code, item.line) for item in diagnostics] == [("duplicate-name", 9)]


def test_named_parts_of_a_responsibility_are_inputs_and_outputs() -> None:
    text = function(
        "### Requires\n\n#### news\n\nWhat came in.\n\n### Maintains\n\nA view.\n\n"
        "#### digest\nThe day.\n\n- `not-an-output`: x\n"
    ).replace("kind: function", "kind: responsibility")
    main = document(text).main
    assert [item.name for item in main.inputs] == ["news"]
    assert [item.name for item in main.outputs] == ["digest"]
    assert [clause.text for clause in main.ensures] == ["A view."]
    section = main.section("maintains")
    assert section is not None
    assert [(part.name, part.text) for part in section.parts] == [("digest", "The day.")]


# ---- outputs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "type_", "nullable", "optional"),
    [
        ("- `a`: the text", None, False, False),
        ("- `a`: boolean", "boolean", False, False),
        ("- `a` (string[]): the texts", "string[]", False, False),
        ("- `a`: number between 0 and 1", "number", False, False),
        ("- `a`: number of rounds", None, False, False),
        ("- `a`: the text, or `null`", None, True, False),
        ("- `a`: the text, or null after the last round", None, True, False),
        ("- `a`: string or null", "string | null", True, False),
        ("- `a`: the last reply when the rounds are used up", None, False, True),
        ("- `a`: complaints if there are some", None, False, True),
        ("- `a`: the reply if it is fit, or the reason if not", None, False, False),
        ("- `a`: whether it is fit", None, False, False),
        ("- `a`: the texts. When there are none, an empty list", None, False, False),
        ("- `a` (optional): the text", None, False, True),
        ("- a: the text", None, False, False),
    ],
)
def test_outputs(line: str, type_: str | None, nullable: bool, optional: bool) -> None:
    found = one_output(line)
    assert (print_type(found.type) if found.declared_type else None) == type_
    assert (found.nullable, found.optional) == (nullable, optional)


def test_what_names_no_single_output_is_a_sentence() -> None:
    main = document(
        function(
            "### Returns\n\nOne answer.\n\n- `a`: the text\n- `a`: at most five lines\n- `a`, `b` and more\n"
            "- each a has: a date\n"
            "- `a.b`: a part\n- On failure: nothing\n- `x` <= `y`\n- The list:\n  - one\n  - two\n"
        )
    ).main
    assert [item.name for item in main.outputs] == ["a"]
    assert [clause.text for clause in main.ensures] == [
        "One answer.",
        "`a`: at most five lines",
        "`a`, `b` and more",
        "each a has: a date",
        "`a.b`: a part",
        "On failure: nothing",
        "`x` <= `y`",
        "The list: one; two",
    ]


@pytest.mark.parametrize("title", ["Ensures", "Returns", "Maintains", "returns", "ENSURES"])
def test_outputs_of_a_pattern_under_any_of_the_three(title: str) -> None:
    assert [item.name for item in document(pattern(f"### {title}\n\n- `a`: the text")).main.outputs] == ["a"]


def test_outputs_of_a_pattern_among_its_invariants_only_where_there_are_no_others() -> None:
    lines = "### Invariants\n\n- It ends\n- `a`: the text\n- `n` bounds the loop\n"
    main = document(pattern(lines)).main
    assert [item.name for item in main.outputs] == ["a"]
    assert [clause.text for clause in main.invariants] == ["It ends", "`n` bounds the loop"]
    main = document(pattern(lines + "\n### Returns\n\n- `b`: x\n")).main
    assert [item.name for item in main.outputs] == ["b"]
    assert [clause.text for clause in main.invariants] == ["It ends", "`a`: the text", "`n` bounds the loop"]


@pytest.mark.parametrize(("kind", "now"), [("function", "Returns"), ("responsibility", "Maintains")])
def test_ensures_is_retired_outside_of_patterns(kind: str, now: str) -> None:
    text = function("### Ensures\n\n- `a`: the text\n").replace("kind: function", f"kind: {kind}")
    found, diagnostics = reading(text)
    assert [(item.code, item.severity) for item in diagnostics] == [("retired-section", "warning")]
    assert [item.name for item in found.main.outputs] == ["a"]
    (edit,) = diagnostics[0].fixes[0].edits
    assert text[: edit.span.start] + edit.replacement + text[edit.span.end :] == text.replace(
        "### Ensures", f"### {now}"
    )


# ---- errors and shape -----------------------------------------------------------------------------------------------


def test_errors() -> None:
    main = document(function("### Errors\n\n- `too-long`: it is too long\n- lost — it is gone\n- (none)\n")).main
    assert [(item.name, item.text) for item in main.errors] == [("too-long", "it is too long"), ("lost", "it is gone")]


@pytest.mark.parametrize("indent", ["  ", ""])
def test_shape_with_and_without_indentation(indent: str) -> None:
    delegates = f"{indent}- `a`: writes\n{indent}- `b`: reads\n"
    lines = f"### Shape\n\n- `self`: the loop\n- `delegates`:\n{delegates}- `prohibited`: guessing\n"
    shape = document(pattern(lines)).main.shape
    assert shape is not None
    assert shape.self_text == "the loop"
    assert [(item.name, item.text) for item in shape.delegates] == [("a", "writes"), ("b", "reads")]
    assert [clause.text for clause in shape.prohibited] == ["guessing"]


def test_shape_in_its_other_forms() -> None:
    shape = document(
        function("### Shape\n\n- self: x\n- delegates: `a`, `b`\n- prohibited:\n  - lies\n  - guesses\n")
    ).main.shape
    assert shape is not None
    assert [item.name for item in shape.delegates] == ["a", "b"]
    assert [clause.text for clause in shape.prohibited] == ["lies", "guesses"]
    shape = document(pattern("### Shape\n\n- `delegates`: none\n- `prohibited`: none\n")).main.shape
    assert shape is not None
    assert (shape.delegates, shape.prohibited) == ((), ())
    assert codes(pattern("### Shape\n\n- `delegates`:\n  - `delegates`: a slot of that name\n")) == []
