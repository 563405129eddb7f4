"""Where references were found, and which names of the library are hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.api import load
from prose_runtime.resolve.dump import dump_program

PATTERN = """---
name: refine
kind: pattern
---

### Slots

- `who`

### Delegation

```prose
return call who
```
"""

MAIN = """---
name: main
kind: pattern
---

### Slots

- `writer`

### Patterns

```yaml
- name: better
  pattern: {pattern}
  with: {{ who: writer }}
```

### Delegation

```prose
return [call better, call helper]
```
"""

HELPER = "---\nname: {name}\nkind: function\n---\n\n### Execution\n\n```prose\nreturn 1\n```\n"


def codes(path: Path) -> list[str]:
    return [item.code for item in load(path).diagnostics]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "helper.prose.md").write_text(HELPER.format(name="helper"), encoding="utf-8")
    (tmp_path / "refine.prose.md").write_text(PATTERN, encoding="utf-8")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    path = folder / "main.prose.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_program_says_what_was_chosen_and_how(folder: Path) -> None:
    program = load(written(folder, MAIN.format(pattern="./refine"))).program
    unit = dump_program(program)["units"][0]
    assert unit["found"] == {"./refine": "as a path", "helper": "beside this file"}
    (instance,) = unit["instances"]
    assert (instance["found"], instance["slots"]) == ("as a path", {"who": "the slot `writer`"})


def test_a_definition_of_the_file_is_chosen_before_all_others(folder: Path) -> None:
    inline = PATTERN.split("---\n")[2].strip()
    path = written(folder, MAIN.format(pattern="mine") + f"\n## mine\n\n{inline}\n")
    (instance,) = dump_program(load(path).program)["units"][0]["instances"]
    assert (instance["pattern"].rpartition("#")[2], instance["found"]) == ("mine", "in this file")


def test_a_file_that_hides_one_of_the_library_is_warned_of(folder: Path) -> None:
    assert codes(written(folder, MAIN.format(pattern="refine"))) == ["hides-standard"]
    assert codes(written(folder, MAIN.format(pattern="./refine"))) == []


def test_functions_hide_functions_and_patterns_hide_patterns(folder: Path) -> None:
    (folder / "critic.prose.md").write_text(HELPER.format(name="critic"), encoding="utf-8")
    (folder / "guard.prose.md").write_text(HELPER.format(name="guard"), encoding="utf-8")
    text = MAIN.format(pattern="./refine")
    assert codes(written(folder, text.replace("call helper", "call critic"))) == ["hides-standard"]
    assert codes(written(folder, text.replace("call helper", "call guard"))) == []


def test_a_function_of_the_file_hides_nothing(folder: Path) -> None:
    text = MAIN.format(pattern="./refine").replace("call helper", "call critic")
    assert codes(written(folder, text + "\n## critic\n\n### Execution\n\n```prose\nreturn 1\n```\n")) == []


def test_an_older_path_of_the_library_is_mended(folder: Path) -> None:
    text = MAIN.format(pattern="std/controls/refine").replace("who: writer", "refiner: writer, evaluator: writer")
    text = text.replace("call better", 'call better with { task_brief: "a" }')
    (item,) = load(written(folder, text)).diagnostics
    (edit,) = item.fixes[0].edits
    assert (item.code, text[edit.span.start : edit.span.end], edit.replacement) == (
        "retired-path",
        "std/controls/refine",
        "std/patterns/refine",
    )


def test_the_subject_of_a_test_is_checked(folder: Path) -> None:
    test = "---\nname: t\nkind: test\nsubject: {subject}\n---\n\n### Expects\n\n- `x`: is 1\n"
    path = folder / "t.prose.md"
    for subject, expected in (
        ("helper", []),
        ("./helper", []),
        ("helpr", ["unknown-subject"]),
        ("./broken", ["unknown-name"]),
    ):
        (folder / "broken.prose.md").write_text(HELPER.format(name="broken").replace("return 1", "return x"), "utf-8")
        path.write_text(test.format(subject=subject), encoding="utf-8")
        assert codes(path) == expected, subject
