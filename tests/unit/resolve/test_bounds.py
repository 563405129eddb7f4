"""Fewest and most calls: formulas of small scripts, and every case of the library within its bounds."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from prose_runtime import load
from prose_runtime.api import standard_library
from prose_runtime.casebook import Ways, find_cases, run_case
from prose_runtime.casebook.blocks import read_yaml
from prose_runtime.casebook.reading import read_case
from prose_runtime.resolve.bounds import JUDGE, PERSON, Bounds, bounds_of
from prose_runtime.resolve.counting import ZERO, endless, largest, named, number, one_less, put_in, smallest, total
from prose_runtime.resolve.program import Program, Unit
from prose_runtime.runtime import Outcome

CASES = Path(__file__).parents[2] / "cases" / "std"
HEAD = """---
name: example
kind: pattern
---

### Slots

- `a`
- `b`
- `many`

### Config

- `n` (integer, default: 3): how many

### Parameters

- `xs` (any[]): some
- `many` (string[]): several

### Delegation

```prose
"""


def bounds(script: str, more: str = "") -> Bounds:
    loaded = load(f"{HEAD}{script}\n```\n{more}")
    assert not [str(item) for item in loaded.diagnostics if item.severity == "error"]
    return bounds_of(loaded.program.main)


@pytest.mark.parametrize(
    ("script", "fewest", "most"),
    [
        ("return 1", "0", "0"),
        ("call a\ncall b", "2", "2"),
        ("if n > 1:\n  call a", "0", "1"),
        ("if n > 1:\n  call a\n  call b\nelse:\n  call b", "1", "2"),
        ("repeat n:\n  call a", "`n`", "`n`"),
        ("repeat 4:\n  call a\n  call b", "8", "8"),
        ("repeat n + 1:\n  call a", "1 + `n`", "1 + `n`"),
        ("repeat n:\n  repeat 2:\n    call a", "2 x `n`", "2 x `n`"),
        ("repeat 5:\n  call a\n  if n > 2:\n    break\n  call b", "1", "10"),
        ("repeat 5:\n  let x = call a\n  if x.ok:\n    return x", "1", "5"),
        ("let ys = repeat 5:\n  let x = call a\n  if x.ok:\n    return x\n  call b", "5", "10"),
        ("for x in xs:\n  call a\n    x: x", "the number of `xs`", "the number of `xs`"),
        ("for x in [1, 2, 3]:\n  call a\n    x: x", "3", "3"),
        ("for m in many:\n  call m", "the number of `many`", "the number of `many`"),
        ("repeat xs.length:\n  call a", "the number of `xs`", "the number of `xs`"),
        ("loop (max: 4):\n  call a\n  if n > 2:\n    break", "1", "4"),
        ("loop until n > 2 (max: n):\n  call a", "0", "`n`"),
        ("loop while n > 2:\n  call a", "0", "no bound"),
        ("parallel:\n  call a\n  call b", "2", "2"),
        ('parallel ("first"):\n  call a\n  call b', "1", "2"),
        ('parallel ("any", count: 2):\n  call a\n  call b\n  call b', "2", "3"),
        ('parallel (on-fail: "ignore"):\n  call a\n  call b', "2", "2"),
        ('let y = parallel for m in many ("any", count: 1):\n  call m', "min(1, the number of `many`)",
         "the number of `many`"),
        ("try:\n  call a\n  call b\ncatch:\n  call b", "2", "3"),
        ("try:\n  let y = 1 / n\n  call a\ncatch:\n  return null", "0", "1"),
        ("try:\n  call a\nfinally:\n  call b", "2", "2"),
        ("if n > 1:\n  call a\nelse:\n  call b", "1", "1"),
        ("if n > 1:\n  return call a\ncall a\ncall b", "1", "2"),
        ("if n > 1:\n  call a\nelif n > 0:\n  call b\n  call b\nelse:\n  return 1\ncall a", "0", "3"),
        ("choice n:\n  option \"3\":\n    call a\n  option \"4\":\n    call a\n    call b", "1", "2"),
        ("repeat n as i:\n  call a\n  if i < n:\n    call b", "`n`", "2 x `n` - 1"),
        ("repeat n as i:\n  if i > 1:\n    call b\n  call a", "`n`", "2 x `n` - 1"),
        ("repeat n as i:\n  call a\n  if i < n - 1:\n    call b", "`n`", "2 x `n`"),
        ("repeat n:\n  call a\n  if n > 2:\n    break\n  call b", "min(1, `n`)", "2 x `n`"),
        ("repeat n:\n  if n > 2:\n    call b\n    call b\n    break\n  call a", "min(2 x min(1, `n`), `n`)",
         "1 + `n`"),
        ("repeat min(n, 5):\n  call a", "min(5, `n`)", "min(5, `n`)"),
        ("let k = n + 1\nrepeat k:\n  call a", "1 + `n`", "1 + `n`"),
        ("let k = 1\nk = n\nrepeat k:\n  call a", "`k`", "`k`"),
        ("let ys = [1, 2]\nfor y in ys:\n  call a", "2", "2"),
        ("let ys = first(xs, 2)\nfor y in ys:\n  call a", "min(2, the number of `xs`)", "min(2, the number of `xs`)"),
        ("let ys = call a\nfor y in first(ys, n):\n  call b", "1 + min(the number of `ys`, `n`)", "1 + `n`"),
        ("let ys = repeat n:\n  call a\nfor y in ys:\n  call b", "`n` + the number of `ys`", "2 x `n`"),
        ("let ys = [1]\nrecord 2 in ys\nfor y in ys:\n  call b", "the number of `ys`", "the number of `ys`"),
        ("let ys = [1, 2, 3] | reduce(sum, x): call a", "2", "2"),
        ("let ys = [1, 2, 3] | filter(x): x > 1 | map(x): call a", "0", "3"),
        ("for x in [1, 2]:\n  for y in xs:\n    call a", "2 x the number of `xs`", "2 x the number of `xs`"),
        ("do:\n  call a\n  if n > 1:\n    return 1\ncall b", "1", "2"),
        ("try:\n  call a\ncatch:\n  return null\ncall b", "1", "2"),
        ("call a\n  retry: 2", "1", "3"),
        ("if n > 2:\n  throw \"no\"\ncall a", "1", "1"),
        ("block twice:\n  call a\n  call a\ndo twice\ndo twice", "4", "4"),
        ("block again:\n  call a\n  do again\ndo again", "1", "no bound"),
        ("let ys = [1, 2] | map(x): call a", "2", "2"),
        ("let ys = xs | pmap(x): call a", "the number of `xs`", "the number of `xs`"),
        ("session \"x\"\ngate question: \"y\"", "1", "1"),
        ("let x = call a\nlet y = x.ok or call b", "1", "2"),
    ],
)  # fmt: skip
def test_formulas(script: str, fewest: str, most: str) -> None:
    found = bounds(script)
    assert (str(found.fewest_calls), str(found.most_calls)) == (fewest, most)


