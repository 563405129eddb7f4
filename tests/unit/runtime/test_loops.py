"""Loops: their rounds, tests and bounds, and loops as values."""

from __future__ import annotations

import pytest
from interpreting import Budget, Fake, error, numbered, result, run


def test_until_is_tested_after_each_round_and_not_after_the_last() -> None:
    service = Fake([{"score": 1}, {"score": 5}, {"score": 9}])
    script = """
    loop until r.score >= 5 (max: 5) as i:
      let r = call s
    return r.score
    """
    outcome = run(script, {"s": service})
    assert outcome.result == 5
    assert [item.key for item in outcome.decisions] == ["example/loop#1/until", "example/loop#2/until"]


def test_until_is_tested_before_the_first_round_if_its_names_are_bound() -> None:
    service = numbered()
    script = "let n = 5\nloop until n >= 5 (max: 3):\n  call s\nreturn n"
    assert result(script, {"s": service}) == 5
    assert service.calls == []


def test_nothing_is_tested_after_the_last_permitted_round() -> None:
    script = "let n = 0\nloop until n > 10 (max: 3):\n  n = n + 1\nreturn n"
    outcome = run(script)
    assert outcome.result == 3
    assert len(outcome.decisions) == 3  # before the first round, after the first and the second


def test_while_is_tested_before_each_round() -> None:
    script = "let n = 0\nloop while n < 3 (max: 10):\n  n = n + 1\nreturn n"
    outcome = run(script)
    assert outcome.result == 3
    assert [item.holds for item in outcome.decisions] == [True, True, True, False]


def test_a_loop_without_a_bound_stops_at_the_ceiling() -> None:
    outcome = run("let n = 0\nloop:\n  n = n + 1\nreturn n", budget=Budget(max_iterations=20))
    assert outcome.status == "failed"
    assert outcome.error is not None
    assert outcome.error.name == "loop-ceiling"
    assert outcome.names == {"n": 20}


def test_loop_up_to_and_max_0() -> None:
    assert result("let n = 0\nloop up to 4:\n  n = n + 1\nreturn n") == 4
    assert result("let m = 0\nlet n = 0\nloop (max: m):\n  n = n + 1\nreturn n") == 0


def test_loop_for_each_goes_over_at_most_its_max() -> None:
    assert result("let ys = []\nloop for each x in [1, 2, 3] (max: 2):\n  record x in ys\nreturn ys") == [1, 2]


# ---- as values -------------------------------------------------------------------------------------------


def test_a_loop_as_value_collects_one_element_a_round() -> None:
    script = """
    let xs = repeat 4 as i:
      if i == 2: continue
      if i == 4: break
      i * 10
    return xs
    """
    assert result(script) == [10, 30]


def test_return_ends_the_round_with_its_value_from_inside_plain_loops() -> None:
    script = """
    let xs = for x in [1, 2]:
      for y in [1, 2, 3]:
        if y == 2:
          return x * 100 + y
      return 0
    return xs
    """
    assert result(script) == [102, 202]


def test_a_loop_at_the_end_of_a_collecting_body_joins_the_same_list() -> None:
    script = """
    let xs = for x in [1, 2]:
      repeat 2 as i:
        x * 10 + i
    return xs
    """
    assert result(script) == [11, 12, 21, 22]


def test_the_first_hit_idiom_stays_a_plain_loop() -> None:
    script = """
    let xs = for x in [1, 5]:
      for y in [1, 2, 3]:
        if y > x:
          return y
    return xs
    """
    assert result(script) == [2, None]


def test_an_if_gives_the_value_of_the_branch_that_ran() -> None:
    script = """
    let xs = for x in [1, 2, 3]:
      if x == 1:
        "one"
      elif x == 2:
        let y = "two"
    return xs
    """
    assert result(script) == ["one", "two", None]


def test_appending_in_a_loop_is_linear() -> None:
    script = "let xs = []\nrepeat 20000 as i:\n  record i in xs\nreturn xs.length"
    assert result(script) == 20000


@pytest.mark.parametrize("head", ["repeat 2 as i", "for i in [1, 2]", "loop (max: 2) as i"])
def test_every_loop_can_be_a_value(head: str) -> None:
    assert result(f"let xs = {head}:\n  i\nreturn xs") == [1, 2]


def test_the_rounds_stand_in_the_keys() -> None:
    service = numbered()
    script = "repeat 2:\n  for x in [1, 2]:\n    call s\nreturn 1"
    keys = [item.key for item in run(script, {"s": service}).calls]
    assert keys == [f"example/repeat#{i}/for#{j}/call:s" for i in (1, 2) for j in (1, 2)]


def test_a_failure_names_the_rounds_it_happened_in() -> None:
    script = """
    repeat 3 as round:
      for x in ["a", "b"]:
        let r = call s
    return r
    """
    service = Fake(["", "", "", ValueError("broken")])
    found = error(script, {"s": service})
    assert found.name == "service-failed"
    assert found.message == "ValueError: broken"
    [frame] = found.frames
    assert (frame.line, frame.column, frame.text) == (15, 5, "let r = call s")
    assert frame.iterations == (
        "round 2 of `repeat 3 as round:` (line 13)",
        'round 2 of `for x in ["a", "b"]:` (line 14)',
    )
