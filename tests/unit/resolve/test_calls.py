"""Targets of calls and what they are given; instances; cycles; files."""

from __future__ import annotations

import pytest
from resolve_samples import pattern, resolved, said

from prose_runtime import check

FUNCTION = """## f

### Parameters

- `n` (integer): a number
- `text` (string, optional): a text

### Returns

- `out` (string): a text
- `why` (string): why
"""


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("return call f\n  n: 1", []),
        ('return call f\n  n: given\n  text: given\n  prompt: "x"\n  retry: 2', []),
        ("return call f(1, given)", []),
        ("return call f\n  text: given", [(1, "missing-input")]),
        ("return call f\n  n: 1\n  txt: given", [(3, "unknown-input")]),
        ('return call f\n  n: "one"', [(2, "mistyped-input")]),
        ("return call f\n  n: 1.5", [(2, "mistyped-input")]),
        ('return call f("one")', [(1, "mistyped-input")]),
        ("return call f(1)\n  n: 2", [(2, "given-twice")]),
        ("return call f(1, given, 3)", [(1, "too-many-arguments")]),
        ("return call f\n  n: 1\n  n: 2", [(3, "duplicate-property")]),
        ("let { out, why } = call f\n  n: 1\nreturn [out, why]", []),
        ("let { outt } = call f\n  n: 1\nreturn outt", [(1, "unknown-output")]),
        ("return call a(given)", [(1, "positional-to-slot")]),
        ("return call c\n  z: 1", [(1, "unknown-call")]),
        ("let n = 1\nreturn call n", [(2, "not-callable")]),
        ("return call given", [(1, "not-callable")]),
        ("return call limit", [(1, "not-callable")]),
        ("block g(x):\n  return x\nreturn call g", [(1, "unused-declaration"), (3, "unknown-call")]),
        ("return do f(1)", [(1, "unknown-block")]),
        ("block g(x):\n  return x\nreturn do g(1, 2)", [(3, "block-arguments")]),
        ("return call a\n  backoff: linear", [(2, "backoff-alone")]),
        ("return call a\n  retry: 2\n  backoff: often", [(3, "bad-modifier")]),
        ("return call a\n  retry: 1.5", [(2, "bad-modifier")]),
        ("return call a\n  retry: -1", [(2, "bad-modifier")]),
        ('return call a\n  timeout: "long"', [(2, "bad-modifier")]),
        ("return session: f\n  n: 1", []),
        ("return session: nobody", [(1, "unknown-agent")]),
        ("return summ(xs)", [(1, "no-such-function")]),
        ("return len(xs, 1)", [(1, "function-arguments")]),
        ("return { n: 1, n: 2 }", [(1, "duplicate-property")]),
        ("repeat -1:\n  call a\nreturn 1", [(1, "bad-count")]),
        ("repeat 0:\n  call a\nreturn 1", []),
        ('parallel ("frist"):\n  call a\n  call b\nreturn 1', [(1, "unknown-policy")]),
        ("parallel (count: 2):\n  call a\n  call b\nreturn 1", [(1, "count-without-any")]),
        ('parallel ("any", count: 3):\n  call a\n  call b\nreturn 1', [(1, "count-too-large")]),
        ("call a\n  timeout: 0\nreturn 1", [(2, "bad-modifier")]),
        ('parallel (on-fail: "go on"):\n  call a\n  call b\nreturn 1', [(1, "unknown-policy")]),
    ],
)
def test_a_call_and_its_target(script: str, expected: list[tuple[int, str]]) -> None:
    assert said(script, more=FUNCTION) == expected


def test_positions_stand_for_declared_names() -> None:
    program, _ = resolved(pattern("return call f(1, given)", more=FUNCTION))
    assert list(program.main.positional.values()) == [("n", "text")]


def test_an_input_called_like_a_modifier_is_an_input() -> None:
    more = "## f\n\n### Parameters\n\n- `model` (integer): a number\n"
    assert said('return call f\n  model: "x"', more=more) == [(2, "mistyped-input")]


def test_a_list_slot_is_not_called_itself() -> None:
    assert said("for x in a:\n  call x\nreturn call a") == [(3, "list-slot-called")]


def test_a_slot_says_what_it_requires() -> None:
    slots = ("`a`: does it\n  - requires: `n`, optional `m`", "`b`: does that\n  - requires: what was made before")
    assert said("call b\nreturn call a\n  m: 1", slots=slots) == [(2, "slot-requires")]
    assert said("call b\nreturn call a(given)", slots=slots) == []


