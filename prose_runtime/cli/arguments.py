"""The words of `--bind`, `--input` and `--config` taken apart.

In: texts of the command line. Out: names with target texts, names with JSON values. `@file` and `-` are read here
and nowhere else, so only a person's own arguments can name a file.
"""

from __future__ import annotations

import json
import re
import stat
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prose_runtime.cli.faults import Fault
from prose_runtime.syntax.document import Json, Type

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes of a file or of stdin that an argument may bring in."""

_MOST_DIGITS = 300
_NAME = r"[^\W\d][\w-]*"
_SETTING = re.compile(rf"(?P<name>{_NAME}(?:\.{_NAME})*)(?P<sign>:=|=)(?P<value>.*)", re.DOTALL)
_NAMES = re.compile(rf"{_NAME}(?:\s*,\s*{_NAME})+")


@dataclass(frozen=True, slots=True)
class Setting:
    """`name=value` or `name:=value`, files and stdin already read. `origin` is where the value came from, `written` the
    option and its word as typed."""

    name: str
    value: str
    sign: Literal["=", ":="]
    origin: str
    written: str = ""


def read_settings(words: Iterable[str], option: str) -> dict[str, Setting]:
    """The settings of one option, each name once. `@file` and `-` are read; `@@` at the start is one `@`."""
    settings: dict[str, Setting] = {}
    from_stdin = ""
    for word in words:
        _check_text(word, option)
        match = _SETTING.fullmatch(word)
        if not match:
            raise Fault(
                f"`{option} {word}` is not NAME=VALUE", f"write it like `{option} topic=text` or `{option} n:=3`"
            )
        name = match["name"]
        if name in settings:
            raise Fault(f"`{option}` gives `{name}` twice", "keep one of the two")
        if match["value"] == "-":
            if from_stdin:
                raise Fault(f"`{from_stdin}` and `{name}` both read stdin", "give one of them with `@file`")
            from_stdin = name
        sign: Literal["=", ":="] = ":=" if match["sign"] == ":=" else "="
        value, origin = _content(name, match["value"])
        settings[name] = Setting(name, value, sign, origin, f"{option} {word}")
    return settings


def _check_text(word: str, option: str) -> None:
    """Bytes that are no UTF-8 come in as halves of surrogate pairs, which no JSON document can hold."""
    if any("\ud800" <= char <= "\udfff" for char in word):
        name = word.partition("=")[0]
        raise Fault(f"`{option} {name}` is not UTF-8 text", "convert it to UTF-8, or give it with `@file`")


def _content(name: str, value: str) -> tuple[str, str]:
    if value == "-":
        return _decoded(_stdin(name), "stdin"), "stdin"
    if value.startswith("@@"):
        return value[1:], ""
    if value.startswith("@"):
        return _file(name, value[1:]), value[1:]
    return value, ""


def _stdin(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it was closed"
        raise Fault(f"`{name}=-` cannot be read from stdin: {reason}", f"give it with `{name}=@file`") from None


def _file(name: str, path: str) -> str:
    if not path:
        raise Fault(f"`{name}=@` names no file", f"write `{name}=@FILE`, or `{name}=@@` for the text `@`")
    file = Path(path).expanduser()
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise Fault(f"`{name}=@{path}`: {path} is not a regular file", f"for a pipe write `{name}=-`")
        with file.open("rb") as stream:
            return _decoded(stream.read(LARGEST_FILE + 1), path)
    except OSError as error:
        advice = f"a text that begins with @ is written `{name}=@@…`" if not file.exists() else ""
        raise Fault(f"`{name}=@{path}` cannot be read: {error.strerror}", advice) from None


def _decoded(data: bytes, origin: str) -> str:
    if len(data) > LARGEST_FILE:
        raise Fault(f"{origin} is larger than {LARGEST_FILE // 2**20} MiB", "give a smaller file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault(f"{origin} is not UTF-8 text (byte {error.start})", "convert it to UTF-8") from None


def values_of(settings: Mapping[str, Setting], types: Mapping[str, Type]) -> dict[str, Json]:
    """Values by declared type: `:=` is JSON, `=` is read as its type says, and as text where none was declared."""
    return {name: _value(setting, types.get(name)) for name, setting in settings.items()}


def _value(setting: Setting, declared: Type | None) -> Json:
    if setting.sign == ":=":
        return _json(setting, "JSON")
    if declared is None or _takes_text(declared):
        return setting.value
    if declared.kind in ("integer", "number"):
        return _number(setting, declared.kind)
    if declared.kind == "boolean":
        return _boolean(setting)
    if declared.kind == "list":
        return _list(setting, declared.item)
    return _json(setting, f"a value of type {declared.kind}")


def _takes_text(declared: Type) -> bool:
    if declared.kind == "union":
        return any(_takes_text(member) for member in declared.members)
    return declared.kind in ("string", "any", "choice", "run", "null")


def _list(setting: Setting, item: Type | None) -> Json:
    """A JSON list, or one value as a list of one. Commas part nothing: texts have commas of their own."""
    if setting.value.lstrip()[:1] == "[":
        try:
            value: Json = json.loads(setting.value)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, list):
            return _json(setting, "a list")
    return [_value(setting, item)]


def _number(setting: Setting, kind: str) -> Json:
    try:
        return int(setting.value)
    except ValueError:
        pass
    try:
        number = float(setting.value)
    except ValueError:
        number = float("nan")
    if kind == "integer" or number != number or number in (float("inf"), float("-inf")):
        raise Fault(
            f"`{setting.name}` is {_article(kind)} {kind}, but {_quoted(setting)} is not one",
            f"write `{setting.name}=3`" + (" or `=0.5`" if kind == "number" else ""),
        )
    return number


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _boolean(setting: Setting) -> bool:
    known = {"true": True, "yes": True, "false": False, "no": False}
    value = known.get(setting.value.strip().lower())
    if value is None:
        raise Fault(
            f"`{setting.name}` is true or false, but {_quoted(setting)} is neither", f"write `{setting.name}=true`"
        )
    return value


def _json(setting: Setting, wanted: str) -> Json:
    try:
        value: Json = json.loads(
            setting.value,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_integer,
            object_pairs_hook=_each_key_once,
        )
    except (ValueError, RecursionError) as error:
        raise Fault(
            f"`{setting.name}` wants {wanted}, but {_quoted(setting)} is not JSON ({_why(error)})",
            f"""write it like `'{setting.name}:={{"key": "value"}}'`""",
        ) from None
    return value


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"it has no {name}")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{_short(digits)} is too large a number")
    return number


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"{_short(digits)} has more than {_MOST_DIGITS} digits")
    return int(digits)


def _each_key_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {_short(twice)!r} stands there twice")
    return found


def _why(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg[:1].lower()}{error.msg[1:]}: line {error.lineno}, column {error.colno}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _quoted(setting: Setting) -> str:
    if setting.origin:
        return f"what {setting.origin} holds"
    return repr(_short(setting.value))


def read_bindings(words: Iterable[str]) -> dict[str, str | list[str]]:
    """Slots and the target texts they are bound to, in order; a slot that is named twice takes a list."""
    bound: dict[str, list[str]] = {}
    for word in words:
        slot, equals, target = word.partition("=")
        slot, target = slot.strip(), target.strip()
        if not equals or not target or not re.fullmatch(_NAME, slot):
            raise Fault(f"`--bind {word}` is not SLOT=TARGET", "write it like `--bind critic=py:./critic.py:critic`")
        bound.setdefault(slot, []).extend(split_targets(target))
    return {slot: targets[0] if len(targets) == 1 else targets for slot, targets in bound.items()}


def split_targets(text: str) -> list[str]:
    """The targets of one `--bind`: parted at commas that a target follows, and between bare names.

    `careful,quick` and `cmd:one,cmd:two` are two, `cmd:cut -f a,b` is one.
    """
    from prose_runtime import services

    targets: list[str] = []
    for part in services.split_targets(text):
        targets += re.split(r"\s*,\s*", part) if _NAMES.fullmatch(part) else [part]
    return targets
