"""`prose.toml`: what a project binds, grants and limits.

In: a path. Out: a `Project`, or a `BindingFault` with its place in the file. Nothing that the file names is opened.

    [services]
    critic    = "cmd:./critic.sh"
    reviewers = ["py:lib/review.py:strict", "py:lib/review.py:kind"]
    judges    = { first = "cmd:./judge.sh -1", second = "cmd:./judge.sh -2" }
    refiner   = { use = "py:lib/refine.py:run", inputs = { topic = "task_brief" }, answer = "result" }
    [budget]
    max_calls = 40
    timeout = 600
    max_parallel = 4
    [environment]
    pass = ["DATA_DIR"]
    [secrets]
    names = ["SEARCH_KEY"]
    [mcp.search]
    command = ["search-server", "--stdio"]
    [check]
    unused-name = "error"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from prose_runtime.diagnostics import CODES
from prose_runtime.diagnostics.silencing import SETTINGS, Setting
from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.services.addresses import HEADER, OWN_HEADERS, variables_of
from prose_runtime.services.faults import BindingFault, suggest
from prose_runtime.source import SourceText, Span, UndecodableSource

FILE = "prose.toml"
_LIMIT = 1_000_000
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_TABLES = ("services", "budget", "environment", "secrets", "mcp", "check")
SERVICE_KEYS = ("use", "inputs", "answer", "environment", "headers", "send", "timeout")
_OF_ADDRESSES = ("headers", "send", "timeout")
SERVER_KEYS = ("command", "url", "environment", "headers", "timeout")
BUDGET_KEYS = ("max_calls", "max_tokens", "max_cost", "timeout", "max_parallel")
WHOLE = ("max_calls", "max_tokens", "max_parallel")


@dataclass(frozen=True, slots=True)
class Entry:
    """One target of `[services]`. `inputs`: the service's name for an input -> the name that the script passes;
    `answer`: the field that the answer is given as; `environment`: variables granted to this program. `name`: what a
    service of a list is called in traces. Of a web address: `headers` (with `${VARIABLE}`), `send` ("inputs" or
    "call"), `timeout` (seconds for one attempt)."""

    target: str
    span: Span
    inputs: Mapping[str, str] = field(default_factory=dict)
    answer: str | None = None
    environment: tuple[str, ...] = ()
    name: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    send: str = "inputs"
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """An MCP server, `[mcp.NAME]`: the `command` that starts it, with the `environment` that it is granted, or its
    `url` with `headers`. `timeout`: seconds for one attempt of a call."""

    name: str
    span: Span
    command: tuple[str, ...] = ()
    url: str = ""
    environment: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """`[budget]`: None where nothing is said. `timeout` is in seconds, `max_cost` in US dollars."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    timeout: float | None = None
    max_parallel: int | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A `prose.toml`, read. `root` is its folder (absolute, symlinks resolved); `table` is the file as data.
    A name with several entries is one bound to a list. `servers`: the MCP servers."""

    root: Path
    source: SourceText
    table: Mapping[str, Any]
    services: Mapping[str, tuple[Entry, ...]]
    lists: frozenset[str]
    limits: Limits
    environment: tuple[str, ...]
    secrets: tuple[str, ...]
    servers: Mapping[str, ServerEntry] = field(default_factory=dict)
    severities: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def places(self) -> dict[str, Span]:
        """Where the names of `[services]` stand."""
        return {name: locate(self.source, ("services", name)) for name in self.services}

    @property
    def file(self) -> Path:
        """The path of the `prose.toml`."""
        return self.root / FILE

    @property
    def declared_names(self) -> frozenset[str]:
        """Every environment variable that the project names: only these are taken from its `.env`."""
        own = {name for entry in self._granting for name in entry.environment}
        return frozenset({*own, *self.environment, *self.secrets, *self.keys})

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every target of `[services]`, in the order of the file."""
        return tuple(entry for entries in self.services.values() for entry in entries)

    @property
    def keys(self) -> tuple[str, ...]:
        """The variables that headers name: keys, so they are masked like `[secrets]`."""
        return tuple(dict.fromkeys(name for entry in self._granting for name in variables_of(entry.headers)))

    @property
    def _granting(self) -> list[Entry | ServerEntry]:
        """All that is granted variables."""
        return [*self.entries, *self.servers.values()]


