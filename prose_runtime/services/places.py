"""Where the paths of a target are looked for, and which of them are allowed.

In: a path as written in a target. Out: an existing file, or a `BindingFault` that says where was looked.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from prose_runtime.services.faults import BindingFault
from prose_runtime.source.shipped import shipped


@dataclass(frozen=True, slots=True)
class Places:
    """`base`: what a path is relative to; `root`: the project's root, looked in next; `inside`: where a file must be
    after its symlinks were followed (for what `prose.toml` names), None for what the user wrote himself."""

    name: str
    target: str
    base: Path
    root: Path | None
    inside: Path | None = None

    def find(self, text: str, code: str) -> Path:
        """The file. Raises `BindingFault` with `code`, or `outside-project`."""
        written = Path(text).expanduser()
        self.check_written(self.base / written)
        tried = [folder / written for folder in dict.fromkeys((self.base, self.root)) if folder is not None]
        for path in tried:
            if path.is_file():
                return self._allowed(path.resolve())
        there = next((path for path in tried if path.exists()), None)
        where = ", ".join(dict.fromkeys(str(path.parent) for path in tried))
        reason = f"there is no file {written.name} in {where}" if there is None else f"{there} is not a regular file"
        advice = f"give the path of a file, relative to {self.base}"
        if code == "python-not-found":
            raise BindingFault(code, name=self.name, target=self.target, missing=reason, suggestion=advice)
        raise BindingFault(code, name=self.name, target=self.target, reason=reason, suggestion=advice)

    def check_written(self, path: Path) -> None:
        """A path as written does not lead out of the project by `..`, whether or not there is something."""
        self.allowed_folder(Path(os.path.normpath(path)))

    def check_document(self, path: Path | None) -> None:
        """The same rule for a document; the standard library may be named by every project."""
        if path is not None and shipped("std").resolve() not in path.parents:
            self._allowed(path)

    def allowed_folder(self, path: Path) -> Path:
        """The same rule for a folder, which may be the project's own."""
        return path if path == self.inside else self._allowed(path)

    def _allowed(self, path: Path) -> Path:
        if self.inside is not None and self.inside not in path.parents:
            raise BindingFault(
                "outside-project", name=self.name, target=self.target, path=str(path), root=str(self.inside)
            )
        return path
