"""docs/services.md is run: its files are written to a folder and its commands are run there, in the page's order."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from pages import DOCS, ROOT, Block, Row, blocks, code, tables

from prose_runtime.runtime.port import Call
from prose_runtime.services import service_from

PAGE = DOCS / "services.md"
BLOCKS = blocks(PAGE)


def _file_of(block: Block) -> str | None:
    """The name in bold above a fence, which says that it is a file."""
    above = PAGE.read_text(encoding="utf-8").splitlines()[: block.line - 1]
    named = re.fullmatch(r"\*\*`([\w.-]+)`\*\*", next((line for line in reversed(above) if line), ""))
    return named[1] if named else None


def _write(block: Block, folder: Path) -> None:
    name = _file_of(block)
    if name is not None:
        (folder / name).write_text(block.text, encoding="utf-8")
        (folder / name).chmod(0o755 if block.text.startswith("#!") else 0o644)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """All files of the page but the project's, which has a say in every later run."""
    for block in BLOCKS:
        if _file_of(block) != "prose.toml":
            _write(block, tmp_path)
    return tmp_path


def _sessions(block: Block) -> list[tuple[str, str]]:
    """Each command of a block with what it shows."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def _run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "XDG_CONFIG_HOME": str(folder / ".config")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def test_the_commands_show_what_the_page_shows(folder: Path) -> None:
    for block in BLOCKS:
        _write(block, folder)
        for command, shown in _sessions(block) if block.language == "console" else []:
            words = shlex.split(command)
            assert words[0] == "prose"
            done = _run(["-m", "prose_runtime", *words[1:]], folder)
            said = done.stderr if done.returncode else done.stdout
            lines = [
                ".*".join(map(re.escape, part.split("…"))) for part in re.split(r"^…\n", shown, flags=re.MULTILINE)
            ]
            pattern = "(?s:.*)".join(lines)
            assert re.fullmatch(pattern, said), f"{command}\n{said}"


def test_the_python_examples_run(folder: Path) -> None:
    examples = [block for block in BLOCKS if block.language == "python" and _file_of(block) is None]
    assert len(examples) == 2
    for block in examples:
        done = _run(["-c", block.text], folder)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("row", [pytest.param(row, id=f"line-{row.line}") for row in tables(PAGE, "gate", "text")])
def test_gate(row: Row, folder: Path) -> None:
    gate = service_from(code(row["gate"]), name="gate", base=folder)
    answer = asyncio.run(_asked(gate, code(row["text"])))
    assert answer["passed"] is (row["passed"] == "yes")
    assert bool(answer["issues"]) is not answer["passed"]


async def _asked(gate: object, text: str) -> dict[str, object]:
    try:
        answer = await gate.call(Call("gate", {"text": text}))  # type: ignore[attr-defined]
        return answer.value  # type: ignore[no-any-return]
    finally:
        await gate.close()  # type: ignore[attr-defined]


def test_every_file_is_used() -> None:
    names = [name for block in BLOCKS if (name := _file_of(block))]
    text = PAGE.read_text(encoding="utf-8")
    assert len(names) == 6
    assert all(text.count(name) > 1 for name in names)
