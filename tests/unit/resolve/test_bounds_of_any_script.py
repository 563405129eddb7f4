"""Random scripts with services that answer this and that, or fail: a run that ends well is within its bounds, in all
and for each that it calls."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from prose_runtime import load
from prose_runtime.resolve.bounds import JUDGE, PERSON, bounds_of
from prose_runtime.runtime import bind, execute
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature

HEAD = """---
name: example
kind: pattern
---

### Slots

- `a`
- `b`

### Config

- `n` (integer, default: {n}): how many

### Parameters

- `xs` (any[]): some

### Patterns

```yaml
- name: pair
  pattern: both-of
  with:
    first: a
    second: counted
  config:
    rounds: 2
```

### Delegation

```prose
block some(k):
  r = call a
  if k > 1:
    r = call b

let r = call a
{script}
```

## counted

### Parameters

- `m` (any): how many
- `zs` (any[], optional): a list

### Execution

```prose
let last = 0
for z in first(zs or [], 2):
  last = call asked
repeat 2 as i:
  if i < 2:
    last = call asked
if last > 2:
  return call asked
return last
```

## asked

### Returns

- `x` (any): a number

## both-of

### Slots

- `first`
- `second`

### Config

- `rounds` (integer, default: 5): how many

### Parameters

- `zs` (any[]): some

### Delegation

```prose
let got = 0
repeat rounds as round:
  got = call first
  if round > 1:
    got = call second
      m: rounds
      zs: zs
  if got == 3:
    return got
return got
```
"""


class Dice:
    """Answers a number, or fails now and then; the same for the same seed."""

    target = "dice"
    signature: Signature | None = None

    def __init__(self, name: str, luck: random.Random) -> None:
        self.name, self.luck = name, luck

    async def call(self, call: Call) -> Answer:
        if self.luck.random() < 0.12:
            raise ServiceError("unlucky")
        if self.name == JUDGE:
            return Answer({"holds": self.luck.random() < 0.5, "reason": "so it fell"})
        return Answer(self.luck.randint(0, 3))

    async def close(self) -> None: ...


class Scripts:
    """Makes scripts. `depth`: how deeply they nest at most."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)
        self.names = 0

    def body(self, depth: int, looped: bool, indent: str) -> str:
        lines = [self.statement(depth, looped, indent) for _ in range(self.luck.randint(1, 3))]
        return "\n".join(lines)

    def statement(self, depth: int, looped: bool, indent: str) -> str:
        kinds = ["call", "call", "retry", "function", "instance", "do", "session", "pipeline", "and", "conditional"]
        if depth:
            kinds += ["if", "if-else", "repeat", "for", "loop", "try", "parallel", "collect", "any", "judged", "marked"]
            kinds += ["finally", "beside", "lenient", "nested-do", "element", "choice"]
        if looped:
            kinds += ["break", "continue"]
        kinds += ["return"] if not looped or self.luck.random() < 0.5 else []
        return self.made(self.luck.choice(kinds), depth, looped, indent)

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def made(self, kind: str, depth: int, looped: bool, indent: str) -> str:
        who, inner = self.luck.choice("ab"), indent + "  "
        few = self.luck.choice(["2", "n", "n + 1", "0", "xs.length"])
        items = self.luck.choice(["xs", "[1, 2, 3]", "first(xs, n)", "first([1, 2, 3], n)"])
        own = self.name()

        def body(in_loop: bool = looped, more: str = "") -> str:
            return self.body(depth - 1, in_loop, inner + more)

        match kind:
            case "call":
                return f"{indent}r = call {who}"
            case "retry":
                return f"{indent}r = call {who}\n{indent}  retry: 1"
            case "function":
                tried = f"\n{indent}  retry: 1" if self.luck.random() < 0.3 else ""
                given = f"\n{indent}  zs: {items}" if self.luck.random() < 0.6 else ""
                return f"{indent}r = call counted\n{indent}  m: n{given}{tried}"
            case "instance":
                return f"{indent}r = call pair\n{indent}  zs: {items}"
            case "do":
                return f"{indent}do some({self.luck.randint(0, 3)})"
            case "session":
                return f'{indent}r = session "a number"'
            case "pipeline":
                operation = self.luck.choice(["map", "pmap", "filter"])
                return f"{indent}let {own} = {items} | {operation}(x): call {who}\n{indent}r = {own}.length"
            case "and":
                return f"{indent}let {own} = r > 1 and call {who}"
            case "conditional":
                return f"{indent}let {own} = if r > 1 then 1 else r + 1\n{indent}r = {own}"
            case "if":
                return f"{indent}if r == {self.luck.randint(0, 3)}:\n{body()}"
            case "if-else":
                return f"{indent}if r > 1:\n{body()}\n{indent}elif r == 1:\n{body()}\n{indent}else:\n{body()}"
            case "judged":
                words = self.luck.choice(["r is a lovely number to behold", "r > 1 and it is lovely to behold"])
                return f"{indent}if {words}:\n{body()}"
            case "choice":
                labels = "".join(f'\n{inner}option "{label}":\n{body(looped, "  ")}' for label in (0, 1, 2, 3))
                return f"{indent}let {own} = r\n{indent}choice {own}:{labels}"
            case "repeat":
                return f"{indent}repeat {few}:\n{body(True)}"
            case "marked":
                test = self.luck.choice([f"{own} < {few}", f"{own} > 1", f"{own} != 1"])
                return f"{indent}repeat {few} as {own}:\n{inner}if {test}:\n{body(True, '  ')}\n{body(True)}"
            case "for":
                return f"{indent}for x in {items}:\n{body(True)}"
            case "loop":
                test = self.luck.choice(["until r == 1 ", "while r == 1 ", ""])
                return f"{indent}loop {test}(max: 3):\n{body(True)}"
            case "try":
                return f"{indent}try:\n{body()}\n{indent}catch:\n{body()}"
            case "finally":
                return f"{indent}try:\n{body()}\n{indent}catch:\n{body()}\n{indent}finally:\n{inner}call {who}"
            case "parallel":
                return f"{indent}parallel:\n{inner}call a\n{inner}call b"
            case "beside":
                join = self.luck.choice(["", ' ("first")', ' ("any", count: 2)', ' (on-fail: "ignore")'])
                return f"{indent}parallel{join}:\n{inner}do:\n{body(False, '  ')}\n{inner}call b\n{inner}call a"
            case "lenient":
                join = self.luck.choice(['on-fail: "continue"', '"any", count: 1, on-fail: "continue"', '"first"'])
                head = f"{indent}let {own} = parallel for x in {items} ({join}):\n{inner}let r = x"
                return f"{head}\n{body(False)}\n{indent}r = 1"
            case "nested-do":
                return f"{indent}do:\n{body()}"
            case "collect":
                return f"{indent}let {own} = repeat {few}:\n{inner}call {who}\n{indent}r = {own}.length"
            case "element":
                return f"{indent}let {own} = for x in {items}:\n{body(True)}\n{indent}for y in {own}:\n{inner}call a"
            case "any":
                return (
                    f'{indent}let zs = parallel for x in [1, 2, 3] ("any", count: 1):\n{inner}call {who}\n{indent}r = 1'
                )
            case "return":
                return f"{indent}if r == 3:\n{inner}return r"
            case _:
                return f"{indent}if r == 2:\n{inner}{kind}"


