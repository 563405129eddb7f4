"""Statements, scopes and values of `docs/language.md`, "Values and scope"."""

from __future__ import annotations

import pytest
from interpreting import Fake, error, numbered, result, run


def test_let_binds_for_the_rest_of_the_body_whatever_it_stands_in() -> None:
    script = """
    repeat 2 as i:
      if i == 1:
        let x = "first"
      else:
        let x = "second"
    return x
    """
    assert result(script) == "second"


def test_record_gives_the_name_a_longer_list_and_changes_nobody_elses() -> None:
    script = """
    let a = [1]
    let b = a
    record 2 in a
    append 3 to b
    append b 4
    add 5 to b
    return { a, b }
    """
    assert result(script) == {"a": [1, 2], "b": [1, 3, 4, 5]}


def test_record_into_null_is_an_error() -> None:
    found = error("let a = null\nrecord 1 in a\nreturn a")
    assert (found.name, found.frames[0].line) == ("cannot-record", 10)


def test_items_and_properties_can_be_set_without_changing_other_names() -> None:
    script = """
    let a = { b: [1, 2], c: 1 }
    let before = a
    a.b[1] = 9
    let a.d = 4
    return { a, before }
    """
    assert result(script) == {"a": {"b": [1, 9], "c": 1, "d": 4}, "before": {"b": [1, 2], "c": 1}}


def test_setting_an_item_past_the_end_is_an_error() -> None:
    assert error("let a = [1]\na[3] = 2\nreturn a").name == "cannot-set"


def test_destructuring_takes_the_named_parts() -> None:
    service = Fake({"a": 1, "b": 2})
    assert result("let { a, b } = call s\nreturn [a, b]", {"s": service}) == [1, 2]


def test_inputs_may_be_rebound_and_have_their_defaults() -> None:
    script = "topic = topic + limit\nreturn topic"
    inputs = ["`topic` (number, required) — it", "`limit` (number, optional, default 3) — it"]
    plan_inputs = {"topic": 2}
    assert result(script, **_with(inputs, plan_inputs)) == 5


def _with(inputs: list[str], given: dict[str, object]) -> dict[str, object]:
    return {"inputs": given, "more": "\n### Parameters\n\n" + "\n".join(f"- {item}" for item in inputs) + "\n"}


def test_a_break_inside_if_ends_the_loop_and_continue_goes_on() -> None:
    script = """
    let seen = []
    for x in [1, 2, 3, 4]:
      if x == 2: continue
      if x == 4: break
      record x in seen
    return seen
    """
    assert result(script) == [1, 3]


def test_return_leaves_from_inside_loops_and_try() -> None:
    script = """
    for x in [1, 2, 3]:
      try:
        if x == 2:
          return x
      finally:
        let cleaned = x
    return null
    """
    assert result(script) == 2


def test_an_object_gives_key_and_value() -> None:
    script = """
    let seen = []
    for key, value in { a: 1, b: 2 }:
      record [key, value] in seen
    return seen
    """
    assert result(script) == [["a", 1], ["b", 2]]


def test_loop_names_are_put_back_after_the_loop() -> None:
    assert result("let x = 0\nfor x2, i in [7]:\n  let y = x2\nreturn [x, y]") == [0, 7]


@pytest.mark.parametrize("count", ["0 - 1", "1.5", '"3"', "null", "true"])
def test_a_count_must_be_a_whole_number_of_at_least_0(count: str) -> None:
    assert error(f"let n = {count}\nrepeat n:\n  let y = 1\nreturn 1").name == "bad-count"


def test_repeat_0_runs_nothing() -> None:
    service = numbered()
    assert result("let n = 0\nrepeat n:\n  call s\nreturn 1", {"s": service}) == 1
    assert service.calls == []


def test_going_through_a_text_is_an_error_that_shows_it() -> None:
    found = error('let t = "abc"\nfor x in t:\n  let y = x\nreturn 1')
    assert found.name == "not-a-collection"
    assert '"abc"' in found.message


def test_a_missing_property_is_null_with_a_warning_once() -> None:
    script = """
    let seen = []
    repeat 3:
      let r = call s
      record r.score in seen
    return seen
    """
    outcome = run(script, {"s": Fake({"x": 1})})
    assert outcome.result == [None, None, None]
    assert [(item.code, item.line) for item in outcome.warnings] == [("missing-property", 16)]


def test_blocks_have_their_own_scope_and_keep_what_they_record_outside() -> None:
    script = """
    block double(n):
      let n2 = n * 2
      record n2 in seen
      return n2

    let seen = []
    let a = do double(2)
    let b = do double(a)
    return { a, b, seen }
    """
    assert result(script) == {"a": 4, "b": 8, "seen": [4, 8]}


def test_do_gives_the_value_of_its_last_statement() -> None:
    script = """
    let x = do:
      let y = 2
      call s
        y: y
    return x
    """
    service = Fake(lambda call: call.inputs["y"] + 1)
    assert result(script, {"s": service}) == 3


def test_a_script_without_return_gives_its_last_value() -> None:
    assert result("let a = 1\nlet b = a + 1") == 2


def test_pipelines_map_filter_and_reduce() -> None:
    script = """
    let xs = [1, 2, 3, 4]
    let total = xs
      | filter:
          item > 1
      | pmap:
          item * 10
      | reduce(sum, n):
          sum + n
    return total
    """
    assert result(script) == 90
