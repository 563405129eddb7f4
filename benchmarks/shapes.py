"""Generated patterns of a given number of statements, one shape each: what a large file may be made of."""

from __future__ import annotations

from collections.abc import Callable

from prose_runtime.resolve.invariants import SENTENCES

_HEAD = """\
---
name: generated
kind: pattern
---

### Slots

- `worker`
- `critic`

### Parameters

- `topic` (string): what it is about
- `xs` (any[]): some

### Config

- `n` (integer, default: 3): how many
"""


def pattern(script: str, invariants: str = "") -> str:
    """A whole document with this script."""
    promised = f"\n### Invariants\n\n{invariants}\n" if invariants else ""
    return f"{_HEAD}{promised}\n### Delegation\n\n```prose\n{script}\n```\n"


def _calls(size: int) -> str:
    """Calls one after the other, each given the answer of the one before."""
    each = ("answer = call worker\n  topic: topic\n  before: answer" for _ in range(size - 2))
    return "\n".join(["let answer = null", *each, "return answer"])


def _loops(size: int) -> str:
    """Loops nested five deep, beside each other."""
    each = []
    for number in range(size // 8):
        lines = [f"{'  ' * depth}repeat n as i{number}x{depth}:" for depth in range(5)]
        lines += [f"{'  ' * 5}last = call worker", f"{'  ' * 6}topic: topic", f"{'  ' * 6}last: last"]
        lines += [f"{'  ' * 5}if last.ok:", f"{'  ' * 6}break"]
        each.append("\n".join(lines))
    return "\n".join(["let last = null", *each, "return last"])


def _one_loop(size: int) -> str:
    """One loop whose every name is of the round before."""
    names = [f"a{number}" for number in range(size // 2)]
    begin = [f"let {name} = null" for name in names]
    moved = [f"  {name} = {before}" for name, before in zip(names[1:], names, strict=False)]
    called = [f"  {names[0]} = call worker", f"    last: {names[-1]}"]
    return "\n".join([*begin, "repeat n:", *called, *reversed(moved), f"return {names[-1]}"])


def _names(size: int) -> str:
    """Many names, each read once, all of them given to one call."""
    bound = [f"let name{number} = {number} + n" for number in range(size - 2)]
    passed = [f"  name{number}: name{number}" for number in range(size - 2)]
    return "\n".join([*bound, "let answer = call worker", *passed, "return answer"])


def _objects(size: int) -> str:
    """An object that holds the one before it, again and again."""
    each = (f"held = {{ before: held, answer: answer, at: {number} }}" for number in range(size - 3))
    begin = ["let answer = call worker", "let held = null"]
    return "\n".join([*begin, *each, "return call critic", "  held: held"])


def _branches(size: int) -> str:
    """One `parallel:` with a branch for each statement."""
    each = [f"  b{number} = call worker\n    topic: topic" for number in range(size - 2)]
    given = ", ".join(f"b{number}" for number in range(size - 2))
    return "\n".join(["parallel:", *each, f"return [{given}]"])


def _texts(size: int) -> str:
    """Long texts with names in them."""
    words = "what {topic} is, and what {last} says of it, " * 2
    each = (f'last = "{number} {words}"' for number in range(size - 2))
    return "\n".join(['let last = ""', *each, "return last"])


def _conditions(size: int) -> str:
    """Conditions of several parts one after the other."""
    each = []
    for number in range(size // 2):
        test = f'(count > {number} and answer.score >= 0.5) or topic contains "x{number}" or answer explicitly passes'
        each.append(f"if {test}:\n  count = count + {number}")
    return "\n".join(["let count = 0", "let answer = call worker", *each, "return count"])


def _one_if(size: int) -> str:
    """One `if` with an arm for every two statements."""
    arms = [
        f"{'el' if number else ''}if n == {number}:\n  answer = call worker\n    topic: {number}"
        for number in range(size - 2)
    ]
    return "\n".join(["let answer = null", *arms, "return answer"])


def _one_condition(size: int) -> str:
    """One condition with as many parts."""
    parts = " or ".join(f"n == {number}" for number in range(size))
    return f"if {parts}:\n  return call worker\nreturn null"


def _tries(size: int) -> str:
    """A `try` for every three statements, each of which may leave."""
    each = (
        "try:\n  answer = call worker\n    before: answer\n  if answer.done:\n    return answer\n"
        f"catch as e{number}:\n  answer = e{number}.message"
        for number in range(size // 4)
    )
    return "\n".join(["let answer = null", *each, "return answer"])


def _pipelines(size: int) -> str:
    """Pipelines, each of the one before."""
    each = ("ys = ys | filter(item): item.ok | map(item): { of: item }" for _ in range(size // 3))
    return "\n".join(["let ys = xs", *each, "return ys"])


def _lists(size: int) -> str:
    """A list that grows, statement by statement."""
    each = (f"record {{ at: {number}, said: answer }} in held" for number in range(size - 4))
    return "\n".join(["let held = []", "let answer = call worker", *each, "return call critic", "  held: held"])


def _blocks(size: int) -> str:
    """Blocks, each of which does the one before."""
    each = ["block b0(x):\n  return call worker\n    topic: x"]
    each += [f"block b{number}(x):\n  let y = do b{number - 1}(x)\n  return y" for number in range(1, size // 3)]
    return "\n".join([*each, f"return do b{size // 3 - 1}(topic)"])


def _sentences(size: int) -> str:
    kinds = (
        "Calls of `worker` are bounded by `{n}`",
        "`critic` never receives `topic`",
        "`critic` never sees an answer of `worker`",
        "`worker` runs before `critic`",
        "Every call of `worker` receives the same inputs",
    )
    return "\n".join(
        "- " + kinds[number % len(kinds)].replace("{n}", str(size + number)) for number in range(size // 5)
    )


def _prose(size: int) -> str:
    """Sentences of people in place of invariants."""
    return "\n".join(f"- Sentence {number} is about `topic` and nothing else that matters" for number in range(size))


def _flat(size: int) -> str:
    """Calls that have nothing to do with each other."""
    each = (f"let a{number} = call worker\n  topic: topic" for number in range(size // 2))
    return "\n".join([*each, *(f"a{number} = null" for number in range(size // 2)), "return null"])


def _deep_loops(size: int) -> str:
    """Loops nested twenty deep, beside each other, each of which passes something on."""
    each = []
    for _ in range(max(size // 42, 1)):
        lines = [f"{'  ' * depth}repeat n:\n{'  ' * (depth + 1)}a{depth} = a{depth + 1}" for depth in range(20)]
        lines += [f"{'  ' * 20}a20 = call worker", f"{'  ' * 21}before: a0"]
        each.append("\n".join(lines))
    return "\n".join([*(f"let a{depth} = null" for depth in range(21)), *each, "return a0"])


def _many_names_and_ifs(size: int) -> str:
    """As many names as conditions."""
    each = (f"let a{number} = {number}\nif n > {number}:\n  a{number} = topic" for number in range(size // 3))
    return "\n".join([*each, "return [" + ", ".join(f"a{number}" for number in range(size // 3)) + "]"])


def _many_names_and_loops(size: int) -> str:
    """As many names as loops and tries."""
    each = (
        f"let a{number} = {number}\nrepeat n:\n  try:\n    a{number} = call worker\n  catch:\n    break"
        for number in range(size // 5)
    )
    return "\n".join([*each, "return [" + ", ".join(f"a{number}" for number in range(size // 5)) + "]"])


def _unknown(size: int) -> str:
    """Names that nothing declares, beside names that they nearly are."""
    each = (
        f"let value{number} = {number}\nlet other{number} = valeu{number}x + other{number - 1}"
        for number in range(1, size // 2)
    )
    return "\n".join(["let other0 = 1", *each, "return null"])


def _unused(size: int) -> str:
    """Names that nobody reads."""
    return "\n".join([*(f"let value{number} = {number}" for number in range(size)), "return null"])


def _broken(size: int) -> str:
    """Lines that cannot be read."""
    return "\n".join([*(f"let = = {number}" for number in range(size)), "return null"])


def _misspelt(size: int) -> str:
    """Lines with a keyword misspelt."""
    return "\n".join([*(f"retrun {number}" for number in range(size)), "return null"])


def _ring(size: int) -> str:
    """Blocks that call each other in a ring."""
    count = size // 3
    each = (f"block b{number}(x):\n  let y = do b{(number + 1) % count}(x)\n  return y" for number in range(count))
    return "\n".join([*each, "return do b0(topic)"])


def _one_block(size: int) -> str:
    """One block that is called again and again."""
    each = (f"let a{number} = do once([{number}, topic])" for number in range(size - 4))
    passed = ", ".join(f"a{number}" for number in range(size - 4))
    return "\n".join(["block once(x):\n  return call worker\n    x: x", *each, f"return [{passed}]"])


def _object(size: int) -> str:
    """One object with as many entries, each of which is read."""
    entries = "\n".join(f"  key{number}: {number}," for number in range(size // 2))
    read = "\n".join(f"record held.key{number} in found" for number in range(size // 2))
    return f"let found = []\nlet held = {{\n{entries}\n}}\n{read}\nreturn found"


def _nested_parallels(size: int) -> str:
    """`parallel:` in the branches of `parallel for`."""
    each = (
        f"let r{number} = parallel for x in xs:\n  parallel:\n    a = call worker\n    b = call critic\n  return [a, b]"
        for number in range(size // 5)
    )
    passed = ", ".join(f"r{number}" for number in range(size // 5))
    return "\n".join([*each, f"return [{passed}]"])


def _comments(size: int) -> str:
    """A comment above each statement."""
    return "\n".join([*(f"# {number} " + "word " * 12 + f"\nlet a = {number}" for number in range(size)), "return a"])


def _definitions(size: int) -> str:
    """Functions below the pattern that call each other."""
    own = [
        f"## f{number}\n\n### Parameters\n\n- `x` (string): what\n\n### Returns\n\n- `y` (string): that\n"
        + (f"\n### Execution\n\n```prose\nlet y = call f{number // 2}\n  x: x\nreturn y\n```\n" if number else "")
        for number in range(size // 2)
    ]
    calls = "\n".join(f"let a{number} = call f{number}\n  x: topic" for number in range(size // 2))
    passed = ", ".join(f"a{number}" for number in range(size // 2))
    return pattern(f"{calls}\nreturn [{passed}]") + "\n" + "\n".join(own)


def _declared(size: int) -> str:
    """Slots, inputs and config that are each used once."""
    slots = "\n".join(f"- `s{number}`: does {number}" for number in range(size // 3))
    given = "\n".join(f"- `i{number}` (string): text {number}" for number in range(size // 3))
    config = "\n".join(f"- `c{number}` (integer, default: {number}): number {number}" for number in range(size // 3))
    calls = "\n".join(f"let a{number} = call s{number}\n  x: i{number}\n  y: c{number}" for number in range(size // 3))
    passed = ", ".join(f"a{number}" for number in range(size // 3))
    return (
        f"---\nname: generated\nkind: pattern\n---\n\n### Slots\n\n{slots}\n\n### Parameters\n\n{given}\n\n"
        f"### Config\n\n{config}\n\n### Delegation\n\n```prose\n{calls}\nreturn [{passed}]\n```\n"
    )


def _instances(size: int) -> str:
    """Instances of one pattern, each called once."""
    instances = "\n".join(
        f"- name: p{number}\n  pattern: inner\n  with:\n    helper: worker" for number in range(size // 10)
    )
    calls = "\n".join(f"let a{number} = call p{number}\n  about: topic" for number in range(size // 10))
    passed = ", ".join(f"a{number}" for number in range(size // 10))
    inner = (
        "\n## inner\n\n---\nkind: pattern\n---\n\n### Slots\n\n- `helper`\n\n"
        "### Parameters\n\n- `about` (string): what\n\n"
        "### Delegation\n\n```prose\nreturn call helper\n  about: about\n```\n"
    )
    head = _HEAD + f"\n### Patterns\n\n```yaml\n{instances}\n```\n"
    return f"{head}\n### Delegation\n\n```prose\n{calls}\nreturn [{passed}]\n```\n{inner}"


def _clauses(size: int) -> str:
    """Outputs with a clause each, and the object that holds them."""
    outputs = "\n".join(f"- `o{number}` (integer): at most {number + 1}" for number in range(size // 2))
    entries = "\n".join(f"  o{number}: {number}," for number in range(size // 2))
    return f"{_HEAD}\n### Returns\n\n{outputs}\n\n### Delegation\n\n```prose\nreturn {{\n{entries}\n}}\n```\n"


def _proofs(size: int, sentences: str) -> str:
    """Rounds in which one is asked after another approved, and a list that grows."""
    each = (
        "repeat n as i:\n  let x = call a\n    y: topic\n  if x explicitly approves:\n    let z = call b\n      x: x\n"
        "    record z in history\n  if history is empty:\n    return null"
        for _ in range(size // 7)
    )
    return _HEAD.replace("`worker`", "`a`").replace("`critic`", "`b`") + (
        f"\n### Invariants\n\n{sentences}\n\n### Delegation\n\n```prose\nlet history = []\n"
        + "\n".join(each)
        + "\nreturn history\n```\n"
    )


def _proof(text: str) -> Callable[[int], str]:
    """One sentence about a long script."""
    return lambda size: _proofs(size, f"- {text}")


SHAPES: dict[str, Callable[[int], str]] = {
    "calls": lambda size: pattern(_calls(size)),
    "flat": lambda size: pattern(_flat(size)),
    "loops": lambda size: pattern(_loops(size)),
    "one loop": lambda size: pattern(_one_loop(size)),
    "names": lambda size: pattern(_names(size)),
    "objects": lambda size: pattern(_objects(size)),
    "branches": lambda size: pattern(_branches(size)),
    "texts": lambda size: pattern(_texts(size)),
    "conditions": lambda size: pattern(_conditions(size)),
    "one if": lambda size: pattern(_one_if(size)),
    "one condition": lambda size: pattern(_one_condition(size)),
    "tries": lambda size: pattern(_tries(size)),
    "pipelines": lambda size: pattern(_pipelines(size)),
    "a list": lambda size: pattern(_lists(size)),
    "blocks": lambda size: pattern(_blocks(size)),
    "invariants": lambda size: pattern(_calls(size), _sentences(size)),
    "sentences": lambda size: pattern("return call worker", _prose(size)),
    "deep loops": lambda size: pattern(_deep_loops(size)),
    "names and ifs": lambda size: pattern(_many_names_and_ifs(size)),
    "names and loops": lambda size: pattern(_many_names_and_loops(size)),
    "unknown names": lambda size: pattern(_unknown(size)),
    "unused names": lambda size: pattern(_unused(size)),
    "broken lines": lambda size: pattern(_broken(size)),
    "misspelt lines": lambda size: pattern(_misspelt(size)),
    "a ring": lambda size: pattern(_ring(size)),
    "one block": lambda size: pattern(_one_block(size)),
    "an object": lambda size: pattern(_object(size)),
    "parallels": lambda size: pattern(_nested_parallels(size)),
    "comments": lambda size: pattern(_comments(size)),
    "definitions": _definitions,
    "declarations": _declared,
    "instances": _instances,
    "clauses": _clauses,
    "proofs": lambda size: _proofs(size, "\n".join(f"- {one.written}" for one in SENTENCES)),
}
