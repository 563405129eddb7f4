"""What the services of a list slot are called, so that a trace tells them apart.

In: what one of them is bound to. Out: the name of the function, the program, the file or the gate; None without one.
"""

from __future__ import annotations

import functools
import inspect
import re
from pathlib import PurePath

from prose_runtime.runtime.port import Service
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.targets import is_target_text, read_target

_SUFFIXES = re.compile(r"(?:\.prose)?(?:\.\w+)?\Z")
_NAME = re.compile(r"[^\W\d][\w-]*\Z")


def own_name(value: object) -> str | None:
    """`strict` for `py:reviews.py:strict` and for a function `strict`, `lint` for `cmd:./lint.sh --all`, `json` for
    `gate:json`, `replies` for `script:replies.yaml`."""
    if isinstance(value, str):
        found = _of_target(value.strip())
    elif not isinstance(value, type) and isinstance(value, Service):
        found = value.name
    else:
        while isinstance(value, functools.partial):
            value = value.func
        found = value.__name__ if inspect.isroutine(value) else ""
    return found if _NAME.match(found) else None


def _of_target(text: str) -> str:
    if not is_target_text(text):
        return text  # the name of a service of the project, or `ask`
    try:
        target = read_target(text, name="")
    except BindingFault:
        return ""
    match target.scheme:
        case "py":
            return target.rest.rpartition(":")[2].rpartition(".")[2]
        case "cmd":
            return _stem(target.rest.split()[0].strip("'\""))
        case "gate":
            return target.rest.partition("?")[0]
        case "agent":
            return target.rest.partition("?")[0]
        case "mcp":
            return target.rest.rpartition("#" if "#" in target.rest else "/")[2]
        case "http":
            return _stem(target.rest.partition("?")[0].rstrip("/"))
        case "script":
            return _stem(target.rest)
        case "file":
            path, _, definition = target.rest.partition("#")
            return definition or _stem(path)
    return ""


def _stem(path: str) -> str:
    return _SUFFIXES.sub("", PurePath(path).name, count=1)