INSTANCE = """### Patterns

```yaml
- name: made
  pattern: {pattern}
  with:
    {slots}
  config:
    {config}
```
"""
INNER = pattern("repeat limit:\n  call a\n    x: given\nreturn call b\n  xs: xs\n  extra: extra")


def instance(
    name: str = "inner",
    slots: str = "a: f\n    b: g",
    config: str = "limit: 2",
    script: str = "return call made\n  given: x",
) -> list[tuple[str, int]]:
    text = pattern(script, kind="function", inputs=("`x` (string): a text",))
    block = INSTANCE.format(pattern=name, slots=slots, config=config)
    text = text.replace("### Execution", block + "\n### Execution")
    text += "\n## f\n\n### Parameters\n\n- `x`: a text\n\n## g\n\n### Parameters\n\n- `xs`: texts\n"
    _, found = resolved(text, {"inner": INNER, "outer": pattern("return call a\n  x: given")})
    first = text[: text.index("- name: made")].count("\n") + 1
    return [
        (item.code, item.line - first)
        for item in found
        if item.source.name == "subject.prose.md" and item.code != "only-a-judge-can-decide"
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, []),
        ({"name": "iner"}, [("pattern-not-found", 1), ("unknown-call", 12)]),
        ({"name": "f"}, [("not-a-pattern", 1), ("unknown-call", 12)]),
        ({"slots": "a: f\n    c: g"}, [("unbound-slot", 1), ("unknown-slot", 4)]),
        ({"slots": "a: f\n    b: [f, g]"}, [("slot-takes-one", 4)]),
        ({"slots": "a: f\n    b: made"}, [("cycle", 4)]),
        ({"slots": "a: f\n    b: somebody"}, []),
        ({"slots": "a: f\n    b: ./nowhere"}, [("use-not-found", 4)]),
        ({"config": "limitt: 2"}, [("unknown-setting", 6)]),
        ({"config": "limit: often"}, [("mistyped-setting", 6)]),
        ({"script": "return call made\n  extra: x"}, [("missing-input", 12)]),
        ({"script": "return call made\n  given: x\n  extra: x\n  limit: 4"}, []),
        ({"script": "return call made\n  given: x\n  other: x"}, [("unknown-input", 14)]),
        ({"script": "return call inner\n  given: x"}, [("pattern-called", 12)]),
    ],
)
def test_instances(options: dict[str, str], expected: list[tuple[str, int]]) -> None:
    assert instance(**options) == expected


def test_nested_instances_are_linked() -> None:
    text = pattern("return call made\n  given: x", kind="function", inputs=("`x` (string): a text",))
    nested = "a: f\n    b:\n      pattern: inner\n      with:\n        a: f\n        b: f"
    block = INSTANCE.format(pattern="inner", slots=nested, config="limit: 1")
    text = text.replace("### Execution", block + "\n### Execution") + "\n## f\n\n### Parameters\n\n- `x`: a text\n"
    program, _ = resolved(text, {"inner": INNER})
    made = program.main.instances["made"]
    inside = made.bindings["b"]
    assert not isinstance(inside, (str, tuple))
    assert inside.name == "made.b"
    assert dict(made.config) == {"limit": 1}


def test_a_used_file_and_its_own_faults() -> None:
    text = pattern('use "./helper" as h\nreturn call h\n  n: given')
    helper = pattern("return nope", kind="function", inputs=("`n` (string): a text",))
    _, found = resolved(text, {"helper": helper})
    assert ("helper.prose.md", "unknown-name") in [(item.source.name, item.code) for item in found]
    assert "unknown-call" not in {item.code for item in found}


def test_a_used_file_that_is_not_there() -> None:
    assert said('use "./helper" as h\nreturn given') == [(1, "use-not-found")]


def test_files_that_use_each_other() -> None:
    one = pattern('use "./two" as two\nreturn call two\n  given: given', kind="function")
    two = pattern('use "./one" as one\nreturn call one\n  given: given', kind="function")
    _, found = resolved(one, {"one": one, "two": two})
    assert "cycle" in {item.code for item in found}


