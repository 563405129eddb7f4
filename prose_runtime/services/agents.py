"""Coding agents as services: `agent:claude` and `agent:codex`, their command lines run without a terminal.

In: the options of the target. Out: an `AgentService` that gives the program the text of a call on stdin, reads the JSON
that it writes, and tells what was spent. Without `edits=yes` and `tools=…` an agent may read and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from prose_runtime.diagnostics.visible import visible
from prose_runtime.runtime.asking import Asking, message_of
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature
from prose_runtime.services.agent_replies import Reply, read_claude, read_codex
from prose_runtime.services.command import CommandLine, how_ended, last_lines, run_line
from prose_runtime.services.lenient import json_in, strict
from prose_runtime.services.process import GRACE, OUTPUT_LIMIT, Finished
from prose_runtime.services.threads import Threads

PATIENCE = 1800.0
"""Seconds for a whole attempt where nothing else is said."""
_LONGEST_ARGUMENT = 100_000


@dataclass(frozen=True, slots=True)
class Kind:
    """A coding agent. `own`: the variables by which it is let in, given to it and masked in what it says."""

    program: str
    install: str
    own: tuple[str, ...]
    lists_tools: bool


KINDS: Mapping[str, Kind] = {
    "claude": Kind(
        "claude",
        "install it with `npm install -g @anthropic-ai/claude-code` and start `claude` once to log in",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
        True,
    ),
    "codex": Kind(
        "codex",
        "install it with `npm install -g @openai/codex` and start `codex login` once",
        ("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"),
        False,
    ),
}


@dataclass(frozen=True, slots=True)
class Leave:
    """What an agent may do: `tools` by their names (claude), `edits` of files in its folder, at most so many `turns`
    (claude). `model`: the one that it is started with where a call names none."""

    tools: tuple[str, ...] = ()
    edits: bool = False
    turns: int | None = None
    model: str | None = None


class AgentService:
    """A coding agent, started for each call in the folder of `line` and ended with it, children included."""

    is_model = True

    def __init__(
        self,
        kind: str,
        line: CommandLine,
        *,
        name: str,
        target: str,
        leave: Leave = Leave(),
        keys: Mapping[str, str] | None = None,
        timeout: float = PATIENCE,
        grace: float = GRACE,
        limit: int = OUTPUT_LIMIT,
    ) -> None:
        self.name = name
        self.target = target
        self.signature: Signature | None = None
        self.keys = dict(keys or {})
        self._kind = kind
        self._line = line
        self._leave = leave
        self._timeout = timeout
        self._grace = grace
        self._limit = limit
        self._threads = Threads(f"prose-{name}")

    async def call(self, call: Call) -> Answer:
        """Have it work once. What it says of its own failure is a `ServiceError`, with what that has cost."""
        with self._arguments(call) as (arguments, text):
            line = replace(self._line, arguments=(*self._line.arguments, *arguments))
            data = text.encode("utf-8", "replace")
            try:
                async with asyncio.timeout(self._timeout):
                    finished = await run_line(line, data, threads=self._threads, grace=self._grace, limit=self._limit)
            except TimeoutError as error:
                late = f"`{self.name}` ({self.target}) was not done within {self._timeout:g} s"
                raise ServiceError(late, name="timeout") from error
        return self._answer(finished, call)

    async def reach(self) -> str:
        """Start it for its version alone."""
        line = replace(self._line, arguments=(*self._line.arguments, "--version"))
        finished = await run_line(line, b"", threads=self._threads, grace=self._grace)
        said = visible(finished.output.decode("utf-8", "replace").strip().partition("\n")[0])[:80]
        if finished.status != 0:
            raise ServiceError(f"`{self._line.arguments[0]} --version` {how_ended(finished.status)}")
        return f"found {said or self._line.arguments[0]}"

    async def close(self) -> None:
        """End the worker threads; no program outlives its call."""
        self._threads.close()

    # ---- what it is started with ----

    @contextmanager
    def _arguments(self, call: Call) -> Iterator[tuple[Sequence[str], str]]:
        """The arguments after the program, and what it reads."""
        instructions, text = instructions_of(call), text_of(call)
        schema = call.schema if call.schema is not None and call.schema.get("type") == "object" else None
        if self._kind == "codex":
            tight = strict(schema) if schema is not None else None
            asked = _parts(instructions, text, "" if tight else _form(call))
            with tempfile.TemporaryDirectory(prefix="prose-") as folder:
                yield self._for_codex(call, tight, Path(folder)), asked
            return
        shown = json.dumps(schema, ensure_ascii=False) if schema is not None else ""
        fits = len(instructions) + len(shown) < _LONGEST_ARGUMENT
        arguments = self._for_claude(call, instructions if fits else "", shown if fits else "")
        form = _form(call) if not (shown and fits) else ""
        yield arguments, _parts("" if fits else instructions, text, form)

    def _for_claude(self, call: Call, instructions: str, schema: str) -> list[str]:
        leave = self._leave
        options = [
            ("--model", call.model or leave.model),
            ("--allowedTools", ",".join(leave.tools)),
            ("--permission-mode", "acceptEdits" if leave.edits else None),
            ("--max-turns", str(leave.turns) if leave.turns else None),
            ("--append-system-prompt", instructions),
            ("--json-schema", schema),
        ]
        return ["--print", "--output-format", "json", *(word for pair in options if pair[1] for word in pair if word)]

    def _for_codex(self, call: Call, schema: Mapping[str, Any] | None, folder: Path) -> list[str]:
        leave = self._leave
        arguments = ["exec", "--json", "--skip-git-repo-check"]
        arguments += ["--sandbox", "workspace-write" if leave.edits else "read-only"]
        model = call.model or leave.model
        if model:
            arguments += ["--model", model]
        if schema is not None:
            path = folder / "schema.json"
            path.write_text(json.dumps(schema, ensure_ascii=False), encoding="utf-8")
            arguments += ["--output-schema", str(path)]
        return [*arguments, "-"]

    # ---- what it gives ----

    def _answer(self, finished: Finished, call: Call) -> Answer:
        if finished.too_long:
            raise ServiceError(f"`{self.name}` wrote more than {self._limit:,} bytes", transient=False)
        reply = (read_codex if self._kind == "codex" else read_claude)(finished.output.decode("utf-8", "replace"))
        who = f"`{self.name}` ({self.target})"
        if reply is None or (finished.status != 0 and not reply.failed):
            last = last_lines(finished.error, 1)
            said = f"{who} {how_ended(finished.status)} without a result" + (f": {last}" if last else "")
            raise ServiceError(said, detail={"status": finished.status}, usage=reply.usage if reply else None)
        if reply.failed:
            raise ServiceError(f"{who} failed: {reply.failed}", transient=reply.transient, usage=reply.usage)
        return Answer(_value(reply, call), reply.usage)


def _value(reply: Reply, call: Call) -> Any:
    """What it answered: the object that was asked for, if it gave one, else its words."""
    if reply.value is not None:
        return reply.value
    found = json_in(reply.text) if call.schema is not None else None
    return reply.text if found is None else found


def instructions_of(call: Call) -> str:
    """What holds for all that is asked: a contract, the words of a slot, an agent's own prompt; and its skills."""
    skills = f"Use these skills: {', '.join(call.skills)}." if call.skills else ""
    return _parts(call.instructions, skills)


def text_of(call: Call) -> str:
    """What is asked this time, after what was asked and answered before."""
    before = [
        f"You were asked before:\n\n{_plain(turn.asked)}\n\nYou answered:\n\n{_plain(turn.answered)}"
        for turn in call.memory
    ]
    asked = call.message or message_of(
        Asking(""), call.inputs, prompt=call.prompt, context=call.context, correction=call.correction
    )
    options = f"Choose one of: {json.dumps(list(call.options), ensure_ascii=False)}." if call.options else ""
    return _parts(*before, asked, options) or "Nothing is given."


def _form(call: Call) -> str:
    """The form of the answer in words, for where it cannot be demanded otherwise."""
    if call.schema is None:
        return ""
    return (
        f"Answer with one JSON value and no word around it. It must fit this JSON schema:\n\n{json.dumps(call.schema)}"
    )


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parts(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())
