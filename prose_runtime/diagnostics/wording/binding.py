"""Binding: services, inputs, config, budgets, trust."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

# What a service is bound to, and what the project's `prose.toml` says.
SERVICES: tuple[Code, ...] = (
    Code(
        "unknown-target",
        "error",
        "`{name}` is bound to `{target}`, which is no kind of target ({kinds})",
        "{suggestion}",
    ),
    Code(
        "target-not-available",
        "error",
        "`{name}` is bound to `{target}`: {what} cannot be bound in this version",
        "bind it to a `py:` function, a `cmd:` program, a `gate:` or `script:` replies",
    ),
    Code(
        "malformed-target", "error", "`{name}` is bound to `{target}`, which cannot be used: {reason}", "{suggestion}"
    ),
    Code("python-not-found", "error", "`{name}` is bound to `{target}`: {missing}", "{suggestion}"),
    Code(
        "python-import-failed",
        "error",
        "`{name}` is bound to `{target}`: importing {module} failed with {error}",
        "mend {where}",
    ),
    Code("not-a-service", "error", "`{name}` is bound to {found}, which cannot be called", "{suggestion}"),
    Code(
        "program-not-found",
        "error",
        "`{name}` is bound to `{target}`: there is no program `{program}` (looked in {looked})",
        "{suggestion}",
    ),
    Code(
        "bad-replies",
        "error",
        "`{name}` is bound to `{target}`, which holds no usable replies: {reason}",
        "{suggestion}",
    ),
    Code("unknown-gate", "error", "`{name}` is bound to `{target}`: there is no gate `{gate}`", "{suggestion}"),
    Code("gate-option", "error", "`{name}` is bound to `{target}`: {reason}", "{suggestion}"),
    Code(
        "no-terminal",
        "error",
        "`{name}` asks a person, and this run has no terminal",
        "bind `{name}` to another target",
    ),
    Code(
        "outside-project",
        "error",
        "`{name}` names {path}, which is outside of the project {root}",
        "move it into the project",
    ),
    Code(
        "target-in-data",
        "error",
        "`{text}` came from {origin} and is a target text: a name from there can only be that of a bound service",
        "bind it on the command line or in prose.toml, and use its name (bound: {bound})",
    ),
    Code("project-file", "error", "prose.toml cannot be used: {reason}", "{suggestion}"),
    Code("unknown-project-key", "error", "prose.toml has no `{key}` in {table}", "{suggestion}"),
    Code(
        "short-secret",
        "error",
        "the secret {variable} has fewer than {least} characters, so that masking it would mask ordinary text",
        "use a longer secret, or take {variable} out of `[secrets]`",
    ),
    Code(
        "untrusted-project",
        "error",
        "{file} has not been trusted yet, and this run would use from it: {reach}",
        "look at it, then run `prose trust`, or give `--trust`",
    ),
)

CODES: tuple[Code, ...] = (*SERVICES,)
