"""Bodies in bodies: the names that a loop, handler or parameter hides, and lists that blocks and branches grow."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from interpreting import Fake, result

from prose_runtime.runtime.port import Call

OPTIONAL = "\n### Parameters\n\n- `q` (optional): what nobody gives\n"


async def _wait(call: Call) -> Any:
    await asyncio.sleep(call.inputs["seconds"])
    return call.inputs["seconds"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("return for q in [1]:\n  call s\n    v: q", [{"v": 1}]),
        ("return repeat 1 as q:\n  call s\n    v: q", [{"v": 1}]),
        ("return loop up to 1 as q:\n  call s\n    v: q", [{"v": 1}]),
        ("return parallel for q in [1]:\n  call s\n    v: q", [{"v": 1}]),
        ("block b(q):\n  return call s\n    v: q\nreturn do b(1)", {"v": 1}),
        ("return [1] | map(q):\n  call s\n    v: q", [{"v": 1}]),
        ('try:\n  throw "x"\ncatch as q:\n  let r = call s\n    v: q\n  return r.v.message', "x"),
        ("q = 5\nreturn parallel for i in [1]:\n  call s\n    v: q", [{"v": 5}]),
        ("q = 5\nblock b():\n  return call s\n    v: q\nreturn do b()", {"v": 5}),
        ("for q in [1]:\n  let p = q\nreturn call s\n  v: q\n  p: p", {"p": 1}),
        ("return parallel for i in [1]:\n  call s\n    v: q", [{}]),
    ],
)
def test_what_hides_an_input_that_nobody_gave_is_passed(script: str, expected: Any) -> None:
    echo = Fake(lambda call: dict(call.inputs), name="s")
    assert result(script, {"s": echo}, more=OPTIONAL) == expected


def test_a_loop_gives_back_the_single_output_of_the_name_that_it_hides() -> None:
    script = "let x = call f\nlet inside = for x in [{ a: 1 }]:\n  x.o\nreturn [inside, x.o]"
    function = (
        "\n## f\n\n---\nkind: function\n---\n\n### Returns\n\n- `o`: it\n\n### Execution\n\n```prose\nreturn 5\n```\n"
    )
    assert result(script, more=function) == [[None], 5]


def test_what_a_block_appends_in_a_branch_joins_in_the_order_of_the_input() -> None:
    script = """
    let xs = []
    block b(i):
      call s
        seconds: i
      append i to xs
    parallel for i in [0.03, 0.01]:
      do b(i)
    return xs
    """
    assert result(script, {"s": Fake(_wait, name="s")}) == [0.03, 0.01]


def test_a_branch_and_its_blocks_see_the_same_list() -> None:
    script = """
    let xs = []
    block inner(i):
      append i to xs
      return xs.length
    block outer(i):
      append i + 1 to xs
      return do inner(i + 2)
    let seen = parallel for i in [10, 20]:
      append i to xs
      let length = do outer(i)
      append length to xs
      return xs
    return [xs, seen]
    """
    assert result(script) == [[10, 11, 12, 3, 20, 21, 22, 3], [[10, 11, 12, 3], [20, 21, 22, 3]]]


@pytest.mark.parametrize(
    ("shadow", "given", "mine"), [('let xs = ["mine"]', "1", ["mine"]), ("let none = 0", '["given"]', ["given"])]
)
def test_a_block_appends_to_the_list_of_the_script_not_of_its_caller(shadow: str, given: str, mine: Any) -> None:
    parameter = "xs" if "none" in shadow else "i"
    script = f"""
    let xs = []
    block inner():
      append 7 to xs
    block outer({parameter}):
      {shadow}
      do inner()
      return xs
    let r = do outer({given})
    return [xs, r]
    """
    assert result(script) == [[7], mine]


def test_a_list_that_the_block_makes_its_own_is_left_alone() -> None:
    script = """
    let xs = [1]
    block b():
      append 2 to xs
      let xs = ["own"]
      append "more" to xs
      return xs
    let r = do b()
    return [xs, r]
    """
    assert result(script) == [[1, 2], ["own", "more"]]


def test_lists_in_properties_grow_in_blocks_too() -> None:
    script = """
    let log = { seen: [], other: 1 }
    block b(i):
      append i to log.seen
    repeat 3 as i:
      do b(i)
    return log
    """
    assert result(script) == {"seen": [1, 2, 3], "other": 1}


# ---- `do:` -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("do:\n  return 4\nreturn 5", 5),
        ("return do:\n  if true: return 4\n  5", 4),
        ("return for x in [1, 2]:\n  do:\n    if x == 1: return 0\n  x", [1, 2]),
        ("return for x in [1, 2]:\n  do:\n    if x == 1: return 0\n    x", [0, 2]),
        ("let n = 0\nfor x in [1, 2, 3]:\n  do:\n    if x == 2: break\n    n = n + x\nreturn n", 1),
        ("return for x in [1, 2]:\n  repeat 2:\n    do:\n      if x == 1: return 0\n    return x", [1, 1, 2, 2]),
        ("let n = 1\ntry:\n  n = 2\nfinally:\n  do:\n    if true: return\n    n = 3\nreturn n", 2),
        ("parallel:\n  do:\n    a = 1\n    return a\n  b = 2\nreturn [a, b]", [1, 2]),
    ],
)
def test_return_in_a_do_ends_the_do(script: str, expected: Any) -> None:
    assert result(script) == expected
