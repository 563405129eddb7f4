"""Scripts for the tests of the script reader: every form of the language, in our own words."""

from __future__ import annotations

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax import Fence, parse_script
from prose_runtime.syntax.nodes import Script


def parse(text: str, *, before: str = "", after: str = "", indent: int = 0) -> tuple[Script, list[Diagnostic]]:
    """Read `text` as a fence that stands between `before` and `after` in a file."""
    source = SourceText("sample.prose.md", before + text + after)
    content = Span(len(before), len(before) + len(text))
    return parse_script(source, Fence(Span(0, len(source.text)), "prose", content, indent))


def clean(text: str) -> Script:
    """The script of a text without mistakes."""
    script, found = parse(text)
    assert [str(item) for item in found] == []
    return script


def places(text: str, *, before: str = "") -> list[tuple[int, int, str]]:
    """Line, column and code of every message about a text."""
    _, found = parse(text, before=before)
    spots = [(item, item.source.position(item.labels[0].span.start)) for item in found]
    return [(spot.line, spot.column, item.code) for item, spot in spots]


FORMS: dict[str, str] = {
    "use": """\
use "std/notes/keeper" as keeper
use "std/notes/plain"
""",
    "agent": r'''
agent scout:
  model: fast
  persist: true
  prompt: """
  Look around in {area}.
  Say "what" you saw, and \{quote\} braces.
  """
  skills: ["maps", "compass",]
  shape:
    self: ["look"]
    prohibited: ["touch"]
''',
    "block": """\
block mend(part, rounds):
  repeat rounds as n:
    part = call fixer part: part n: n
  return part

block nothing:
  return
""",
    "let": """\
let best
let { left, right } = call splitter
  whole: whole
const limit = 3
let a.b = 1
a["key"] = -2
x[i] = v
""",
    "arithmetic": """\
let neg = a - 1 + -b * 2 / 4 % 3 - -1
""",
    "logic": """\
let flag = not a and (b or c) and x >= 3 and y != "no"
let many = xs or [y]
""",
    "conditional": """\
let pick = if flag then "yes" else "no"
let nested = if a then if b then 1 else 2 else 3
if a then b else { c: 1 }
""",
    "access": """\
let n1 = xs.length + len(xs) + xs[0].score + max(1, 2) + read_notes("self")[0].in
""",
    "object": """\
let obj = {
  a, b
  c: { d: 1, e: [1, 2,
    3], }
  "odd key": "text: with colon"
  f: call writer
    topic: topic
  g: xs   # a comment
  h
}
""",
    "inline properties": """\
call critic draft: draft
call critic draft: draft, score: 3
call critic draft: draft score: 3
""",
    "positional": """\
call f(a, b)
call f (a)
call "std/thing"(a)
""",
    "with": """\
call name with {
  a: a,
  b,
}
let { one } = call pair with { a: [1] }
call name with { a }
""",
    "gate": """\
let answer = gate { question: "Publish?" }
gate
  question: "Go on?"
gate question: "Now?"
""",
    "session": """\
let s1 = session "Sum up {topic.name}"
  model: fast
let s2 = session: scout
  prompt: "x"
let s3 = session first: scout
let s4 = session extract(subject, 1)
session
  prompt: "bare"
let s5 = resume: scout
  context: { s1, s2 }
""",
    "do": """\
do mend(draft, 2)
let m = do mend(draft, 2)
let d = do:
  let y = 1
  y
do:
  call a
""",
    "record": """\
record { a: 1, b } in log
append a.b to xs
append xs a.b
append xs [1]
add 3 to xs
append xs (-1)
""",
    "repeat": """\
repeat 3:
  break
repeat cfg.rounds as i:
  continue
repeat n: call worker
""",
    "for": """\
for x in xs: call worker item: x
for x, i in xs:
  call worker
    item: x
    index: i
for each x in xs.items:
  x
for key, value in { a: 1 }:
  key
for each in xs:
  each
""",
    "parallel for": """\
parallel for x in xs:
  call worker
    item: x
parallel for x, i in xs ("any", count: 2, on-fail: "ignore"):
  call worker item: x
parallel repeat n:
  call worker
""",
    "parallel": """\
parallel:
  let p = call a
  call b
parallel ("first"):
  let q = call a
  let r = call b
parallel (on-fail: "continue"):
  call a
parallel ("any", count: 2, on-fail: "continue", odd: 1):
  call a
""",
    "loop": """\
loop:
  break
loop (max: 20):
  call next
loop until all tests pass (max: 5):
  call tester
loop while more pages remain (max: 50) as page:
  call reader
loop until score >= 0.9 (max: f((a + 1), 2)) as n:
  call tester
loop up to limit as n:
  call tester
loop for each x in xs (max: 9) as n:
  call tester
""",
    "loops as values": """\
let rs = parallel for x in xs:
  return call worker
    item: x
let ts = repeat 3:
  call worker
return do:
  call worker
""",
    "loops in lists": """\
record {
  t: do:
    call a
} in log
parallel for x in [
  do:
    call a
] ("any", count: 1):
  call b
let all = [
  repeat 2:
    call worker
  parallel for x in xs:
    call worker
      item: x
  7,
  "end"
]
let short = [for x in xs: x.name, 3]
""",
    "properties": """\
call consumer
  list: repeat 3:
    call worker
  made: if a then b else c
  actuals: {
    a: a
    b: b
  }
  more: 1
  call: x
  if: y
  in: z
""",
    "if": """\
if review has critical issues:
  call a
elif review is "a: b" or x in (c: d):
  call b
else:
  call c
""",
    "inline bodies": """\
if a: break
elif b: x = 1
else: x = 2
for x in xs: if x.bad: continue
try: call a
catch: throw
""",
    "marked": """\
if **the text: it says no** (really):
  call a
if ***
  several lines
  of text
***:
  call a
if **a is good** and not b: call a
""",
    "condition over lines": """\
if the first part holds
    and the second part holds:
  call a
loop until one thing
    and another (max: 3) as n:
  call a
""",
    "choice": """\
choice best way out:
  option "retry":
    call a
  option "stop": throw "stopped"
""",
    "try": """\
try:
  call a
catch as err:
  throw
finally:
  call b
try:
  call a
catch:
  throw err
throw { error: "bad", why: a.b }
""",
    "pipeline": """\
let piped = articles
  | filter:
      call relevant
        article: item
  | map:
      item.name
  | reduce(acc, item):
      acc + item
let piped2 = call lister topic: t
  | pmap: item.name
let piped3 = xs | filter: item.ok | map: item.name
let piped4 = call lister
  topic: topic
  | map: item
let piped5 = xs | filter:
    item.ok
  | map: item
""",
    "names that look like keywords": """\
record = 1
option = record + add
let session = gate
return { session, gate, record: call }
x = option.in + a.if
""",
    "texts": r'''
let a = "tab\t quote\" brace\{x} {} {not one} {a.b-c}"
let b = """two
lines "quoted" \n"""
let c = ""
let d = """"""
''',
    "hyphens": """\
let a-b = call long-name
  some-key: x-1
let c = a-b - 1
""",
    "comments": """\
# first
let a = 1  # after

   # odd place
if a:  # here
  # and here
  call b
# last
""",
}
