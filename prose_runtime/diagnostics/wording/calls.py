"""Calls: targets, inputs, outputs; references to other definitions and files."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = (
    # ---- targets ----
    Code("unknown-call", "error", "there is nothing called `{name}` to call: {found}", "{help}"),
    Code(
        "pattern-called",
        "error",
        "`{name}` is a pattern; its slots must be bound before it can be called",
        "make an instance under `### Patterns` and use the instance's name",
    ),
    Code(
        "not-callable",
        "error",
        "`{name}` is {what}, not something that can be called",
        "call a slot, a function or a pattern instance; a name that holds an item of a list slot is one too",
    ),
    Code(
        "list-slot-called",
        "error",
        "`{name}` holds several services",
        "call them one by one: `for item in {name}:` and `call item`",
    ),
    Code(
        "call-cycle",
        "warning",
        "these call each other in a circle: {path}",
        "make sure that one of the calls stands in an `if`",
    ),
    # ---- inputs ----
    Code("missing-input", "error", "`{target}` needs {names}, which this call does not give", "give it: `{first}: …`"),
    Code("unknown-input", "error", "`{target}` takes no `{name}`; it takes {takes}", "{help}"),
    Code("mistyped-input", "error", "`{name}` is declared as {wanted}; this is {found}", "pass a value of that type"),
    Code("given-twice", "error", "`{name}` is given to `{target}` by position and by name", "keep one of the two"),
    Code(
        "too-many-arguments",
        "error",
        "`{name}` takes {takes} by position; {given} given here",
        "take the last ones away, or give them by name",
    ),
    Code(
        "positional-to-slot",
        "error",
        "the slot `{name}` declares no names for arguments by position",
        "give each value a name: `name: value`",
    ),
    Code(
        "slot-requires",
        "warning",
        "the slot `{name}` requires {missing}, which this call does not give",
        "pass what the slot requires",
    ),
    Code(
        "missing-output",
        "error",
        "this `return` leaves out {names}, which this definition declares",
        "give it: `{first}: …`",
    ),
    Code(
        "mistyped-output",
        "error",
        "the output `{name}` is declared as {wanted}; this is {found}",
        "return a value of that type, or declare another type",
    ),
    Code("undeclared-output", "warning", "no output `{name}` is declared; declared: {declares}", "{help}"),
    Code("unknown-output", "error", "`{target}` gives no `{name}`; it gives {gives}", "{help}"),
    Code("bad-modifier", "error", "`{name}` takes {wanted}; this is {found}", "write {wanted}"),
    Code(
        "backoff-alone", "warning", "`backoff` has no effect without `retry`", "add `retry: 3`, or take `backoff` away"
    ),
    # ---- references and instances ----
    Code("unknown-definition", "error", "the document has no definition `{name}`", "{help}"),
    Code("use-not-found", "error", "`{path}` names no document: {because}", "{help}"),
    Code(
        "pattern-not-found",
        "error",
        "there is no pattern `{name}`: {because}",
        "{help}",
    ),
    Code("unknown-subject", "error", "there is no subject `{name}` to test: {because}", "{help}"),
    Code(
        "hides-standard",
        "warning",
        "`{name}` is {what} here; it hides `{standard}`",
        "{help}",
    ),
    Code("retired-path", "warning", "`{path}` is retired; it is read as `{now}`", "write `{now}`"),
    Code(
        "not-a-pattern",
        "error",
        "`{name}` is a {kind}, not a pattern",
        "name a pattern; a {kind} can be called without an instance",
    ),
    Code("unknown-slot", "error", "the pattern `{pattern}` has no slot `{name}`", "{help}"),
    Code(
        "unbound-slot",
        "warning",
        "this instance leaves {names} unbound; a run has to bind what is left",
        "bind it under `with:`: `{first}: …`",
    ),
    Code(
        "slot-takes-one",
        "error",
        "the slot `{name}` of `{pattern}` takes one service and is given a list",
        "give it one name",
    ),
    Code("unknown-setting", "error", "the pattern `{pattern}` has no config `{name}`", "{help}"),
    Code(
        "mistyped-setting",
        "error",
        "the config `{name}` is declared as {wanted}; this is {found}",
        "write a value of that type",
    ),
    Code("cycle", "error", "this comes back to where it began: {path}", "break the circle at one of these"),
    Code(
        "nothing-asked",
        "error",
        "this session asks nothing",
        'give it a text: `session "…"`, or a line `prompt: "…"`',
    ),
    Code("gate-without-question", "error", "this gate has no question", 'add `question: "…"`'),
    Code(
        "answer-does-not-fit",
        "error",
        "`{service}` declares that it gives {declared}, and here {compared} is compared with a number",
        "let it give a number there, or compare what it gives",
    ),
)
