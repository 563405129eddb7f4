"""Random scripts whose services answer with marks: what reaches a call is known as one of the sources of that call."""

from __future__ import annotations

import asyncio
import json
import random
import re

import pytest

from prose_runtime import load
from prose_runtime.resolve import blocks, tracing
from prose_runtime.resolve.origin import Flow
from prose_runtime.resolve.sources import Sources, sources_of
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

- `n` (string, default: "<config:n>"): a mark

### Parameters

- `t`: a mark

### Delegation

```prose
"""
START = """let x = 1
let y = t
let o = { k: t, j: "k" }
let z = 1
let xs = []
"""
_PARTS = ("o.k", "o.l", 'o["k"]', "o[o.j]")
_WAYS = ("", ' (on-fail: "continue")', ' ("any", count: 1)')
_MARK = re.compile(r"<(\w+):(\w+)>")


class Marking:
    """Answers with marks that say where they were given, and fails now and then. `got`: what each call holds."""

    name = "marking"
    target = "marking"
    signature: Signature | None = None

    def __init__(self, luck: random.Random) -> None:
        self.luck = luck
        self.got: list[tuple[str, set[tuple[str, str]]]] = []

    async def call(self, call: Call) -> Answer:
        (place, value) = next(iter(call.inputs.items()))
        self.got.append((place, set(_MARK.findall(json.dumps(value, default=list)))))
        if self.luck.random() < 0.1:
            raise ServiceError(f"<failure:{place}>")
        mark = f"<answer:{place}>"
        return Answer(self.luck.choice([mark, {"k": mark, "count": mark}, [mark, {"k": mark}]]))

    async def close(self) -> None: ...


class Scripts:
    """Makes scripts. Each call passes one property, whose name is its own."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)
        self.calls = 0
        self.blocks: list[str] = []

    def script(self) -> str:
        body = START + "\n".join(self.body(3, False, "", ()) for _ in range(3))
        return "\n".join([*self.blocks, body])

    def body(self, depth: int, looped: bool, indent: str, more: tuple[str, ...]) -> str:
        return "\n".join(self.statement(depth, looped, indent, more) for _ in range(self.luck.randint(1, 4)))

    def call(self, more: tuple[str, ...], indent: str) -> str:
        self.calls += 1
        return f"call {self.luck.choice('ab')}\n{indent}  p{self.calls}: {self.value(more, 2)}"

    def value(self, more: tuple[str, ...], depth: int) -> str:
        pick = self.luck.choice
        plain = pick(["x", "y", "z", "o", "xs", "t", "n", "config.n", *more, *more])
        forms = [plain] * 4 + [
            f"{plain}.k",
            f"{plain}.count",
            f"{plain}.length",
            f'field({plain}, "K")',
            f'"of {{{plain}}}"',
        ]
        forms += ['o["k"]', "o[o.j]", "items(o)", "distinct(xs)", "config"]
        if depth:
            one, two = self.value(more, depth - 1), self.value(more, depth - 1)
            forms += [f"[{one}, {two}]", f"{{ k: {one}, l: {two} }}", f"[{one}][0]", f"if x == 1 then {one} else {two}"]
            forms += [
                f"({one}) or ({two})",
                f"{{ k: {{ k: {one} }} }}.k.k",
                f"first_line({one})",
                f"most_common([{one}])",
            ]
        return pick(forms)

    def statement(self, depth: int, looped: bool, indent: str, more: tuple[str, ...]) -> str:
        kinds = ["call", "call", "call", "set", "set", "part", "record", "list"]
        if depth:
            kinds += ["if", "try", "try", "parallel", "each", "pipe", "race"]
            kinds += [] if looped else ["repeat", "for", "entries", "value", "do"]  # values grow no further than that
        kinds += ["break", "continue"] if looped else []
        return self.made(
            self.luck.choice([*kinds, "throw", "return"] if depth < 3 else kinds), depth, looped, indent, more
        )

    def made(self, kind: str, depth: int, looped: bool, indent: str, more: tuple[str, ...]) -> str:
        pick, inner = self.luck.choice, indent + "  "

        def body(in_loop: bool = looped, *names: str) -> str:
            return self.body(depth - 1, in_loop, inner, (*more, *names))

        match kind:
            case "call":
                return f"{indent}{pick('xy')} = {self.call(more, indent)}"
            case "set":
                return f"{indent}{pick('xy')} = {self.value(more, 0 if looped else 2)}"
            case "part":
                return f"{indent}{pick(_PARTS)} = {self.value(more, 0)}"
            case "record":
                return f"{indent}record {self.value(more, 0)} in xs"
            case "list":
                return f"{indent}xs = {pick(['[]', '[x]', 'first(xs, 1)', 'xs + [y]'])}"
            case "if":
                return f"{indent}if x == {pick('1y')}:\n{body()}\n{indent}else:\n{body()}"
            case "repeat":
                return f"{indent}repeat 2:\n{body(True)}"
            case "for":
                return f"{indent}for v in xs:\n{body(True, 'v')}"
            case "entries":
                return f"{indent}for key, held in o:\n{body(True, 'held')}"
            case "try":
                caught = f"{indent}catch as e:\n{body(looped, 'e', 'e.message', 'e.cause')}"
                last = f"\n{indent}finally:\n{inner}x = {self.call(more, inner)}" if pick([True, False]) else ""
                return f"{indent}try:\n{body()}\n{caught}{last}"
            case "parallel":
                beside = f"{inner}do:\n{self.body(0, False, inner + '  ', more)}"
                return f"{indent}parallel{pick(_WAYS[:2])}:\n{inner}z = {self.call(more, inner)}\n{beside}"
            case "each":
                bound = f"{inner}let w = {self.call((*more, 'v'), inner)}\n{inner}record w in xs\n{inner}return w"
                return f"{indent}xs = parallel for v in [x, y]{pick(_WAYS)}:\n{bound}"
            case "race":
                one, two = self.call(more, inner), self.call(more, inner)
                return f'{indent}x = parallel ("first"):\n{inner}{one}\n{inner}{two}'
            case "do":
                return f"{indent}y = do {self.block()}({self.value(more, 1)})"
            case "value":
                return f"{indent}xs = repeat 2:\n{body(True)}\n{inner}{self.call(more, inner)}"
            case "pipe":
                stage = pick(["map(v)", "filter(v)", "pmap(v)"])
                return f"{indent}xs = [x, y] | {stage}:\n{inner}let w = {self.call((*more, 'v'), inner)}\n{inner}w"
            case "throw":
                thrown = pick(["x", '{ name: "bad", message: y }', "{ error: x, k: y }"])
                return f"{indent}if y == {pick('2x')}:\n{inner}throw {thrown}"
            case "return":
                return f"{indent}if x == 2:\n{inner}return {self.value(more, 1)}"
            case _:
                return f"{indent}if x == {pick('1y')}:\n{inner}{kind}"

    def block(self) -> str:
        name = f"block{len(self.blocks)}"
        self.blocks.append("")
        body = self.body(1, True, "  ", ("given",)).replace("break", "x = y").replace("continue", "y = x")
        self.blocks[int(name[5:])] = f"block {name}(given):\n  let x = given\n  let y = 1\n{body}\n  x"
        return name


def known(flow: Flow, places: dict[object, str]) -> set[tuple[str, str]]:
    """The marks that a flow allows for."""
    return {
        (source.kind, places.get(source.call, source.name) if source.call is not None else source.name)
        for source in flow
    }


def places_of(sources: Sources) -> dict[object, str]:
    return {asked: next(iter(passed)) for asked, passed in sources.passed.items() if passed}


@pytest.mark.parametrize("block", range(6))
@pytest.mark.parametrize("large", [False, True])
def test_what_reaches_a_call_is_among_its_sources(block: int, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """`large`: scripts are followed as very large ones are."""
    if large:
        monkeypatch.setattr(blocks, "are_deep", lambda unit: True)
        monkeypatch.setattr(tracing, "_SLOW", 0)
    seen = 0
    for seed in range(block * 30, block * 30 + 30):
        text = HEAD + Scripts(seed).script() + "\n```\n"
        loaded = load(text)
        if [item for item in loaded.diagnostics if item.severity == "error"]:
            continue
        sources = sources_of(loaded.program.main)
        places = places_of(sources)
        allowed = {key: known(flow, places) for passed in sources.passed.values() for key, flow in passed.items()}
        for turn in range(3):
            service = Marking(random.Random(seed * 10 + turn))
            plan, _ = bind(loaded.program, {"a": service, "b": service}, inputs={"t": "<input:t>"})
            assert plan is not None, text
            asyncio.run(execute(plan, seed=seed))
            for place, marks in service.got:
                seen += len(marks)
                assert marks <= allowed[place], (place, text)
    assert seen > 200
