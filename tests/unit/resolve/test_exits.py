"""Jumps, unreachable statements, and which loops collect."""

from __future__ import annotations

import pytest
from resolve_samples import said, unit_of


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("return 1\ncall a\ncall b", [(2, "unreachable")]),
        ('if given:\n  return 1\nelse:\n  throw "x"\ncall a', [(5, "unreachable")]),
        ("try:\n  return 1\ncatch:\n  return 2\ncall a", [(5, "unreachable")]),
        ("try:\n  return 1\ncatch:\n  call b\nreturn call a", []),
        ("for x in xs:\n  continue\n  call a\n    x: x\nreturn null", [(3, "unreachable")]),
        ("break\nreturn 1", [(1, "break-outside-loop")]),
        ("block f():\n  continue\nreturn do f()", [(2, "break-outside-loop")]),
        ("for x in xs:\n  if x: break\nreturn null", []),
        ("let ys = parallel for x in xs:\n  if x: break\n  call a\n    x: x\nreturn ys", [(2, "break-from-branch")]),
        ("let ys = parallel for x in xs:\n  if x: continue\n  call a\n    x: x\nreturn ys", []),
        ("for x in xs:\n  parallel:\n    call a\n      x: x\n    break\nreturn null", [(5, "break-from-branch")]),
        ("parallel for x in xs:\n  return x", [(2, "return-from-branch")]),
        ("parallel:\n  return call a\n  call b", [(2, "return-from-branch")]),
        ("let r = parallel:\n  return call a\n  return call b\nreturn r", []),
        ("try:\n  call a\nfinally:\n  return 1", [(4, "jump-from-finally")]),
        (
            "for x in xs:\n  try:\n    call a\n      x: x\n  finally:\n    continue\nreturn 1",
            [(6, "jump-from-finally")],
        ),
        ("try:\n  call a\nfinally:\n  for x in xs:\n    if x: break\nreturn 1", []),
        ("try:\n  call a\nfinally:\n  for x in xs:\n    return x\nreturn 1", [(5, "jump-from-finally")]),
        ("try:\n  call a\nfinally:\n  let ys = for x in xs:\n    return x\n  call b\n    ys: ys\nreturn 1", []),
        ("throw", [(1, "throw-outside-catch")]),
        ("try:\n  call a\ncatch:\n  throw\nreturn 1", []),
        ("loop:\n  call a\nreturn 1", [(1, "unbounded-loop"), (3, "unreachable")]),
        ("loop:\n  if given: break\nreturn 1", [(1, "unbounded-loop")]),
        ("loop until given (max: limit):\n  call a\nreturn 1", []),
    ],
)
def test_leaving(script: str, expected: list[tuple[int, str]]) -> None:
    assert said(script) == expected


@pytest.mark.parametrize(
    ("script", "flattened"),
    [
        ("return for x in xs:\n  repeat 2:\n    call a\n      x: x", 1),
        ("return for x in xs:\n  repeat 2:\n    return x", 1),
        (
            "return for x in xs:\n  if x:\n    repeat 2:\n      return x\n"
            "  else:\n    for y in x:\n      call a\n        y: y",
            2,
        ),
        ("return for x in xs:\n  repeat 2:\n    for y in x:\n      call a\n        y: y", 2),
        ("return for x in xs:\n  repeat 2:\n    if x: return x", 0),
        ("return for x in xs:\n  repeat 2:\n    if x: break\n    call a", 0),
        ("return for x in xs:\n  repeat 2:\n    try:\n      return call a\n    catch:\n      call b", 0),
        ("return for x in xs:\n  repeat 2:\n    for y in x:\n      if y: break\n    return x", 1),
        ("for x in xs:\n  repeat 2:\n    call a\nreturn null", 0),
        ("return for x in xs:\n  repeat 2:\n    call a\n  return x", 0),
    ],
)
def test_loops_that_join_the_list_around_them(script: str, flattened: int) -> None:
    assert len(unit_of(script).flattened) == flattened


@pytest.mark.parametrize(
    "script",
    [
        "return for x in xs:\n  repeat 2:\n    if x: return 1\n    return x",
        "return for x in xs:\n  for y in x:\n    if y: continue\n    return y",
    ],
)
def test_a_final_return_beside_other_ways_out(script: str) -> None:
    assert said(script) == [(2, "mixed-exits")]