def test_definitions_and_instances_are_gone_into() -> None:
    more = "\n## twice\n\n### Execution\n\n```prose\ncall one\ncall one\n```\n\n## one\n\n### Returns\n\n- `x`: it\n"
    found = bounds("repeat n:\n  call twice", more)
    assert {name: str(count) for name, count in found.most.items()} == {"one": "2 x `n`", "twice": "`n`"}
    assert str(found.most_calls) == "2 x `n`"


def test_what_only_a_judge_decides_is_counted_apart() -> None:
    found = bounds("let x = call a\nif x is friendly and warm to people:\n  call b\n    x: x")
    assert str(found.most["judge"]) == "1"
    assert str(found.most_calls) == "2"


@pytest.mark.parametrize(
    ("condition", "least", "most"),
    [
        ("x.score > 3", "0", "0"),
        ("x explicitly accepts it", "0", "0"),
        ("x accepts it", "0", "1"),
        ("the tone of x is friendly", "1", "1"),
        ("the tone of x is friendly and its words are warm to everybody", "1", "1"),
        ("x accepts it and x is friendly", "0", "1"),
        ("x accepts it and n > 2 and the tone of x is friendly", "0", "2"),
        ("rules says x is acceptable", "0", "the number of `rules`"),
    ],
)
def test_questions_to_a_judge(condition: str, least: str, most: str) -> None:
    head = HEAD.replace("- `xs` (any[]): some", "- `xs` (any[]): some\n- `rules` (string[], optional): criteria")
    loaded = load(f"{head}let x = call a\nif {condition}:\n  return rules\n```\n")
    found = bounds_of(loaded.program.main)
    assert (str(found.least.get(JUDGE, ZERO)), str(found.most.get(JUDGE, ZERO))) == (least, most)


