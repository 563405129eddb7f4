"""Target texts: what `--bind slot=TARGET`, `prose.toml` and code may write for a service.

In: the text. Out: `Target`, its scheme and what follows. Nothing is opened, imported or started here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from prose_runtime.diagnostics.suggestions import listed, nearest
from prose_runtime.services.faults import BindingFault

Scheme = Literal["py", "cmd", "script", "gate", "ask", "http", "model", "agent", "mcp", "file"]

_PREFIXES: dict[str, Scheme] = {
    "py:": "py",
    "cmd:": "cmd",
    "script:": "script",
    "gate:": "gate",
    "http://": "http",
    "https://": "http",
    "model:": "model",
    "agent:": "agent",
    "mcp:": "mcp",
}
_KINDS = "`py:`, `cmd:`, `script:`, `gate:`, `model:`, `agent:`, `mcp:`, `ask`, a web address or a path"
# A path, or a name with a scheme: what only a target can look like, and the name of a service never does.
_PATH = re.compile(
    r"(?:\.{1,2}|~)?/|(?:std|co|\.?deps)/|[a-z0-9][\w-]*(?:\.[\w-]+)+/[^/\s]+/[^/\s]+|.*\.prose\.md(?:#.*)?$",
    re.IGNORECASE,
)
_OTHER_FILE = re.compile(r"\.py(?::[\w.]*)?\Z|\.ya?ml\Z|\.sh\Z")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S")
_NEXT = re.compile(
    r",\s*(?=(?:py|cmd|script|gate|model|agent|mcp):|https?://|\.{0,2}/|(?:std|co|\.?deps)/|ask\s*(?:,|$))"
)


@dataclass(frozen=True, slots=True)
class Target:
    """A target text, read. `rest` is what follows the scheme; of `http` and `file` it is the whole text."""

    scheme: Scheme
    rest: str
    text: str


def read_target(text: str, *, name: str) -> Target:
    """The target that `text` writes for the service `name`.

    Raises `BindingFault`: `unknown-target`, or `malformed-target` for one of a known kind that says no more.
    """
    stripped = text.strip()
    scheme, rest = _split(stripped)
    if scheme is None:
        raise BindingFault("unknown-target", name=name, target=text, kinds=_KINDS, suggestion=_suggestion(stripped))
    if not rest and scheme != "ask":
        raise BindingFault(
            "malformed-target",
            name=name,
            target=text,
            reason=f"nothing follows `{scheme}:`",
            suggestion=f"write {_EXAMPLES[scheme]}",
        )
    return Target(scheme, rest, stripped)


_EXAMPLES: dict[str, str] = {
    "py": "`py:module:function` or `py:./file.py:function`",
    "cmd": "`cmd:PROGRAM ARGS`",
    "script": "`script:replies.yaml`",
    "gate": "`gate:NAME`, such as `gate:json`",
    "agent": "`agent:claude` or `agent:codex`",
    "model": "`model:PROVIDER/NAME` or `model:http://HOST/v1#NAME`",
    "mcp": "`mcp:SERVER/TOOL`, the server being one of prose.toml",
}


def _split(text: str) -> tuple[Scheme | None, str]:
    if text == "ask":
        return "ask", ""
    lowered = text.lower()
    for prefix, scheme in _PREFIXES.items():
        if lowered.startswith(prefix):
            return scheme, text if scheme == "http" else text[len(prefix) :].strip()
    if _OTHER_FILE.search(text):
        return None, ""  # a path, but no document: it lacks its scheme
    return ("file", text) if _PATH.match(text) and "\n" not in text else (None, "")


# Schemes as people write them, and what they are called here.
_SPELLINGS = {
    "py": "py",
    "cmd": "cmd",
    "script": "script",
    "gate": "gate",
    "python": "py",
    "command": "cmd",
    "shell": "cmd",
    "sh": "cmd",
    "exec": "cmd",
    "yaml": "script",
}


def _suggestion(text: str) -> str:
    head, colon, rest = text.partition(":")
    if colon and "/" not in head and rest.lower().startswith(tuple(_PREFIXES)):
        return f"write `{rest}`: a service is called by the name of its function, program or file"
    if text.endswith(".py") or ".py:" in text:
        return f"write `py:{text}`" if ".py:" in text else f"write `py:{text}:FUNCTION`"
    if colon and (found := head if head in _SPELLINGS else nearest(head, _SPELLINGS)):
        return f"write `{_SPELLINGS[found]}:{rest}`"
    if text.endswith((".yaml", ".yml")):
        return f"write `script:{text}`"
    if text.endswith(".sh"):
        return f"write `cmd:{text if '/' in text else './' + text}`"
    return f"write `py:{text}` for a Python function, or `cmd:{text}` for a program"


def server_of(rest: str) -> str:
    """The name of the server in `mcp:REST`; "" for an address."""
    return "" if "://" in rest else rest.partition("/")[0]


def is_target_text(text: str) -> bool:
    """Whether `text` can only be a target (`cmd:…`, an address, a path), not the name of a bound service."""
    stripped = text.strip()
    return bool(_PATH.match(stripped) or _SCHEME.match(stripped))


def refuse_target_text(text: str, *, origin: str, bound: Iterable[str] = ()) -> None:
    """Raise `BindingFault` (`target-in-data`) if a name that came out of data is a target text.

    `origin` says where it came from ("an input", "an answer of `critic`", "the test file"). What comes from
    data resolves only among the services that are already bound, so nothing in it can start a program.
    """
    if is_target_text(text):
        raise BindingFault("target-in-data", text=text, origin=origin, bound=listed(sorted(bound)), target=text)


def split_targets(text: str) -> tuple[str, ...]:
    """The targets of a list slot in one `--bind`: split at commas that another target follows.

    A comma inside a target (`gate:contains?text=a,b`) stays, because nothing that begins a target follows it.
    """
    return tuple(part.strip() for part in _NEXT.split(text) if part.strip())
