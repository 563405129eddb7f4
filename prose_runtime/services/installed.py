"""Installed dependencies: which file of `deps/` a reference means, and which version of it is there.

In: references as they stand in documents (`host/owner/repo/path`, each with an optional `@version`) and folders. Out:
paths to try. Nothing is fetched and git is never started: `prose.lock` and the clone's own small files are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PUBLISHED = "github.com/openprose/prose/packages"
"""Where `std/…` and `co/…` lie in the published repository."""
FOLDERS = ("deps", ".agents/prose/deps", ".deps")
"""Where dependencies lie in a project; the last is how an older edition called it."""
_HOST = re.compile(r"[A-Za-z0-9](?:[\w-]*\.)+[A-Za-z0-9-]+(?::\d+)?")
_SHA = re.compile(r"[0-9a-f]{7,40}")
_SMALL = 1_000_000  # bytes of `prose.lock` and of git's own files


@dataclass(frozen=True, slots=True)
class Dependency:
    """`host/owner/repo@version/path`: `version` and `path` may be empty."""

    host: str
    owner: str
    repo: str
    version: str
    path: str

    @property
    def name(self) -> str:
        """`host/owner/repo`, as `prose.lock` writes it."""
        return f"{self.host}/{self.owner}/{self.repo}"

    def folders(self, deps: Path) -> Iterator[Path]:
        """The folder of exactly that version, then the one that holds whatever is installed."""
        if self.version:
            yield deps / self.host / self.owner / f"{self.repo}@{self.version}"
        yield deps / self.host / self.owner / self.repo


def dependency(reference: str) -> Dependency | None:
    """The dependency that a reference means, or None where it is no reference to one.

    The version stands behind the repository or at the end; the shorthand `co/…` is written out.
    """
    text = reference.removeprefix("deps/").removeprefix(".deps/")
    if text == "co" or text.startswith(("co/", "std/")):
        text = f"{PUBLISHED}/{text}"
    parts = text.strip("/").split("/")
    if len(parts) < 3 or not _HOST.fullmatch(parts[0]) or any(part in ("", ".", "..") for part in parts):
        return None
    host, owner, repo, *path = parts
    repo, _, version = repo.partition("@")
    if path and not version:
        path[-1], _, version = path[-1].partition("@")
    return Dependency(host, owner, repo, version, "/".join(path))


def standard_name(found: Dependency) -> str | None:
    """`std/…` for what lies in the published standard library: the shorthand and the whole name are one thing."""
    whole = f"{found.name}/{found.path}"
    return whole.removeprefix(f"{PUBLISHED}/") if whole.startswith(f"{PUBLISHED}/std/") else None


@dataclass(frozen=True, slots=True)
class Home:
    """Where a file is at home. `root`: the folder of its project, or of its clone if it was installed; `deps`: the
    folders of dependencies that it can see; a clone sees those that lie beside it."""

    root: Path
    deps: tuple[Path, ...]

    def holds(self, real: Path) -> bool:
        """Whether a file, its links followed, lies in the project or clone or among the dependencies."""
        return any(real.is_relative_to(folder.resolve()) for folder in (self.root, *self.deps))


def installed_home(file: Path) -> Home | None:
    """The home of a file that lies in `deps/<host>/<owner>/<repo>/`, None for all others."""
    parents = list(file.parents)
    for repo, host, deps in zip(parents, parents[2:], parents[3:], strict=False):
        if deps.name in ("deps", ".deps") and _HOST.fullmatch(host.name):
            return Home(repo, (deps,))
    return None


def project_home(root: Path) -> Home:
    """The home of a project's own files."""
    return Home(root, tuple(root / name for name in FOLDERS))


def is_version(clone: Path, wanted: Dependency, locks: tuple[Path, ...]) -> bool:
    """Whether a clone is at the version that is asked for: by `prose.lock`, else by what git has checked out."""
    here = checked_out(clone)
    pins = [pin for lock in locks if (pin := pinned(lock, wanted.name)) is not None]
    commits = [here] if here else pins
    if _SHA.fullmatch(wanted.version) and any(commit.startswith(wanted.version) for commit in commits):
        return True
    tagged = _commit_of(clone / ".git", f"refs/tags/{wanted.version}")
    return tagged is not None and tagged in commits


def pinned(lock: Path, name: str) -> str | None:
    """The commit that a `prose.lock` pins a dependency to."""
    for line in _text(lock).splitlines():
        words = line.partition("#")[0].split()
        if len(words) == 2 and words[0] == name:
            return words[1]
    return None


def checked_out(clone: Path) -> str | None:
    """The commit that a clone has checked out; None where there is no telling."""
    head = _text(clone / ".git" / "HEAD").strip()
    if head.startswith("ref: "):
        return _commit_of(clone / ".git", head.removeprefix("ref: "))
    return head or None


def _commit_of(git: Path, name: str) -> str | None:
    """The commit that a reference of git names; of a tag with a message the commit that it points at."""
    if ".." in name.split("/"):
        return None
    loose = _text(git / name).strip()
    packed = None
    lines = iter(_text(git / "packed-refs").splitlines())
    for line in lines:
        commit, _, packed_name = line.partition(" ")
        if packed_name == name:
            behind = next(lines, "")
            packed = behind.removeprefix("^") if behind.startswith("^") else commit
    return loose or packed


def _text(path: Path) -> str:
    """A small text file, "" where there is none that can be read."""
    try:
        with path.open("rb") as file:
            return file.read(_SMALL).decode("utf-8", "replace")
    except OSError:
        return ""
