"""A run on disk: OpenProse's layout and markers, for its owner alone, and nothing that data could forge."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prose_runtime import load, run
from prose_runtime.reports.folder import LONGEST, FolderInUse, Names, RunFolder
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
    assert (tmp_path / "run" / "bindings" / "notes" / "text.md").read_text() == "wet\n"
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
    bindings = tmp_path / "run" / "bindings" / "notes"
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


def test_secrets_are_masked_in_what_definitions_return(tmp_path: Path) -> None:
    text = NESTED.replace('return { note: "n", more: 2, other: 3 }', "return { note: topic, more: 2 }")
    program = load(text).program
    services = {"writer": ScriptedService(["w"]), "model": ScriptedService([{"note": "m"}])}
    plan, _ = bind(program, services, inputs={"topic": "open-sesame"})
    assert plan is not None
    asyncio.run(execute(plan, subscribers=(RunFolder(tmp_path, program, mask=Masker({"KEY": "open-sesame"}).mask),)))
    assert (tmp_path / "bindings" / "inner" / "note.md").read_text() == "[secret KEY]\n"


def test_variables_that_a_definition_declares_are_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_KEY", "open-sesame")
    text = NESTED.replace(
        "### Returns\n\n- `text`: it", "### Environment\n\n- `NOTES_KEY`: it\n\n### Returns\n\n- `text`: it"
    )
    bindings = {"writer": lambda note: f"{note} open-sesame", "model": ScriptedService([{"note": "m"}])}
    run(text, bind=bindings, inputs={"topic": "open-sesame"}, record=tmp_path / "run")
    written = files_in(tmp_path / "run")
    assert written["bindings/outer/text.md"] == "m [secret NOTES_KEY]\n"
    assert not any("sesame" in text for text in written.values())


def test_a_slot_of_the_run_s_own_name_publishes_nothing(tmp_path: Path) -> None:
    """Also not where the run fails later, so that nothing of it was published."""
    text = TEXT.format(script='let a = call notes\nthrow "no"', returns="- `text`: it").replace("`writer`", "`notes`")
    run(text, bind={"notes": lambda: "wet"}, inputs={"topic": "x"}, record=tmp_path / "run")
    assert set(files_in(tmp_path / "run")) == {"root.prose.md", "vm.log.md", "result.json"}


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


NESTED = """---
name: outer
kind: pattern
---

### Slots

- `writer`

### Parameters

- `topic` (string): it

### Returns

- `text`: it

### Delegation

```prose
let a = call inner
  topic: topic
let b = call Inner
let c = call writer
  note: b
return c
```

## inner

### Parameters

- `topic` (string): it

### Returns

- `note`: it
- `more` (integer): it

### Execution

```prose
return { note: "n", more: 2, other: 3 }
```

## Inner

### Returns

- `note`: it
"""


def files_in(folder: Path) -> dict[str, str]:
    """The files in a folder by their paths."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_what_definitions_return_is_there_while_it_runs(tmp_path: Path) -> None:
    """Each in a folder of its own, also on disks that do not tell `inner` from `Inner`."""
    seen: dict[str, str] = {}

    def write(note: str) -> str:
        seen.update(files_in(tmp_path / "run"))
        return note

    model = ScriptedService([{"note": "m"}])
    run(NESTED, bind={"writer": write, "model": model}, inputs={"topic": "x"}, record=tmp_path / "run")
    published = {"bindings/inner/note.md": "n\n", "bindings/inner/more.md": "2\n", "bindings/Inner-2/note.md": "m\n"}
    trace = seen.pop("vm.log.md")
    assert seen == {"root.prose.md": NESTED, **published}
    assert trace.endswith("\n2→ inner ✓ rendered\n3→ Inner ✓ rendered\n")
    after = files_in(tmp_path / "run")
    assert set(after) - set(seen) == {"vm.log.md", "result.json", "bindings/outer/text.md"}
    assert after["vm.log.md"].startswith(trace)


def test_a_killed_run_leaves_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "outer.prose.md").write_text(NESTED)
    (tmp_path / "s.py").write_text(
        "import os\n\ndef write(note):\n    os._exit(9)\n\ndef model():\n    return {'note': 'm'}\n"
    )
    words = ["run", "outer.prose.md", "--bind", "writer=py:./s.py:write", "--bind", "model=py:./s.py:model"]
    command = [sys.executable, "-m", "prose_runtime", *words, "--input=topic=x", "--record", "run"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert ran.returncode == 9, ran.stderr
    left = files_in(tmp_path / "run")
    assert set(left) == {
        "root.prose.md",
        "vm.log.md",
        "bindings/inner/note.md",
        "bindings/inner/more.md",
        "bindings/Inner-2/note.md",
    }
    assert left["vm.log.md"].endswith("3→ Inner ✓ rendered\n")


def test_a_disk_that_fails_is_a_warning(tmp_path: Path) -> None:
    def write(note: str) -> str:
        shutil.rmtree(tmp_path / "run")
        return note

    model = ScriptedService([{"note": "m"}])
    outcome = run(NESTED, bind={"writer": write, "model": model}, inputs={"topic": "x"}, record=tmp_path / "run")
    assert (outcome.status, outcome.result) == ("done", "m")
    messages = [warning.message for warning in outcome.warnings if warning.code == "subscriber-failed"]
    assert len(messages) == 2
    assert messages[1].startswith(f"the record in {tmp_path / 'run'} is not whole: ")


def test_a_record_in_code_is_refused_for_a_folder_that_is_used(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(FileExistsError):
        run(
            NESTED,
            bind={"writer": ScriptedService([]), "model": ScriptedService([])},
            inputs={"topic": "x"},
            record=tmp_path,
        )
    assert files_in(tmp_path) == {"mine": "x"}


def test_an_empty_folder_becomes_its_owner_s_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    RunFolder(tmp_path, load(NESTED).program)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_files_are_kept_byte_for_byte(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + NESTED.replace("\n", "\r\n").encode()
    (tmp_path / "outer.prose.md").write_bytes(data)
    RunFolder(tmp_path / "run", load(tmp_path / "outer.prose.md").program)
    assert (tmp_path / "run" / "root.prose.md").read_bytes() == data


def test_texts_that_no_file_can_hold_are_written_out(tmp_path: Path) -> None:
    record(tmp_path, "return call writer", [{"error": "odd", "message": "a\ud800b"}])
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["error"]["message"] == "a\ud800b"


@pytest.mark.parametrize(
    ("names", "files"),
    [
        (["../../x", "/etc/passwd", "..", "", ".hidden"], ["x", "etc-passwd", "value", "value-2", "hidden"]),
        (["a/b", "a-b", "A-B", "a-b-2"], ["a-b", "a-b-2", "A-B-3", "a-b-2-2"]),
        (["A", "a"], ["A", "a-2"]),
        (["a\x00b\nc", "naïve", "C:\\x"], ["a-b-c", "naïve", "C-x"]),
        (["é" * 300], ["é" * (LONGEST // 2)]),
    ],
)
def test_names_stay_in_their_folder_and_apart(names: list[str], files: list[str]) -> None:
    of = Names()
    assert [of.of(name) for name in names] == files
    assert [of.of(name) for name in names] == files
