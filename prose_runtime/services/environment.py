"""The environment that programs get, and the project's `.env`.

In: the names that a `prose.toml` declares, the process's own environment, the text of `.env`.
Out: the few variables that a program sees. A `.env` never overrides, and never steers where a key is sent or
what code is loaded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, MutableMapping

from prose_runtime.services.project import Project

# What every program needs to run at all.
BASIC = ("PATH", "HOME", "LANG", "TMPDIR")
_LIMIT = 65536
_STEERING = re.compile(r"(?:.*_BASE_URL|.*_PROXY|ALL_PROXY|NO_PROXY|PATH|LD_.*|DYLD_.*|PYTHON.*)$", re.IGNORECASE)
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "$": "$"}


def program_environment(granted: Iterable[str], outer: Mapping[str, str]) -> dict[str, str]:
    """PATH, HOME, LANG and TMPDIR, and the granted names, as far as they are set."""
    return {name: outer[name] for name in (*BASIC, *granted) if name in outer}


def project_environment(project: Project | None, outer: Mapping[str, str] | None = None) -> dict[str, str]:
    """`outer` (by default this process's environment) and beneath it what the project's `.env` may set."""
    found = dict(os.environ if outer is None else outer)
    return {**read_dotenv(project), **found} if project is not None else found


def set_environment(project: Project, outer: MutableMapping[str, str] | None = None) -> tuple[str, ...]:
    """Put what the project's `.env` may set into `outer` (by default `os.environ`), for Python services that read
    it there. Returns the names that were set; one that is set already stays as it is."""
    target = os.environ if outer is None else outer
    added = {name: value for name, value in read_dotenv(project).items() if name not in target}
    target.update(added)
    return tuple(added)


def read_dotenv(project: Project) -> dict[str, str]:
    """The variables of `.env` in the project's root that the project declares, without those that steer
    (`*_BASE_URL`, `*_PROXY`, `PATH`, `LD_*`, `DYLD_*`, `PYTHON*`). A file that is not there or too large gives none."""
    path = project.root / ".env"
    if not path.is_file() or path.stat().st_size > _LIMIT or project.root not in path.resolve().parents:
        return {}
    declared = project.declared_names
    values = parse_dotenv(path.read_text(encoding="utf-8", errors="replace"))
    return {name: value for name, value in values.items() if name in declared and not _STEERING.match(name)}


def parse_dotenv(text: str) -> dict[str, str]:
    """`NAME=value` lines, with `export`, comments and quotes; nothing is expanded. Other lines are passed over."""
    found: dict[str, str] = {}
    for line in text.lstrip("\ufeff").splitlines():
        match = _LINE.match(line)
        if match:
            found[match[1]] = _unquote(match[2])
    return found


def _unquote(text: str) -> str:
    if text[:1] == "'" and (end := text.find("'", 1)) > 0:
        return text[1:end]
    if text[:1] == '"' and (match := re.match(r'"((?:[^"\\]|\\.)*)"', text)):
        return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), match[1])
    return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].rstrip()
