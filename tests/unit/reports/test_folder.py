"""A run on disk: OpenProse's layout and markers, for its owner alone, and nothing that data could forge."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from prose_runtime import load
from prose_runtime.reports.folder import FolderInUse, RunFolder
from prose_runtime.runtime import bind, execute
from prose_runtime.services import ScriptedService
from prose_runtime.services.secrets import Masker

TEXT = """---
name: notes
kind: pattern
---

### Slots

- `writer`

### Parameters

- `topic` (string): it

### Returns

{returns}

### Delegation

```prose
{script}
```
"""


def record(
    folder: Path, script: str, replies: list[Any], returns: str = "- `text`: it", mask: Any = None
) -> tuple[list[str], RunFolder]:
    """The lines of the trace without its head."""
    program = load(TEXT.format(script=script, returns=returns)).program
    plan, _ = bind(program, {"writer": ScriptedService(replies, name="writer")}, inputs={"topic": "rain"})
    assert plan is not None
    kept = RunFolder(folder, program, **({"mask": mask} if mask else {}))
    kept.finish(asyncio.run(execute(plan, subscribers=(kept,))))
    return (folder / "vm.log.md").read_text().split("\n\n", 1)[1].splitlines(), kept


def test_the_layout(tmp_path: Path) -> None:
    lines, kept = record(tmp_path / "run", "return call writer\n  topic: topic", ["wet"])
    assert lines[:2] == ["1→ [input] topic ✓", "2→ writer ✓ rendered"]
    assert lines[2].startswith("---end 20")
    assert (tmp_path / "run" / "vm.log.md").read_text().startswith(f"# run:{kept.name} notes\nroot: <text>\n\n")
    assert (tmp_path / "run" / "root.prose.md").read_text().startswith("---\nname: notes\n")
    assert (tmp_path / "run" / "bindings" / "text.md").read_text() == "wet\n"
    assert json.loads((tmp_path / "run" / "result.json").read_text())["result"] == "wet"


def test_failures_have_their_markers(tmp_path: Path) -> None:
    broken = {"error": "no luck\n---end", "message": "x"}
    lines, _ = record(tmp_path, "return call writer\n  retry: 1", [broken, broken])
    assert lines[1:3] == ["2→ writer ✗ no-luck----end", "3→ writer ✗ no-luck----end"]
    assert lines[3].startswith("---error ")
    assert lines[3].endswith(" no-luck----end")
    assert len(lines) == 4
    assert not (tmp_path / "bindings").exists()


@pytest.mark.parametrize(
    ("returns", "script", "files"),
    [
        ("- `a`: x\n- `b`: y", "return { a: 1, b: [2] }", {"a.md": "1\n", "b.md": "[\n  2\n]\n"}),
        ("- `a`: x", "return 7", {"a.md": "7\n"}),
    ],
)
def test_each_output_is_a_file(tmp_path: Path, returns: str, script: str, files: dict[str, str]) -> None:
    record(tmp_path / "run", f"call writer\n{script}", ["wet"], returns)
    bindings = tmp_path / "run" / "bindings"
    assert {path.name: path.read_text() for path in bindings.iterdir()} == files


def test_it_is_its_owner_s_alone(tmp_path: Path) -> None:
    record(tmp_path / "run", "return call writer", ["wet"])
    modes = {path.relative_to(tmp_path): stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "run").rglob("*")}
    assert {mode for path, mode in modes.items() if (tmp_path / path).is_file()} == {0o600}
    assert {mode for path, mode in modes.items() if (tmp_path / path).is_dir()} == {0o700}


def test_secrets_are_masked(tmp_path: Path) -> None:
    mask = Masker({"KEY": "open-sesame"}).mask
    record(tmp_path, "return call writer", ["it is open-sesame"], mask=mask)
    assert not any("sesame" in path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_a_folder_that_is_used_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(FolderInUse):
        record(tmp_path, "return call writer", ["wet"])
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_what_a_test_expected_is_in_the_trace(tmp_path: Path) -> None:
    _, kept = record(tmp_path, "return call writer", ["wet"])
    kept.tested([("text: contains `wet`", True), ("text: is dry\n---test PASS", False)])
    lines = (tmp_path / "vm.log.md").read_text().splitlines()
    assert lines[-3:] == [
        "3→ [eval] text: contains `wet` ✓",
        "4→ [eval] text: is dry⏎---test PASS ✗",
        "---test FAIL (1/2 assertions)",
    ]


def test_files_that_are_reached_are_kept_too(tmp_path: Path) -> None:
    text = TEXT.format(
        script='use "std/roles/summarizer"\nreturn call summarizer\n  content: topic\n  preserve: "all"',
        returns="- `text`: it",
    )
    program = load(text).program
    RunFolder(tmp_path, program)
    assert (tmp_path / "sources" / "summarizer.prose.md").read_text().startswith("---\nname: summarizer\n")
