"""Comparing what came out with what was expected. Out: where the two part, nothing if they agree."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from prose_runtime.casebook.problem import Path, Problem

ELLIPSIS = "…"


def differences(expected: Any, found: Any, *, partly: bool, at: str = "$", path: Path = ()) -> list[Problem]:
    """Where `found` is not what was expected. `partly`: mappings may hold more keys than expected, at every depth.

    The text `…` stands for any value, and `…part…` for any text that has this part in it. `at` is how the value is
    called, `path` where it is expected.
    """
    if isinstance(expected, str) and expected.startswith(ELLIPSIS) and expected.endswith(ELLIPSIS):
        return _part_differences(expected.strip(ELLIPSIS), found, at, path)
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return _mapping_differences(expected, found, partly, at, path)
    if _is_list(expected) and _is_list(found):
        return _list_differences(expected, found, partly, at, path)
    if _same_scalar(expected, found):
        return []
    text = f"{at}: expected {shown(expected)}, found {shown(found)}"
    return [Problem(text, about=at, expected=expected, found=found, path=path, instead=found)]


def _part_differences(part: str, found: Any, at: str, path: Path) -> list[Problem]:
    if not part or (isinstance(found, str) and part in found):
        return []
    text = f"{at}: expected a text with {shown(part)} in it, found {shown(found)}"
    return [Problem(text, about=at, expected=f"{ELLIPSIS}{part}{ELLIPSIS}", found=found, path=path, instead=found)]


def _mapping_differences(
    expected: Mapping[Any, Any], found: Mapping[Any, Any], partly: bool, at: str, path: Path
) -> list[Problem]:
    problems: list[Problem] = []
    whole = {key: found[key] for key in expected if key in found} if partly else dict(found)
    for key, value in expected.items():
        if key in found:
            problems += differences(value, found[key], partly=partly, at=f"{at}.{key}", path=(*path, key))
        else:
            text = f"{at}.{key}: expected {shown(value)}, found nothing"
            problems.append(Problem(text, path=path, instead=whole))
    if not partly:
        for key in (key for key in found if key not in expected):
            text = f"{at}.{key}: found {shown(found[key])}, expected nothing"
            problems.append(Problem(text, path=path, instead=whole))
    return problems


def _list_differences(
    expected: Sequence[Any], found: Sequence[Any], partly: bool, at: str, path: Path
) -> list[Problem]:
    if len(expected) != len(found):
        text = f"{at}: expected {len(expected)} items, found {len(found)}: {shown(found)}"
        whole = list(found)
        return [Problem(text, about=at, expected=list(expected), found=whole, path=path, instead=whole)]
    problems: list[Problem] = []
    for index, (left, right) in enumerate(zip(expected, found, strict=True)):
        problems += differences(left, right, partly=partly, at=f"{at}[{index}]", path=(*path, index))
    return problems


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _same_scalar(expected: Any, found: Any) -> bool:
    # true is not 1, but 1 is 1.0: JSON has one kind of number.
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    return bool(expected == found)


def shown(value: Any, limit: int = 200) -> str:
    """A value as short JSON for a message."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
