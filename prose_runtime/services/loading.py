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
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.resolve.loader import Found, NotFound, Reason, Step
from prose_runtime.services.installed import (
    Dependency,
    Home,
    dependency,
    installed_home,
    is_version,
    pinned,
    project_home,
    standard_name,
)
from prose_runtime.source import SourceText, UndecodableSource
from prose_runtime.source.shipped import shipped
from prose_runtime.syntax import read
from prose_runtime.syntax.document import Document

SUFFIX = ".prose.md"
SIZE_LIMIT = 1_000_000
"""The most bytes that a document may have."""
_SCANNED = 500  # files of a folder whose frontmatter is looked at for a `name:`
_NAME = re.compile(rb"^name:[ \t]*[\"']?([\w.-]+)[\"']?[ \t]*\r?$", re.MULTILINE)
_STANDARD = ("", "patterns", "roles", "functions")
# Folders of the library as older editions called them.
_RETIRED = ("std/composites/", "std/controls/")


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
        self._steps: dict[tuple[Document, str], Found] = {}

    # ---- opening what a command line names ----

    def open(self, reference: str | Path) -> Document | NotFound:
        """The document of a path, of `std/…` or of an installed dependency, as a user types it (without `#name`)."""
        text = str(reference)
        tried: list[str] = []
        home = self._home_of(self._cwd / "_")
        for step, base in (*[("path", self._cwd / text)], *self._anywhere(text, home)):
            for path in _forms(base):
                tried.append(self._shown(path))
                if path.is_file() or (path.exists() and not path.is_dir()):
                    if step == "installed":
                        return self._trusted(path, home)
                    self._named.add(path.resolve())
                    return self._read(path)
        there = self._cwd / text
        if not there.is_dir() and os.path.lexists(there):  # also a link that leads nowhere
            return NotFound((self._shown(there),), "not-prose" if there.exists() else "broken-link")
        return self._lacking(text, home, tried)

    def adopt(self, document: Document, path: Path | None = None) -> None:
        """References in this document start from `path` (a text that did not come from this loader)."""
        self._paths[document] = (path or self._cwd / document.source.name).resolve()

    # ---- what `resolve` asks ----

    def load(self, reference: str, near: Document) -> Document | NotFound:
        """What a reference names: beside `near`, in the project, in its `deps/`, in the standard library."""
        reference = reference.strip()
        if not reference or "\0" in reference:
            return NotFound(())
        origin = self._origin(near)
        home = self._home_of(origin)
        tried: list[str] = []
        for step, base in self._places(reference, origin.parent, home):
            for path in _forms(base):
                if path.is_file() or (path.exists() and not path.is_dir()):
                    instead = _today(reference) if step == "standard" else ""
                    self._steps[near, reference] = Found(step, instead)
                    return self._trusted(path, home)
                tried.append(self._shown(path))
        by_name = None if "/" in reference or "." in reference else self._by_name(reference, origin.parent, home.root)
        if by_name is not None:
            self._steps[near, reference] = Found("name")
            return self._trusted(by_name, home)
        if near.main.kind == "test" and "/" not in reference and reference == near.field("subject"):
            tested = self._tested(reference, origin.parent, tried)
            if tested is not None:
                self._steps[near, reference] = Found("tested")
                self._named.add(tested.resolve())  # a test beside the folder of what it tests
                return self._read(tested)
        return self._lacking(reference, home, tried)

    def found(self, reference: str, near: Document) -> Found:
        """The step that found what `load` gave for this reference."""
        return self._steps.get((near, reference.strip()), Found(""))

    def standard(self, name: str) -> Sequence[str]:
        """The files of the standard library that have this name."""
        folders = ("patterns", *(part for part in _STANDARD if part != "patterns"))
        there = (self._std / part / f"{name}{SUFFIX}" for part in folders)
        return [self._shown(path).removesuffix(SUFFIX) for path in there if path.is_file()]

    def diagnostics(self, document: Document) -> Sequence[Diagnostic]:
        """What was reported when the document was read."""
        return self._diagnostics.get(document, ())

    def path(self, document: Document) -> Path | None:
        """The file of a document that this loader gave."""
        return self._paths.get(document)

    # ---- places ----

    def _origin(self, near: Document) -> Path:
        path = self._paths.get(near)
        return path if path is not None else (self._cwd / near.source.name)

    def _home_of(self, file: Path) -> Home:
        """The project or installed clone that a file belongs to."""
        installed = installed_home(file) if file.parts.count("deps") or file.parts.count(".deps") else None
        if installed is not None and not (self._project and self._project.is_relative_to(installed.root)):
            return installed
        return project_home(self._project or find_project(file))

    def _places(self, reference: str, folder: Path, home: Home) -> Iterator[tuple[Step, Path]]:
        """Paths to try, without their suffix, in order."""
        if reference.startswith(("./", "../")):
            yield "path", folder / reference
            return
        if reference.startswith("/"):
            yield "path", Path(reference)
            return
        if reference == "std" or reference.startswith("std/"):
            yield from self._anywhere(reference, home)
            return
        yield from self._anywhere(reference, home)
        yield "beside", folder / reference
        yield "project", home.root / reference
        yield "src", home.root / "src" / reference
        if "/" not in reference:
            for part in _STANDARD:
                yield "standard", self._std / part / reference

    def _anywhere(self, reference: str, home: Home) -> Iterator[tuple[Step, Path]]:
        """Places that do not depend on where a reference stands: the standard library, and installed dependencies."""
        if reference.startswith("std/"):
            yield from self._in_std(reference)
        wanted = dependency(reference)
        if wanted is not None:
            yield from self._installed(wanted, home)
            standard = standard_name(wanted)
            if standard is not None and not reference.startswith("std/"):
                yield from self._in_std(standard)

    def _in_std(self, reference: str) -> Iterator[tuple[Step, Path]]:
        """`std/refine` is `std/patterns/refine`, and so are the names that older editions gave it."""
        rest = (_today(reference) or reference).removeprefix("std/")
        for part in ("",) if "/" in rest else _STANDARD:
            yield "standard", self._std / part / rest

    def _installed(self, wanted: Dependency, home: Home) -> Iterator[tuple[Step, Path]]:
        for deps in home.deps:
            for clone in wanted.folders(deps):
                if clone.is_dir() and self._is_that_version(clone, wanted, home):
                    yield "installed", clone / wanted.path if wanted.path else clone

    def _is_that_version(self, clone: Path, wanted: Dependency, home: Home) -> bool:
        if not wanted.version or clone.name.endswith(f"@{wanted.version}"):
            return True
        return is_version(clone, wanted, _locks(home))

    def _lacking(self, reference: str, home: Home, tried: list[str]) -> NotFound:
        """What to say about a reference that was found nowhere."""
        wanted = dependency(reference)
        if wanted is None:
            return NotFound(tuple(dict.fromkeys(tried)))
        if reference.startswith("std/") and (near := self._nearly(reference)) is not None:
            return NotFound(tuple(dict.fromkeys(tried)), install=f"write `{near}`")
        clones = [clone for deps in home.deps for clone in wanted.folders(deps)]
        there = next((clone for clone in clones if clone.is_dir()), None)
        if there is None:
            looked = dict.fromkeys((*tried, *(self._shown(clone) for clone in clones)))
            into = self._shown(home.deps[0] / wanted.host / wanted.owner / wanted.repo)
            return NotFound(tuple(looked), "not-installed", install=_installing(wanted, into, home))
        if wanted.version and not self._is_that_version(there, wanted, home):
            folder = self._shown(there)
            way = f"check {wanted.version} out in {folder}, or name that folder `{wanted.repo}@{wanted.version}`"
            return NotFound((folder,), "other-version", install=way)
        return NotFound(tuple(dict.fromkeys(tried)))

    def _nearly(self, reference: str) -> str | None:
        """The file of our library that a reference nearly spells."""
        files = sorted(self._std.rglob(f"*{SUFFIX}"))
        names = {path.name.removesuffix(SUFFIX): self._shown(path).removesuffix(SUFFIX) for path in files}
        near = nearest(reference.removesuffix(SUFFIX).rpartition("/")[2], names)
        return names[near] if near is not None else None

    def _by_name(self, name: str, folder: Path, root: Path) -> Path | None:
        """A file of the folder, or at the top of the project, whose frontmatter has that name."""
        for place in dict.fromkeys((folder, root)):
            found = self._named_in(place).get(name)
            if found is not None:
                return found
        return None

    def _tested(self, name: str, folder: Path, tried: list[str]) -> Path | None:
        """The one file of that name in the folders beside the folder of a test: `services/x` for `evals/x.eval`."""
        try:
            beside = sorted(entry for entry in folder.parent.iterdir() if entry.is_dir() and not entry.is_symlink())
        except OSError:
            return None
        tried += [self._shown(entry / f"{name}{SUFFIX}") for entry in beside[:_SCANNED] if entry != folder]
        forms = (path for entry in (folder.parent, *beside[:_SCANNED]) for path in _forms(entry / name))
        found = [path for path in forms if path.is_file() and not path.is_symlink()]
        return found[0] if len(found) == 1 else None

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

    def _trusted(self, path: Path, home: Home) -> Document | NotFound:
        real = path.resolve()
        if real not in self._named and not real.is_relative_to(self._std) and not home.holds(real):
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


def _today(reference: str) -> str:
    """What an older name of a library file is today; "" for all others."""
    old = next((prefix for prefix in _RETIRED if reference.startswith(prefix)), None)
    return f"std/patterns/{reference.removeprefix(old)}" if old else ""


def _locks(home: Home) -> tuple[Path, ...]:
    return tuple(deps.parent / "prose.lock" for deps in home.deps)


def _installing(wanted: Dependency, into: str, home: Home) -> str:
    """The one command that installs a dependency, at the commit that the project pins."""
    pins = [pin for lock in _locks(home) if (pin := pinned(lock, wanted.name)) is not None]
    version = wanted.version or (pins[0] if pins else "")
    command = f"git clone https://{wanted.name} {into}"
    return f"run `{command}`" + (f" and check out {version} there" if version else "")


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
