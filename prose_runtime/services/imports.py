"""Finding the function of a `py:` target. This imports, and so runs, the user's code: only ever for a run.

In: `module:function` or `path/file.py:function`. Out: the object. The folder that holds the code can be imported from
while it is being loaded, behind everything that is installed, and not afterwards.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.services.faults import BindingFault

_lock = threading.RLock()


def split_python(text: str) -> tuple[str, str]:
    """`module:function` or `file.py:function` in its two parts; either may be empty."""
    place, _, attribute = text.rpartition(":")
    return place.strip(), attribute.strip()


def is_file(place: str) -> bool:
    """Whether the part before the colon is a path and not a module's name."""
    return place.endswith(".py") or "/" in place


def import_target(text: str, *, name: str, target: str, roots: Sequence[Path], file: Path | None = None) -> object:
    """The object that `py:` names. `roots`: where modules of the project are looked for after what is installed;
    `file`: the file of a path, found by the caller.

    Raises `BindingFault`: `malformed-target`, `python-not-found` or `python-import-failed`.
    """
    place, attribute = split_python(text)
    if not place or not all(part.isidentifier() for part in attribute.split(".")):
        raise BindingFault(
            "malformed-target",
            name=name,
            target=target,
            reason="it does not name a function of a module",
            suggestion="write `py:module:function` or `py:./file.py:function`",
        )
    try:
        module = _load_file(file) if file is not None else _load_module(place, roots)
    except ModuleNotFoundError as error:
        if file is None and error.name and (place == error.name or place.startswith(f"{error.name}.")):
            raise _no_module(name, target, place, roots) from None
        raise _failed(name, target, place, error) from error
    except KeyboardInterrupt:
        raise  # the person at the terminal
    except BaseException as error:  # a module may raise anything, and none of it is a fault of ours
        raise _failed(name, target, place, error) from error
    return _attribute(module, attribute, name=name, target=target, place=place)


def _load_module(place: str, roots: Sequence[Path]) -> ModuleType:
    with _lock, _importable(roots):
        importlib.invalidate_caches()
        return importlib.import_module(place)


def _load_file(path: Path) -> ModuleType:
    """The module of a file under a name of its own. One file is loaded once, until it changes."""
    state = path.stat()
    identity = f"{path}\0{state.st_mtime_ns}\0{state.st_size}"
    unique = f"_prose_{path.stem}_{hashlib.sha256(identity.encode()).hexdigest()[:16]}"
    with _lock:
        if unique in sys.modules:
            return sys.modules[unique]
        spec = importlib.util.spec_from_file_location(unique, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[unique] = module
        try:
            with _importable([path.parent]):
                importlib.invalidate_caches()
                spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop(unique, None)
            raise
        return module


@contextlib.contextmanager
def _importable(folders: Sequence[Path]) -> Iterator[None]:
    """At the end of the path: a `random.py` beside the code never takes the place of Python's own."""
    added = [str(folder) for folder in folders if str(folder) not in sys.path]
    sys.path.extend(added)
    try:
        yield
    finally:
        for folder in added:
            with contextlib.suppress(ValueError):
                sys.path.remove(folder)


def _attribute(module: ModuleType, attribute: str, *, name: str, target: str, place: str) -> object:
    found: object = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            names = (
                [item for item, value in vars(found).items() if callable(value)] if hasattr(found, "__dict__") else []
            )
            own = [item for item in names if not item.startswith("_")]
            raise BindingFault(
                "python-not-found",
                name=name,
                target=target,
                missing=f"{place} has no `{part}`",
                suggestion=did_you_mean(part, own, f"use {listed(own)}" if own else f"define `{part}` there"),
            )
        found = getattr(found, part)
    return found


def _no_module(name: str, target: str, place: str, roots: Sequence[Path]) -> BindingFault:
    as_path = place.replace(".", "/") + ".py"
    near = [path.stem for root in roots if root.is_dir() for path in sorted(root.glob("*.py"))[:500]]
    otherwise = f"install it, or give the file: `py:./{as_path}:FUNCTION`"
    return BindingFault(
        "python-not-found",
        name=name,
        target=target,
        missing=f"there is no module `{place}`, installed or in {', '.join(map(str, roots))}",
        suggestion=did_you_mean(place, near, otherwise),
    )


def _failed(name: str, target: str, place: str, error: BaseException) -> BindingFault:
    """The fault of code that cannot be imported, with the line of the user's that raised."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_machinery(frame.filename)]
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else place
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{error.filename}:{error.lineno}"
    text = str(error)
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return BindingFault("python-import-failed", name=name, target=target, module=place, error=said, where=where)


def _is_machinery(filename: str) -> bool:
    return filename == __file__ or filename.startswith("<frozen importlib") or filename == importlib.__file__
