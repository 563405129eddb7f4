"""Programs as services: `cmd:PROGRAM ARGS…`, without a shell.

In: the arguments and what the program may see. Out: a `CommandService` that writes the call to the program's stdin as
one JSON object (`inputs`, `prompt`, `model`, `context`, `schema`, and for a contract or a slot that a model answers
`instructions`, `message` and `correction`; of a session also `agent`, `memory`, `skills`, of a gate `options` and
`default`) and takes its stdout as the answer.
"""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prose_runtime.diagnostics.visible import visible
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.process import GRACE, OUTPUT_LIMIT, Finished, Program
from prose_runtime.services.requests import whole_call
from prose_runtime.services.threads import Threads


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A program found, its arguments, and where it is started."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]


class CommandService:
    """A program that is started for each call. It ends with the call: on time-out, cancel and at its own end its
    whole process group is ended, by TERM and, `grace` seconds later, by KILL."""

    def __init__(
        self, line: CommandLine, *, name: str, target: str, grace: float = GRACE, limit: int = OUTPUT_LIMIT
    ) -> None:
        self.name = name
        self.target = target
        self.signature: Signature | None = None
        self._line = line
        self._grace = grace
        self._limit = limit
        self._threads = Threads(f"prose-{name}")

    async def call(self, call: Call) -> Answer:
        """Run it once. A status other than 0 is a `ServiceError` with the last line of its stderr in the sentence, and
        those before it as lines of their own."""
        data = json.dumps(whole_call(call), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        finished = await run_line(self._line, data, threads=self._threads, grace=self._grace, limit=self._limit)
        if finished.too_long:
            raise ServiceError(f"`{self.name}` wrote more than {self._limit:,} bytes", transient=False)
        if finished.status != 0:
            raise ServiceError(self._failure(finished), detail={"status": finished.status})
        return Answer(read_output(finished.output, name=self.name))

    async def close(self) -> None:
        """End the worker threads; no program outlives its call."""
        self._threads.close()

    def _failure(self, finished: Finished) -> str:
        *before, last = last_lines(finished.error).split("\n")
        ended = f"`{self.name}` ({self.target}) {how_ended(finished.status)}" + (f": {last}" if last else "")
        return "\n".join([ended, *(f"    {line}" for line in before)])


async def run_line(
    line: CommandLine, data: bytes, *, threads: Threads, grace: float = GRACE, limit: int = OUTPUT_LIMIT
) -> Finished:
    """Run a program in a worker thread; a cancellation ends it before it is passed on."""
    program = Program(
        line.arguments, data=data, environment=line.environment, folder=line.folder, limit=limit, grace=grace
    )
    try:
        return await threads.run(program.run, stop=program.stop)
    except (OSError, ValueError) as error:
        said = f"`{line.arguments[0]}` could not be started: {_start_fault(error)}"
        raise ServiceError(said, transient=False) from error


def _start_fault(error: OSError | ValueError) -> str:
    """Why a program that is there and executable does not start."""
    number = getattr(error, "errno", None)
    if number == errno.ENOEXEC:
        return "it is no program for this machine, and has no first line like `#!/bin/sh`"
    if number == errno.ENOENT:
        return "the program that its first line names is not there"
    return getattr(error, "strerror", None) or str(error)


def read_output(data: bytes, *, name: str) -> Any:
    """What a program wrote: a JSON value if the whole is JSON, else the text without the line ends after it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ServiceError(
            f"`{name}` wrote bytes that are not UTF-8 text (at byte {error.start})", transient=False
        ) from None
    try:
        return json.loads(text, parse_constant=_refuse)
    except _NotJson as error:
        if text.lstrip()[:1] in ("{", "["):
            raise ServiceError(
                f"`{name}` wrote JSON with {error}, which no JSON value can be", transient=False
            ) from None
        return text.rstrip("\r\n")
    except ValueError:
        return text.rstrip("\r\n")
    except RecursionError:
        raise ServiceError(f"`{name}` wrote JSON that is nested too deeply", transient=False) from None


class _NotJson(ValueError):
    """`NaN` or `Infinity`, which Python's reader would take."""


def _refuse(constant: str) -> None:
    raise _NotJson(constant)


def last_lines(data: bytes, count: int = 6) -> str:
    """The last lines with something in them, made safe to show."""
    lines = [line.rstrip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return visible("\n".join(lines[-count:]))


def how_ended(status: int) -> str:
    """An exit status in words."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


def read_command(
    text: str,
    *,
    name: str,
    target: str,
    folder: Path,
    project_root: Path | None,
    environment: Mapping[str, str],
    check: Callable[[Path], None],
) -> CommandLine:
    """Split a command line as a shell would, without running one, and find its program.

    A name is looked for in PATH; a path (with a slash) relative to `folder`, then to the project's root. `check` sees a
    relative path before it is looked for. Raises `BindingFault`: `malformed-target` or `program-not-found`.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BindingFault(
            "malformed-target", name=name, target=target, reason=f"{error}".lower(), suggestion="close the quote"
        ) from None
    if not words or not words[0]:
        raise BindingFault(
            "malformed-target",
            name=name,
            target=target,
            reason="it names no program",
            suggestion="write `cmd:PROGRAM ARGS`",
        )
    if "/" in words[0] and not words[0].startswith(("/", "~")):
        check(folder / words[0])
    roots = [item for item in dict.fromkeys((folder, project_root)) if item is not None]
    program = find_program(words[0], roots=roots, search=environment.get("PATH", os.defpath))
    if program is None:
        raise _not_found(words[0], name, target, roots=[str(item) for item in roots], environment=environment)
    return CommandLine((program, *words[1:]), folder, environment)


def find_program(word: str, *, roots: Sequence[Path], search: str) -> str | None:
    """The path of a program. Empty and relative entries of PATH are passed over: they would mean the folder that the
    run happens to be in."""
    if "/" in word:
        for root in roots:
            path = root / Path(word).expanduser()
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
        return None
    folders = [item for item in search.split(os.pathsep) if item.startswith("/")]
    return shutil.which(word, path=os.pathsep.join(folders)) if folders else None


def searched(path: str) -> str:
    """`the 12 folders of PATH`: what they are can be seen elsewhere."""
    folders = {item for item in path.split(os.pathsep) if item.startswith("/")}
    return f"the {len(folders)} folders of PATH" if len(folders) != 1 else f"PATH: {next(iter(folders))}"


def _not_found(
    word: str, name: str, target: str, *, roots: Sequence[str], environment: Mapping[str, str]
) -> BindingFault:
    if "/" not in word:
        local = any((Path(root) / word).is_file() for root in roots)
        return BindingFault(
            "program-not-found",
            name=name,
            target=target,
            program=word,
            looked=searched(environment.get("PATH", os.defpath)),
            suggestion=f"write `cmd:./{word}` for the file here" if local else f"install `{word}`, or give its path",
        )
    there = next((Path(root) / word for root in roots if (Path(root) / word).is_file()), None)
    if there is not None:
        return BindingFault(
            "malformed-target",
            name=name,
            target=target,
            reason=f"{there} is not executable",
            suggestion=f"make it so: `chmod +x {shlex.quote(str(there))}`",
        )
    return BindingFault(
        "program-not-found",
        name=name,
        target=target,
        program=word,
        looked=", ".join(roots),
        suggestion="give the path of an executable file",
    )
