"""Random scripts with services that answer this and that, or fail: a run that ends well is within its bounds."""

from __future__ import annotations

import asyncio
import random

import pytest

from prose_runtime import load
from prose_runtime.resolve.bounds import bounds_of
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

### Delegation

```prose
let r = call a
{script}
```
"""


class Dice:
    """Answers a number, or fails now and then; the same for the same seed."""

    target = "dice"
    signature: Signature | None = None

    def __init__(self, name: str, luck: random.Random) -> None:
        self.name, self.luck = name, luck

    async def call(self, call: Call) -> Answer:
        if self.luck.random() < 0.15:
            raise ServiceError("unlucky")
        return Answer(self.luck.randint(0, 3))

    async def close(self) -> None: ...


class Scripts:
    """Makes scripts. `depth`: how deeply they nest at most."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)

    def body(self, depth: int, looped: bool, indent: str) -> str:
        lines = [self.statement(depth, looped, indent) for _ in range(self.luck.randint(1, 3))]
        return "\n".join(lines)

    def statement(self, depth: int, looped: bool, indent: str) -> str:
        kinds = ["call", "call", "retry"]
        if depth:
            kinds += ["if", "if-else", "repeat", "for", "loop", "try", "parallel", "collect", "any"]
        if looped:
            kinds += ["break", "continue"]
        kinds += ["return"] if not looped or self.luck.random() < 0.5 else []
        return self.made(self.luck.choice(kinds), depth, looped, indent)

    def made(self, kind: str, depth: int, looped: bool, indent: str) -> str:
        who, inner = self.luck.choice("ab"), indent + "  "
        few = self.luck.choice(["2", "n", "n + 1", "0", "xs.length"])

        def body(in_loop: bool = looped) -> str:
            return self.body(depth - 1, in_loop, inner)

        match kind:
            case "call":
                return f"{indent}r = call {who}"
            case "retry":
                return f"{indent}r = call {who}\n{indent}  retry: 1"
            case "if":
                return f"{indent}if r == {self.luck.randint(0, 3)}:\n{body()}"
            case "if-else":
                return f"{indent}if r > 1:\n{body()}\n{indent}else:\n{body()}"
            case "repeat":
                return f"{indent}repeat {few}:\n{body(True)}"
            case "for":
                return f"{indent}for x in xs:\n{body(True)}"
            case "loop":
                test = self.luck.choice(["until r == 1 ", "while r == 1 ", ""])
                return f"{indent}loop {test}(max: 3):\n{body(True)}"
            case "try":
                return f"{indent}try:\n{body()}\n{indent}catch:\n{body()}"
            case "parallel":
                return f"{indent}parallel:\n{inner}call a\n{inner}call b"
            case "collect":
                name = f"ys{len(indent)}"
                return f"{indent}let {name} = repeat {few}:\n{inner}call {who}\n{indent}r = {name}.length"
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
        fewest, most = found.fewest_calls.value(known), found.most_calls.value(known)
        assert fewest is not None, text
        assert most is not None, text
        for _ in range(3):
            services = {name: Dice(name, luck) for name in "ab"}
            plan, _ = bind(loaded.program, services, inputs={"xs": items})
            assert plan is not None, text
            outcome = asyncio.run(execute(plan, seed=seed))
            attempts = sum(call.attempts for call in outcome.calls)
            assert attempts <= most, text
            if outcome.status == "done":
                ended += 1
                assert fewest <= attempts, text
    assert ended > 100
