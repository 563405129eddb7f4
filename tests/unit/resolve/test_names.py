"""Names and scopes: what is unknown, what may be unbound, what may be bound again."""

from __future__ import annotations

import pytest
from resolve_samples import pattern, resolved, said, unit_of


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("let n = given\nreturn m.x", [(1, "unused-name"), (2, "unknown-name")]),
        ("return nope + nope", [(1, "unknown-name")]),
        ('return "see {nope} and {given}"', [(1, "unknown-name")]),
        ("let n = later\nlet later = 1\nreturn [n, later]", [(1, "unknown-name")]),
        ("if given:\n  let n = 1\nreturn n", [(3, "maybe-unbound")]),
        ("if given:\n  let n = 1\nelse:\n  let n = 2\nreturn n", []),
        ("if given:\n  let n = 1\nelse:\n  return 2\nreturn n", []),
        ("if given:\n  let n = 1\nelse:\n  return n", [(4, "unknown-name")]),
        ("for x in xs:\n  let n = x\nreturn n", [(3, "maybe-unbound")]),
        ("repeat 2:\n  let n = given\nreturn n", []),
        ("repeat limit:\n  let n = given\nreturn n", [(3, "maybe-unbound")]),
        ("repeat 2:\n  call a\n    before: n\n  let n = given\nreturn n", [(3, "maybe-unbound")]),
        ("loop (max: 3):\n  let n = given\n  if n: break\nreturn n", []),
        ("loop (max: 3):\n  if given: break\n  let n = given\nreturn n", [(4, "maybe-unbound")]),
        ("loop while given (max: 3):\n  let n = given\nreturn n", [(3, "maybe-unbound")]),
        ("loop until n is present (max: 3):\n  let n = given\nreturn n", []),
        ("try:\n  let n = call a\ncatch:\n  call b\nreturn n", [(5, "maybe-unbound")]),
        ("try:\n  let n = call a\ncatch as err:\n  return err\nreturn n", []),
        ("try:\n  let n = call a\nfinally:\n  call b\nreturn n", []),
        ("try:\n  let n = call a\nfinally:\n  call b\n    n: n", [(5, "maybe-unbound")]),
        ("for x in xs:\n  call a\n    x: x\nreturn x", [(4, "unknown-name")]),
        ("do:\n  let n = 1\nreturn n", []),
        ("let a2 = null\nlet a2 = a2\nreturn a2", []),
        ("return config.limit", []),
        ("return config.limt", [(1, "unknown-config")]),
        ("return budget.calls_left", []),
        ("let config = { limt: 1 }\nreturn config.limt", []),
    ],
)
def test_reading(script: str, expected: list[tuple[int, str]]) -> None:
    assert said(script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("const n = 1\nn = 2\nreturn n", [(2, "const-rebound")]),
        ("const n = 1\nlet n = 2\nreturn n", [(2, "const-rebound")]),
        ("const n = [1]\nrecord 2 in n\nreturn n", [(2, "const-rebound")]),
        ("repeat 2:\n  const n = 1\n  call a\n    n: n\nreturn null", []),
        ("for x in xs:\n  x = 1\nreturn null", [(2, "read-only-name")]),
        ("repeat 2 as i:\n  let i = 1\nreturn null", [(2, "read-only-name")]),
        ("try:\n  call a\ncatch as err:\n  err = 1\nreturn null", [(4, "read-only-name")]),
        ("block f(n):\n  n = 1\n  return n\nreturn do f(1)", [(2, "read-only-name")]),
        ("given = 1\nxs = []\nlimit = 2\nreturn [given, xs, limit]", []),
        ("let xs = xs\nappend 1 to xs\nreturn xs", []),
        ("let o = {}\no.n = 1\nlet o.m = 2\nreturn o", []),
        ("p.n = 1\nreturn given", [(1, "unknown-name")]),
        ("record 1 in nope\nreturn given", [(1, "unknown-name")]),
    ],
)
def test_binding(script: str, expected: list[tuple[int, str]]) -> None:
    assert said(script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("let n = 0\nparallel for x in xs:\n  n = n + x\nreturn n", [(3, "lost-assignment")]),
        ("let n = 0\nparallel for x in xs:\n  for y in [x]:\n    n = n + y\nreturn n", [(4, "lost-assignment")]),
        ("let n = 0\nparallel repeat 2:\n  n = 1\nreturn n", [(3, "lost-assignment")]),
        ("parallel for x in xs:\n  given = x\nreturn given", [(2, "lost-assignment")]),
        ("let n = 0\nparallel for x in xs:\n  let n = x\n  n = n + 1\nreturn n", [(3, "branch-local")]),
        ("let ns = []\nparallel for x in xs:\n  record x in ns\nreturn ns", []),
        ("parallel for x in xs:\n  let n = x\n  call a\n    n: n\nreturn n", [(5, "unknown-name")]),
        ("parallel:\n  let n = call a\n  let n = call b\nreturn n", [(3, "duplicate-branch-name")]),
        ("parallel:\n  let n = call a\n  let m = call b\n    n: n\nreturn [n, m]", [(4, "read-before-join")]),
        ("let n = 0\nparallel:\n  n = call a\n  let m = call b\n    n: n\nreturn [n, m]", []),
        ("parallel:\n  for x in xs:\n    let n = x\n  call b\nreturn n", []),
        ("block f(x):\n  return [x, n]\nlet n = 1\nreturn do f(n)", []),
        ("let n = 1\nblock f(x):\n  n = x\n  return n\nreturn [n, do f(2)]", [(3, "body-local")]),
    ],
)
def test_bodies_of_their_own(script: str, expected: list[tuple[int, str]]) -> None:
    assert said(script) == expected