def test_gates_are_counted_apart_and_so_is_what_is_asked_once_more() -> None:
    found = bounds('repeat n:\n  call a\n  gate question: "go on?"\nsession "x"')
    assert str(found.most[PERSON]) == "`n`"
    assert str(found.most_calls) == str(found.most_again) == "1 + `n`"


INSTANCE = """
### Patterns

```yaml
- name: careful
  pattern: rounds-of
  with:
    who: {who}
    those: [a, helper, b]
  config:
    rounds: 4
```

## helper

### Execution

```prose
call plain
call plain
```

## plain

### Returns

- `x`: it

## rounds-of

### Slots

- `who`
- `those`

### Config

- `rounds` (integer, default: 9): how many

### Parameters

- `those` (any[]): several
- `parts` (any[]): some

### Delegation

```prose
repeat rounds:
  call who
for part in parts:
  call who
for one in those:
  call one
```
"""


@pytest.mark.parametrize(
    ("who", "call", "fewest", "most"),
    [
        ("a", "call careful\n  parts: xs", "7 + the number of `xs`", "10 + the number of `xs`"),
        ("helper", "call careful\n  parts: [1]", "13", "16"),
        ("a", "repeat n:\n  call careful\n    parts: [1, 2]", "9 x `n`", "12 x `n`"),
        ("a", "call careful\n  parts: xs\n  rounds: n", "3 + `n` + the number of `xs`", "6 + `n` + the number of `xs`"),
    ],
)
def test_the_slots_of_an_instance_are_filled(who: str, call: str, fewest: str, most: str) -> None:
    found = bounds(call, INSTANCE.replace("{who}", who))
    assert (str(found.fewest_calls), str(found.most_calls)) == (fewest, most)


def test_no_bound_is_said_with_the_place() -> None:
    found = bounds("call a\nloop while n > 2:\n  call b")
    loop = found.most["b"]
    assert found.written(loop).startswith("no bound: no number bounds this loop (line ")
    assert loop.place is not None
    assert loop.place[0].slice(loop.place[1]).startswith("loop while")
    assert str(found.most["a"]) == "1"


def test_what_comes_back_to_itself_has_no_bound() -> None:
    more = (
        "\n## f\n\n### Execution\n\n```prose\ncall g\n```\n\n## g\n\n### Execution\n\n```prose\ncall a2\ncall f\n```\n"
    )
    found = bounds("call f\ncall a", f"{more}\n## a2\n\n### Returns\n\n- `x`: it\n")
    assert {name for name, count in found.most.items() if count.endless} == {"f", "g", "a2"}
    assert (str(found.fewest_calls), str(found.most_calls)) == ("2", "no bound")
    assert "(line " in found.written(found.most_calls)


def test_what_rounds_ask_by_their_items_is_summed_up() -> None:
    head = HEAD.replace(
        "- `n` (integer, default: 3): how many",
        "- `n` (integer, default: 3): how many\n- `ts` (any[], default: [{k: 1}, {k: 4}]): some\n"
        "- `us` (any[], default: [{k: 2}, {k: 2}, {k: 2}]): others",
    )
    script = "for t in ts:\n  repeat t.k:\n    call a\nfor t in us:\n  repeat t.k:\n    call b"
    found = bounds_of(load(f"{head}{script}\n```\n").program.main)
    assert str(found.most["a"]) == "the sum of `k` in `ts`"
    assert (found.number(found.most["a"]), found.number(found.most["b"])) == (5, 6)
    changed = script.replace("repeat t.k:\n    call a", "t = us[0]\n  repeat t.k:\n    call a")
    found = bounds_of(load(f"{head}{changed}\n```\n").program.main)
    assert found.number(found.most["a"]) is None


@pytest.mark.parametrize("deep", [5, 30, 120])
def test_definitions_may_be_nested_deeply(deep: int) -> None:
    def part(name: str, called: str) -> str:
        return f"\n## {name}\n\n### Execution\n\n```prose\ncall {called}\ncall {called}\n```\n"

    more = "".join(part(f"f{place}", f"f{place + 1}") for place in range(deep))
    found = bounds("call f0", f"{more}\n## f{deep}\n\n### Returns\n\n- `x`: it\n")
    assert str(found.fewest_calls) == str(found.most_calls) == str(2**deep)


