"""Reading the pages of docs/: fenced blocks, tables and the sentences that say what an example gives."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^(?P<marks>`{3,}|~{3,})(?P<language>\w*)\n(?P<text>.*?)^(?P=marks)$\n?", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^\|(.+)\|[ \t]*$")
_CELL = re.compile(r"(?<!\\)\|")
_CLOSING = re.compile(r"(?<=\.)\s+(?=(?:Gives|Fails|Refused|Warns|Reported|Ends|Makes) |`)")


@dataclass(frozen=True)
class Block:
    """A fence: its first line, its language, its text, and the paragraph that directly follows it."""

    line: int
    language: str
    text: str
    after: str

    @property
    def sentences(self) -> list[str]:
        """The paragraph under the fence, taken apart."""
        return _CLOSING.split(self.after) if self.after else []


@dataclass(frozen=True)
class Row:
    """A row of a table: cells by the heading of their column."""

    line: int
    cells: dict[str, str]

    def __getitem__(self, heading: str) -> str:
        return self.cells.get(heading, "")


def blocks(page: Path) -> list[Block]:
    """The fences of a page in order; a fence that stands inside another one is part of its text."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        rest = text[match.end() :]
        after = "" if rest.startswith(("\n", "`", "~")) else rest.split("\n\n", 1)[0].split("\n```", 1)[0]
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(line, match["language"], match["text"], " ".join(after.split())))
    return found


def examples(page: Path, language: str) -> Iterator[tuple[Block, str, list[str]]]:
    """The examples of a page: a fence of that language, the `yaml` directly under it, and what both give."""
    every = blocks(page)
    for block, following in zip(every, [*every[1:], None], strict=True):
        if block.language != language:
            continue
        ends = block.line + block.text.count("\n") + 2
        if following is not None and following.language == "yaml" and following.line == ends:
            yield block, following.text, following.sentences
        else:
            yield block, "", block.sentences


def tables(page: Path, *headings: str) -> list[Row]:
    """The rows of all tables whose headings begin with these."""
    found: list[Row] = []
    known: list[str] | None = None
    for number, line in enumerate(_without_fences(page.read_text(encoding="utf-8")).splitlines(), start=1):
        match = _ROW.match(line)
        cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(match[1])] if match else []
        if not cells:
            known = None
        elif known is None:
            known = cells
        elif known[: len(headings)] == list(headings) and not re.fullmatch(r":?-+:?", cells[0]):
            assert len(cells) == len(known), f"line {number}: {len(cells)} cells under {len(known)} headings"
            found.append(Row(number, dict(zip(known, cells, strict=True))))
    return found


def _without_fences(text: str) -> str:
    return _FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)


def code(cell: str) -> str:
    """What stands between the backticks of a cell that is one piece of code."""
    match = re.fullmatch(r"(`+) ?(.*?) ?\1", cell)
    assert match, f"not one piece of code: {cell}"
    return match[2]


# ---- pages whose commands are run ------------------------------------------------------------------------


def file_of(page: Path, block: Block) -> str | None:
    """The name in bold above a fence, which says that it is a file."""
    above = page.read_text(encoding="utf-8").splitlines()[: block.line - 1]
    named = re.fullmatch(r"\*\*`([\w.-]+)`\*\*", next((line for line in reversed(above) if line), ""))
    return named[1] if named else None


def write_file(page: Path, block: Block, folder: Path) -> None:
    """Write a fence that is a file, executable if it begins like a program."""
    name = file_of(page, block)
    if name is not None:
        (folder / name).write_text(block.text, encoding="utf-8")
        (folder / name).chmod(0o755 if block.text.startswith("#!") else 0o644)


def run_python(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """This Python in a folder, with the package on its path and a home of its own for what is kept."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "XDG_CONFIG_HOME": str(folder / ".config")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def hold_commands(page: Path, folder: Path) -> None:
    """Write the files of a page and run its commands, in its order; each must show what stands under it.

    Shown is stdout, or stderr where there is no stdout. A line `…` stands for any lines, `…` in a line for any text.
    """
    for block in blocks(page):
        write_file(page, block, folder)
        parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)[1:] if block.language == "console" else []
        for command, shown in zip(parts[::2], parts[1::2], strict=True):
            words = shlex.split(command)
            assert words[0] == "prose"
            done = run_python(["-m", "prose_runtime", *words[1:]], folder)
            lines = [
                ".*".join(map(re.escape, part.split("…"))) for part in re.split(r"^…\n", shown, flags=re.MULTILINE)
            ]
            said = done.stdout or (done.stderr if done.returncode else "")
            assert re.fullmatch("(?s:.*)".join(lines), said), f"{command}\n{said}"
