"""Which files are cases. In: paths of files and folders. Out: the `.prose.md` files whose kind is `test`, by path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_KIND = re.compile(r"^kind:[ \t]*[\"']?test[\"']?[ \t]*\r?$", re.MULTILINE)
_NAME = re.compile(r"^name:[ \t]*[\"']?([^\"'\r\n]+)", re.MULTILINE)
_SKIPPED = frozenset({".git", ".venv", "node_modules", "__pycache__", ".deps", "runs"})


def find_cases(paths: Iterable[Path]) -> list[Path]:
    """A file that is named is taken as a case whatever it holds; in a folder only `kind: test` documents are.

    Raises `FileNotFoundError` for a path that is not there.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(file for file in _documents(path) if _is_case(file)))
        elif path.exists():
            found[path] = None
        else:
            raise FileNotFoundError(path)
    return list(found)


def told_of(path: Path) -> str:
    """What a case is chosen by: its path without the suffix, as seen from here, and its name."""
    try:
        near = path.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        near = Path(path.parent.name) / path.name
    named = _NAME.search(_head(path))
    return f"{str(near).removesuffix('.prose.md')} {named[1] if named else ''}"


def _documents(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink() and entry.name not in _SKIPPED:
            yield from _documents(entry)
        elif entry.name.endswith(".prose.md") and entry.is_file():
            yield entry


def _is_case(path: Path) -> bool:
    """Whether the frontmatter says so; it must end within the first 4096 bytes."""
    return bool(_KIND.search(_head(path)))


def _head(path: Path) -> str:
    """The frontmatter, as far as it stands in the first 4096 bytes."""
    with path.open("rb") as file:
        head = file.read(4096).decode("utf-8-sig", errors="replace")
    lines = head.split("\n")
    if not lines or lines[0].strip() != "---":
        return ""
    end = next((index for index, line in enumerate(lines[1:], 1) if line.strip() == "---"), len(lines))
    return "\n".join(lines[1:end])