@pytest.mark.parametrize(
    "line",
    [
        "if n > {0}:\n  return call a",
        "for x in xs.p{0}:\n  call a",
        "repeat n as i{0}:\n  call a\n  if i{0} < n:\n    call b",
        "try:\n  call a\ncatch:\n  call b",
    ],
)
def test_the_time_is_in_proportion_to_the_length(line: str) -> None:
    def seconds(lines: int) -> float:
        program = load(HEAD + "\n".join(line.format(place) for place in range(lines)) + "\n```\n").program
        best = 1e9
        for _ in range(3):
            began = time.perf_counter()
            bounds_of(program.main)
            best = min(best, time.perf_counter() - began)
        return best

    assert seconds(1200) < 20 * seconds(150)


def test_names_have_their_values() -> None:
    found = bounds("repeat n:\n  call a")
    assert found.most_calls.value(found.known) == 3
    assert found.most_calls.value({**found.known, "`n`": 7}) == 7


def test_names_that_are_known_are_put_in() -> None:
    n, m = named("n"), named("m")
    assert str(put_in(n.times(m).plus(one_less(n)), {"n": 3})) == "2 + 3 x m"
    assert str(put_in(largest([n, m.plus(number(1))]), {"n": 3})) == "max(3, 1 + m)"
    assert str(put_in(smallest(n, number(2)), {"n": 3})) == "2"
    assert str(put_in(endless("why"), {"n": 3})) == "no bound"


def test_long_formulas_stay_short() -> None:
    every = total(named(f"n{place}") for place in range(300))
    assert len(str(every)) < 1000
    assert every.value({f"n{place}": 2 for place in range(300)}) == 600
    assert str(put_in(every, {f"n{place}": 2 for place in range(300)})) == "600"
    assert len(str(every.times(every))) < 1000


def test_counts() -> None:
    n, m = named("n"), named("m")
    assert str(n.plus(n).plus(number(1))) == "1 + 2 x n"
    assert str(n.times(m).times(number(3))) == "3 x m x n"
    assert str(largest([number(1), number(1).plus(n), n])) == "1 + n"
    assert str(largest([n, m])) == "max(n, m)"
    assert largest([n, m]).value({"n": 2, "m": 5}) == 5
    assert smallest(n, m).value({"n": 2, "m": 5}) == 2
    assert str(smallest(number(2), number(5))) == "2"
    assert str(ZERO.times(endless("why"))) == "0"
    assert str(number(1).plus(endless("why"))) == "no bound"
    assert n.value({}) is None
    assert n.value({"n": -3}) == 0


# ---- the library -----------------------------------------------------------------------------------------


class _Kept:
    """Keeps the outcome of the run of a case."""

    def __init__(self, program: Program, into: list[tuple[Program, Outcome]]) -> None:
        self.program, self.into = program, into

    def __call__(self, event: object) -> None: ...

    def finish(self, outcome: Outcome) -> Outcome:
        self.into.append((self.program, outcome))
        return outcome

    def tested(self, assertions: Iterable[tuple[str, bool]]) -> None: ...


def _known(unit: Unit, names: Mapping[str, Any], wanted: Iterable[str]) -> dict[str, float]:
    """The values that a run had for the names of a formula, of those that a script does not change."""
    fixed = {item.name for item in unit.inputs} | {item.name for item in unit.config}
    fixed |= {item.name for item in unit.definition.slots}
    found: dict[str, float] = {}
    for text in wanted:
        name = re.fullmatch(r"(the number of )?`([\w-]+)`", text)
        if name is None or name[2] not in fixed:
            continue
        value = names.get(name[2])
        if name[1] and isinstance(value, list):
            found[text] = len(value)
        elif not name[1] and isinstance(value, int | float):
            found[text] = value
    return found


