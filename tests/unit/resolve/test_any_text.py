"""Bad input never raises: every beginning of a document resolves to something."""

from __future__ import annotations

import pytest
from resolve_samples import pattern, resolved

from prose_runtime.resolve import NoLoader, resolve
from prose_runtime.resolve.dump import render_program
from prose_runtime.source import SourceText
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax import read

SCRIPT = """
use "./helper" as helper
agent reader:
  prompt: "Read."
  persist: true
block polish(text, times):
  let best = text
  repeat times as i:
    try:
      best = call b
        text: best
        round: i
        retry: 2
        backoff: linear
    catch as err:
      if err is timeout: break
      throw
    finally:
      call a
  return best
let { out, why } = call f(1, given)
let ys = parallel for x, i in xs:
  repeat limit:
    let z = call a x: x
    return { z, i: i + 1, note: "{given} {x.name}" }
parallel ("any", count: 1, on-fail: "continue"):
  let p = session: reader
    prompt: given
  let q = resume: reader
loop until p is good (max: 3) as round:
  record [p, q[0]] in ys
choice best way out:
  option "one":
    return ys
  option "two":
    throw { error: "no-way", at: len(ys) }
let kept = ys
  | filter:
      item.z
  | reduce(all, one):
      do polish(one, 2)
return if kept then kept else gate { question: "Go on?" }
"""


def test_every_beginning_of_a_document() -> None:
    text = pattern(SCRIPT, more="## f\n\n### Parameters\n\n- `n`: a number\n- `t`: a text\n")
    for end in range(0, len(text) + 1, 3):
        document, _ = read(SourceText("subject.prose.md", text[:end]))
        program, found = resolve(document, NoLoader(), portable=True)
        assert render_program(program)
        assert all(item.labels[0].span.end <= len(text) for item in found)


@pytest.mark.parametrize("name", ["polish", "refine", "retry-with-learning", "worker-critic"])
def test_a_file_that_is_cut_off_gives_few_messages(name: str) -> None:
    """Not one for each thing that the missing part would have used."""
    text = (shipped("std") / "patterns" / f"{name}.prose.md").read_text(encoding="utf-8")
    for end in range(0, len(text), 11):
        _, found = resolved(text[:end])
        assert len(found) <= 5, (end, [str(item) for item in found])