@pytest.mark.parametrize("block", range(6))
def test_runs_that_end_well_are_within_the_bounds(block: int) -> None:
    ended = 0
    for seed in range(block * 100, block * 100 + 100):
        luck = random.Random(seed)
        items, n = [1] * luck.randint(0, 3), luck.randint(0, 3)
        text = HEAD.format(n=n, script=Scripts(seed).body(3, False, ""))
        loaded = load(text)
        errors = [str(item) for item in loaded.diagnostics if item.severity == "error"]
        assert errors == [], text
        found = bounds_of(loaded.program.main)
        known = {**found.known, "the number of `xs`": len(items)}
        fewest, most = found.fewest_calls.value(known, "least"), found.most_calls.value(known, "most")
        assert fewest is not None, text
        for _ in range(3):
            services = {name: Dice(name, luck) for name in ("a", "b", "model", JUDGE)}
            plan, wrong = bind(loaded.program, services, inputs={"xs": items})
            assert plan is not None, f"{wrong}{text}"
            outcome = asyncio.run(execute(plan, seed=seed))
            asked: Counter[str] = Counter()
            for call in outcome.calls:
                asked[call.service] += call.attempts
            attempts = sum(asked.values()) - asked[JUDGE]
            assert most is None or attempts <= most, text
            for name, count in asked.items():
                limit = found.most[name].value(known, "most")
                assert limit is None or count <= limit, (name, text)
            if outcome.status == "done":
                ended += 1
                assert fewest <= attempts, text
                for name, limit in found.least.items():
                    assert name not in "ab" or (limit.value(known, "least") or 0) <= asked[name], (name, text)
    assert ended > 60


def test_the_most_calls_are_known() -> None:
    """The most calls are known as a number nearly always, so that the test above tests something."""
    numbers = 0
    for seed in range(100):
        text = HEAD.format(n=2, script=Scripts(seed).body(3, False, ""))
        found = bounds_of(load(text).program.main)
        numbers += found.most_calls.value({**found.known, "the number of `xs`": 2}, "most") is not None
        assert PERSON not in found.most
    assert numbers > 80