def _filled(unit: Unit) -> set[str]:
    """The names of definitions and instances, which make calls under other names."""
    return {target.name for target in unit.calls.values() if target.unit is not None or target.instance is not None}


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in find_cases([CASES])])
def test_runs_are_within_the_bounds(path: Path) -> None:
    case = read_case(path, path.read_text(encoding="utf-8"))
    seen: list[tuple[Program, Outcome]] = []
    run_case(path, ways=Ways(recorder=lambda _, program, *more: _Kept(program, seen)))
    for (program, outcome), fixture in zip(seen, case.fixtures, strict=False):
        if outcome.status != "done":
            continue
        unit = program.main
        texts = {name: read_yaml(text) for name, text in {**fixture.texts, **case.config_texts}.items()}
        given = {**fixture.values, **case.config, **texts}
        several = {name: list(one) for name, one in (case.services or {}).items() if isinstance(one, dict)}
        found = bounds_of(unit, {item.name: given[item.name] for item in unit.config if item.name in given})
        names = {**{item.name: item.default for item in unit.config}, **given, **several}
        known = {**found.known, **_known(unit, names, found.most_calls.names() | found.fewest_calls.names())}
        calls = sum(call.kind != "judge" for call in outcome.calls)
        fewest, most = found.fewest_calls.value(known), found.most_calls.value(known)
        assert fewest is None or fewest <= calls
        assert most is None or calls <= most
        judged = found.most.get(JUDGE, ZERO).value(known)
        assert judged is None or sum(call.kind == "judge" for call in outcome.calls) <= judged
        for who, count in found.least.items():
            counted = sum(call.service == who and call.kind not in ("judge", "gate") for call in outcome.calls)
            least = count.value(known)
            assert least is None or who in (JUDGE, PERSON) or who in several or least <= counted or who in _filled(unit)
        assert most is not None or found.most_calls.names() - known.keys()


def _cost(text: str, values: Mapping[str, float]) -> float:
    """A formula of `### Cost` for these values."""
    written = re.sub(r"the sum of the tiers' `count`", str(values["tiers' count"]), text)
    written = re.sub(r"the number of `([\w-]+)`", lambda name: str(values[name[1]]), written)
    written = re.sub(r"`([\w-]+)`", lambda name: str(values[name[1]]), written).replace(" x ", " * ")
    assert re.fullmatch(r"[\d.+*() -]+", written), text
    return float(eval(written))


PATTERNS = {name: path for name, path in standard_library().items() if "patterns" in path.parts}


LOOSER = {
    ("actor-critic", "fewest"): "it ends after the first work where the budget has no call left",
    ("debate", "fewest"): "who is out is not asked again; that nobody is out at first is seen by the run only",
    ("polish", "fewest"): "it ends behind the first draft where the budget has no call left",
    ("race", "fewest"): "nobody is called where there are no candidates",
    ("reflexion", "fewest"): "the trouble with an only attempt that fails is thrown",
    ("self-refine", "fewest"): "it ends behind the first draft where the budget has no call left",
    ("tree-of-thoughts", "fewest"): "how many thoughts come is known to the run only",
    ("plan-and-execute", "fewest"): "how many steps a plan has is known to the run only",
    ("tree-of-thoughts", "most"): "the first round goes on from one line, all others from as many as are kept",
}
"""Where what is known before a run is less than what the pattern says of itself, and why."""


@pytest.mark.parametrize("name", sorted(PATTERNS))
@pytest.mark.parametrize("sizes", [(2, 2, 2), (5, 5, 5), (3, 4, 6), (1, 2, 3)])
def test_what_a_pattern_says_it_costs_is_what_its_bounds_say(name: str, sizes: tuple[int, int, int]) -> None:
    unit = load(PATTERNS[name]).program.main
    section = unit.definition.section("cost")
    assert section is not None
    said = {item.text.partition(":")[0]: item.text.partition(":")[2].strip() for item in section.items}
    assert set(said) >= {"fewest calls", "most calls"}
    names = [*(item.name for item in unit.inputs), *unit.list_slots]
    values = {name: sizes[place % 3] for place, name in enumerate(names)}
    tiers = [{"model": "x", "count": size} for size in sizes]
    config: dict[str, Any] = {
        item.name: tiers if item.name == "tiers" else sizes[(place + 1) % 3] for place, item in enumerate(unit.config)
    }
    values |= {key: value for key, value in config.items() if isinstance(value, int)} | {"tiers' count": sum(sizes)}
    found = bounds_of(unit, config)
    known = {**found.known, **{f"the number of `{key}`": value for key, value in values.items()}}
    few, many = _cost(said["fewest calls"], values), _cost(said["most calls"], values)
    fewest, most = found.fewest_calls.value(known, "least"), found.most_calls.value(known)
    assert fewest is not None
    assert most is not None
    if (name, "fewest") in LOOSER:
        assert fewest <= few
    else:
        assert fewest == few
    if (name, "most") in LOOSER:
        assert most >= many
    else:
        assert most == many