def test_a_lost_assignment_is_mended_by_collecting() -> None:
    text = pattern("let out = null\nparallel for x in xs:\n  out = call a\n    x: x\nreturn out")
    _, found = resolved(text)
    lost = next(item for item in found if item.code == "lost-assignment")
    for edit in sorted(lost.fixes[0].edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    assert "let out = parallel for x in xs:\n  call a\n    x: x" in text
    assert "lost-assignment" not in {item.code for item in resolved(text)[1]}


def test_the_nearest_name_is_suggested() -> None:
    _, found = resolved(pattern("let draft = given\nreturn darft + draft"))
    assert [(item.code, item.help) for item in found if item.code == "unknown-name"] == [
        ("unknown-name", "write `draft`")
    ]


def test_a_name_bound_later_is_said_to_be() -> None:
    _, found = resolved(pattern("let n = later\nlet later = 1\nreturn [n, later]"))
    assert any("move the line that binds `later`" in item.help for item in found)


def test_a_name_only_passed_on_is_an_optional_input() -> None:
    unit = unit_of("return call a\n  x: extra")
    assert [(item.name, item.required) for item in unit.passed_on] == [("extra", False)]
    assert said("return call a\n  x: extra") == [(2, "passed-on-name")]


def test_a_name_passed_on_and_read_is_unknown() -> None:
    assert said("call a\n  x: extra\nreturn extra") == [(2, "unknown-name")]


def test_a_function_takes_no_undeclared_names() -> None:
    more = "## a\n\n### Parameters\n\n- `x`: a text\n"
    assert said("return call a\n  x: extra", kind="function", more=more) == [(2, "unknown-name")]


def test_free_names_are_the_inputs_of_a_pattern_without_any() -> None:
    unit = unit_of("let n = call a\n  task: task\nif n.ok:\n  return n\nreturn quality", inputs=None)
    assert [(item.name, item.required) for item in unit.inputs] == [("task", False), ("quality", False)]


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("score >= threshold", ["score", "threshold"]),
        ("review.score > 3 and not (size == null)", ["review", "size"]),
        ("{draft} reads well", ["draft"]),
        ("the number of words > 300", []),
        ("done", []),
        ("score > limits", ["score"]),  # one slip away from `limit`
    ],
)
def test_names_that_only_a_condition_reads(condition: str, names: list[str]) -> None:
    program, _ = resolved(pattern(f"if {condition}:\n  return 1\nreturn 2", inputs=None))
    assert [item.name for item in program.main.inputs] == names


def test_a_free_name_spelt_like_a_name_that_nothing_reads_is_unknown() -> None:
    assert said("let first = call a\nreturn frist", inputs=None) == [(2, "unknown-name")]


def test_what_stands_on_an_unreadable_line_is_not_reported_again() -> None:
    codes = [code for _, code in said("let n = = given\nreturn n")]
    assert "unknown-name" not in codes
    assert len(codes) == 1


def test_names_in_a_script_that_never_runs_here_are_warnings() -> None:
    _, found = resolved(
        "---\nname: subject\nkind: responsibility\n---\n\n### Execution\n\n```prose\nreturn nope\n```\n"
    )
    assert [(item.code, item.severity) for item in found if item.code == "unknown-name"] == [
        ("unknown-name", "warning")
    ]


def test_bare_words_of_calls_are_texts() -> None:
    unit = unit_of("return call a\n  model: sonnet\n  retry: 2\n  backoff: linear")
    assert sorted(name.id for name, kind in unit.names.items() if kind == "word") == ["linear", "sonnet"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("let n = call a\nreturn given", [(1, "unused-name")]),
        ("let _n = call a\nreturn given", []),
        ("let ns = []\nrecord 1 in ns\nreturn given", [(1, "unused-name")]),
        ("let n = given\nif n is good:\n  call a\nreturn null", []),
        ("let out = for x in xs:\n  let n = call a\nreturn out", []),
        ("block f():\n  return 1\nreturn given", [(1, "unused-declaration")]),
    ],
)
def test_unused(script: str, expected: list[tuple[int, str]]) -> None:
    assert said(script) == expected


def test_unused_declarations() -> None:
    _, found = resolved(pattern("return call a\n  x: given"))
    assert [item.code for item in found] == ["unused-slot", "unused-config", "unused-input"]


def test_a_retired_declaration_is_reported_once() -> None:
    assert said("input x\nreturn given") == [(1, "retired-declaration")]
