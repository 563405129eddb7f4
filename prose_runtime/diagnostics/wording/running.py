"""Functions and their surroundings: what contracts ask for, and what a run lacks."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = (
    Code(
        "bad-tool",
        "error",
        "`{found}` under `### Tools` names no tool: a program is `cli:NAME`, a server `mcp:NAME`",
        "write `cli:` or `mcp:` and a name without a path",
    ),
    Code("runtime-hint", "warning", "`{name}` under `### Runtime` {what}", "{help}"),
    Code(
        "undeclared-error",
        "warning",
        "`{name}` is thrown, and `### Errors` declares {declared}",
        "{help}",
    ),
    Code(
        "environment-not-set",
        "error",
        "`{definition}` needs the environment variable {name}, which is not set",
        "{help}",
    ),
    Code(
        "tool-not-found",
        "error",
        "`{definition}` needs {what}, which {missing}",
        "{help}",
    ),
)