def find_project(start: Path) -> Path | None:
    """The nearest `prose.toml` in the folder of `start` (a file or a folder) or above it."""
    place = start.resolve()
    folder = place if place.is_dir() else place.parent
    return next((item / FILE for item in (folder, *folder.parents) if (item / FILE).is_file()), None)


def load_project(start: Path) -> Project | None:
    """The project that holds `start`, or None. Raises `BindingFault` with the place of the first fault."""
    path = find_project(start)
    if path is None:
        return None
    name = str(path)  # a link stays one: the project is the folder that holds it, not the one that it leads to
    if path.stat().st_size > _LIMIT:
        raise _fault(SourceText(name, ""), Span(0, 0), f"it is larger than {_LIMIT:,} bytes", "make it smaller")
    try:
        source = SourceText.from_bytes(name, path.read_bytes())
    except UndecodableSource as error:
        raise _fault(SourceText(name, ""), Span(0, 0), f"line {error.line} is not UTF-8", "save it as UTF-8") from None
    return read_project(source, path.parent)


def read_project(source: SourceText, root: Path) -> Project:
    """A project from the text of its `prose.toml`."""
    import tomllib  # most files stand in no project

    try:
        table = tomllib.loads(source.text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise _syntax(source, str(error)) from None
    except RecursionError:
        raise _fault(source, Span(0, 0), "it is nested too deeply", "make it flatter") from None
    reader = _Reader(source)
    reader.keys(table, _TABLES, (), "")
    services, lists = reader.services(reader.table(table, "services"))
    environment = reader.table(table, "environment")
    secrets = reader.table(table, "secrets")
    reader.keys(environment, ("pass",), ("environment",), "`[environment]`")
    reader.keys(secrets, ("names",), ("secrets",), "`[secrets]`")
    return Project(
        root=root,
        source=source,
        table=table,
        services=services,
        lists=lists,
        limits=reader.limits(reader.table(table, "budget")),
        environment=reader.variables(environment.get("pass", []), ("environment", "pass")),
        secrets=reader.variables(secrets.get("names", []), ("secrets", "names")),
        servers=reader.servers(reader.table(table, "mcp")),
        severities=reader.severities(reader.table(table, "check")),
    )


class _Reader:
    """Takes the tables apart; every fault is raised with its place."""

    def __init__(self, source: SourceText) -> None:
        self._source = source

    def fault(self, where: tuple[str, ...], reason: str, suggestion: str) -> BindingFault:
        return _fault(self._source, locate(self._source, where), reason, suggestion)

    def table(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found = table.get(key, {})
        if not isinstance(found, dict):
            raise self.fault((key,), f"`{key}` is {_kind(found)}, not a table", f"write it as a table: `[{key}]`")
        return found

    def severities(self, table: Mapping[str, Any]) -> dict[str, Setting]:
        """`[check]`: the severities of codes. An error is none of a project's choosing."""
        found: dict[str, Setting] = {}
        for code, setting in table.items():
            if code not in CODES:
                raise self.fault(("check", code), f"there is no code `{code}`", suggest(code, CODES))
            if setting not in SETTINGS:
                known = ", ".join(f'"{item}"' for item in SETTINGS)
                raise self.fault(("check", code), f"`{code}` is {_kind(setting)}, not one of these", f"write {known}")
            if CODES[code].severity == "error" and setting != "error":
                reason = f"`{code}` is an error: what it is about could not run"
                raise self.fault(("check", code), reason, "take it out, and mend the files")
            found[code] = setting
        return found

    def keys(self, table: Mapping[str, Any], known: tuple[str, ...], where: tuple[str, ...], title: str) -> None:
        for key in table:
            if key not in known:
                raise BindingFault(
                    "unknown-project-key",
                    source=self._source,
                    span=locate(self._source, (*where, key)),
                    what=f"`{key}` in {title}" if title else f"table `[{key}]`",
                    suggestion=suggest(key, known),
                )

    def services(self, table: Mapping[str, Any]) -> tuple[dict[str, tuple[Entry, ...]], frozenset[str]]:
        found: dict[str, tuple[Entry, ...]] = {}
        for name, value in table.items():
            if _is_named_list(value):
                found[name] = tuple(replace(self._entry(name, item, key), name=key) for key, item in value.items())
                continue
            values = value if isinstance(value, list) else [value]
            if not values:
                raise self.fault(("services", name), f"the list of `{name}` is empty", "name at least one target")
            found[name] = tuple(self._entry(name, item) for item in values)
        return found, frozenset(
            name for name, value in table.items() if isinstance(value, list) or _is_named_list(value)
        )

    def _entry(self, name: str, value: object, *inner: str) -> Entry:
        where = ("services", name, *inner)
        if isinstance(value, str):
            return Entry(value, self._span(where, value))
        if not isinstance(value, dict):
            raise self.fault(where, f"`{name}` is {_kind(value)}", 'write a target text, or `{ use = "TARGET", … }`')
        self.keys(value, SERVICE_KEYS, where, f"the service `{name}`")
        target, answer, inputs = value.get("use"), value.get("answer"), value.get("inputs", {})
        if not isinstance(target, str):
            raise self.fault(where, f"`{name}` has no `use`", 'add `use = "TARGET"`')
        if answer is not None and not isinstance(answer, str):
            raise self.fault((*where, "answer"), f"`answer` of `{name}` is {_kind(answer)}", "write a name as a text")
        if not isinstance(inputs, dict) or not all(isinstance(item, str) for item in inputs.values()):
            raise self.fault(
                (*where, "inputs"),
                f"`inputs` of `{name}` is not a table of names",
                'write `inputs = { its_name = "name_in_the_script" }`',
            )
        granted = self.variables(value.get("environment", []), (*where, "environment"))
        entry = Entry(target, self._span(where, target), inputs, answer, granted)
        return self._of_address(entry, name, value, where) if any(key in value for key in _OF_ADDRESSES) else entry

    def _of_address(self, entry: Entry, name: str, value: Mapping[str, Any], where: tuple[str, ...]) -> Entry:
        """What only a web address has, `headers`, `send`, `timeout`, and a model, all but `send`."""
        target = entry.target.lower()
        address = target.startswith(("http://", "https://"))
        wrong = [key for key in _OF_ADDRESSES if key in value and (key == "send" or not target.startswith("model:"))]
        if wrong and not address:
            reason = f"`{name}` is no web address, and `{wrong[0]}` is only for these"
            raise self.fault((*where, wrong[0]), reason, "take it out")
        send, timeout = value.get("send", "inputs"), value.get("timeout")
        if send not in ("inputs", "call"):
            raise self.fault((*where, "send"), f"`send` of `{name}` is {send!r}", 'write "inputs" or "call"')
        if timeout is not None:
            self._number(timeout, "timeout", (*where, "timeout"))
        headers = self._headers(value.get("headers", {}), name, (*where, "headers"))
        return replace(entry, headers=headers, send=send, timeout=timeout)

    def _headers(self, value: object, name: str, where: tuple[str, ...]) -> Mapping[str, str]:
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            example = 'write `headers = { Authorization = "Bearer ${VARIABLE}" }`'
            raise self.fault(where, f"`headers` of `{name}` is not a table of texts", example)
        for key, text in value.items():
            if not HEADER.match(key) or key.lower() in OWN_HEADERS:
                raise self.fault(where, f"`{key}` is no header that can be given", "take it out")
            if not text.isprintable() or not text.isascii():
                raise self.fault(where, f"the header `{key}` is not printable ASCII in one line", "write it so")
        return value

    def servers(self, table: Mapping[str, Any]) -> dict[str, ServerEntry]:
        """`[mcp.NAME]`: each is a table with the `command` that starts the server, or its `url`."""
        found = {}
        for name, value in table.items():
            where = ("mcp", name)
            if not isinstance(value, dict):
                raise self.fault(where, f"`mcp.{name}` is {_kind(value)}", f"write it as a table: `[mcp.{name}]`")
            self.keys(value, SERVER_KEYS, where, f"`[mcp.{name}]`")
            found[name] = self._server(name, value, where)
        return found

    def _server(self, name: str, value: Mapping[str, Any], where: tuple[str, ...]) -> ServerEntry:
        command, url, timeout = value.get("command", []), value.get("url", ""), value.get("timeout")
        if not isinstance(command, list) or not all(isinstance(item, str) and item for item in command):
            reason = f"`command` of `mcp.{name}` is not a list of texts"
            raise self.fault((*where, "command"), reason, 'write `command = ["PROGRAM", "ARGUMENT"]`')
        if not isinstance(url, str) or (url and not url.lower().startswith(("http://", "https://"))):
            raise self.fault((*where, "url"), f"`url` of `mcp.{name}` is no web address", 'write `url = "https://…"`')
        if bool(command) is bool(url):
            reason = f"`mcp.{name}` has {'both a `command` and a `url`' if url else 'neither a `command` nor a `url`'}"
            raise self.fault(where, reason, "give one of them")
        wrong = next((key for key in (("headers",) if command else ("environment",)) if key in value), None)
        if wrong is not None:
            kind = "is started by a `command`" if command else "has a `url`"
            raise self.fault((*where, wrong), f"`mcp.{name}` {kind}, and `{wrong}` is not for these", "take it out")
        if timeout is not None:
            self._number(timeout, "timeout", (*where, "timeout"))
        granted = self.variables(value.get("environment", []), (*where, "environment"))
        headers = self._headers(value.get("headers", {}), f"mcp.{name}", (*where, "headers"))
        return ServerEntry(name, locate(self._source, where), tuple(command), url, granted, headers, timeout)

    def limits(self, table: Mapping[str, Any]) -> Limits:
        self.keys(table, BUDGET_KEYS, ("budget",), "`[budget]`")
        for key, value in table.items():
            self._number(value, key, ("budget", key), whole=key in WHOLE)
        return Limits(**table)

    def _number(self, value: Any, key: str, where: tuple[str, ...], *, whole: bool = False) -> None:
        """Raise unless it is a number above 0."""
        right = isinstance(value, int) if whole else isinstance(value, int | float)
        if isinstance(value, bool) or not right or not 0 < value < float("inf"):
            found = repr(value) if isinstance(value, int | float | str) else _kind(value)
            unit = " (seconds)" if key == "timeout" else ""
            raise self.fault(where, f"`{key}` is {found}", f"write a {'whole ' if whole else ''}number above 0{unit}")

    def variables(self, value: object, where: tuple[str, ...]) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(item, str) and _VARIABLE.match(item) for item in value):
            return tuple(value)
        raise self.fault(
            where,
            f"`{where[-1]}` is not a list of names of environment variables",
            f'write names only, never values: `{where[-1]} = ["NAME"]`',
        )

    def _span(self, where: tuple[str, ...], text: str) -> Span:
        """The place of a value; of the key where the value is not written as it reads (escapes)."""
        line = locate(self._source, where)
        start = self._source.text.find(text, line.start)
        return Span(start, start + len(text)) if start >= 0 else line


def _is_named_list(value: object) -> bool:
    """`{ strict = "py:…", kind = "py:…" }`: services of a list slot by their names. A table with a key that is nearly
    one of a single service is a mistake in that."""
    return (
        isinstance(value, dict)
        and bool(value)
        and not any(key in SERVICE_KEYS or nearest(key, SERVICE_KEYS) for key in value)
    )


def locate(source: SourceText, where: tuple[str, ...]) -> Span:
    """The place of a key, as near as can be told without a second TOML reader: the key in its own line under its
    table's header, else the header or the key that holds it, else the start of the file."""
    best, reached = Span(0, 0), 0
    current: tuple[str, ...] = ()
    offset = 0
    for line in source.text.splitlines(keepends=True):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?", line)
        if header:
            current = tuple(part.strip(" \"'") for part in header[1].split("."))
            if current == where[: len(current)] and len(current) > reached:
                best, reached = Span(offset + header.start(1), offset + header.end(1)), len(current)
        elif current == where[: len(current)]:
            for key in re.finditer(r"(?:^|[{,.])\s*(?:\"([^\"]+)\"|'([^']+)'|([\w-]+))\s*(?=[=.])", line):
                group = next(index for index in (1, 2, 3) if key[index] is not None)
                depth = where.index(key[group]) + 1 if key[group] in where[len(current) :] else 0
                if depth > reached:
                    best, reached = Span(offset + key.start(group), offset + key.end(group)), depth
        offset += len(line)
    return best


def _syntax(source: SourceText, text: str) -> BindingFault:
    match = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", text)
    reason = text[: match.start()] if match else text
    if match and match[1]:
        start = source.line_starts[min(int(match[1]), len(source.line_starts)) - 1] + int(match[2]) - 1
    else:
        start = len(source.text) if match else 0
    return _fault(
        source, Span(start, start), f"it is not TOML here: {reason[:1].lower()}{reason[1:]}", "mend that line"
    )


def _fault(source: SourceText, span: Span, reason: str, suggestion: str) -> BindingFault:
    return BindingFault("project-file", source=source, span=span, reason=reason, suggestion=suggestion)


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")
