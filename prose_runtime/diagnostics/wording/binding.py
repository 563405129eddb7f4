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
        "extra-not-installed",
        "error",
        "`{name}` is bound to `{target}`: that needs the extra `{extra}`, which is not installed",
        "run `pip install 'prose-runtime[{extra}]'`",
    ),
    Code(
        "variable-not-set",
        "error",
        "`{name}` is bound to `{target}`: it needs {variable}, which is not set",
        "set {variable} in the environment or in .env",
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
    Code("unknown-project-key", "error", "prose.toml has no {what}", "{suggestion}"),
    Code(
        "short-secret",
        "error",
        "the secret {variable} has fewer than {least} characters, so that masking it would mask ordinary text",
        "use a longer secret, or take {variable} out of `[secrets]`",
    ),
    Code(
        "untrusted-project",
        "error",
        "{file} {state}, and this run would use from it: {reach}",
        "look at it, then run `prose trust`, or give `--trust`",
    ),
)

# What a program needs from a run, and what the run was given.
RUNS: tuple[Code, ...] = (
    Code(
        "not-runnable",
        "error",
        "`{name}` is a {kind}; only patterns and functions are run",
        "run a pattern or a function",
    ),
    Code(
        "slot-not-bound",
        "error",
        "nothing is bound to the slot `{name}`",
        'add `--bind {name}=TARGET`, or a line `{name} = "TARGET"` under `[services]` in prose.toml',
    ),
    Code(
        "list-slot-not-bound",
        "warning",
        "nothing is bound to the list slot `{name}`: it is an empty list, and nobody is called from it",
        "add `--bind {name}=TARGET`, or mark the slot as optional",
    ),
    Code(
        "slot-bound-twice",
        "error",
        "the slot `{name}` takes one service, and {given} are bound to it",
        "bind one service to `{name}`",
    ),
    Code("nothing-to-bind", "error", "`{name}` is bound, but `{pattern}` has no such slot; it has {has}", "{help}"),
    Code(
        "function-not-bound",
        "error",
        "the function `{name}` has no script, and nothing is bound that can fulfil its contract",
        "add `--bind {name}=TARGET`, or bind `model`",
    ),
    Code(
        "service-not-bound",
        "error",
        "an instance names the service `{name}`, and nothing of that name is bound",
        "{help}",
    ),
    Code("input-not-given", "error", "the input `{name}` is required and was not given", "add `--input {name}=VALUE`"),
    Code("unknown-given-input", "error", "`{pattern}` has no input `{name}`", "{help}"),
    Code("bad-input", "error", "the input `{name}` must be {wanted}, found {found}", "give {wanted}"),
    Code("unknown-given-config", "error", "`{pattern}` has no config `{name}`", "{help}"),
    Code("bad-config", "error", "the config `{name}` must be {wanted}, found {found}", "give {wanted}"),
    Code(
        "service-needs-input",
        "error",
        "`{target}` needs `{name}`, which this call does not pass",
        "pass `{name}: …`, or bind a service that does without it",
    ),
    Code(
        "service-needs-optional",
        "error",
        "`{target}` needs `{name}`, and the optional input `{given}` that this call passes for it was not given",
        "add `--input {given}=VALUE`",
    ),
    Code(
        "input-withheld",
        "warning",
        "`{target}` does not take `{name}` and will not be given it; it takes {takes}",
        "{help}",
    ),
    Code(
        "no-declared-order",
        "error",
        "`{name}` is bound to a service that declares no inputs, so arguments by position have no names",
        "give each value a name: `name: value`",
    ),
    Code(
        "model-not-bound",
        "error",
        "a session asks a model, and no service `model` is bound{named}",
        "add `--bind model=TARGET`",
    ),
    Code(
        "gate-not-bound",
        "error",
        "a gate asks a person, and nobody can be asked: there is no terminal, and nothing is bound to `gate`",
        "run it in a terminal, or add `--bind gate=TARGET`",
    ),
    Code(
        "no-judge-for-contract",
        "error",
        "`{text}` can only be decided by a judge, and none is bound",
        "bind one with `--judge TARGET`, or leave `--judge-contracts` out: it is then said to be not checked",
    ),
    Code(
        "requirement-not-met",
        "error",
        "`{name}` asks for something that is not so: {text}{because}",
        "give it what it asks for",
    ),
    Code(
        "budget-too-small",
        "error",
        "`{name}` makes at least {fewest} calls{formula}, and the budget allows {most}",
        "allow {fewest} calls at least",
    ),
)

CODES: tuple[Code, ...] = (*SERVICES, *RUNS)