def test_functions_that_call_each_other() -> None:
    more = (
        "## f\n\n### Parameters\n\n- `n`: it\n\n### Execution\n\n```prose\nreturn call g\n  n: n\n```\n\n"
        "## g\n\n### Parameters\n\n- `n`: it\n\n### Execution\n\n```prose\nreturn call f\n  n: n\n```\n"
    )
    _, found = resolved(pattern("return call f\n  n: given", more=more))
    cycles = [item for item in found if item.code == "call-cycle"]
    assert [item.severity for item in cycles] == ["warning"]
    assert "`f` -> `g` -> `f`" in cycles[0].message


def test_an_inline_definition_is_chosen_by_name() -> None:
    text = pattern("return call f\n  n: 1", more=FUNCTION)
    assert resolved(text, definition="f")[0].main.name == "f"
    program, found = resolved(text, definition="ff")
    assert program.main.name == "subject"
    assert "unknown-definition" in {item.code for item in found}


SHAPE = "### Shape\n\n- `self`: {self}\n- `delegates`:\n{delegates}- `prohibited`: {prohibited}\n"


def shaped(delegates: str, prohibited: str = "none") -> list[str]:
    shape = SHAPE.format(self="it", delegates=delegates, prohibited=prohibited)
    text = pattern("call a\nreturn call b").replace("### Delegation", shape + "\n### Delegation")
    return [item.code for item in resolved(text)[1] if not item.code.startswith("unused")]


def test_shape() -> None:
    assert shaped("  - `a`: x\n  - `b`: y\n") == []
    assert shaped("  - `a`: x\n") == ["not-a-delegate"]
    assert shaped("  - `a_1..a_N`: x\n") == []
    assert shaped("  - `a`: x\n  - `b`: y\n", "`b`") == ["prohibited-call"]
    assert shaped("  - `a`: x\n  - `b`: y\n", "calling anything after `b`") == []


def test_what_is_not_portable_is_noted() -> None:
    text = pattern(
        "let n = 1 + 2\nlet ys = []\nrepeat limit:\n  record n in ys\nlet zs = for y in ys:\n  call a\n    y: y\n"
        "call b x: zs\nreturn zs[0]"
    )
    assert not [item for item in resolved(text)[1] if item.code == "not-portable"]
    first = text[: text.index("```prose")].count("\n") + 1
    notes = [item for item in resolved(text, portable=True)[1] if item.code == "not-portable"]
    assert {item.severity for item in notes} == {"note"}
    assert sorted({item.line - first for item in notes}) == [1, 3, 4, 5, 8, 9]


def test_what_the_published_grammar_has_is_not_noted() -> None:
    text = pattern(
        "let n = call a\n  x: given\nif n is fine:\n  return n.out\nrepeat 3 as i:\n  call b\n    i: i\n"
        "loop until n is fine (max: 5):\n  call b\nparallel:\n  let p = call a\n  let q = call b\n"
        "return { p, q: [q, -1] }"
    )
    assert [str(item) for item in resolved(text, portable=True)[1] if item.code == "not-portable"] == []


def test_a_misspelt_call_is_one_mistake() -> None:
    _, found = resolved(pattern("let x = call b\nreturn call aa", slots=("`aa1`", "`b`"), inputs=("`x1`",), config=()))
    assert [item.code for item in found if item.code in ("unknown-call", "unused-slot")] == ["unknown-call"]


def test_the_name_that_a_use_gives_is_no_input() -> None:
    text = pattern('use "./helper" as h\nreturn call h("b")', slots=(), inputs=None, config=())
    helper = pattern("return text", inputs=["`text`: it"], kind="function")
    program, found = resolved(text, {"helper": helper})
    assert not found, [str(item) for item in found]
    assert program.main.inputs == ()


@pytest.mark.parametrize(
    ("script", "warned"),
    [
        ("if a.ok:\n  return 1\ncall a", True),
        ("call a\nif a.ok:\n  return 1", False),
        ("repeat 2:\n  if a.ok:\n    break\n  call a", False),
        ("do ask\nif a.ok:\n  return 1\nblock ask:\n  call a", False),
        ("call b\nreturn if a accepts it then 1 else call a", True),
        ("if a.ok:\n  return 1\ncall b", False),
    ],
)
def test_what_a_slot_said_before_it_was_asked(script: str, warned: bool) -> None:
    head = "---\nname: x\nkind: pattern\n---\n\n### Slots\n\n- `a`\n- `b`\n\n### Delegation\n\n```prose\n"
    found = [item.code for item in check(f"{head}{script}\n```\n")]
    assert ("slot-not-asked-yet" in found) is warned, found
