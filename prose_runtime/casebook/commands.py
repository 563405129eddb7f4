"""Cases of the command line: files, one command, and what it must write and end with.

In: the text of a `kind: test` document with a `### Command`. Out: a `CommandCase`, and where a command ends otherwise.
The command itself is run by whoever gives a `Runner`: a case may name programs, so nothing of it is run unasked.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from prose_runtime.casebook.blocks import Unreadable, read_yaml
from prose_runtime.casebook.matching import differences, shown
from prose_runtime.casebook.problem import Problem
from prose_runtime.source import SourceText
from prose_runtime.syntax.document import Document, FencedText, Section

KEYS = ("exit", "stdout", "stderr", "stdout json", "stdout without", "stderr without", "files")
_FILE = re.compile(r"^[ \t]*[`~]{3,}[ \t]*\S+[ \t]+(\S+)[ \t]*$", re.MULTILINE)
_STDIN = "stdin"


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended: its exit status, and what it wrote."""

    status: int
    stdout: str
    stderr: str


Runner = Callable[[list[str], str, Path], Ran]
"""Runs the words after `prose` with a text as stdin in a folder."""


@dataclass(frozen=True, slots=True)
class CommandCase:
    """`words` are run in a new folder with `files`; `expected` is the mapping of `### Expects`."""

    name: str
    words: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""
    expected: Mapping[str, Any] = field(default_factory=dict)


def command_case(source: SourceText, document: Document) -> CommandCase | None:
    """The case, if the document has a `### Command`. Raises `Unreadable`."""
    sections = {section.key: section for section in document.main.sections}
    command = sections.get("command")
    if command is None:
        return None
    files = _files(source, sections.get("files"))
    return CommandCase(
        name=document.main.name,
        words=_words(source, command),
        stdin=files.pop(_STDIN, ""),
        files=files,
        expected=_expected(source, sections.get("expects")),
    )


def _words(source: SourceText, section: Section) -> tuple[str, ...]:
    line = source.position(section.heading.start).line
    lines = [text for fence in section.fences for text in fence.text.replace("\\\n", " ").splitlines() if text.strip()]
    if len(lines) != 1 or not lines[0].startswith("$ prose"):
        raise Unreadable("### Command takes a `console` block with one line `$ prose …`", line)
    try:
        return tuple(shlex.split(lines[0])[2:])
    except ValueError as error:
        raise Unreadable(f"### Command: {error}", line) from None


def _files(source: SourceText, section: Section | None) -> dict[str, str]:
    """The blocks of `### Files`: the second word after the opening fence is the file's name."""
    found: dict[str, str] = {}
    for fence in section.fences if section is not None else ():
        name = _file_name(source, fence)
        if name in found:
            raise Unreadable(f"### Files holds `{name}` twice", source.position(fence.span.start).line)
        found[name] = fence.text if fence.text.endswith("\n") or not fence.text else fence.text + "\n"
    return found


def _file_name(source: SourceText, fence: FencedText) -> str:
    line = source.position(fence.span.start).line
    named = _FILE.match(source.line(line))
    if named is None:
        raise Unreadable("a block of ### Files names its file after the language: ```yaml replies.yaml", line)
    path = PurePosixPath(named[1])
    if path.is_absolute() or ".." in path.parts:
        raise Unreadable(f"`{named[1]}` leads out of the case's folder", line)
    return named[1]


def _expected(source: SourceText, section: Section | None) -> Mapping[str, Any]:
    fences = section.fences if section is not None else ()
    if len(fences) != 1:
        raise Unreadable("### Expects of a command takes one `yaml` block")
    line = source.position(fences[0].content.start).line
    try:
        value = read_yaml(fences[0].text)
    except Unreadable as error:
        raise Unreadable(error.message, line + error.line) from None
    if not isinstance(value, dict):
        raise Unreadable("### Expects takes a mapping", line)
    unknown = next((key for key in value if key not in KEYS), None)
    if unknown is not None:
        raise Unreadable(f"### Expects of a command knows no {unknown!r}; it knows {', '.join(KEYS)}", line)
    return value


def run_command(case: CommandCase, run: Runner, folder: Path) -> list[Problem]:
    """Run it in `folder`, which is empty, and say where it ends otherwise than expected."""
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    ran = run(list(case.words), case.stdin, folder)
    problems = compare_command(case.expected, ran)
    for name, text in case.expected.get("files", {}).items():
        path = folder / name
        found = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
        problems += differences(text, found, partly=False, at=f"the file {name}")
    return problems


def compare_command(expected: Mapping[str, Any], ran: Ran) -> list[Problem]:
    """The differences as sentences; without `exit`, a command must end with status 0."""
    problems: list[Problem] = []
    status = expected.get("exit", 0)
    if ran.status != status:
        text = f"expected exit status {status}, found {ran.status}: {shown(ran.stderr or ran.stdout)}"
        problems.append(Problem(text))
    for name, written in (("stdout", ran.stdout), ("stderr", ran.stderr)):
        if name in expected:
            problems += _written(expected[name], written, name)
        unwanted = expected.get(f"{name} without", [])
        problems += [Problem(f"{name}: found {shown(part)} in it") for part in _parts(unwanted) if part in written]
        if "\nTraceback (most recent call last):" in f"\n{written}":
            problems.append(Problem(f"{name}: a traceback of Python: {shown(written)}"))
    if "stdout json" in expected:
        problems += _json(expected["stdout json"], ran.stdout)
    return problems


def _written(expected: Any, written: str, name: str) -> list[Problem]:
    """A text is the whole, but for the last line end; a list holds parts that follow one another."""
    if isinstance(expected, str):
        return differences(expected.rstrip("\n"), written.rstrip("\n"), partly=False, at=name)
    place = 0
    for part in _parts(expected):
        found = written.find(part, place)
        if found < 0:
            after = " after what came before" if part in written else ""
            return [Problem(f"{name}: expected {shown(part)}{after}, found {shown(written, 1000)}")]
        place = found + len(part)
    return []


def _parts(value: Any) -> list[str]:
    return [str(part) for part in value] if isinstance(value, list) else [str(value)]


def _json(expected: Any, written: str) -> list[Problem]:
    try:
        found = json.loads(written)
    except ValueError:
        return [Problem(f"stdout: expected JSON, found {shown(written)}")]
    return differences(expected, found, partly=True, at="stdout")
