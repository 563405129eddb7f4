"""Which documents the words of a command line mean.

In: paths of files and folders, `FILE#definition`, names of the standard library. Out: references that `api.load` takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from prose_runtime.api import Loaded, load
from prose_runtime.cli.faults import Fault
from prose_runtime.diagnostics.exceptions import SourceNotFound
from prose_runtime.diagnostics.visible import cut

_WIDEST = 500
_SKIPPED = frozenset({".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".deps", "runs"})


def documents(words: Iterable[str]) -> list[str]:
    """Each document once, in the order named; a folder stands for its `*.prose.md` files, by path.

    Links to folders are not followed. Raises `Fault` for a folder without documents, and for one that cannot be read.
    """
    found: dict[str, None] = {}
    for word in words:
        if not word:
            raise Fault("an empty name names no file", "name a file or a folder, like `prose check .`")
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
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise Fault(
            f"the folder {folder} cannot be read: {error.strerror}", "name the files in it, or leave it out"
        ) from None
    for entry in entries:
        if entry.name.endswith(".prose.md") and entry.is_file():
            yield entry
        elif entry.name not in _SKIPPED and entry.is_dir() and not entry.is_symlink():
            yield from _below(entry)


def not_found(missing: SourceNotFound) -> Fault:
    """What to say about a file that is not there or cannot be read, and one thing to do."""
    return Fault(cut(missing.message, _WIDEST), missing.help)


def load_or_fault(reference: str) -> Loaded:
    """The pattern that a word names. Raises `Fault` with where was looked and what is spelt like it."""
    if not reference.partition("#")[0]:
        raise Fault("no file is named", "name a pattern file, like `prose run std/refine`")
    try:
        return load(Path(reference))
    except SourceNotFound as missing:
        raise not_found(missing) from None
