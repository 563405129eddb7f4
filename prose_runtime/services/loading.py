"""Documents from files: the project's, the installed dependencies', the standard library's.

In: paths from a command line, and references as they stand in documents. Out: `Document`s, each file read once.
Nothing is fetched, imported or run. After symlinks, a file must lie inside the project, its `deps/`, the standard
library, or be named on the command line; it must be a regular `.prose.md` file within the size limit.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.resolve.loader import NotFound, Reason
from prose_runtime.source import SourceText, UndecodableSource
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document

SUFFIX = ".prose.md"
SIZE_LIMIT = 1_000_000
"""The most bytes that a document may have."""
_SCANNED = 500  # files of a folder whose frontmatter is looked at for a `name:`
_NAME = re.compile(rb"^name:[ \t]*[\"']?([\w.-]+)[\"']?[ \t]*\r?$", re.MULTILINE)
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")


def find_project(start: Path) -> Path:
    """The folder of the project that holds a file or folder: the nearest one with a `prose.toml`, else its own."""
    folder = start if start.is_dir() else start.parent
    for candidate in (folder, *folder.parents):
        if (candidate / "prose.toml").is_file():
            return candidate
    return folder


class DiskLoader:
    """Loads documents for `resolve`. `project` is the project's folder; without one it is that of each file opened.

    `named` are files that the command line names: they may lie outside the project.
    """

    def __init__(
        self,
        project: Path | None = None,
        *,
        named: Sequence[Path] = (),
        limit: int = SIZE_LIMIT,
        cwd: Path | None = None,
    ) -> None:
        self.limit = limit
        self._cwd = (cwd or Path.cwd()).resolve()
        self._project = project.resolve() if project else None
        self._std = shipped("std").resolve()
        self._named = {path.resolve() for path in named}
        self._documents: dict[Path, Document | NotFound] = {}
        self._paths: dict[Document, Path] = {}
        self._diagnostics: dict[Document, Sequence[Diagnostic]] = {}
        self._names: dict[Path, dict[str, Path]] = {}

    # ---- opening what a command line names ----

    def open(self, reference: str | Path) -> Document | NotFound:
        """The document of a path or a `std/…` reference as a user types it (without `#name`)."""
        text = str(reference)
        tried: list[str] = []
        for base in (self._cwd / text, *self._in_std(text)):
            for path in _forms(base):
                tried.append(self._shown(path))
                if path.is_file() or (path.exists() and not path.is_dir()):
                    self._named.add(path.resolve())
                    return self._read(path)
        there = self._cwd / text
        if not there.is_dir() and os.path.lexists(there):  # also a link that leads nowhere
            return NotFound((self._shown(there),), "not-prose" if there.exists() else "broken-link")
        return NotFound(tuple(dict.fromkeys(tried)))

    def adopt(self, document: Document, path: Path | None = None) -> None:
        """References in this document start from `path` (a text that did not come from this loader)."""
        self._paths[document] = (path or self._cwd / document.source.name).resolve()

    # ---- what `resolve` asks ----

    def load(self, reference: str, near: Document) -> Document | NotFound:
        """What a reference names: beside `near`, in the project, in its `deps/`, in the standard library."""
        reference = reference.strip()
        if not reference or "\0" in reference:
            return NotFound(())
        tried: list[str] = []
        for base in self._places(reference, near):
            for path in _forms(base):
                if path.is_file() or (path.exists() and not path.is_dir()):
                    return self._trusted(path, near)
                tried.append(self._shown(path))
        by_name = None if "/" in reference or "." in reference else self._by_name(reference, near)
        if by_name is not None:
            return self._trusted(by_name, near)
        if _HOST.fullmatch(reference.split("/", 1)[0]) and "/" in reference and not reference.endswith(SUFFIX):
            return NotFound((self._shown(self._root(near) / "deps"),), "not-installed")
        return NotFound(tuple(dict.fromkeys(tried)))

    def diagnostics(self, document: Document) -> Sequence[Diagnostic]:
        """What was reported when the document was read."""
        return self._diagnostics.get(document, ())

    def path(self, document: Document) -> Path | None:
        """The file of a document that this loader gave."""
        return self._paths.get(document)

    # ---- places ----

    def _root(self, near: Document) -> Path:
        return self._project or find_project(self._origin(near))

    def _origin(self, near: Document) -> Path:
        path = self._paths.get(near)
        return path if path is not None else (self._cwd / near.source.name)

    def _places(self, reference: str, near: Document) -> Iterator[Path]:
        """Paths to try, without their suffix, in order."""
        folder, root = self._origin(near).parent, self._root(near)
        if reference.startswith(("./", "../")):
            yield folder / reference
            return
        if reference.startswith("/"):
            yield Path(reference)
            return
        if reference == "std" or reference.startswith("std/"):
            yield from self._in_std(reference)
            return
        yield folder / reference
        yield root / reference
        if "/" in reference:
            yield from self._in_deps(root / "deps", reference)
            return
        yield root / "src" / reference
        for part in ("", "patterns", "functions"):
            yield self._std / part / reference

    def _in_std(self, reference: str) -> Iterator[Path]:
        """`std/refine` is `std/patterns/refine`."""
        if reference.startswith("std/"):
            for part in ("", "patterns", "functions"):
                yield self._std / part / reference.removeprefix("std/")

    def _in_deps(self, deps: Path, reference: str) -> Iterator[Path]:
        """`host/owner/repo[@version]/path`: with its version, else as the one that is installed."""
        parts = reference.removeprefix("deps/").split("/")
        yield deps.joinpath(*parts)
        if len(parts) > 2 and "@" in parts[2]:
            yield deps.joinpath(*parts[:2], parts[2].split("@", 1)[0], *parts[3:])

    def _by_name(self, name: str, near: Document) -> Path | None:
        """A file beside `near`, or at the top of the project, whose frontmatter has that name."""
        for folder in dict.fromkeys((self._origin(near).parent, self._root(near))):
            found = self._named_in(folder).get(name)
            if found is not None:
                return found
        return None

    def _named_in(self, folder: Path) -> dict[str, Path]:
        known = self._names.get(folder)
        if known is None:
            known = self._names[folder] = {}
            try:
                entries = sorted(entry.path for entry in os.scandir(folder) if entry.name.endswith(SUFFIX))
            except OSError:
                entries = []
            for entry in entries[:_SCANNED]:
                name = _frontmatter_name(Path(entry))
                if name is not None:
                    known.setdefault(name, Path(entry))
        return known

    # ---- reading ----

    def _trusted(self, path: Path, near: Document) -> Document | NotFound:
        real = path.resolve()
        roots = (self._root(near).resolve(), self._std)
        if real not in self._named and not any(real.is_relative_to(root) for root in roots):
            return NotFound((self._shown(path),), "outside")
        return self._read(path)

    def _read(self, path: Path) -> Document | NotFound:
        real = path.resolve()
        known = self._documents.get(real)
        if known is None:
            known = self._documents[real] = self._fresh(path, real)
        return known

    def _fresh(self, path: Path, real: Path) -> Document | NotFound:
        shown = self._shown(path)
        if not real.name.endswith(SUFFIX):
            linked = path.name.endswith(SUFFIX)
            return NotFound((self._shown(real) if linked else shown,), "links-elsewhere" if linked else "not-prose")
        data = _bytes(real, self.limit)
        if isinstance(data, str):
            return NotFound((shown,), data)
        try:
            source = SourceText.from_bytes(shown, data)
        except UndecodableSource as error:
            return NotFound((shown,), "not-text", error.line)
        document, found = read(source)
        self._paths[document] = real
        self._diagnostics[document] = found
        return document

    def _shown(self, path: Path) -> str:
        """A path as a user would write it: `std/…`, relative to where they are, else whole."""
        normal = Path(os.path.normpath(path))
        if normal.is_relative_to(self._std):
            return (Path("std") / normal.relative_to(self._std)).as_posix()
        if normal.is_relative_to(self._cwd):
            return normal.relative_to(self._cwd).as_posix()
        return normal.as_posix()


def _forms(base: Path) -> Iterator[Path]:
    """A path as written, with the suffix, and as a folder with an index."""
    text = str(base)
    if text.endswith(SUFFIX):
        yield base
        return
    yield Path(text + ".md" if text.endswith(".prose") else text + SUFFIX)
    yield base / f"index{SUFFIX}"
    if base.suffix:
        yield base


def _bytes(path: Path, limit: int) -> bytes | Reason:
    """The content of a regular file, or why it is not read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError:
        return "forbidden"
    except OSError:
        return "not-a-file"
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return "not-a-file"
        data = b"" if status.st_size > limit else file.read(limit + 1)
        return "too-large" if status.st_size > limit or len(data) > limit else data


def _frontmatter_name(path: Path) -> str | None:
    head = _bytes(path, SIZE_LIMIT)
    if isinstance(head, str) or not head.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    block = head.split(b"\n---", 1)[0]
    found = _NAME.search(block)
    return found[1].decode("utf-8", "replace") if found else None
