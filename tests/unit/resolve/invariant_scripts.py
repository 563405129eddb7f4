"""Random scripts around the shapes that proofs of invariants look for, now and then broken."""

from __future__ import annotations

import random
import re

HEAD = """---
name: example
kind: pattern
---

### Slots

- `a`
- `b`
- `many`

### Config

- `n` (integer, default: 2): how many
- `secret` (string, default: "<secret>"): a mark

### Parameters

- `xs` (any[]): some
- `t` (string): a mark
- `many` (string[]): several

### Invariants

{sentences}

### Delegation

```prose
{script}
```
"""


class Scripts:
    """`more`, where it stands: the names of the loops around, which may be passed on, too."""

    def __init__(self, luck: random.Random) -> None:
        self.luck = luck
        self.fresh = 0
        self.has_block = False
        self.collected: list[str] = []

    def script(self) -> str:
        """A whole script."""
        pick = self.luck.choice
        head = f"let x = {pick(['null', 't', 'secret'])}\nlet y = {pick(['null', 'secret'])}"
        head += f"\nlet history = {pick(['[]', '[]', '[t]'])}"
        if pick([0, 0, 1]):
            head += f"\nblock some(k):\n{self.body(1, '  ', ('k', 'k'))}"
            self.has_block = True
        statements = []
        for _ in range(self.luck.randint(1, 4)):
            statements.append(self.statement(3, "", ()))
            if pick([0, 0, 1]):
                statements.append(self.gathered())
        return "\n".join([head, *statements])

    def values(self, more: tuple[str, ...]) -> str:
        plain = self.luck.choice(["x", "y", "xs", "t", "secret", "history", "n", *self.collected, *more, *more, *more])
        part = "v.k" if "v" in more else plain
        return self.luck.choice([plain] * 6 + [part, f"[{plain}]", f"{{ k: {plain} }}", f'"of {{{plain}}}"'])

    def call(self, who: str, more: tuple[str, ...], indent: str) -> str:
        keys = self.luck.sample(["x", "y", "xs", "t", "history"], self.luck.randint(0, 3))
        own = {"xs": "xs", "t": "t", "history": "history"}
        lines = []
        for key in sorted(keys):
            value = own[key] if key == "history" or (key in own and self.luck.random() < 0.8) else self.values(more)
            lines.append(f"\n{indent}  {key}: {value}")
        return f"call {who}{''.join(lines)}"

    def body(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        return "\n".join(self.statement(depth, indent, more) for _ in range(self.luck.randint(1, 2)))

    def gathered(self) -> str:
        """A name of its own for the answers of a loop."""
        self.fresh += 1
        name, pick = f"z{self.fresh}", self.luck.choice
        kind = pick(["parallel for v in xs", "for v in xs", "repeat n", "parallel repeat n"])
        last = self.call(pick("aaab"), ("v",) if "for v" in kind else (), "  ")
        script = f"let {name} = {kind}:\n  {last}"
        self.collected.append(name)
        if pick([0, 1]):
            script += f"\ncall {pick('abb')}\n  x: {name}"
        return script

    def statement(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        pick = self.luck.choice
        plain = [self.called, self.called, self.bound, self.bound, self.recorded, self.put]
        deep = [self.asked, self.judged, self.left, self.repeated, self.walked, self.walked, self.beside, self.collects]
        deep += [
            self.raced,
            self.tried,
            self.ended,
            self.parallel,
            self.looped,
            self.chosen,
            *([self.done] if self.has_block else []),
        ]
        return pick(plain + deep if depth else plain)(depth, indent, more)

    # ---- statements ----

    def called(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        who = self.luck.choice([*"ab", *(name for name in more if name == "m")])
        return f"{indent}{self.call(who, more, indent)}"

    def bound(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        who = self.luck.choice([*"ab", *(name for name in more if name == "m")])
        return f"{indent}{self.luck.choice('xy')} = {self.call(who, more, indent)}"

    def recorded(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        return f"{indent}record {self.values(more)} in history"

    def put(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        line = f"{self.luck.choice('xy')} = {self.luck.choice(['x', 'y', 't', 'secret'])}"
        return indent + self.luck.choice([line, line, "history = []", "history = history"])

    def asked(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        pick, inner = self.luck.choice, indent + "  "
        other = f"\n{indent}else:\n{self.body(depth - 1, inner, more)}" if pick([0, 1]) else ""
        return f"{indent}if {pick(['n > 1', 'x is empty'])}:\n{self.body(depth - 1, inner, more)}{other}"

    def judged(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        pick, inner = self.luck.choice, indent + "  "
        word = pick(["explicitly approves", "explicitly approves", "does not explicitly approve"])
        name = pick("xy")
        before = f"{indent}{name} = {self.call(pick('aab'), more, indent)}\n" if pick([0, 1]) else ""
        return f"{before}{indent}if {name} {word}:\n{self.body(depth - 1, inner, more)}"

    def left(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        pick, inner = self.luck.choice, indent + "  "
        leave = pick(["return x", 'throw { name: "bad" }'])
        head = f"{indent}if {pick(['n > 1', 'y explicitly approves', 'x does not explicitly approve'])}:"
        return f"{head}\n{self.body(0, inner, more)}\n{inner}{leave}"

    def repeated(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        count = self.luck.choice(["n", "n", "n + 1", "2"])
        return f"{indent}repeat {count} as i:\n{self.body(depth - 1, indent + '  ', (*more, 'i'))}"

    def walked(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        over, item = self.luck.choice([("v in xs", "v"), ("m in many", "m"), ("m in many", "m")])
        return f"{indent}for {over}:\n{self.body(depth - 1, indent + '  ', (*more, item, item))}"

    def beside(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        over, item = self.luck.choice([("v in xs", "v"), ("m in many", "m")])
        bound = self.body(depth - 1, indent + "  ", (*more, item, item))
        bound = re.sub(r"(?m)^( *)(x|y|history) =", r"\1let \2 =", bound)
        return f"{indent}parallel for {over}:\n{bound}"

    def collects(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        pick, inner = self.luck.choice, indent + "  "
        kind = pick(["parallel for v in xs", "for v in xs", "repeat n", "parallel repeat n"])
        last = pick([self.call("a", (*more, "v"), inner), f"return {self.call('a', more, inner)}"])
        last = last if "for v" in kind else last.replace(": v", ": t")
        return f"{indent}{pick('xy')} = {kind}:\n{inner}{last}"

    def raced(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        return f'{indent}x = parallel for m in many ("first"):\n{indent}  {self.call("m", more, indent + "  ")}'

    def tried(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        inner = indent + "  "
        return f"{indent}try:\n{self.body(depth - 1, inner, more)}\n{indent}catch:\n{self.body(0, inner, more)}"

    def ended(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        """Rounds with a way out, which may be one of a loop in them."""
        inner, leave = indent + "  ", self.luck.choice(["return x", "break", "continue"])
        last = f"{inner}if x is present:\n{inner}  {leave}"
        if self.luck.random() < 0.2:
            last = f"{inner}repeat 2:\n{inner}  if x is present:\n{inner}    {leave}"
        return f"{indent}repeat n:\n{self.body(0, inner, more)}\n{last}"

    def parallel(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        inner = indent + "  "
        names = self.luck.sample(["x", "y"], 2)
        lines = [f"{inner}{name} = {self.call(self.luck.choice('ab'), more, inner)}" for name in names]
        return "\n".join([f"{indent}parallel:", *lines])

    def looped(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        head = self.luck.choice(
            ["loop until x is present (max: n)", "loop until y explicitly approves (max: 2)", "loop (max: n)"]
        )
        return f"{indent}{head}:\n{self.body(depth - 1, indent + '  ', more)}"

    def done(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        return f"{indent}do some({self.luck.choice(['x', 't', 'history', *more])})"

    def chosen(self, depth: int, indent: str, more: tuple[str, ...]) -> str:
        who, other = self.luck.choice(["ab", "ba"])
        test = self.luck.choice(["n > 1", "y explicitly approves"])
        return f"{indent}x = if {test} then call {who} else call {other}"
