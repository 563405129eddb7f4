"""Which documents the words of a command line mean.

In: paths of files and folders, `FILE#definition`, names of the standard library. Out: references that `api.load` takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from prose_runtime.cli.faults import Fault
from prose_runtime.diagnostics.exceptions import SourceNotFound

_SKIPPED = frozenset({".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".deps", "runs"})


def documents(words: Iterable[str]) -> list[str]:
    """Each document once, in the order named; a folder stands for its `*.prose.md` files, by path.

    Links to folders are not followed. Raises `Fault` for a folder without documents.
    """
    found: dict[str, None] = {}
    for word in words:
        folder = Path(word)
        if not folder.is_dir():
            found[word] = None
            continue
        inside = [str(path) for path in _below(folder)]
        if not inside:
            raise Fault(f"the folder {word} holds no `*.prose.md` file", "name a file, or another folder")
        found.update(dict.fromkeys(inside))
    return list(found)


def _below(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name.endswith(".prose.md") and entry.is_file():
            yield entry
        elif entry.name not in _SKIPPED and entry.is_dir() and not entry.is_symlink():
            yield from _below(entry)


def not_found(missing: SourceNotFound) -> Fault:
    """What to say about a file that is not there: where was looked, and what is spelt like it."""
    near = f"did you mean `{missing.nearest[0]}`?" if missing.nearest else "`prose std` lists the standard library"
    return Fault(f"there is no pattern file `{missing.reference}`: {missing.because}", near)
