"""Gates that run apart, in a process that can be ended: `regex`, `python-syntax`, `command`.

A pattern can need longer than the universe to fail, and a text can bring down a compiler: neither may stop a run.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from prose_runtime.runtime.port import ServiceError
from prose_runtime.services.command import CommandLine, how_ended, last_lines, run_line
from prose_runtime.services.gates.options import Options
from prose_runtime.services.gates.verdict import PASSED, Check, Verdict
from prose_runtime.services.process import Finished
from prose_runtime.services.threads import Threads

_REGEX = """
import json, re, sys
asked = json.load(sys.stdin)
found = re.search(asked["pattern"], asked["text"], asked["flags"])
json.dump(None if found is None else [found.start(), found.group()[:200]], sys.stdout)
"""
_SYNTAX = """
import json, sys, warnings
warnings.simplefilter("ignore")
text = json.load(sys.stdin)
try:
    compile(text, "<text>", "exec", dont_inherit=True)
    fault = None
except SyntaxError as error:
    fault = [error.msg, error.lineno, error.offset]
except (ValueError, RecursionError, MemoryError, OverflowError) as error:
    fault = [str(error) or type(error).__name__, None, None]
json.dump(fault, sys.stdout)
"""
_FLAGS = {"i": 2, "m": 8, "s": 16, "x": 64}  # re.IGNORECASE, MULTILINE, DOTALL, VERBOSE


def regex(options: Options, threads: Threads) -> Check:
    """`pattern=`: is found somewhere; `absent=yes`: must not be; `flags=` of i, m, s, x; `seconds=` to search (2)."""
    pattern = options.needed("pattern", "gate:regex?pattern=…")
    flags = 0
    for letter in options.text("flags") or "":
        if letter not in _FLAGS:
            raise options.fault(f"`flags` has `{letter}`", "use i, m, s and x")
        flags |= _FLAGS[letter]
    unwanted, seconds = options.flag("absent"), options.seconds(2.0)
    _compile(options, pattern, flags)

    async def check(text: str) -> Verdict:
        request = {"pattern": pattern, "flags": flags, "text": text}
        try:
            finished = await _python(_REGEX, request, threads, seconds)
        except TimeoutError:
            raise ServiceError(
                f"the pattern `{pattern}` took longer than {seconds:g} s on this text", name="timeout", transient=False
            ) from None
        if finished.status != 0:
            said = last_lines(finished.error, 1)
            raise ServiceError(f"the pattern `{pattern}` could not be searched for: {said}", transient=False)
        found = json.loads(finished.output)
        if unwanted and found is not None:
            line = text.count("\n", 0, found[0]) + 1
            return Verdict((f"line {line} has {found[1]!r}, which `{pattern}` forbids",), (f"change line {line}",))
        if not unwanted and found is None:
            return Verdict((f"nothing in it matches `{pattern}`",), (f"put in what `{pattern}` asks for",))
        return PASSED

    return check


def python_syntax(options: Options, threads: Threads) -> Check:
    """The text compiles as a Python module. Nothing of it is run."""

    async def check(text: str) -> Verdict:
        try:
            finished = await _python(_SYNTAX, text, threads, 10.0)
        except TimeoutError:
            return Verdict(("it takes longer than 10 s to compile",), ("make it smaller",))
        if finished.status != 0:
            return Verdict((f"the compiler {how_ended(finished.status)} on it",), ("make it simpler",))
        fault = json.loads(finished.output)
        if fault is None:
            return PASSED
        message, line, column = fault
        place = f" (line {line}, column {column})" if line and column else f" (line {line})" if line else ""
        fenced = text.lstrip().startswith("```")
        advice = "give the code alone, without a code fence" if fenced else f"mend line {line}" if line else "mend it"
        return Verdict((f"it is not Python: {message}{place}",), (advice,))

    return check


def command(options: Options, threads: Threads, line: CommandLine) -> Check:
    """`run=`: a program that reads the text and exits with 0 when it is right; `seconds=` for it (60). Its last
    lines of output are the issues."""
    seconds = options.seconds(60.0)

    async def check(text: str) -> Verdict:
        try:
            async with asyncio.timeout(seconds):
                finished = await run_line(line, text.encode("utf-8", "surrogatepass"), threads=threads)
        except TimeoutError:
            raise ServiceError(f"`{line.arguments[0]}` took longer than {seconds:g} s", name="timeout") from None
        if finished.status == 0:
            return PASSED
        said = last_lines(finished.error, 20) or last_lines(finished.output[-8192:], 20)
        issues = said.splitlines() or [f"`{Path(line.arguments[0]).name}` {how_ended(finished.status)}"]
        return Verdict(tuple(issues), ("mend what it reports",))

    return check


def _compile(options: Options, pattern: str, flags: int) -> None:
    import re
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise options.fault(f"`{pattern}` is not a pattern: {error}", "mend the pattern") from None


async def _python(script: str, request: object, threads: Threads, seconds: float) -> Finished:
    """Run a script in a bare Python of its own: nothing of the project is on its path. Raises `TimeoutError`."""
    line = CommandLine((sys.executable, "-I", "-S", "-c", script), Path(tempfile.gettempdir()), _bare(os.environ))
    async with asyncio.timeout(seconds + 1.0):  # the second is for Python to start
        return await run_line(line, json.dumps(request).encode(), threads=threads, grace=0.0)


def _bare(outer: Mapping[str, str]) -> dict[str, str]:
    return {name: outer[name] for name in ("PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH") if name in outer}
